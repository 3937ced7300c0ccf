"""`cardbook explain`."""

from __future__ import annotations

import textwrap
from typing import Any

import click


@click.command("explain")
@click.argument("code")
@click.argument("recipe", required=False)
def command(code: str, recipe: str | None) -> None:
    """Explain rule CODE: what it asserts, its equation, the way out. With RECIPE (an id, or
    RECIPE/MEASUREMENT) the equation is worked on its rows, whether or not the rule fires."""
    from cardbook.package import locate
    from cardbook.rules import model

    package = locate()
    rules = [r for r in model.load(package.validators) if r.code == code.upper()]
    if not rules:
        raise click.UsageError(f"no rule {code!r}; see `cardbook rules`")
    rule = rules[0]
    click.echo(f"{rule.code} {rule.slug} ({rule.severity})")
    for name, text in (("asserts", rule.asserts), ("equation", rule.equation), ("way out", rule.fix)):
        if text:
            click.echo(textwrap.fill(text, 100, initial_indent=f"  {name:9}", subsequent_indent=" " * 11))
    if recipe is not None:
        _work(package, rule, recipe)


def _work(package: Any, rule: Any, recipe: str) -> None:
    from cardbook.rules import run
    from cardbook.rules.message import fill
    from cardbook.views import catalog, database

    db = database.connect(package)
    for name in ("recipes", "measurements"):
        db.execute(f"CREATE VIEW known_{name} AS SELECT * FROM {name}")
    cursor = db.execute("SELECT * FROM efficiency WHERE record = ? OR record LIKE ? ESCAPE '!' ORDER BY record", [recipe, _like(recipe)])
    names = [d[0] for d in cursor.description or ()]
    rows = [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]
    if not rows:
        raise click.UsageError(f"no recipe {recipe!r}; see `cardbook list recipes`")
    fired = {}
    if rule.sql is not None:
        context = run.Context(package)
        for found in run.over_rows([rule], db, context, lambda record, column: (None, None, column)):
            fired[found.record] = found
    units = catalog.units_by_column(package)
    shown = 0
    for row in rows:
        finding = fired.get(row["record"]) or fired.get(row["record"].partition("/")[0])
        # A bound that does not exist for this phase leaves holes in the equation.
        if finding is None and "unknown" in fill(rule.worked, row, units):
            continue
        shown += 1
        click.echo(f"\n{row['record']}: {'fires' if finding else 'holds'}")
        if rule.worked:
            click.echo(textwrap.fill(fill(rule.worked, row, units), 100, initial_indent="  ", subsequent_indent="  "))
        if finding is not None:
            click.echo(textwrap.fill(finding.message, 100, initial_indent="  ", subsequent_indent="  "))
            click.echo(textwrap.fill(f"way out: {finding.fix}", 100, initial_indent="  ", subsequent_indent="  "))

    if not shown:
        click.echo(f"\nthe equation applies to no row of {recipe}, or a figure is missing (`cardbook explain W901 {recipe}`)")


def _like(recipe: str) -> str:
    return recipe.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "/%"
