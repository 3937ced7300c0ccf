"""A bulk source (CSV, Parquet or JSON Lines) as another source of the relation `measured`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardbook.package import Package
from cardbook.views import catalog
from cardbook.views.database import quoted

if TYPE_CHECKING:
    import duckdb

SUFFIXES = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet", ".jsonl": "json", ".ndjson": "json"}

#: DuckDB types that hold whole numbers only.
WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")


class BulkError(ValueError):
    """The file is no source of `measured`; the message names the column and what was wanted."""


@dataclass(frozen=True)
class Source:
    """A bulk source, opened: the SELECT that types its rows, and what it could not type."""

    shown: str
    form: str
    table: str
    columns: dict[str, str]

    @property
    def numbered(self) -> bool:
        """True where the rows bring no name of their own and are counted."""
        return "record" not in self.columns


def form_of(path: Path) -> str | None:
    """csv, parquet or json by the name of the file, or of the files in a folder."""
    if path.is_dir():
        names = {form_of(p) for p in files(path)}
        return names.pop() if len(names) == 1 else None
    return SUFFIXES.get(path.suffix.lower())


def files(path: Path) -> list[Path]:
    """The files of a bulk source in order; what Spark and editors leave beside them is none."""
    return sorted(p for p in path.iterdir() if not p.name.startswith((".", "_"))) if path.is_dir() else [path]


def reader(package: Package, path: Path, form: str) -> str:
    """The table function that reads `path`. Numbers of a CSV are read as numbers at once: text
    that is none stops the reading. Whole numbers come as DOUBLE, because a cast of `2.5` to
    BIGINT would round without a word."""
    target = "[" + ", ".join(quoted(p) for p in files(path)) + "]"
    if form == "parquet":
        return f"read_parquet({target}, union_by_name = true)"
    if form == "json":
        return f"read_json({target}, format = 'newline_delimited', maximum_object_size = 1048576)"
    known = {f.name: "VARCHAR" if f.type == "string" else "DOUBLE" for f in catalog.view_fields(package)["measured"]}
    present = [name for name in _heads(path) if name in known]
    types = "{" + ", ".join(f"{quoted(name)}: {quoted(known[name])}" for name in present) + "}"
    return f"read_csv({target}, header = true, types = {types}, union_by_name = true, strict_mode = true, nullstr = '')"


def _heads(path: Path) -> list[str]:
    """Column heads of a CSV, or of all CSVs of a folder."""
    import csv

    found: dict[str, None] = {}
    for file in files(path):
        with file.open(encoding="utf-8-sig", newline="") as lines:
            found |= dict.fromkeys(next(csv.reader(lines, delimiter="\t" if file.suffix == ".tsv" else ","), []))
    return list(found)


def open_source(db: duckdb.DuckDBPyConnection, package: Package, path: Path) -> Source:
    """Open a bulk file or a folder of them. Raises `BulkError` when it is none."""
    import duckdb

    form = form_of(path)
    if form is None:
        raise BulkError(f"{path}: not a CSV, Parquet or JSON Lines file, nor a folder of one kind")
    try:
        table = reader(package, path, form)
        columns = {row[0]: row[1] for row in db.execute(f"DESCRIBE SELECT * FROM {table}").fetchall()}
    except (duckdb.Error, OSError, UnicodeDecodeError) as error:
        raise BulkError(f"{path}: cannot be read: {str(error).splitlines()[0]}") from error
    known = [f.name for f in catalog.view_fields(package)["measured"]]
    extra = sorted(set(columns) - set(known))
    if extra:
        raise BulkError(f"{path}: column {extra[0]!r} is not in the relation measured; wanted any of {', '.join(sorted(known))}. Rename or drop it.")
    if not set(known) & set(columns):
        raise BulkError(f"{path}: no column of the relation measured; wanted at least card, model, quant, phase and tok_s")
    return Source(str(path), form, table, columns)


def raw(source: Source) -> str:
    """The SELECT of the columns that the source has."""
    return f"SELECT {', '.join(_quoted(name) for name in source.columns)} FROM {source.table}"


def numbered(part: Any, done: int) -> Any:
    """An Arrow table with the number of each row as its record, `done` rows standing before it."""
    import pyarrow as pa

    return part.append_column("record", pa.array(range(done + 1, done + part.num_rows + 1), pa.int64()).cast(pa.string()))


def select(package: Package, source: Source, table: str) -> str:
    """The SELECT that makes `measured` of rows of the source lying in `table`: every column of
    the relation, cast to its type, null where the source lacks it. Rows without a record are
    numbered, unless `table` has the numbers already (`numbered`).

    A row cannot call itself a claim, which many rules pass over, nor have no tier.
    """
    parts = []
    for f in catalog.view_fields(package)["measured"]:
        name = _quoted(f.name)
        if f.name == "record" and source.numbered and table == source.table:
            parts.append("CAST(row_number() OVER () AS VARCHAR) AS record")
        elif f.name == "record":
            parts.append("CAST(record AS VARCHAR) AS record")
        elif f.name == "tier":
            given = "CAST(tier AS VARCHAR)" if "tier" in source.columns else "NULL"
            parts.append(f"CASE WHEN {given} IN ('reported', 'submitted') THEN {given} ELSE 'bulk' END AS tier")
        elif f.name not in source.columns:
            parts.append(f"CAST(NULL AS {f.duckdb_type}) AS {name}")
        elif source.columns[f.name] == "VARCHAR" and f.type != "string":
            parts.append(f"CAST(NULLIF({name}, '') AS {f.duckdb_type}) AS {name}")
        else:
            parts.append(f"CAST({name} AS {f.duckdb_type}) AS {name}")
    return f"SELECT {', '.join(parts)} FROM {table}"


def broken_count(package: Package, source: Source, table: str) -> str | None:
    """SQL that counts, per column of whole numbers, the values of `table` that are none; None
    where the types of the source leave no doubt."""
    doubtful = [
        f.name for f in catalog.view_fields(package)["measured"] if f.type == "integer" and f.name in source.columns and source.columns[f.name] not in WHOLE
    ]
    if not doubtful:
        return None
    counts = []
    for name in doubtful:
        x = f"CAST(NULLIF({_quoted(name)}, '') AS DOUBLE)" if source.columns[name] == "VARCHAR" else f"CAST({_quoted(name)} AS DOUBLE)"
        counts.append(f"COUNT(*) FILTER (WHERE {x} IS NOT NULL AND ({x} = floor({x}) AND abs({x}) < 9e18) IS NOT TRUE) AS {_quoted(name)}")
    return f"SELECT {', '.join(counts)} FROM {table}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def create(db: duckdb.DuckDBPyConnection, package: Package, path: Path) -> None:
    """Create `measured` as a view over a whole bulk source."""
    source = open_source(db, package, path)
    db.execute(f"CREATE OR REPLACE VIEW measured AS {select(package, source, source.table)}")
