"""`cardbook show`."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from cardbook.cli import identities, table

_RECIPE = """
SELECT r.*, c.name AS card_name, m.name AS model_name, s.title AS source_title, s.url AS source_url, s.revision AS source_revision,
    q.closeness, q.quality_checkpoint
FROM recipes AS r LEFT JOIN cards AS c ON r.card = c.id LEFT JOIN models AS m ON r.model = m.id
LEFT JOIN sources AS s ON r.source = s.id LEFT JOIN recipe_quality AS q ON r.id = q.recipe
WHERE r.id = ?
"""
_QUALITY = """
SELECT metric, dataset, value, baseline, delta, standard_error, tool
FROM quality WHERE checkpoint = ? AND (baseline IS NOT NULL OR delta IS NOT NULL OR metric LIKE 'kl_%' OR metric IN ('recovery', 'top1_agreement'))
ORDER BY metric, dataset LIMIT 8
"""


def _one(db: Any, sql: str, parameters: list[Any]) -> list[dict[str, Any]]:
    cursor = db.execute(sql, parameters)
    names = [d[0] for d in cursor.description or ()]
    return [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]


@click.command("show")
@click.argument("recipe")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(recipe: str, form: str) -> None:
    """Print one recipe: what ran, the equation with its numbers, the fraction of the wall, and
    the quality delta beside the tok/s."""
    from cardbook.package import locate
    from cardbook.views import catalog, database

    package = locate()
    db = database.connect(package)
    found = _one(db, _RECIPE, [recipe])
    if not found:
        import difflib

        near = difflib.get_close_matches(recipe, [r[0] for r in db.execute("SELECT id FROM recipes").fetchall()], 3, 0.4)
        raise click.UsageError(f"no recipe {recipe!r}; " + (f"did you mean {' or '.join(near)}?" if near else "see `cardbook list recipes`"))
    rows = _one(db, f"{identities.JOIN} WHERE e.record LIKE ? ESCAPE '!' ORDER BY e.phase DESC, e.record", [recipe.replace("_", "!_") + "/%"])
    figures = _one(db, _QUALITY, [found[0]["quality_checkpoint"]])
    notes = _one(db, "SELECT severity, text FROM recipe_notes WHERE recipe = ? ORDER BY note", [recipe])
    units = catalog.units_by_column(package)
    if form == "json":
        click.echo(
            json.dumps(
                {"recipe": found[0], "rows": rows, "quality": figures, "notes": notes, "units": {k: v for k, v in units.items() if v}},
                indent=2,
                ensure_ascii=False,
                default=str,
            )
        )
        return
    _print(found[0], rows, figures, notes, units)


def _print(recipe: dict[str, Any], rows: list[dict[str, Any]], figures: list[dict[str, Any]], notes: list[dict[str, Any]], units: dict[str, Any]) -> None:
    from cardbook.rules.message import show

    click.echo(f"{recipe['id']} ({recipe['tier']})")
    what = f"{recipe['model_name']} in {recipe['quant']}, {recipe['engine']} {recipe['engine_version'] or ''}".rstrip()
    click.echo(f"  {recipe['n_cards'] or '?'} × {recipe['card_name']}, {what}")
    for key in ("parallelism", "kv_quant", "backend", "driver", "os", "speculation", "draft_tokens", "host_offload", "power_limit_w", "measured_on", "command"):
        if recipe[key] is not None:
            click.echo(f"  {key}: {show(recipe[key], units.get(key))}")
    click.echo(f"  source: {recipe['source_title']} {recipe['source_url'] or ''} {recipe['source_revision'] or ''}".rstrip())
    if recipe["missing"]:
        click.echo(f"  the source does not say: {recipe['missing']}")
    quality = _quality(recipe, figures)
    click.echo("")
    table.aligned(
        ["measurement", "rate", "strict wall", "fraction", "expected", "bound by", "quality"],
        [
            (
                r["record"].partition("/")[2], show(r["rate_tok_s"], "token/second"), show(r["wall_tok_s"], "token/second"),
                show(r["fraction_of_wall"], None), show(r["fraction_of_expected_wall"], None), r["bound_by"] or f"unbounded: {r['unbounded_for']}", quality,
            )
            for r in rows
        ],
        sys.stdout,
    )  # fmt: skip
    for phase in ("decode", "prefill", "serve"):
        best = max((r for r in rows if r["phase"] == phase and r["fraction_of_wall"]), key=lambda r: r["fraction_of_wall"], default=None)
        if best is not None:
            click.echo(f"\n{best['record'].partition('/')[2]}, worked")
            for name, text in identities.lines(best, units):
                click.echo(f"  {name}: {text}")
    for figure in figures:
        base = f" against {figure['baseline']:.6g}" if figure["baseline"] is not None else ""
        click.echo(
            f"\nquality of {recipe['quality_checkpoint']} ({recipe['closeness']}): {figure['metric']} on {figure['dataset']} {figure['value']:.6g}{base}"
        )
    for note in notes:
        click.echo(f"\n{note['severity']}: {note['text']}")


def _quality(recipe: dict[str, Any], figures: list[dict[str, Any]]) -> str:
    if recipe["closeness"] == "native":
        return "native release: 0"
    for f in figures:
        if f["delta"] is not None:
            return f"{f['metric']} {f['delta']:+.4g}"
        if f["baseline"] is not None:
            return f"{f['metric']} {f['value'] - f['baseline']:+.4g}"
    return f"{figures[0]['metric']} {figures[0]['value']:.4g}" if figures else "no figure"
