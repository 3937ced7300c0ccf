"""CardBook: measured LLM inference on named GPUs, checked against the physics.

    import cardbook
    cardbook.connect().sql("SELECT card, MAX(fraction_of_wall) FROM efficiency GROUP BY card")

Nothing heavy is imported until it is used.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb
    import polars

    from cardbook.findings import Finding

__all__ = ["check", "connect", "table"]


def connect() -> duckdb.DuckDBPyConnection:
    """A DuckDB connection (in memory) with every table and view of the package.

    Raises `cardbook.package.PackageError` where no package is found.
    """
    from cardbook.package import locate
    from cardbook.views import database

    return database.connect(locate())


def table(name: str) -> polars.DataFrame:
    """A table or view as a Polars frame with the types of its schema; columns are in base
    units (`cardbook list --units`).

    Raises `KeyError` for a name that the package does not have.
    """
    import polars as pl

    from cardbook import schema
    from cardbook.package import locate
    from cardbook.views import catalog

    package = locate()
    if name not in catalog.relations(package):
        raise KeyError(f"no table or view {name!r}; there are {', '.join(sorted(catalog.relations(package)))}")
    tables = schema.load(package.table_schemas)
    if name in tables:
        return pl.read_csv(package.tables / f"{name}.csv", schema=schema.polars_schema(tables[name]))
    frame: polars.DataFrame = connect().execute(f'SELECT * FROM "{name}"').pl()
    return frame


def check(path: str | Path | None = None, *, strict: bool = False) -> list[Finding]:
    """The findings on a recipe folder, a document or a bulk file; on the whole corpus without a
    path."""
    from cardbook.package import locate
    from cardbook.rules import check as checking
    from cardbook.views import bulk

    options = checking.Options(strict=strict)
    if path is None:
        return checking.check_package(locate(), options).findings
    where = Path(path)
    if bulk.form_of(where) is not None:
        return checking.check_bulk(locate(), where, options).findings
    return checking.check_documents(locate(where), [where], options).findings
