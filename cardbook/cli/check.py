"""`cardbook check`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cardbook.cli.formats import FORMATS, write

if TYPE_CHECKING:
    from cardbook.rules.check import Options, Report


@click.command("check")
@click.argument("given", nargs=-1, metavar="[PATH]...")
@click.option("--select", metavar="CODES", help="Only rules whose code begins so (comma-separated: W,M).")
@click.option("--ignore", metavar="CODES", help="Not rules whose code begins so.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--strict", is_flag=True, help="What cannot be completed in a reported row is an error too.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Bulk: write every finding to FILE.jsonl or FILE.parquet.")
@click.option("--memory", metavar="SIZE", help="Bulk: work within this much memory (2GiB).")
@click.option("--engine", default="duckdb", show_default=True, metavar="duckdb|spark[:MASTER]", help="Bulk: what runs the views and rules.")
def command(given: tuple[str, ...], select: str | None, ignore: str | None, form: str, strict: bool, out: Path | None, memory: str | None, engine: str) -> None:
    """Check the whole corpus (no PATH), submissions (documents or their folders), or a bulk
    file in the form of `measured` (CSV, Parquet, JSON Lines, or a folder of them)."""
    from cardbook.package import locate
    from cardbook.rules import check
    from cardbook.rules.model import RuleError
    from cardbook.views import bulk

    paths = [Path(p) for p in given]
    remote = engine != "duckdb"
    missing = next((p for p in paths if not p.exists()), None) if not remote else None
    if missing is not None:
        raise click.UsageError(f"{missing} does not exist")
    options = check.Options(select, ignore, strict)
    is_bulk = remote or any(bulk.form_of(p) is not None for p in paths)
    if not is_bulk and (out is not None or memory is not None):
        raise click.UsageError("--out and --memory are for a bulk file")
    try:
        if not paths and not remote:
            package = locate()
            if not package.is_clone:
                raise click.UsageError("no documents here to check: give a path, or run inside a clone")
            report = check.check_package(package, options)
        elif is_bulk:
            if len(paths) != 1:
                raise click.UsageError("give one bulk file (or one folder of them) at a time")
            _bulk(given[0], options, form, out, memory, engine)
        else:
            report = check.check_documents(locate(paths[0]), paths, options)
    except (bulk.BulkError, RuleError) as error:
        raise click.ClickException(str(error)) from error
    if not report.documents and not report.rows and paths:
        raise click.UsageError(f"nothing to check under {', '.join(map(str, paths))}: no document of the package")
    write(report, form, sys.stdout)
    raise click.exceptions.Exit(report.exit_code)


def _bulk(path: str, options: Options, form: str, out: Path | None, memory: str | None, engine: str) -> None:
    """Check a bulk source and leave with its exit code."""
    from cardbook.cli import fleet
    from cardbook.package import locate

    report: Report = fleet.check(locate(), path, options, fleet.Output(form, out), memory, engine)
    raise click.exceptions.Exit(report.exit_code)
