"""The full report of nvidia-smi (`-q`, as text or as XML) as one list of paths and values.

Both forms hold the same tree under names that moved between driver branches; one table of
names reads both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from cardbook.importers import readouts
from cardbook.importers.base import RawOutput, Refused
from cardbook.importers.readouts import Card, quantity, whole
from cardbook.importers.serving import line_of, truncated

NAME = "nvidia-smi -q"
#: A place in the tree of one card, its text, and its line where that is known.
Entry = tuple[tuple[str, ...], str, int | None]
#: Units, and the places that may say a figure.
Places = tuple[dict[str, float], list[tuple[str, ...]]]

TEXT_BEGINS = re.compile(r"=+NVSMI LOG=+")
XML_BEGINS = re.compile(r"\s*<\?xml[^>]*>\s*(?:<!DOCTYPE nvidia_smi_log[^>]*>\s*)?<nvidia_smi_log>|\s*<nvidia_smi_log>")
_GPU = re.compile(r"GPU ([0-9A-Fa-f]{4,8}:[0-9A-Fa-f:.]+)\s*$")
_LINE = re.compile(r"( *)([^:]+?)\s*(?: : (.*)|:)?$")
_LARGEST_DEPTH = 32
_LONGEST_LINE = 1000

# The first place that says something wins; an average is a figure of the last second.
_SAMPLES: dict[str, Places] = {
    "memory_used_bytes": (readouts.MEMORY, [("fb_memory_usage", "used")]),
    "power_w": (
        readouts.POWER,
        [
            (reading, draw)
            for reading in ("gpu_power_readings", "power_readings")
            for draw in ("average_power_draw", "power_draw", "instantaneous_power_draw", "instant_power_draw")
        ],
    ),
    "sm_clock_hz": (readouts.CLOCK, [("clocks", "sm"), ("clocks", "sm_clock")]),
    "memory_clock_hz": (readouts.CLOCK, [("clocks", "memory"), ("clocks", "mem_clock")]),
    "temperature_c": (readouts.TEMPERATURE, [("temperature", "gpu_current_temp"), ("temperature", "gpu_temp")]),
}
_FACTS: dict[str, Places] = {
    "memory_total_bytes": (readouts.MEMORY, [("fb_memory_usage", "total")]),
    "power_limit_w": (
        readouts.POWER,
        [
            ("gpu_power_readings", "current_power_limit"),
            ("gpu_power_readings", "gpu_ceiling_power_limit", "current_power_limit"),
            ("power_readings", "enforced_power_limit"),
            ("power_readings", "power_limit"),
        ],
    ),
    "sm_clock_max_hz": (readouts.CLOCK, [("max_clocks", "sm"), ("max_clocks", "sm_clock")]),
    "memory_clock_max_hz": (readouts.CLOCK, [("max_clocks", "memory"), ("max_clocks", "mem_clock")]),
}
_MIG_MEMORY = ("fb_memory_usage", "shared_fb_memory_usage")


def read(raw: RawOutput) -> tuple[list[Card], str | None, int]:
    """(cards, driver, cards attached) of a report, or of several in one file. Raises `Refused`."""
    xml = XML_BEGINS.match(raw.text) is not None
    head, blocks = _from_xml(raw) if xml else _from_text(raw)
    said = [text for path, text, _ in head if path == ("attached_gpus",) and text.isascii() and text.isdigit()]
    reports = max(1, len(said))
    # A report on one card of several (-i) looks like one that was cut off; XML has an end.
    if said and not xml and sum(int(text[:6]) for text in said) != len(blocks):
        raise truncated(raw, NAME, f"{len(blocks)} cards where {', '.join(said)} are attached")
    cards: dict[str, Card] = {}
    for identity, entries in blocks:
        places = {path[0] for path, _, _ in entries}
        # Processes are the last that every full report has of a card.
        if not xml and "product_name" in places and "processes" not in places:
            raise truncated(raw, NAME, "a card that ends before its processes")
        _sample(cards.setdefault(identity, Card()), entries)
    if any(len(card.samples) != reports for card in cards.values()):
        raise truncated(raw, NAME, "a card is missing in one of the reports")
    told = [re.match(r"\d[\d.]*", text[:40]) for path, text, _ in head if path in (("driver_version",), ("kmd_version",))]
    drivers = {match.group() for match in told if match}
    attached = max([len(cards), *(int(text[:6]) for text in said)])
    return list(cards.values()), drivers.pop() if len(drivers) == 1 else None, attached


def _sample(card: Card, entries: list[Entry]) -> None:
    found = {path: (text, line) for path, text, line in reversed(entries)}

    def value(scales: dict[str, float], places: list[tuple[str, ...]]) -> float | None:
        for place in places:
            text, line = found.get(place, ("N/A", None))
            made = quantity(text, scales, " / ".join(place), NAME, line=line)
            if made is not None:
                return made
        return None

    sample = {key: value(*places) for key, places in _SAMPLES.items()}
    sample["memory_used_bytes"] = whole(sample["memory_used_bytes"])
    reasons = _throttling(entries)
    card.samples.append(dict(sample) | ({"throttle_reasons": reasons} if reasons is not None else {}))
    facts = {key: value(*places) for key, places in _FACTS.items()}
    facts["memory_total_bytes"] = whole(facts["memory_total_bytes"])
    name = found.get(("product_name",), ("", None))[0]
    mode = found.get(("mig_mode", "current"), found.get(("mig_mode", "current_mig"), ("", None)))[0]
    card.facts |= {k: v for k, v in facts.items() if v is not None}
    if name and not readouts.absent(name):
        card.facts["card_as_written"] = name
    if mode in ("Enabled", "Disabled"):
        card.facts["mig"] = mode == "Enabled"
    instances = _instances(entries)
    if instances:
        card.facts["mig_instances"] = instances


def _throttling(entries: list[Entry]) -> list[str] | None:
    """Names of the active reasons, None where the report has no such section."""
    told = None
    for path, text, _ in entries:
        if path[0] in ("clocks_event_reasons", "clocks_throttle_reasons") and text in ("Active", "Not Active"):
            told = told or []
            if text == "Active":
                told.append(re.sub(r"^clocks_(?:event|throttle)_reason_", "", path[-1]))
    return told


def _instances(entries: list[Entry]) -> list[dict[str, Any]]:
    """Memory of each MIG instance, in bytes."""
    made: list[dict[str, Any]] = []
    for path, text, line in entries:
        inner = path[1:] if path[0] == "mig_devices" else path
        if inner == ("mig_device", "index"):
            made.append({})
        elif made and len(inner) == 3 and inner[0] == "mig_device" and inner[1] in _MIG_MEMORY and inner[2] in ("total", "used"):
            made[-1][f"memory_{inner[2]}_bytes"] = whole(quantity(text, readouts.MEMORY, "MIG memory", NAME, line=line))
    return made


def _key(text: str) -> str:
    return re.sub(r"\W+", "_", text.strip().lower()).strip("_")


def _from_text(raw: RawOutput) -> tuple[list[Entry], list[tuple[str, list[Entry]]]]:
    head: list[Entry] = []
    blocks: list[tuple[str, list[Entry]]] = []
    stack: list[tuple[int, str]] = []
    into = head
    for number, line in enumerate(raw.text.splitlines(), 1):
        if not line.strip():
            continue
        card = _GPU.match(line)
        if card or TEXT_BEGINS.match(line):
            into, stack = [], []
            if card:
                blocks.append((card.group(1), into))
            else:
                into = head
            continue
        match = _LINE.match(line) if len(line) < _LONGEST_LINE else None
        if match is None or len(match.group(1)) // 4 > _LARGEST_DEPTH:
            raise truncated(raw, NAME, f"line {number} is no line of a report", number)
        depth, key, text = len(match.group(1)), _key(match.group(2)), match.group(3)
        while stack and stack[-1][0] >= depth:
            stack.pop()
        if text is None:
            stack.append((depth, key))
        else:
            into.append(((*(name for _, name in stack), key), text.strip(), number))
            # A value may have finer ones below it ("HW Slowdown").
            stack.append((depth, key))
    return head, blocks


def _from_xml(raw: RawOutput) -> tuple[list[Entry], list[tuple[str, list[Entry]]]]:
    if "<!ENTITY" in raw.text:
        line = line_of(raw, "<!ENTITY")
        raise Refused("an XML file that defines entities", "the XML that nvidia-smi -q -x writes", "Give the output as the tool wrote it.", line=line)
    try:
        root = ElementTree.fromstring(raw.text)
    except (ElementTree.ParseError, ValueError, RecursionError) as error:
        raise truncated(raw, NAME, str(error)) from None
    head: list[Entry] = [((child.tag,), (child.text or "").strip(), None) for child in root if child.tag != "gpu"]
    return head, [(f"{number} {child.get('id')}", list(_walk(child))) for number, child in enumerate(root) if child.tag == "gpu"]


def _walk(root: ElementTree.Element) -> Iterator[Entry]:
    waiting: list[tuple[tuple[str, ...], ElementTree.Element]] = [((), root)]
    while waiting:
        path, element = waiting.pop()
        children = list(element)
        if not children and path:
            yield path, (element.text or "").strip(), None
        if len(path) < _LARGEST_DEPTH:
            waiting.extend(((*path, str(child.tag)), child) for child in reversed(children))
