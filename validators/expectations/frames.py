"""The sets of rows that the hand-written expectations judge, each a SELECT over the views."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from cardbook import schema
from cardbook.package import Package
from cardbook.views import database
from expectations.generated import as_text

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

#: Quantiles of fewer rows say more about which rows there are than about the card.
ENOUGH_ROWS = 10

#: The source of a recipe as a person would count it: one owner of repositories is one voice.
ORIGINS = """
SELECT r.id AS recipe, r.tier, r.measured_on, COALESCE(SPLIT_PART(s.repository, '/', 1), r.source, r.id) AS origin
FROM recipes AS r LEFT JOIN sources AS s ON r.source = s.id WHERE COALESCE(r.status, 'active') = 'active'
"""

WALLS = """
WITH bounded AS (SELECT card, fraction_of_wall AS f FROM efficiency WHERE phase = '{phase}' AND fraction_of_wall IS NOT NULL)
SELECT card, CAST(COUNT(*) AS DOUBLE) AS measurements, MAX(f) AS best,
    CASE WHEN COUNT(*) >= {enough} THEN QUANTILE_CONT(f, 0.1) END AS q10,
    CASE WHEN COUNT(*) >= {enough} THEN QUANTILE_CONT(f, 0.5) END AS q50,
    CASE WHEN COUNT(*) >= {enough} THEN QUANTILE_CONT(f, 0.9) END AS q90
FROM bounded GROUP BY card ORDER BY card
"""

OVERALL = """
SELECT phase, CAST(COUNT(*) AS DOUBLE) AS measurements, QUANTILE_CONT(fraction_of_wall, 0.5) AS q50, QUANTILE_CONT(fraction_of_wall, 0.9) AS q90
FROM efficiency WHERE fraction_of_wall IS NOT NULL GROUP BY phase ORDER BY phase
"""

SHARES = """
WITH o AS ({origins}),
per AS (SELECT o.origin, COUNT(DISTINCT o.recipe) AS recipes, COUNT(m.recipe) AS measurements FROM o LEFT JOIN measurements AS m ON m.recipe = o.recipe GROUP BY o.origin)
SELECT origin, CAST(recipes AS DOUBLE) AS recipes, CAST(measurements AS DOUBLE) AS measurements,
    recipes / SUM(recipes) OVER () AS share_of_recipes, measurements / NULLIF(SUM(measurements) OVER (), 0) AS share_of_measurements
FROM per ORDER BY origin
"""

#: A source that knows only the month or the year counts from its first day.
FRESHNESS = """
WITH dated AS (
    SELECT measured_on, TRY_CAST(CASE LENGTH(measured_on) WHEN 4 THEN CONCAT(measured_on, '-01-01') WHEN 7 THEN CONCAT(measured_on, '-01') ELSE LEFT(measured_on, 10) END AS DATE) AS day
    FROM recipes WHERE COALESCE(status, 'active') = 'active'
)
SELECT CAST(COUNT(*) AS DOUBLE) AS recipes, CAST(COUNT(day) AS DOUBLE) / COUNT(*) AS dated_share, CAST(COUNT(measured_on) - COUNT(day) AS DOUBLE) AS unreadable,
    CAST(MAX(day) AS VARCHAR) AS newest, CAST(DATE '{today}' - MAX(day) AS DOUBLE) AS days_since_newest,
    CAST(COUNT(CASE WHEN day > DATE '{today}' THEN 1 END) AS DOUBLE) AS in_the_future
FROM dated
"""


@dataclass(frozen=True)
class Relation:
    """Rows whose nulls are counted: per tier, and per phase where they have one."""

    name: str
    sql: str
    columns: tuple[str, ...]
    has_phase: bool


def walls(db: duckdb.DuckDBPyConnection, phase: str) -> pd.DataFrame:
    """One row a card: count, best and quantiles of the fraction of the wall."""
    return db.execute(WALLS.format(phase=phase, enough=ENOUGH_ROWS)).df()


def overall(db: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """One row a phase: count, median and 90th percentile of the fraction of the wall."""
    return db.execute(OVERALL).df()


def shares(db: duckdb.DuckDBPyConnection) -> pd.DataFrame:
    """One row an origin: its share of the recipes and of the measurements."""
    return db.execute(SHARES.format(origins=ORIGINS)).df()


def freshness(db: duckdb.DuckDBPyConnection, today: date) -> pd.DataFrame:
    """One row: how old the newest measurement is, and how many recipes say their date."""
    return db.execute(FRESHNESS.format(today=today.isoformat())).df()


def relations(package: Package) -> tuple[Relation, ...]:
    """What `nulls` counts: the columns of recipes and measurements, and two of the views."""
    tables = schema.load(package.table_schemas)
    return (
        Relation("recipes", "recipes", tuple(tables["recipes"].names), False),
        Relation(
            "measurements", "(SELECT m.*, r.tier FROM measurements AS m INNER JOIN recipes AS r ON m.recipe = r.id)", tuple(tables["measurements"].names), True
        ),
        Relation("efficiency", "efficiency", ("rate_tok_s", "wall_tok_s"), True),
    )


def nulls(db: duckdb.DuckDBPyConnection, package: Package) -> pd.DataFrame:
    """One row a relation, column, tier and phase: the share of null."""
    parts = []
    for relation in relations(package):
        phase = "phase" if relation.has_phase else "''"
        counted = ", ".join(f'COUNT("{c}") AS "{c}"' for c in relation.columns if c not in ("tier", "phase"))
        parts.append(
            f"SELECT '{relation.name}' AS relation, column_name, tier, phase, CAST(total AS DOUBLE) AS total, 1 - filled / total AS share_null FROM "
            f"(UNPIVOT (SELECT tier, {phase} AS phase, COUNT(*) AS total, {counted} FROM {relation.sql} GROUP BY ALL) "
            f"ON COLUMNS(* EXCLUDE (tier, phase, total)) INTO NAME column_name VALUE filled)"
        )
    return db.execute(" UNION ALL ".join(parts) + " ORDER BY relation, column_name, tier, phase").df()


def earlier(package: Package, folder: Path) -> duckdb.DuckDBPyConnection:
    """The tables of another release under the views of this one, so that what differs is the
    data. Columns that it lacks are null; `folder` is its root or its folder of CSV files.

    Raises `FileNotFoundError` where there are no tables.
    """
    tables = folder / "data" / "tables" if (folder / "data" / "tables").is_dir() else folder
    if not (tables / "recipes.csv").is_file():
        raise FileNotFoundError(f"{folder}: no recipes.csv there or in data/tables; wanted a release of CardBook")
    db = database.empty()
    for name, table in schema.load(package.table_schemas).items():
        database.create_table(db, table, None)
        path = tables / f"{name}.csv"
        if path.is_file():
            source = as_text(path)
            there = {row[0] for row in db.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()}
            both = [f for f in table.fields if f.name in there]
            columns = ", ".join(f'CAST("{f.name}" AS {f.duckdb_type}) AS "{f.name}"' for f in both)
            db.execute(f'INSERT INTO "{name}" BY NAME SELECT {columns} FROM {source}')
    database.create_views(db, package)
    return db
