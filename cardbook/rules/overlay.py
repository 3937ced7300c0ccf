"""The tables around a submission: the compiled ones, with what the submission says on top."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardbook import schema
from cardbook.package import Package
from cardbook.tables.corpus import Corpus, compile_file
from cardbook.tables.rows import Row
from cardbook.views import database

if TYPE_CHECKING:
    import duckdb

#: Tables that hold the submissions; a check of one looks at its own rows only.
OWN = ("recipes", "measurements", "recipe_notes", "kernels")


def _references(package: Package, corpus: Corpus) -> None:
    """Compile anew the documents that the submission's rows refer to, straight or through
    another, as far as they exist, so that a new card or checkpoint needs no build."""
    tables = schema.load(package.table_schemas)
    waiting = [(t, row) for t, rows in corpus.tables.items() for row in rows]
    extra = Corpus({name: [] for name in tables})
    seen = set(corpus.files)
    while waiting:
        name, row = waiting.pop()
        for key in tables[name].foreign_keys:
            target, identity = tables[key.table], row.get(key.field)
            if identity is None or (key.table, str(identity)) in seen or target.document in (None, "recipe"):
                continue
            seen.add((key.table, str(identity)))
            path = package.data / str(target.folder) / f"{identity}.json"
            if path.is_file():
                waiting += _compile(package, str(target.document), path, extra)
    for model in {str(row["model"]) for row in corpus.tables["recipes"] if row["model"]}:
        for path in sorted((package.data / "quality" / model).glob("*.json")):
            if ("quality", path.stem) not in seen:
                _compile(package, "quality", path, extra)
    for name, rows in extra.tables.items():
        corpus.tables[name] = rows + corpus.tables[name]


def _compile(package: Package, kind: str, path: object, extra: Corpus) -> list[tuple[str, Row]]:
    from pathlib import Path

    _, compiled = compile_file(package, kind, Path(str(path)))
    for name, rows in compiled.rows.items():
        extra.tables[name] += rows
    return [(name, row) for name, rows in compiled.rows.items() for row in rows]


def overlay(db: duckdb.DuckDBPyConnection, package: Package, corpus: Corpus) -> None:
    """Load the compiled tables, then replace the rows that the submission gives anew."""
    if package.is_clone:
        _references(package, corpus)
    tables = schema.load(package.table_schemas)
    for name, table in tables.items():
        path = package.tables / f"{name}.csv"
        database.create_table(db, table, path if path.exists() and name not in OWN else None)
        rows = corpus.tables[name]
        if name not in OWN and rows:
            first = table.primary_key[0]
            keys = ", ".join(database.quoted(str(k)) for k in sorted({str(r[first]) for r in rows if r[first] is not None}))
            if keys:
                db.execute(f'DELETE FROM "{name}" WHERE "{first}" IN ({keys})')
        database.fill_rows(db, table, rows)
