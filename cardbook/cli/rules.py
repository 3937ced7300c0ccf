"""`cardbook rules`."""

from __future__ import annotations

import json

import click


@click.command("rules")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--select", metavar="CODES", help="Only rules whose code begins so.")
def command(form: str, select: str | None) -> None:
    """List the rules: code, slug, severity and what each asserts."""
    from cardbook.package import locate
    from cardbook.rules import model

    try:
        rules = model.choose(model.load(locate().validators), select, None)
    except model.RuleError as error:
        raise click.ClickException(str(error)) from error
    if form == "json":
        keys = ("code", "slug", "severity", "over", "asserts", "equation", "unit", "message", "fix")
        click.echo(json.dumps([{k: getattr(r, k) for k in keys} for r in rules], indent=2, ensure_ascii=False))
        return
    family = None
    for rule in rules:
        if rule.code[0] != family:
            family = rule.code[0]
            click.echo(f"{model.FAMILIES[family]}")
        click.echo(f"  {rule.code} {rule.slug:28} {rule.severity:10} {rule.asserts}")
    click.echo("incomplete: an error in a submitted recipe, a warning in a reported or bulk row (an error there with --strict)")
