"""What changed between two packages (folders or releases), and the version that follows.

Removing or renaming a table, view, column or id is major, and so is a column whose type or
unit changes. New ones are minor, and so is a record that is retired: its id stays, its rows
leave the views. A corrected value is a patch. An id is a primary key; rows that are only
counted (the third note of a recipe) have none, and compare as values.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cardbook import schema
from cardbook.package import Package
from cardbook.release.version import Version, largest, parse
from cardbook.tables import descriptor
from cardbook.views import catalog

Rows = dict[tuple[str, ...], dict[str, str]]


@dataclass(frozen=True)
class Change:
    """`level` is major, minor or patch; `kind` table, view, column, id or value; `action` added,
    removed, changed, retired or revived; `where` the name, `what` a line about it."""

    level: str
    kind: str
    action: str
    table: str
    where: str
    what: str = ""


@dataclass
class Difference:
    """Every change from `old` to `new`. `broken` holds what no version number makes good."""

    old: Version
    new: Version
    changes: list[Change] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    @property
    def level(self) -> str:
        return largest([c.level for c in self.changes])

    @property
    def wanted(self) -> Version:
        """The least version that covers the changes."""
        return self.old.next(self.level)

    @property
    def covered(self) -> bool:
        return self.new >= self.wanted and not self.broken


def compare(old: Package, new: Package) -> Difference:
    """Every change between two packages."""
    result = Difference(parse(descriptor.version(old)), parse(descriptor.version(new)))
    before, after = schema.load(old.table_schemas), schema.load(new.table_schemas)
    result.changes += _relations("table", {n: t.fields for n, t in before.items()}, {n: t.fields for n, t in after.items()})
    result.changes += _relations("view", _views(old), _views(new))
    result.broken += _undeprecated(before, result.changes)
    for name in sorted(before.keys() & after.keys()):
        result.changes += _rows(old, new, before[name], after[name])
    return result


def _views(package: Package) -> dict[str, tuple[schema.Field, ...]]:
    fields = catalog.view_fields(package)
    return {view.name: fields[view.name] for view in catalog.views(package.views)}


def _relations(kind: str, before: dict[str, tuple[schema.Field, ...]], after: dict[str, tuple[schema.Field, ...]]) -> Iterator[Change]:
    for name in sorted(before.keys() - after.keys()):
        yield Change("major", kind, "removed", name, name)
    for name in sorted(after.keys() - before.keys()):
        yield Change("minor", kind, "added", name, name)
    for name in sorted(before.keys() & after.keys()):
        yield from _columns(name, {f.name: f for f in before[name]}, {f.name: f for f in after[name]})


def _columns(table: str, before: dict[str, schema.Field], after: dict[str, schema.Field]) -> Iterator[Change]:
    for name in before:
        if name not in after:
            yield Change("major", "column", "removed", table, f"{table}.{name}")
    for name, f in after.items():
        if name not in before:
            yield Change("minor", "column", "added", table, f"{table}.{name}", f.description)
        elif (f.type, f.unit) != (before[name].type, before[name].unit):
            was = before[name]
            yield Change("major", "column", "changed", table, f"{table}.{name}", f"{was.type} in {was.unit or 'no unit'} → {f.type} in {f.unit or 'no unit'}")
        elif (f.description, f.constraints) != (before[name].description, before[name].constraints):
            yield Change("patch", "column", "changed", table, f"{table}.{name}", "description or constraints")


def _undeprecated(before: dict[str, schema.Table], changes: list[Change]) -> Iterator[str]:
    """Columns and tables that went without the notice that docs/contracts.md promises."""
    for change in changes:
        if change.action != "removed" or change.table not in before:
            continue
        table = before[change.table]
        raw = table.raw if change.kind == "table" else next((f for f in table.raw["fields"] if f["name"] == change.where.partition(".")[2]), {})
        if change.kind in ("table", "column") and not raw.get("deprecated"):
            yield f"{change.kind} {change.where} is gone, but the version before did not mark it deprecated"


def read(package: Package, table: schema.Table) -> Rows:
    """The rows of a compiled table by primary key."""
    path = package.tables / f"{table.name}.csv"
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as lines:
        return {tuple(row[k] for k in table.primary_key): row for row in csv.DictReader(lines)}


def _rows(old: Package, new: Package, before: schema.Table, after: schema.Table) -> Iterator[Change]:
    if before.primary_key != after.primary_key:
        yield Change("major", "table", "changed", after.name, after.name, f"primary key {before.primary_key} → {after.primary_key}")
        return
    was, now = read(old, before), read(new, after)
    counted = any(f.key == "#" for f in after.fields if f.name in after.primary_key)
    for key in sorted(was.keys() - now.keys()):
        yield Change("patch" if counted else "major", "value" if counted else "id", "removed", after.name, f"{after.name}/{'/'.join(key)}")
    for key in sorted(now.keys() - was.keys()):
        yield Change("minor", "value" if counted else "id", "added", after.name, f"{after.name}/{'/'.join(key)}")
    shared = [name for name in after.names if name in before.names]
    for key in sorted(was.keys() & now.keys()):
        yield from _values(f"{after.name}/{'/'.join(key)}", after.name, shared, was[key], now[key])


def _values(where: str, table: str, columns: list[str], was: dict[str, str], now: dict[str, str]) -> Iterator[Change]:
    changed = [name for name in columns if was[name] != now[name]]
    if "status" in changed:
        retired = now["status"] == "retired"
        if retired or was["status"] == "retired":
            yield Change("minor", "id", "retired" if retired else "revived", table, where, now.get("retired_reason", ""))
            changed = [name for name in changed if name not in ("status", "retired_reason")]
    if changed:
        yield Change("patch", "value", "changed", table, where, "; ".join(f"{n}: {was[n] or 'null'} → {now[n] or 'null'}" for n in changed))


def package_at(folder: Path) -> Package:
    """The package or release in `folder`. Raises `ValueError`."""
    package = Package(folder)
    if not package.descriptor.is_file() or not package.table_schemas.is_dir():
        raise ValueError(f"{folder} is no package and no release: datapackage.json and schemas/tables are wanted")
    return package
