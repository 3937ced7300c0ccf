"""Keys between tables, as the table schemas declare them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from cardbook import schema
from cardbook.documents.validate import Problem
from cardbook.package import Package

if TYPE_CHECKING:
    import duckdb

#: Keys with a rule of their own (R101 to R104).
OWN_RULE = {("recipes", "card"), ("recipes", "model"), ("recipes", "quant"), ("recipes", "engine")}


def _record(table: schema.Table) -> str:
    """SQL for the record name of a row: the parts of its primary key."""
    return "CONCAT(" + ", '/', ".join(f'CAST("{k}" AS VARCHAR)' for k in table.primary_key) + ")"


def dangling(db: duckdb.DuckDBPyConnection, package: Package, wanted: Callable[[schema.ForeignKey], bool]) -> Iterator[tuple[str, str, Problem]]:
    """(record, column, problem) for every key that finds no row."""
    for table in schema.load(package.table_schemas).values():
        for key in table.foreign_keys:
            if not wanted(key) or (table.name, key.field) in OWN_RULE:
                continue
            rows = db.execute(
                f'SELECT {_record(table)}, "{key.field}" FROM "{table.name}" '
                f'WHERE "{key.field}" IS NOT NULL AND "{key.field}" NOT IN (SELECT "{key.target}" FROM "{key.table}" WHERE "{key.target}" IS NOT NULL)'
            ).fetchall()
            for record, value in rows:
                yield record, key.field, Problem("", "", repr(value), f"an id of {key.table}", f"add the record to {key.table}, or mend the key")


def repeated(db: duckdb.DuckDBPyConnection, package: Package) -> Iterator[tuple[str, str, Problem]]:
    """(record, column, problem) for every primary key that stands more than once."""
    for table in schema.load(package.table_schemas).values():
        keys = ", ".join(f'"{k}"' for k in table.primary_key)
        rows = db.execute(f'SELECT {_record(table)}, COUNT(*) FROM "{table.name}" GROUP BY {keys} HAVING COUNT(*) > 1').fetchall()
        for record, count in rows:
            yield record, table.primary_key[-1], Problem("", "", f"{count} rows in {table.name}", "each key once", "give each a name of its own")
