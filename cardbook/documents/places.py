"""Which file is which document: the path is the identity."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cardbook import schema
from cardbook.package import Package


def kind_of(package: Package, path: Path) -> str | None:
    """The kind of document that `path` holds by its place under data/, or None."""
    try:
        parts = path.absolute().relative_to(package.data.absolute()).parts
    except ValueError:
        # A submission checked before it lies in its place: its name tells.
        return "recipe" if path.name == "recipe.json" else None
    if len(parts) < 2:
        return None
    for kind in schema.kinds(package.table_schemas).values():
        if kind.folder == parts[0]:
            return kind.name if kind.name != "recipe" or path.name == "recipe.json" else None
    return None


def files(package: Package) -> Iterator[tuple[str, Path]]:
    """Every document of the package as (kind, path), in a stable order."""
    for kind in schema.kinds(package.table_schemas).values():
        folder = package.data / kind.folder
        pattern = "*/*/recipe.json" if kind.name == "recipe" else "**/*.json"
        for path in sorted(folder.glob(pattern)):
            yield kind.name, path


def expected_id(kind: str, path: Path) -> str:
    """The id that a document at `path` must have."""
    return path.parent.name if kind == "recipe" else path.stem


def shown(package: Package, path: Path) -> str:
    """The path as messages print it: relative to the package, else as given."""
    try:
        return path.absolute().relative_to(package.root.absolute()).as_posix()
    except ValueError:
        return path.as_posix()
