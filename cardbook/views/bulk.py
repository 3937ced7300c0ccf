"""A bulk file (CSV, Parquet or JSON Lines) as another source of the relation `measured`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cardbook.package import Package
from cardbook.views import catalog
from cardbook.views.database import quoted

if TYPE_CHECKING:
    import duckdb

SUFFIXES = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet", ".jsonl": "json", ".ndjson": "json"}


class BulkError(ValueError):
    """The file is no source of `measured`; the message names the column and what was wanted."""


def form_of(path: Path) -> str | None:
    """csv, parquet or json by the name of the file, or of the files in a folder."""
    if path.is_dir():
        names = {form_of(p) for p in path.iterdir() if not p.name.startswith((".", "_"))}
        return names.pop() if len(names) == 1 else None
    return SUFFIXES.get(path.suffix.lower())


def reader(path: Path, form: str) -> str:
    """The table function that reads `path`, with every CSV or JSON value still text."""
    target = quoted(path / f"*.{path_suffix(path)}") if path.is_dir() else quoted(path)
    if form == "parquet":
        return f"read_parquet({target}, union_by_name = true)"
    if form == "json":
        return f"read_json({target}, format = 'newline_delimited', maximum_object_size = 1048576)"
    return f"read_csv({target}, header = true, all_varchar = true, union_by_name = true, strict_mode = true)"


def path_suffix(folder: Path) -> str:
    """The suffix that the files of a bulk folder share."""
    return next(p.suffix.lstrip(".") for p in sorted(folder.iterdir()) if not p.name.startswith((".", "_")))


def describe(db: duckdb.DuckDBPyConnection, source: str, shown: str) -> dict[str, str]:
    """Column name to type of a bulk source. Raises `BulkError` when it cannot be read."""
    import duckdb

    try:
        return {row[0]: row[1] for row in db.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()}
    except duckdb.Error as error:
        raise BulkError(f"{shown}: cannot be read: {str(error).splitlines()[0]}") from error


def select(package: Package, source: str, columns: dict[str, str], shown: str) -> str:
    """The SELECT that makes `measured` of a bulk source: every column of the relation, cast to
    its type, null where the file lacks it. A value that is not of its type stops the check
    with a message instead of turning into a null.

    Raises `BulkError` for columns that the relation does not have.
    """
    wanted = catalog.view_fields(package)["measured"]
    known = {f.name for f in wanted}
    extra = sorted(set(columns) - known)
    if extra:
        raise BulkError(f"{shown}: column {extra[0]!r} is not in the relation measured; wanted any of {', '.join(sorted(known))}. Rename or drop it.")
    parts = []
    for f in wanted:
        if f.name in columns:
            parts.append(
                f'CAST(NULLIF("{f.name}", \'\') AS {f.duckdb_type}) AS "{f.name}"'
                if columns[f.name] == "VARCHAR" and f.type != "string"
                else f'CAST("{f.name}" AS {f.duckdb_type}) AS "{f.name}"'
            )
        elif f.name == "tier":
            parts.append("'bulk' AS tier")
        elif f.name == "record":
            parts.append("CAST(row_number() OVER () AS VARCHAR) AS record")
        else:
            parts.append(f'CAST(NULL AS {f.duckdb_type}) AS "{f.name}"')
    if not known & set(columns):
        raise BulkError(f"{shown}: no column of the relation measured; wanted at least card, model, quant, phase and tok_s")
    return f"SELECT {', '.join(parts)} FROM {source}"


def create(db: duckdb.DuckDBPyConnection, package: Package, path: Path) -> None:
    """Create `measured` as a view over a bulk file or a folder of them."""
    form = form_of(path)
    if form is None:
        raise BulkError(f"{path}: not a CSV, Parquet or JSON Lines file, nor a folder of one kind")
    source = reader(path, form)
    body = select(package, source, describe(db, source, str(path)), str(path))
    db.execute(f"CREATE OR REPLACE VIEW measured AS {body}")
