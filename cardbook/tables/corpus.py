"""Compile the documents of a package, remembering what did not change."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from cardbook import schema
from cardbook.documents import places, strict
from cardbook.documents.strict import Document
from cardbook.package import Package
from cardbook.tables.rows import Compiled, Row, rows

#: Judges one document and what became of it; true when there is nothing at all to say of it, so
#: that it need not be judged again until it, or what judges it, changes.
Judge = Callable[[Document, Compiled], bool]


@dataclass
class Corpus:
    """Rows by table, and the file that each main record came from."""

    tables: dict[str, list[Row]] = field(default_factory=dict)
    files: dict[tuple[str, str], str] = field(default_factory=dict)


def fingerprint(package: Package) -> str:
    """Changes whenever the schemas, the rules or the code that compiles documents do."""
    digest = hashlib.sha256()
    code = Path(__file__).resolve().parent.parent
    for path in sorted([*package.table_schemas.glob("*.json"), *package.validators.glob("*.py"), *code.glob("**/*.py"), *code.glob("*.txt")]):
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _cache_file(package: Package) -> Path:
    return package.root / "build" / "compiled.json"


@lru_cache(maxsize=2)
def _cached(path: Path, stamp: int) -> dict[str, dict[str, dict[str, list[Row]]]]:
    try:
        loaded = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return loaded if isinstance(loaded, dict) else {}


def compile_file(package: Package, kind: str, path: Path) -> tuple[Document, Compiled]:
    """Read and compile one document."""
    document = strict.read(path, places.shown(package, path), kind)
    return document, rows(document, package.table_schemas)


def compile_all(package: Package, judge: Judge | None = None, *, remember: bool = True) -> Corpus:
    """Compile every document. `judge` sees each document that was read (not those that the
    cache, keyed by content, knows to be sound)."""
    mark = fingerprint(package)
    cache_path = _cache_file(package)
    cache = _cached(cache_path, cache_path.stat().st_mtime_ns if cache_path.exists() else 0).get(mark, {}) if remember else {}
    kept: dict[str, dict[str, list[Row]]] = {}
    corpus = Corpus({name: [] for name in schema.load(package.table_schemas)})
    for kind, path in places.files(package):
        # The path is part of the key: a document is sound only in its own place.
        key = None
        if remember and not path.is_symlink() and path.stat().st_size <= strict.MAX_BYTES:
            key = hashlib.sha256(places.shown(package, path).encode() + b"\0" + path.read_bytes()).hexdigest()
        if key is not None and key in cache:
            made = cache[key]
        else:
            document, compiled = compile_file(package, kind, path)
            made = compiled.rows
            if judge is None or not judge(document, compiled):
                key = None
        if key is not None:
            kept[key] = made
        add(corpus, made, places.shown(package, path))
    if remember and judge is not None and kept.keys() != cache.keys():
        _save(cache_path, {mark: kept})
    return corpus


def _save(path: Path, cache: dict[str, dict[str, dict[str, list[Row]]]]) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        temporary.write_text(json.dumps(cache))
        temporary.replace(path)
    except OSError:
        pass  # A read-only clone only loses the speed.


def add(corpus: Corpus, found: dict[str, list[Row]], shown: str) -> None:
    """Add the rows of one document."""
    for table, added in found.items():
        corpus.tables[table].extend(added)
        for row in added[:1]:
            key = row.get("id") or row.get("evaluation") or row.get("arch") or row.get("recipe")
            if key is not None:
                corpus.files[(table, str(key))] = shown


def ordered(table: schema.Table, found: Iterable[Row]) -> list[Row]:
    """Rows in the order of the primary key, so that the same documents give the same bytes."""
    return sorted(found, key=lambda row: [(row[k] is None, row[k]) if isinstance(row[k], int) else (row[k] is None, str(row[k])) for k in table.primary_key])
