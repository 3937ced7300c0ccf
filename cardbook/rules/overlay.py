"""The tables around a submission: the compiled ones, with what the submission says on top."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
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
#: Those of them in which a rule looks for copies.
KNOWN = ("recipes", "measurements")


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


def _compile(package: Package, kind: str, path: Path, extra: Corpus) -> list[tuple[str, Row]]:
    _, compiled = compile_file(package, kind, path)
    for name, rows in compiled.rows.items():
        extra.tables[name] += rows
    return [(name, row) for name, rows in compiled.rows.items() for row in rows]


def _reference(package: Package) -> Path | None:
    """The compiled tables as one DuckDB file, made once for each state of the package and kept
    in build/; None where it cannot be written."""
    if not package.is_clone:
        return None
    mark = hashlib.sha256(package.descriptor.read_bytes()).hexdigest()[:16]
    target = package.root / "build" / f"reference-{mark}.duckdb"
    if target.exists():
        return target
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(exist_ok=True)
        db = database.empty()
        database.load_tables(db, package)
        db.execute(f"ATTACH {database.quoted(temporary)} AS made")
        db.execute("COPY FROM DATABASE memory TO made")
        db.execute("DETACH made")
        for old in target.parent.glob("reference-*.duckdb"):
            old.unlink(missing_ok=True)
        temporary.replace(target)
    except OSError:
        return None
    finally:
        temporary.unlink(missing_ok=True)
    return target


def overlay(db: duckdb.DuckDBPyConnection, package: Package, corpus: Corpus) -> None:
    """The compiled tables, with the rows that the submission gives anew in place of theirs, and
    `known_recipes` and `known_measurements`: what the package already holds."""
    if package.is_clone:
        _references(package, corpus)
    reference = _reference(package)
    if reference is not None:
        db.execute(f"ATTACH {database.quoted(reference)} AS reference (READ_ONLY)")
    for name, table in schema.load(package.table_schemas).items():
        rows = corpus.tables[name]
        csv = package.tables / f"{name}.csv"
        first = table.primary_key[0]
        keys = ", ".join(database.quoted(k) for k in sorted({str(r[first]) for r in rows if r[first] is not None}))
        kept = f'WHERE "{first}" NOT IN ({keys})' if keys else ""
        if name in OWN:
            database.create_table(db, table, None)
            if name in KNOWN:
                _known(db, table, csv, reference)
        elif reference is not None and not rows:
            db.execute(f'CREATE VIEW "{name}" AS SELECT * FROM reference."{name}"')
        elif reference is not None:
            database.create_table(db, table, None)
            db.execute(f'INSERT INTO "{name}" SELECT * FROM reference."{name}" {kept}')
        else:
            database.create_table(db, table, csv if csv.exists() else None)
            if keys:
                db.execute(f'DELETE FROM "{name}" WHERE "{first}" IN ({keys})')
        database.fill_rows(db, table, rows)


def _known(db: duckdb.DuckDBPyConnection, table: schema.Table, csv: Path, reference: Path | None) -> None:
    if reference is not None:
        db.execute(f'CREATE VIEW "known_{table.name}" AS SELECT * FROM reference."{table.name}"')
    else:
        database.create_table(db, table, csv if csv.exists() else None, f"known_{table.name}")
