"""Which file and line a record of a table came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cardbook import schema
from cardbook.documents import strict
from cardbook.documents.strict import Document
from cardbook.package import Package

#: Tables in which a record of a finding is looked up, likeliest first.
_ORDER = ("recipes", "measurements", "quality", "checkpoints", "claims", "models", "cards", "quants", "kv_quants", "engines", "links", "sm_limits", "sources")


@dataclass
class Locator:
    """`files` maps (table, id) to the file that the record was compiled from."""

    package: Package
    files: Mapping[tuple[str, str], str]
    _read: dict[str, Document] = field(default_factory=dict)

    def find(self, record: str | None, column: str | None) -> tuple[str | None, int | None, str | None]:
        """File, line and JSON pointer of a column of a record; None where it has no file."""
        if record is None:
            return None, None, column
        identity, _, item = record.partition("/")
        for table in _ORDER:
            shown = self.files.get((table, identity))
            if shown is not None:
                return self._place(table, shown, item, column)
        return None, None, column

    def _place(self, table: str, shown: str, item: str, column: str | None) -> tuple[str, int | None, str | None]:
        document = self._read.get(shown)
        if document is None:
            document = self._read[shown] = strict.read(self.package.root / shown, shown, None)
        if not isinstance(document.value, dict):
            return shown, None, column
        pointer = self._pointer(table, document.value, item, column)
        return shown, document.line_of(pointer), pointer.lstrip("/") or column

    def _pointer(self, table: str, value: dict[str, object], item: str, column: str | None) -> str:
        tables = schema.load(self.package.table_schemas)
        key = self._key(tables[table], column)
        if not item:
            return f"/{key}" if key else ""
        name = {"recipes": "measurements", "quality": "quality"}.get(table, table)
        path = tables[name].path
        found = value.get(path) if path else None
        if not isinstance(found, list):
            return ""
        for index, entry in enumerate(found):
            if isinstance(entry, dict) and (entry.get("name") == item or item == str(index + 1)):
                inner = self._key(tables[name], column)
                if inner and inner in entry:
                    return f"/{path}/{index}/{inner}"
                return f"/{key}" if key and key in value else f"/{path}/{index}"
        return ""

    @staticmethod
    def _key(table: schema.Table, column: str | None) -> str | None:
        return next((f.key for f in table.fields if f.name == column and f.key not in "-#"), None)
