"""rocm-smi --json: what AMD cards are, draw and hold.

Every value is a string and every unit stands in its key, which drifts between releases.
`GPU memory use (%)` is memory activity, not occupancy: the bytes come from `VRAM Total Used
Memory (B)`. The driver is the version of the kernel module.
"""

from __future__ import annotations

import re
from typing import Any

from cardbook.importers import readouts
from cardbook.importers.base import RawOutput, Reading, Refused
from cardbook.importers.readouts import Card, quantity, whole
from cardbook.importers.serving import line_of, parse_json

NAME = "rocm-smi"

_BEGINS = re.compile(r'\s*\{\s*(?:"\w+"\s*:\s*\{\s*)?"card\d+"\s*:\s*\{')
_OWN_KEY = re.compile(r"VRAM Total|GPU memory use \(%\)|Card [sS]eries|Graphics Package Power|Performance Level|VBIOS version")
_CARD = re.compile(r"card\d{1,4}")
_CLOCK = re.compile(r"\((\d+(?:\.\d+)?)\s*Mhz\)", re.IGNORECASE)
_NAMES = ("card series", "device name", "card model")
_POWER = (
    "current socket graphics package power (w)",
    "average graphics package power (w)",
    "average socket graphics package power (w)",
    "current graphics package power (w)",
)
_TEMPERATURE = ("temperature (sensor edge) (c)", "temperature (sensor junction) (c)")


def recognise(raw: RawOutput) -> bool:
    """True for a JSON object of cards with keys of rocm-smi."""
    return _BEGINS.match(raw.text[:2000]) is not None and _OWN_KEY.search(raw.text[:5000]) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading of all cards. Raises `Refused`."""
    value = parse_json(raw, NAME)
    if not isinstance(value, dict) or not all(_CARD.fullmatch(key) or key == "system" for key in value):
        raise Refused("several outputs joined in one file", "one output: cards and the system", "Give the file as rocm-smi --json wrote it.", line=1)
    if not all(isinstance(said, dict) for said in value.values()):
        raise Refused("a card that is no object", "keys and values of each card", "Give the file as rocm-smi --json wrote it.", line=1)
    cards = [_card(raw, said) for key, said in value.items() if key != "system"]
    if not any(card.facts or any(v is not None for v in card.samples[0].values()) for card in cards):
        raise Refused("no power, memory or clock in it", "the state of the cards", "Run rocm-smi -a --json, or with --showpower --showmeminfo vram.", line=1)
    driver = value.get("system", {}).get("Driver version")
    return [readouts.fold(NAME, cards, driver=driver if isinstance(driver, str) and not readouts.absent(driver) else None)]


def _card(raw: RawOutput, said: dict[str, Any]) -> Card:
    plain = {key.strip().rstrip(":").lower(): (key, value) for key, value in said.items() if isinstance(value, str)}

    def figure(names: tuple[str, ...], scales: dict[str, float], unit: str) -> float | None:
        for name in names:
            key, text = plain.get(name, ("", "N/A"))
            made = quantity(text, scales, key, NAME, unit=unit, line=line_of(raw, f'"{key}"'))
            if made is not None:
                return made
        return None

    def clock(name: str) -> float | None:
        match = _CLOCK.fullmatch(plain.get(name, ("", ""))[1])
        return None if match is None else float(match.group(1)[:12]) * readouts.MHZ

    card = Card()
    for name in _NAMES:
        text = plain.get(name, ("", "N/A"))[1]
        # Older releases print an id where they know no name.
        if not readouts.absent(text) and not re.fullmatch(r"0x[0-9a-fA-F]+", text):
            card.facts["card_as_written"] = text
            break
    total = whole(figure(("vram total memory (b)",), readouts.MEMORY, "b"))
    limit = figure(("max graphics package power (w)",), readouts.POWER, "w")
    card.facts |= {key: made for key, made in (("memory_total_bytes", total), ("power_limit_w", limit)) if made is not None}
    card.samples.append(
        {
            "power_w": figure(_POWER, readouts.POWER, "w"),
            "memory_used_bytes": whole(figure(("vram total used memory (b)",), readouts.MEMORY, "b")),
            "sm_clock_hz": clock("sclk clock speed"),
            "memory_clock_hz": clock("mclk clock speed"),
            "temperature_c": figure(_TEMPERATURE, readouts.TEMPERATURE, "c"),
        }
    )
    return card
