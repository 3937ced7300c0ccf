"""Tables as CSV: one stable form for every value."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

from cardbook import schema
from cardbook.tables.rows import Row


def cell(value: Any) -> str:
    """A value as text: integers without a point, floats in the shortest form that reads back."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value)


def dump(table: schema.Table, rows: Iterable[Row]) -> bytes:
    """The CSV of a table: header, LF line ends, UTF-8, rows as given."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(table.names)
    for row in rows:
        writer.writerow([cell(row[name]) for name in table.names])
    return buffer.getvalue().encode()
