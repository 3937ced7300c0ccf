"""Fill the message of a rule with the figures of the offending row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cardbook import units

_PLACE = re.compile(r"\{(\w+)\}")


def show(value: Any, unit: str | None) -> str:
    """A value as a person reads it: a prefix that fits, four digits."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        if unit and unit != "1":
            return units.format_quantity(value, unit, digits=4)
        return f"{value:.4g}" if isinstance(value, float) else str(value)
    return str(value)


def fill(template: str, row: Mapping[str, Any], column_units: Mapping[str, str | None]) -> str:
    """`template` with every {column} replaced."""
    return _PLACE.sub(lambda m: show(row.get(m.group(1)), column_units.get(m.group(1))), template)
