"""`cardbook coverage`."""

from __future__ import annotations

import sys
from typing import Any

import click

from cardbook.cli import table

MEASURED = """
SELECT model, quant, COUNT(DISTINCT card) AS cards, COUNT(*) AS recipes, MIN(closeness) AS quality
FROM recipe_quality {where} GROUP BY model, quant ORDER BY recipes DESC, model, quant LIMIT ?
"""
HOLES = """
SELECT c.card, q.model, q.quant
FROM (SELECT card, COUNT(*) AS n FROM recipe_quality GROUP BY card) AS c
CROSS JOIN (SELECT model, quant, COUNT(*) AS n FROM recipe_quality GROUP BY model, quant) AS q
LEFT JOIN (SELECT DISTINCT card, model, quant FROM recipe_quality) AS have
    ON c.card = have.card AND q.model = have.model AND q.quant = have.quant
WHERE have.card IS NULL {and_where} ORDER BY c.n * q.n DESC, c.card, q.model, q.quant LIMIT ?
"""
SINGLE = """
SELECT card, COUNT(*) AS configurations, SUM(CASE WHEN standing = 'graduated' THEN 1 ELSE 0 END) AS graduated,
    SUM(CASE WHEN standing = 'disputed' THEN 1 ELSE 0 END) AS disputed, SUM(CASE WHEN standing = 'single' THEN 1 ELSE 0 END) AS single
FROM graduation GROUP BY card ORDER BY graduated + disputed, configurations DESC, card LIMIT ?
"""
#: Checkpoints without a quality figure that the package knows of: a figure would let rows in.
WAITING = """
SELECT k.model, k.quant, COUNT(*) AS checkpoints
FROM checkpoints AS k
LEFT JOIN (SELECT DISTINCT c.model, c.quant FROM quality AS q INNER JOIN checkpoints AS c ON q.checkpoint = c.id) AS f ON k.model = f.model AND k.quant = f.quant
WHERE f.model IS NULL AND k.native IS NOT TRUE
GROUP BY k.model, k.quant ORDER BY checkpoints DESC, k.model, k.quant LIMIT ?
"""


@click.command("coverage")
@click.option("--card", help="Only this card.")
@click.option("--model", help="Only this model.")
@click.option(
    "--rows",
    "waiting_file",
    type=click.Path(exists=True, dir_okay=False),
    help="Rows that wait outside the package (JSON Lines with model and quant), to rank the figures they need.",
)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
def command(card: str | None, model: str | None, waiting_file: str | None, limit: int) -> None:
    """Cards × models × quants: what is measured, what is missing, which quality figure would
    publish most waiting rows, which cards lack a second independent measurement."""
    from cardbook.package import locate
    from cardbook.views import database

    db = database.connect(locate())
    conditions = [f"{name} = {database.quoted(value)}" for name, value in (("card", card), ("model", model)) if value]
    where = "WHERE " + " AND ".join(conditions) if conditions else ""
    holes = "".join(f" AND {prefix}.{name} = {database.quoted(value)}" for prefix, name, value in (("c", "card", card), ("q", "model", model)) if value)
    _section("measured", db, MEASURED.format(where=where), [limit])
    _section("missing, most asked first (card and format are each measured elsewhere)", db, HOLES.format(and_where=holes), [limit])
    if waiting_file:
        _waiting(waiting_file, limit)
    else:
        _section("checkpoints that wait for a quality figure", db, WAITING, [limit])
    _section("independent second measurements per card", db, SINGLE, [limit])


def _section(title: str, db: Any, sql: str, parameters: list[Any]) -> None:
    cursor = db.execute(sql, parameters)
    rows = cursor.fetchall()
    click.echo(f"\n{title}")
    if rows:
        table.aligned([d[0] for d in cursor.description], rows, sys.stdout)
    else:
        click.echo("nothing")


def _waiting(path: str, limit: int) -> None:
    import json
    from collections import Counter
    from pathlib import Path

    counts: Counter[tuple[str, str]] = Counter()
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            counts[row["model"], row["quant"]] += 1
        except (ValueError, KeyError, TypeError) as error:
            raise click.ClickException(f"{path}:{number}: found {line[:60]!r}, wanted a JSON object with model and quant") from error
    click.echo("\nquality figures that would publish most waiting rows")
    table.aligned(["model", "quant", "waiting rows"], [(m, q, n) for (m, q), n in counts.most_common(limit)], sys.stdout)
