"""`cardbook coverage`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from cardbook.cli import table

TOTALS = """
SELECT COUNT(DISTINCT card) AS cards, COUNT(DISTINCT model) AS models, COUNT(DISTINCT quant) AS quants,
    COUNT(DISTINCT CONCAT(card, ' ', model, ' ', quant)) AS combinations, COUNT(*) AS recipes
FROM recipe_quality AS r {where}
"""
MEASURED = """
SELECT model, quant, COUNT(DISTINCT card) AS cards, COUNT(*) AS recipes, MIN(closeness) AS quality
FROM recipe_quality AS r {where} GROUP BY model, quant ORDER BY recipes DESC, model, quant LIMIT ?
"""
#: A hole is a card and a model in a format that each occur elsewhere. One that the card could
#: not hold, with as many cards as anybody used together, is no hole.
HOLES = """
WITH per_card AS (
    SELECT card, COUNT(*) AS recipes, MAX(COALESCE(n_cards, 1)) AS most_cards FROM recipes WHERE COALESCE(status, 'active') = 'active' GROUP BY card
),
formats AS (SELECT model, quant, COUNT(*) AS recipes FROM recipe_quality GROUP BY model, quant),
have AS (SELECT DISTINCT card, model, quant FROM recipe_quality)
SELECT c.card, q.model, q.quant, c.recipes AS recipes_of_card, q.recipes AS recipes_of_format
FROM per_card AS c
INNER JOIN cards AS k ON c.card = k.id
CROSS JOIN formats AS q
INNER JOIN models AS m ON q.model = m.id
INNER JOIN quants AS f ON q.quant = f.id
CROSS JOIN constants AS one
LEFT JOIN have ON c.card = have.card AND q.model = have.model AND q.quant = have.quant
WHERE have.card IS NULL
    AND COALESCE(m.decode_parameters, m.parameters) * f.bits_per_parameter_min / one.bits_per_byte <= k.memory_bytes * c.most_cards {and_where}
ORDER BY c.recipes * q.recipes DESC, c.card, q.model, q.quant LIMIT ?
"""
#: First the cards where nothing was measured twice, the most measured of them first.
SINGLE = """
SELECT card, COUNT(*) AS configurations, SUM(CASE WHEN standing = 'graduated' THEN 1 ELSE 0 END) AS graduated,
    SUM(CASE WHEN standing = 'disputed' THEN 1 ELSE 0 END) AS disputed, SUM(CASE WHEN standing = 'single' THEN 1 ELSE 0 END) AS single
FROM graduation AS r {where} GROUP BY card ORDER BY graduated + disputed, configurations DESC, card LIMIT ?
"""
#: Checkpoints without a quality figure that the package knows of: a figure would let rows in.
WAITING = """
SELECT r.model, r.quant, COUNT(*) AS checkpoints
FROM checkpoints AS r
LEFT JOIN (SELECT DISTINCT c.model, c.quant FROM quality AS q INNER JOIN checkpoints AS c ON q.checkpoint = c.id) AS f ON r.model = f.model AND r.quant = f.quant
WHERE f.model IS NULL AND r.native IS NOT TRUE {and_where}
GROUP BY r.model, r.quant ORDER BY checkpoints DESC, r.model, r.quant LIMIT ?
"""
#: What `--rows` ranks: rows that wait for something else than a figure are not let in by one.
FIGURE = "no quality figure"


@click.command("coverage")
@click.option("--card", help="Only this card.")
@click.option("--model", help="Only this model.")
@click.option(
    "--rows",
    "waiting_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Rows that wait outside the package (JSON Lines with model and quant), to rank the figures they need.",
)
@click.option("--limit", type=click.IntRange(1), default=20, show_default=True)
def command(card: str | None, model: str | None, waiting_file: Path | None, limit: int) -> None:
    """Cards × models × quants: what is measured, what is missing, which quality figure would
    publish most waiting rows, which cards lack a second independent measurement."""
    from cardbook.package import locate
    from cardbook.views import database

    db = database.connect(locate())

    def only(card_column: str | None, model_column: str) -> str:
        wanted = [(card_column, card), (model_column, model)]
        return "".join(f" AND {column} = {database.quoted(value)}" for column, value in wanted if column and value)

    where = f"WHERE TRUE{only('r.card', 'r.model')}"
    _section("covered", db, TOTALS.format(where=where), [])
    _section("measured", db, MEASURED.format(where=where), [limit])
    holes = HOLES.format(and_where=only("c.card", "q.model"))
    _section("missing, most asked first (card and format are each measured elsewhere, and would fit)", db, holes, [limit])
    if waiting_file:
        _waiting(waiting_file, card, model, limit)
    else:
        _section("checkpoints that wait for a quality figure", db, WAITING.format(and_where=only(None, "r.model")), [limit])
    _section("independent second measurements per card, those without one first", db, SINGLE.format(where=where), [limit])


def _section(title: str, db: Any, sql: str, parameters: list[Any]) -> None:
    cursor = db.execute(sql, parameters)
    names, rows = [d[0] for d in cursor.description], cursor.fetchall()
    _print(title, names, rows)


def _print(title: str, names: list[str], rows: list[tuple[Any, ...]]) -> None:
    click.echo(f"\n{title}")
    if rows:
        table.aligned(names, rows, sys.stdout)
    else:
        click.echo("nothing")


def _waiting(path: Path, card: str | None, model: str | None, limit: int) -> None:
    import json
    from collections import defaultdict

    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
            key = (row["model"], row["quant"])
            if row.get("reason", FIGURE) == FIGURE and card in (None, row.get("card")) and model in (None, row["model"]):
                found[key].append(row)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise click.ClickException(f"{path}:{number}: found {line[:60]!r}, wanted a JSON object with model and quant") from error
    ranked = [(m, q, len(rows), _distinct(rows, "card"), _distinct(rows, "source")) for (m, q), rows in found.items()]
    ranked.sort(key=lambda r: (-r[2], r[0], r[1]))
    _print("quality figures that would publish most waiting rows", ["model", "quant", "waiting rows", "cards", "sources"], list(ranked[:limit]))


def _distinct(rows: list[dict[str, Any]], key: str) -> int:
    return len({row[key] for row in rows if row.get(key)})
