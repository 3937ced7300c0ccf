"""`cardbook build`."""

from __future__ import annotations

from typing import Any

import click


@click.command("build")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; list what is stale and exit with 1.")
def command(only_check: bool) -> None:
    """Compile every document into data/tables, the document schemas and datapackage.json."""
    from cardbook.documents.strict import Document
    from cardbook.package import locate
    from cardbook.rules import model, run
    from cardbook.tables import build
    from cardbook.tables.rows import Compiled

    package = locate()
    if not package.is_clone:
        raise click.UsageError("no documents here to compile: run inside a clone")
    rules = [r for r in model.load(package.validators) if r.over == "document"]
    context = run.Context(package)
    broken: list[str] = []

    def judge(document: Document, compiled: Compiled) -> bool:
        found = run.over_document(rules, document, compiled, context)
        if document.problems or compiled.problems:
            broken.extend(f"{f.file}:{f.line}: {f.code} {f.message}\n    fix: {f.fix}" for f in found)
        return not found and (document.value or {}).get("tier") != "submitted"

    built = build.compile_package(package, judge)
    if broken:
        click.echo("\n".join(broken))
        click.echo("nothing was written: mend the documents first", err=True)
        raise click.exceptions.Exit(1)
    built.files.update(_reading(package, built))
    if only_check:
        stale = build.stale(package, built)
        for name in stale:
            click.echo(f"{name}: stale")
        if stale:
            click.echo("run `cardbook build` and commit what it changes", err=True)
            raise click.exceptions.Exit(1)
        click.echo("everything generated is current")
        return
    changed = build.write(package, built)
    for name in changed:
        click.echo(f"wrote {name}")
    rows = {name: len(found) for name, found in built.corpus.tables.items()}
    click.echo(", ".join(f"{count} {name}" for name, count in rows.items()))


def _reading(package: Any, built: Any) -> dict[str, bytes]:
    """What people read, made from the rows just compiled."""
    from cardbook.cli import readme
    from cardbook.views import database

    db = database.empty()
    database.load_tables(db, package, built.files)
    database.create_views(db, package, materialize={"efficiency": None})
    return readme.files(package, db)
