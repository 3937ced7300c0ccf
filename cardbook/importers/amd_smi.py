"""amd-smi metric and static, as JSON or as text.

JSON figures are {"value", "unit"} or "N/A"; the list of cards is bare before ROCm 7 and lies
under `gpu_data` since. Its MB are 2^20 bytes. VRAM SIZE of the static page is not the memory
of the card (an MI300A shows a part of its HBM) and is left out.
"""

from __future__ import annotations

import re
from typing import Any

from cardbook.importers import readouts
from cardbook.importers.base import RawOutput, Reading, Refused
from cardbook.importers.readouts import MIB, Card, quantity, whole
from cardbook.importers.serving import line_of, parse_json, truncated

NAME = "amd-smi"

_JSON_BEGINS = re.compile(r'\s*(?:\{\s*"gpu_data"\s*:\s*)?\[\s*\{\s*"gpu"\s*:\s*\d')
_TEXT_GPU = re.compile(r"GPU: (\d{1,4})\s*")
_TEXT_BEGINS = re.compile(r"^GPU: \d+\s*\n {4}(?:ASIC|USAGE|POWER|CLOCK|TEMPERATURE|MEM_USAGE|LIMIT|BUS|BOARD|DRIVER|VRAM):\s*$", re.MULTILINE)
_LINE = re.compile(r"( *)([A-Z0-9_ ]{1,80}):(?: (.*))?")
_LARGEST_DEPTH = 16
_LONGEST_LINE = 1000
_MEMORY = {"mb": MIB, "gb": 2.0**30, "b": 1.0}

_SAMPLES: dict[str, tuple[dict[str, float], tuple[str, ...]]] = {
    "power_w": (readouts.POWER, ("power/socket_power", "power/current_socket_power", "power/average_socket_power")),
    "memory_used_bytes": (_MEMORY, ("mem_usage/used_vram",)),
    "sm_clock_hz": (readouts.CLOCK, ("clock/gfx_0/clk",)),
    "memory_clock_hz": (readouts.CLOCK, ("clock/mem_0/clk",)),
    "temperature_c": (readouts.TEMPERATURE, ("temperature/edge", "temperature/hotspot")),
}
_FACTS: dict[str, tuple[dict[str, float], tuple[str, ...]]] = {
    "memory_total_bytes": (_MEMORY, ("mem_usage/total_vram",)),
    "power_limit_w": (readouts.POWER, ("limit/socket_power",)),
    "sm_clock_max_hz": (readouts.CLOCK, ("clock/gfx_0/max_clk",)),
    "memory_clock_max_hz": (readouts.CLOCK, ("clock/mem_0/max_clk",)),
}
_WHOLE_CARD = "SPX"


def recognise(raw: RawOutput) -> bool:
    """True for the output of amd-smi metric or static."""
    return _JSON_BEGINS.match(raw.text[:2000]) is not None or _TEXT_BEGINS.search(raw.text[:20_000]) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading of all cards. Raises `Refused`."""
    pages = _from_json(raw) if _JSON_BEGINS.match(raw.text[:2000]) else _from_text(raw)
    cards: dict[str, Card] = {}
    drivers = set()
    for identity, page in pages:
        _sample(raw, cards.setdefault(identity, Card()), page)
        drivers |= {page["driver/version"]} if not readouts.absent(page.get("driver/version", "N/A")) else set()
    if not any(card.facts or any(v is not None for s in card.samples for v in s.values()) for card in cards.values()):
        raise Refused("no power, memory or clock in it", "the state of the cards", "Run amd-smi metric --json without a choice of sections.", line=1)
    reading = readouts.fold(NAME, cards.values(), driver=drivers.pop() if len(drivers) == 1 else None)
    if any("vram/size" in page for _, page in pages):
        reading.lost.append(("memory_total_bytes", "VRAM SIZE of the static page may be a part of the card's memory"))
    return [reading]


def _sample(raw: RawOutput, card: Card, page: dict[str, str]) -> None:
    def figure(scales: dict[str, float], places: tuple[str, ...]) -> float | None:
        for place in places:
            last = place.rpartition("/")[2]
            line = line_of(raw, f'"{last}"') or line_of(raw, f"{last.upper()}:")
            made = quantity(page.get(place, "N/A"), scales, place, NAME, line=line)
            if made is not None:
                return made
        return None

    sample: dict[str, Any] = {key: figure(*places) for key, places in _SAMPLES.items()}
    sample["memory_used_bytes"] = whole(sample["memory_used_bytes"])
    state = page.get("power/throttle_status", "N/A")
    if state in ("UNTHROTTLED", "THROTTLED"):
        sample["throttle_reasons"] = ["throttled"] if state == "THROTTLED" else []
    if any(value is not None for value in sample.values()):
        card.samples.append(sample)
    facts = {key: figure(*places) for key, places in _FACTS.items()}
    card.facts |= {key: whole(value) if key == "memory_total_bytes" else value for key, value in facts.items() if value is not None}
    name = next((page[key] for key in ("asic/market_name", "board/product_name") if not readouts.absent(page.get(key, "N/A"))), None)
    if name:
        card.facts["card_as_written"] = name
    parts = page.get("partition/compute_partition") or page.get("partition/accelerator_partition", "N/A")
    if not readouts.absent(parts):
        card.facts["mig"] = parts != _WHOLE_CARD
        if parts != _WHOLE_CARD:
            card.facts["mig_profiles"] = [parts]


def _from_json(raw: RawOutput) -> list[tuple[str, dict[str, str]]]:
    value = parse_json(raw, NAME)
    listed = value.get("gpu_data") if isinstance(value, dict) else value
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise Refused("no list of cards", "the list that amd-smi writes", "Give the file as amd-smi --json wrote it.", line=1)
    return [(str(one.get("gpu")), _flat(one)) for one in listed]


def _flat(page: dict[str, Any]) -> dict[str, str]:
    """Places and texts; a figure and its unit become one text."""
    made: dict[str, str] = {}
    waiting: list[tuple[str, Any]] = [("", page)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict) and set(value) == {"value", "unit"}:
            made[path] = f"{value['value']} {value['unit']}"
        elif isinstance(value, dict):
            if path.count("/") < _LARGEST_DEPTH:
                waiting.extend((f"{path}/{key}".lstrip("/"), inner) for key, inner in value.items())
        elif isinstance(value, str | int | float):
            made[path] = str(value)[:200]
    return made


def _from_text(raw: RawOutput) -> list[tuple[str, dict[str, str]]]:
    pages: list[tuple[str, dict[str, str]]] = []
    page: dict[str, str] | None = None
    stack: list[tuple[int, str]] = []
    for number, line in enumerate(raw.text.splitlines(), 1):
        card = _TEXT_GPU.fullmatch(line)
        if card or re.match(r"\S", line):
            # What begins at the margin and is no card (a CPU, a warning) is none of ours.
            page, stack = ({} if card else None), []
            if card and page is not None:
                pages.append((card.group(1), page))
            continue
        match = _LINE.fullmatch(line) if len(line) < _LONGEST_LINE else None
        if page is None or not line.strip():
            continue
        if match is None or len(match.group(1)) // 4 > _LARGEST_DEPTH:
            raise truncated(raw, NAME, f"line {number} is no line of amd-smi", number)
        depth, key, text = len(match.group(1)), match.group(2).strip().lower(), match.group(3)
        while stack and stack[-1][0] >= depth:
            stack.pop()
        stack.append((depth, key))
        if text is not None:
            page["/".join(name for _, name in stack)] = text.strip()
    return pages
