"""`cardbook diff`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("diff")
@click.argument("old", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("new", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--format", "form", type=click.Choice(["text", "markdown", "json"]), default="text", show_default=True)
@click.option("--check", "only_covered", is_flag=True, help="Exit with 1 when the version of NEW does not cover the change.")
def command(old: Path, new: Path, form: str, only_covered: bool) -> None:
    """Compare two packages or releases: tables, views, columns, ids and values, and the
    semantic version that follows."""
    from cardbook.release import changes, diff

    try:
        difference = diff.compare(diff.package_at(old), diff.package_at(new))
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    click.echo(changes.as_json(difference) if form == "json" else changes.as_text(difference, markdown=form == "markdown"), nl=False)
    if only_covered and not difference.covered:
        raise click.exceptions.Exit(1)
