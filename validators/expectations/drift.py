"""What may not change between two releases without somebody looking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cardbook import schema
from cardbook.package import Package
from expectations import frames
from expectations.model import Judged, at_most, between, some_rows

if TYPE_CHECKING:
    import duckdb

#: New rows of another model or engine move a mean honestly. Measured by leaving one out: no
#: single recipe moves the mean of its card and phase by more than 0.04, so this is a whole source.
MEAN_MAY_MOVE = 0.15
#: The same records under the same views differ only by corrections; a release that moves a
#: card's mean by more than two hundredths of its wall has corrected a figure that bounds.
CORRECTIONS_MAY_MOVE = 0.02
#: A source that says less than the others adds nulls; a tenth in one release is a lost column.
NULLS_MAY_RISE = 0.10

MEANS = """
WITH old AS (SELECT card, phase, record, fraction_of_wall AS f FROM earlier_efficiency WHERE fraction_of_wall IS NOT NULL),
new AS (SELECT card, phase, record, fraction_of_wall AS f FROM efficiency WHERE fraction_of_wall IS NOT NULL),
per_old AS (SELECT card, phase, AVG(f) AS mean, COUNT(*) AS n FROM old GROUP BY card, phase),
per_new AS (SELECT card, phase, AVG(f) AS mean, COUNT(*) AS n FROM new GROUP BY card, phase),
same AS (SELECT old.card, old.phase, AVG(new.f) - AVG(old.f) AS moved FROM old INNER JOIN new ON old.record = new.record GROUP BY old.card, old.phase)
SELECT o.card, o.phase, o.mean AS mean_before, n.mean AS mean_now,
    CASE WHEN o.n >= {enough} AND n.n >= {enough} THEN ABS(n.mean - o.mean) END AS mean_moved, ABS(s.moved) AS corrections_moved
FROM per_old AS o INNER JOIN per_new AS n ON o.card = n.card AND o.phase = n.phase LEFT JOIN same AS s ON o.card = s.card AND o.phase = s.phase
ORDER BY o.card, o.phase
"""


def judged(db: duckdb.DuckDBPyConnection, package: Package, folder: Path) -> list[Judged]:
    """The sets of rows that compare this release with the one in `folder`."""
    old = frames.earlier(package, folder)
    return [_counts(db, old, package), _means(db, old), _nulls(db, old, package)]


def _counts(db: duckdb.DuckDBPyConnection, old: duckdb.DuckDBPyConnection, package: Package) -> Judged:
    import pandas as pd

    rows = []
    for name, table in schema.load(package.table_schemas).items():
        key = ", ".join(f'"{k}"' for k in table.primary_key)
        before, now = (set(c.execute(f'SELECT {key} FROM "{name}"').fetchall()) for c in (old, db))
        rows.append({"table": name, "before": float(len(before)), "now": float(len(now)), "vanished": float(len(before - now))})
    expects = (
        at_most("before", "now", "rows are retired, never deleted: a table does not shrink"),
        between("vanished", 0, 0, "ids are append-only; a vanished id breaks whoever cites it and is a major version"),
    )
    return Judged("drift-counts", "Rows and ids against the earlier release", pd.DataFrame(rows), expects, ("table",))


def _means(db: duckdb.DuckDBPyConnection, old: duckdb.DuckDBPyConnection) -> Judged:
    before = old.execute("SELECT card, phase, record, fraction_of_wall FROM efficiency").df()
    db.register("earlier_efficiency", before)
    rows = db.execute(MEANS.format(enough=frames.ENOUGH_ROWS)).df()
    db.unregister("earlier_efficiency")
    expects = (
        some_rows("two releases without a card in common are not two releases"),
        between(
            "mean_moved", 0, MEAN_MAY_MOVE, f"the mean fraction of the wall of a card and phase with {frames.ENOUGH_ROWS} rows in both moves little by new rows"
        ),
        between("corrections_moved", 0, CORRECTIONS_MAY_MOVE, "the same records move only by corrections"),
    )
    return Judged("drift-walls", "Mean fraction of the wall per card against the earlier release", rows, expects, ("card", "phase"))


def _nulls(db: duckdb.DuckDBPyConnection, old: duckdb.DuckDBPyConnection, package: Package) -> Judged:
    on = ["relation", "column_name", "tier", "phase"]
    both = frames.nulls(old, package).merge(frames.nulls(db, package), on=on, suffixes=("_before", "_now"))
    # A handful of rows of a tier may say anything.
    both = both[both["total_before"] >= frames.ENOUGH_ROWS]
    both["risen"] = both["share_null_now"] - both["share_null_before"]
    expect = between("risen", None, NULLS_MAY_RISE, "a column that new rows leave empty is a column that an importer lost")
    return Judged("drift-nulls", "Share of null per column and tier against the earlier release", both.reset_index(drop=True), (expect,), tuple(on))
