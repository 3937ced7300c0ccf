"""Tables as Parquet: typed, sorted by primary key, unit and description with every column."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardbook import schema
from cardbook.package import Package
from cardbook.views import catalog, database

if TYPE_CHECKING:
    import duckdb

#: The view that answers most questions; the others are in the DuckDB file.
VIEW, VIEW_KEY = "efficiency", ("record",)
_TYPES = {"string": "string", "number": "float64", "integer": "int64", "boolean": "bool_"}


def write(package: Package, folder: Path, db: duckdb.DuckDBPyConnection) -> None:
    """Write every table and `efficiency` into `folder`."""
    folder.mkdir(parents=True)
    for name, table in schema.load(package.table_schemas).items():
        _write(db, folder, name, table.fields, table.primary_key, table.description, _version(package))
    view = next(v for v in catalog.views(package.views) if v.name == VIEW)
    _write(db, folder, VIEW, catalog.view_fields(package)[VIEW], VIEW_KEY, view.comment, _version(package))


def _version(package: Package) -> str:
    from cardbook.tables import descriptor

    return descriptor.version(package)


def arrow_schema(fields: Iterable[schema.Field], key: tuple[str, ...], description: str, version: str) -> Any:
    """The Arrow schema: metadata of a field `unit` and `description`, of the table `cardbook`."""
    import pyarrow as pa

    columns = [pa.field(f.name, getattr(pa, _TYPES[f.type])(), metadata={"description": f.description, **({"unit": f.unit} if f.unit else {})}) for f in fields]
    about = {"version": version, "description": description, "primaryKey": list(key)}
    return pa.schema(columns, metadata={"cardbook": json.dumps(about, ensure_ascii=False)})


def _write(
    db: duckdb.DuckDBPyConnection, folder: Path, name: str, fields: tuple[schema.Field, ...], key: tuple[str, ...], description: str, version: str
) -> None:
    import pyarrow.parquet as pq

    columns = ", ".join(f'CAST("{f.name}" AS {f.duckdb_type}) AS "{f.name}"' for f in fields)
    order = ", ".join(f'"{k}" NULLS LAST' for k in key)
    table = db.sql(f'SELECT {columns} FROM "{name}" ORDER BY {order}').to_arrow_table()
    names = [f.name for f in fields]
    pq.write_table(
        table.cast(arrow_schema(fields, key, description, version)),
        folder / f"{name}.parquet",
        compression="zstd",
        compression_level=9,
        version="2.6",
        row_group_size=65_536,
        sorting_columns=[pq.SortingColumn(names.index(k)) for k in key],
    )


def connect(package: Package) -> duckdb.DuckDBPyConnection:
    """The package with `efficiency` worked out once."""
    db = database.empty()
    database.load_tables(db, package)
    database.create_views(db, package, materialize={VIEW: None})
    return db
