"""The table schemas, and what follows from them.

`schemas/tables/*.json` (Frictionless Table Schema) is the one definition of a column. The
JSON Schema of the documents, the DuckDB types and the Polars types are derived here.
Beside the standard's properties a field carries `unit` (a pint expression in base units),
`key` (its name in a document; `-` when it is computed, `#` when it counts the items of a
list) and `level` (`document` when an item's row takes it from the document around it).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

JSON = dict[str, Any]

#: Units whose values are counts, which people write without a unit.
COUNT_UNITS = frozenset({"token", "parameter", "request", "token/step"})

_DUCKDB = {"string": "VARCHAR", "number": "DOUBLE", "integer": "BIGINT", "boolean": "BOOLEAN"}


@dataclass(frozen=True)
class Field:
    """One column."""

    name: str
    type: str
    unit: str | None
    description: str
    key: str
    level: str
    constraints: JSON

    @property
    def required(self) -> bool:
        return bool(self.constraints.get("required"))

    @property
    def is_quantity(self) -> bool:
        """True for a value that has a dimension, and so is written with its unit."""
        return self.unit is not None and self.unit != "1"

    @property
    def duckdb_type(self) -> str:
        return _DUCKDB[self.type]


@dataclass(frozen=True)
class ForeignKey:
    field: str
    table: str
    target: str


@dataclass(frozen=True)
class Table:
    """One table (or view) and where its rows come from."""

    name: str
    title: str
    description: str
    fields: tuple[Field, ...]
    primary_key: tuple[str, ...]
    foreign_keys: tuple[ForeignKey, ...]
    document: str | None
    folder: str | None
    path: str | None
    raw: JSON

    def field(self, name: str) -> Field:
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(f"{self.name} has no field {name}")

    @property
    def names(self) -> list[str]:
        return [field.name for field in self.fields]


def parse_table(name: str, raw: JSON) -> Table:
    """A `Table` from the JSON of its schema."""
    where = raw.get("cardbook", {})
    return Table(
        name=name,
        title=raw.get("title", name),
        description=raw.get("description", ""),
        fields=tuple(
            Field(
                name=f["name"],
                type=f["type"],
                unit=f.get("unit"),
                description=f.get("description", ""),
                key=f.get("key", f["name"]),
                level=f.get("level", "item"),
                constraints=f.get("constraints", {}),
            )
            for f in raw["fields"]
        ),
        primary_key=tuple(raw.get("primaryKey", ())),
        foreign_keys=tuple(ForeignKey(k["fields"][0], k["reference"]["resource"], k["reference"]["fields"][0]) for k in raw.get("foreignKeys", ())),
        document=where.get("document"),
        folder=where.get("folder"),
        path=where.get("path"),
        raw=raw,
    )


@lru_cache(maxsize=8)
def load(folder: Path) -> dict[str, Table]:
    """Every schema of a folder by table name, in name order."""
    return {p.stem: parse_table(p.stem, json.loads(p.read_text())) for p in sorted(folder.glob("*.json"))}


@dataclass(frozen=True)
class Kind:
    """A kind of document: its own table and the tables of the lists inside it."""

    name: str
    folder: str
    main: Table | None
    lists: tuple[Table, ...]

    @property
    def document_fields(self) -> list[Field]:
        """Fields written at the top of the document."""
        fields = [f for f in self.main.fields if f.key not in "-#"] if self.main else []
        seen = {f.key for f in fields}
        for table in self.lists:
            for f in table.fields:
                if f.level == "document" and f.key not in seen:
                    seen.add(f.key)
                    fields.append(f)
        return fields


@lru_cache(maxsize=8)
def kinds(folder: Path) -> dict[str, Kind]:
    """Every kind of document by name, from the table schemas of `folder`."""
    found: dict[str, list[Table]] = {}
    for table in load(folder).values():
        if table.document:
            found.setdefault(table.document, []).append(table)
    return {
        name: Kind(
            name=name,
            folder=str(tables[0].folder),
            main=next((t for t in tables if t.path is None), None),
            lists=tuple(t for t in tables if t.path is not None),
        )
        for name, tables in sorted(found.items())
    }


def _leaf(field: Field) -> JSON:
    leaf: JSON = {"description": field.description}
    if field.is_quantity:
        leaf["type"] = ["string", "number"] if field.unit in COUNT_UNITS else "string"
        leaf["minLength"] = 1
        leaf["cardbook:unit"] = field.unit
        return leaf
    leaf["type"] = field.type
    for key in ("enum", "pattern", "minimum", "maximum", "exclusiveMinimum"):
        if key in field.constraints:
            leaf[key] = field.constraints[key]
    if field.type == "string":
        leaf.setdefault("minLength", 1)
    return leaf


def _object(fields: list[Field]) -> JSON:
    return {
        "type": "object",
        "properties": {f.key: _leaf(f) for f in fields},
        "required": [f.key for f in fields if f.required],
        "additionalProperties": False,
    }


def document_schema(kind: Kind) -> JSON:
    """The JSON Schema (draft 2020-12) of a kind of document, from its table schemas."""
    schema = _object(kind.document_fields)
    for table in kind.lists:
        items = _object([f for f in table.fields if f.level != "document" and f.key not in "-#"])
        schema["properties"][table.path] = {
            "type": "array",
            "description": table.description,
            "maxItems": 5000,
            "items": items,
        }
        # A document that only exists for its list is nothing without it.
        if kind.main is None or table.name == "measurements":
            schema["required"].append(table.path)
            schema["properties"][table.path]["minItems"] = 1
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"CardBook {kind.name}",
        **schema,
    }


def polars_schema(table: Table) -> dict[str, Any]:
    """Column name to Polars data type."""
    import polars as pl

    types = {"string": pl.String, "number": pl.Float64, "integer": pl.Int64, "boolean": pl.Boolean}
    return {f.name: types[f.type] for f in table.fields}
