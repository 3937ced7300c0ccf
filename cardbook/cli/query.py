"""`cardbook query`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from cardbook.cli import table


@click.command("query")
@click.argument("sql", required=False)
@click.option("--format", "form", type=click.Choice(["table", "csv", "json", "parquet"]), default="table", show_default=True)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file (needed for parquet).")
@click.option("--units", "with_units", is_flag=True, help="Print the unit under each column head, and values with a readable prefix.")
@click.option(
    "--check-units",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE.sql",
    help="Type-check a query of your own dimensionally and run nothing.",
)
def command(sql: str | None, form: str, out: Path | None, with_units: bool, check_units: Path | None) -> None:
    """Run one SELECT over every table and view, read-only. `-` reads it from standard input."""
    if check_units is not None:
        _check_units(check_units)
        return
    if sql is None:
        raise click.UsageError("give a SELECT, or --check-units FILE.sql")
    text = sys.stdin.read() if sql == "-" else sql
    names, rows, frame = _run(text, form, out)
    if frame:
        return
    units = _units(text, names) if with_units else None
    stream: Any = out.open("w", encoding="utf-8", newline="") if out else sys.stdout
    try:
        if form == "csv":
            table.as_csv(names, rows, stream)
        elif form == "json":
            table.as_json(names, rows, stream, dict(zip(names, units, strict=True)) if units else None)
        else:
            heads = names
            if units:
                from cardbook.units import symbol

                heads = [f"{n} [{symbol(u) if u and u != '1' else '1' if u else '-'}]" for n, u in zip(names, units, strict=True)]
            table.aligned(heads, rows, stream, units)
    finally:
        if out:
            stream.close()


def _run(text: str, form: str, out: Path | None) -> tuple[list[str], list[tuple[Any, ...]], bool]:
    import duckdb

    from cardbook.package import locate
    from cardbook.views import database

    if form == "parquet" and out is None:
        raise click.UsageError("--format parquet needs --out FILE")
    db = database.connect(locate())
    database.lock(db)
    try:
        cursor = db.execute(database.read_only(text))
        if form == "parquet" and out is not None:
            import pyarrow.parquet as pq

            temporary = out.with_name(f".{out.name}.new")
            pq.write_table(cursor.fetch_arrow_table(), temporary, compression="zstd")
            temporary.replace(out)
            return [], [], True
        return [d[0] for d in cursor.description or ()], cursor.fetchall(), False
    except (ValueError, duckdb.Error) as error:
        raise click.ClickException(str(error).strip()) from error


def _units(text: str, names: list[str]) -> list[str | None]:
    from cardbook.package import locate
    from cardbook.views.units import infer

    found = infer(locate(), text)
    return [found.get(name) for name in names]


def _check_units(path: Path) -> None:
    from cardbook.package import locate
    from cardbook.views.units import check_query

    checked = check_query(locate(), path.read_text(encoding="utf-8"), str(path))
    for problem in checked.problems:
        click.echo(
            f"{problem.file}:{problem.line}: error {problem.code}: {problem.message}: found {problem.found}, wanted {problem.wanted}, in {problem.expression}"
        )
    if checked.problems:
        raise click.exceptions.Exit(1)
    for name, unit in checked.columns.items():
        click.echo(f"{name}: {unit or 'no unit'}")
