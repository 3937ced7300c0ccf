"""A DuckDB connection with every table and view of a package."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardbook import schema
from cardbook.package import Package
from cardbook.tables.csvfile import dump
from cardbook.tables.rows import Row
from cardbook.views import catalog

if TYPE_CHECKING:
    import duckdb

#: So few rows are quicker as values than through a file.
FEW = 40
#: Sums over several threads differ in the last bit; the package is small, a fleet is not.
THREADS = 1


def empty(threads: int = THREADS, memory: str | None = None) -> duckdb.DuckDBPyConnection:
    """A connection that never fetches an extension and whose sums repeat to the last bit."""
    import duckdb

    config: dict[str, Any] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "threads": threads,
    }
    if memory:
        config["memory_limit"] = memory
    return duckdb.connect(":memory:", config=config)


def quoted(text: str | Path) -> str:
    """A string literal."""
    return "'" + str(text).replace("'", "''") + "'"


def create_table(db: duckdb.DuckDBPyConnection, table: schema.Table, csv: Path | None, name: str | None = None) -> None:
    """Create a table with the types of its schema, filled from `csv` when given."""
    columns = ", ".join(f'"{f.name}" {f.duckdb_type}' for f in table.fields)
    db.execute(f'CREATE TABLE "{name or table.name}" ({columns})')
    if csv is not None:
        fill(db, table, csv, name)


def fill(db: duckdb.DuckDBPyConnection, table: schema.Table, csv: Path, name: str | None = None) -> None:
    """Append the rows of a CSV that `cardbook.tables.csvfile` wrote."""
    db.execute(
        f'COPY "{name or table.name}" FROM {quoted(csv)} '
        "(FORMAT csv, HEADER true, DELIMITER ',', QUOTE '\"', ESCAPE '\"', NULLSTR '', PARALLEL false, AUTO_DETECT false)"
    )


def fill_rows(db: duckdb.DuckDBPyConnection, table: schema.Table, rows: list[Row], name: str | None = None) -> None:
    """Append rows held in memory: a few as values, many through the CSV form of those on disk."""
    if not rows:
        return
    if len(rows) <= FEW:
        places = ", ".join("?" * len(table.names))
        db.execute(
            f'INSERT INTO "{name or table.name}" VALUES ' + ", ".join([f"({places})"] * len(rows)),
            [row[column] for row in rows for column in table.names],
        )
        return
    with tempfile.TemporaryDirectory(prefix="cardbook-") as folder:
        path = Path(folder) / "rows.csv"
        path.write_bytes(dump(table, rows))
        fill(db, table, path, name)


def load_tables(db: duckdb.DuckDBPyConnection, package: Package, compiled: Mapping[str, bytes] | None = None) -> None:
    """Create every table from its compiled CSV: the file of the package, or bytes just built
    (path relative to the root → content)."""
    with tempfile.TemporaryDirectory(prefix="cardbook-") as folder:
        for name, table in schema.load(package.table_schemas).items():
            path = package.tables / f"{name}.csv"
            if compiled is not None:
                path = Path(folder) / f"{name}.csv"
                path.write_bytes(compiled[f"data/tables/{name}.csv"])
            create_table(db, table, path if path.exists() else None)


def statement(view: catalog.View, *, materialize: bool = False, columns: str | None = None) -> str:
    """The CREATE statement of a view. `columns` keeps only those of them when it becomes a table."""
    body = view.sql if columns is None else f"SELECT {columns} FROM (\n{view.sql}\n)"
    return f'CREATE {"TABLE" if materialize else "OR REPLACE VIEW"} "{view.name}" AS\n{body}'


def create_views(
    db: duckdb.DuckDBPyConnection,
    package: Package,
    *,
    skip: frozenset[str] = frozenset(),
    materialize: Mapping[str, str | None] | None = None,
) -> None:
    """Create the views in order, without those in `skip`; those in `materialize` (name to the
    columns to keep, None for all) become tables, so that many rules read them once."""
    for view in catalog.views(package.views):
        if view.name in skip:
            continue
        if materialize is not None and view.name in materialize:
            db.execute(statement(view, materialize=True, columns=materialize[view.name]))
        else:
            db.execute(statement(view))


def needed(package: Package, texts: Iterable[str]) -> frozenset[str]:
    """The views that some SQL texts (or a bare view name) read, straight or through another. A
    column may have the name of a view, so only what stands after FROM or JOIN counts."""
    views = catalog.views(package.views)
    names = {view.name: view for view in views}
    found: set[str] = set()
    waiting = [name for text in texts for name in ([text] if text in names else reads(text))]
    while waiting:
        name = waiting.pop()
        if name in names and name not in found:
            found.add(name)
            waiting += reads(names[name].sql)
    return frozenset(found)


def reads(sql: str) -> set[str]:
    """The names after FROM and JOIN in an SQL text."""
    return set(re.findall(r"\b(?:FROM|JOIN)\s+\"?(\w+)", sql, re.IGNORECASE))


def connect(package: Package) -> duckdb.DuckDBPyConnection:
    """Every table and view of the package, from its compiled tables."""
    db = empty()
    load_tables(db, package)
    create_views(db, package)
    return db


_SELECT = re.compile(r"^\s*(--[^\n]*\n\s*|/\*.*?\*/\s*)*(select|with|from|describe|summarize|show)\b", re.IGNORECASE | re.DOTALL)


def read_only(sql: str) -> str:
    """The one SELECT in `sql`, without its semicolon.

    Raises `ValueError` for anything that could write, or for more than one statement. Reading
    files is switched off on the connection by `lock`.
    """
    text = sql.strip().rstrip(";").strip()
    if not _SELECT.match(text):
        raise ValueError("only a SELECT can be queried")
    import duckdb

    found = duckdb.extract_statements(text)
    if len(found) != 1:
        raise ValueError(f"{len(found)} statements found, one wanted")
    if found[0].type not in (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN):
        raise ValueError(f"a {found[0].type.name} statement found, a SELECT wanted")
    return text


def lock(db: duckdb.DuckDBPyConnection) -> None:
    """From here on the connection reads no file and loads nothing."""
    db.execute("SET enable_external_access = false")
    db.execute("SET lock_configuration = true")
