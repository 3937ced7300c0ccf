"""One DuckDB file with every table and view, the same bytes for the same content.

DuckDB writes sixteen random bytes into the first block of a new file, as its identity. They are
replaced by a digest of everything else, and the checksum of the block is computed anew. Views
name the database they lie in, so that the file must be built under the name it will have.
"""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path
from typing import TYPE_CHECKING

from cardbook.package import Package
from cardbook.views import catalog, database

if TYPE_CHECKING:
    import duckdb

NAME = "cardbook.duckdb"
#: The oldest DuckDB that opens the file.
STORAGE = "v1.4.0"
#: First block: checksum of what follows in it, magic, version, …, identity.
BLOCK, CHECKSUM, MAGIC, IDENTITY = 4096, slice(0, 8), slice(8, 12), slice(124, 140)


class StorageError(RuntimeError):
    """DuckDB's file is not laid out as this module knows it."""


def write(package: Package, folder: Path) -> Path:
    """Write the file into `folder`."""
    import duckdb

    path = folder / NAME
    db = duckdb.connect(":memory:", config={"threads": 1, "autoinstall_known_extensions": False, "autoload_known_extensions": False})
    db.execute(f"ATTACH {database.quoted(path)} AS cardbook (STORAGE_VERSION {database.quoted(STORAGE)})")
    db.execute("USE cardbook")
    database.load_tables(db, package)
    database.create_views(db, package)
    _comment(db, package)
    db.execute("CHECKPOINT cardbook")
    db.execute("USE memory")
    db.execute("DETACH cardbook")
    db.close()
    settle(path)
    return path


def _comment(db: duckdb.DuckDBPyConnection, package: Package) -> None:
    """Descriptions and units as comments, which every client shows."""
    views = {view.name: view.comment for view in catalog.views(package.views)}
    from cardbook import schema

    tables = schema.load(package.table_schemas)
    for name, fields in catalog.relations(package).items():
        kind, text = ("VIEW", views[name]) if name in views else ("TABLE", tables[name].description)
        db.execute(f'COMMENT ON {kind} "{name}" IS {database.quoted(text)}')
        for f in fields:
            unit = f" [{f.unit}]" if f.unit else ""
            db.execute(f'COMMENT ON COLUMN "{name}"."{f.name}" IS {database.quoted(f.description + unit)}')


def settle(path: Path) -> None:
    """Give the file an identity that follows from its content. Raises `StorageError`."""
    content = bytearray(path.read_bytes())
    head = content[:BLOCK]
    if bytes(head[MAGIC]) != b"DUCK" or head[CHECKSUM] != _checksum(head):
        raise StorageError("the first block of the DuckDB file is not as expected: see cardbook/release/duckdbfile.py")
    head[CHECKSUM], head[IDENTITY] = bytes(8), bytes(16)
    head[IDENTITY] = hashlib.sha256(head + content[BLOCK:]).digest()[:16]
    head[CHECKSUM] = _checksum(head)
    content[:BLOCK] = head
    path.write_bytes(content)


def _checksum(block: bytearray) -> bytes:
    """DuckDB's checksum of a block, which stands in its first eight bytes."""
    result = 5381
    for (word,) in struct.iter_unpack("<Q", block[8:]):
        result ^= (word * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
    return struct.pack("<Q", result)
