"""Write down what pint's registry says of every unit symbol (cardbook/unit_table.json).

    python scripts/unit_table.py [--check]

The registry (cardbook/units.txt) stays the authority; the table only saves loading it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cardbook import units

TABLE = Path(units.__file__).with_name("unit_table.json")


def table() -> str:
    """The table as JSON: symbol → [factor, [[base unit, power], …]]."""
    units._table.cache_clear()
    found = {}
    kept, units._table = units._table, lambda: {}  # type: ignore[assignment]
    units._named.cache_clear()
    try:
        for name in units._names():
            try:
                unit = units._named(name, False)
            except units.UnitError:
                continue
            found[name] = [str(unit.factor), [[base, str(power)] for base, power in unit.powers]]
    finally:
        units._table = kept
        units._named.cache_clear()
    return json.dumps(found, indent=0, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if TABLE.read_text() == table() else "cardbook/unit_table.json is stale: run `python scripts/unit_table.py`")
    TABLE.write_text(table())
