"""Which views there are, and what their columns mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cardbook import schema
from cardbook.package import Package


@dataclass(frozen=True)
class View:
    """One view: `sql` is the file as written, comments and all."""

    name: str
    path: Path
    sql: str

    @property
    def comment(self) -> str:
        """The comment at the head of the file: equation, units, source."""
        lines = []
        for line in self.sql.splitlines():
            if not line.startswith("--"):
                break
            lines.append(line[2:].strip())
        return "\n".join(lines)


@lru_cache(maxsize=8)
def views(folder: Path) -> tuple[View, ...]:
    """Every view in dependency order, which is the order of the file names."""
    return tuple(View(re.sub(r"^\d+_", "", p.stem), p, p.read_text()) for p in sorted(folder.glob("*.sql")))


@lru_cache(maxsize=8)
def _fields(folder: Path) -> dict[str, tuple[schema.Field, ...]]:
    raw = schema.load(folder)
    resolved: dict[str, tuple[schema.Field, ...]] = {}

    def resolve(name: str) -> tuple[schema.Field, ...]:
        if name not in resolved:
            inherited: list[schema.Field] = []
            for parent in raw[name].raw.get("cardbook", {}).get("inherits", ()):
                inherited += resolve(parent)
            own = {f.name for f in raw[name].fields}
            resolved[name] = (*(f for f in inherited if f.name not in own), *raw[name].fields)
        return resolved[name]

    for name in raw:
        resolve(name)
    return resolved


def view_fields(package: Package) -> dict[str, tuple[schema.Field, ...]]:
    """The columns of every view; a view that selects all of another inherits its fields."""
    return _fields(package.view_schemas)


@lru_cache(maxsize=8)
def _relations(tables: Path, views_folder: Path) -> dict[str, tuple[schema.Field, ...]]:
    return {**{n: t.fields for n, t in schema.load(tables).items()}, **_fields(views_folder)}


def relations(package: Package) -> dict[str, tuple[schema.Field, ...]]:
    """The columns of every table and view by name."""
    return _relations(package.table_schemas, package.view_schemas)


def units_by_column(package: Package) -> dict[str, str | None]:
    """Unit of a column by its name; names mean one thing in the whole project."""
    return {f.name: f.unit for fields in relations(package).values() for f in fields}
