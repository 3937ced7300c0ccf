"""Compile the package: tables, document schemas and descriptor, all or nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from cardbook import schema
from cardbook.package import Package
from cardbook.tables import descriptor
from cardbook.tables.corpus import Corpus, Judge, compile_all, ordered
from cardbook.tables.csvfile import dump


@dataclass(frozen=True)
class Built:
    """What a build makes: the bytes of each generated file, by path relative to the root."""

    files: dict[str, bytes]
    corpus: Corpus


def compile_package(package: Package, judge: Judge | None = None) -> Built:
    """Compile every document in memory."""
    corpus = compile_all(package, judge)
    tables = schema.load(package.table_schemas)
    data = {name: dump(table, ordered(table, corpus.tables[name])) for name, table in tables.items()}
    files = {f"data/tables/{name}.csv": content for name, content in data.items()}
    for kind in schema.kinds(package.table_schemas).values():
        text = json.dumps(schema.document_schema(kind), indent=2, ensure_ascii=False) + "\n"
        files[f"schemas/documents/{kind.name}.schema.json"] = text.encode()
    files["datapackage.json"] = descriptor.descriptor(package, data)
    return Built(files, corpus)


def stale(package: Package, built: Built) -> list[str]:
    """Generated files whose bytes on disk differ, or that should not be there."""
    different = [name for name, content in built.files.items() if _bytes(package.root / name) != content]
    folders = [(package.tables, "*.csv"), (package.document_schemas, "*.json")]
    extra = [
        path.relative_to(package.root).as_posix()
        for folder, pattern in folders
        for path in sorted(folder.glob(pattern))
        if path.relative_to(package.root).as_posix() not in built.files
    ]
    return different + extra


def write(package: Package, built: Built) -> list[str]:
    """Write what changed. Every file is written beside its place first, and only then are all
    renamed, so that an interrupted build leaves the old tables. Returns the changed names."""
    changed = stale(package, built)
    waiting: list[tuple[Path, Path]] = []
    try:
        for name in changed:
            target = package.root / name
            if name not in built.files:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary = target.with_name(f".{target.name}.new")
            waiting.append((temporary, target))
            temporary.write_bytes(built.files[name])
        for temporary, target in waiting:
            temporary.replace(target)
        for name in changed:
            if name not in built.files:
                (package.root / name).unlink()
    finally:
        for temporary, _ in waiting:
            temporary.unlink(missing_ok=True)
    return changed


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None
