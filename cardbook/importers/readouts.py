"""What the importers of card monitors share: samples of each card, and what they come to.

A monitor prints one card at one moment; a recipe wants all cards over a run. Power and
memory are summed over the cards, sample by sample; limits and clocks stay those of one card.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cardbook.importers.base import Reading, Refused
from cardbook.importers.serving import from_text, known

MHZ = 1e6
MIB = 2.0**20
#: Unit as a monitor writes it, in lower case → base units of one.
MEMORY = {"b": 1.0, "kib": 2.0**10, "mib": MIB, "gib": 2.0**30}
POWER = {"w": 1.0, "mw": 1e-3}
CLOCK = {"hz": 1.0, "mhz": MHZ, "ghz": 1e9}
TEMPERATURE = {"c": 1.0, "°c": 1.0}

_FACTS = ("memory_total_bytes", "power_limit_w", "sm_clock_max_hz", "memory_clock_max_hz", "mig")
_MEANS = ("sm_clock_hz", "memory_clock_hz")
_MAX_SAMPLES = 200_000
_MAX_CARDS = 1024
_QUANTITY = re.compile(r"(?P<number>[+-]?[\d.]+(?:[eE][+-]?\d+)?)\s*(?P<unit>[^\d\s.].*)?", re.ASCII)
_ABSENT = re.compile(
    r"\W*(?:n/?a|unknown|unknown error|not supported|insufficient permissions|err!|requested functionality has been deprecated|-*)\W*",
    re.IGNORECASE,
)
# An idle card and a clock that its owner locked are no throttling.
_THROTTLES = re.compile(r"power|thermal|slowdown|throttl|ppt|prochot|tdc", re.IGNORECASE)


@dataclass
class Card:
    """One card as a monitor shows it, in base units: what stays, and its samples in order."""

    facts: dict[str, Any] = field(default_factory=dict)
    samples: list[dict[str, Any]] = field(default_factory=list)


def absent(text: str) -> bool:
    """True for the many ways in which a monitor says that it does not know."""
    return len(text) < 80 and _ABSENT.fullmatch(text.strip()) is not None


def quantity(text: str, scales: Mapping[str, float], name: str, tool: str, *, unit: str | None = None, line: int | None = None) -> float | None:
    """A figure with its unit, in base units; None where the monitor does not know.

    `unit` is that of the column, for values that do not repeat it. Raises `Refused`.
    """
    if absent(text):
        return None
    match = _QUANTITY.fullmatch(text.strip())
    written = ((match.group("unit") if match else None) or unit or "").strip().lower()
    if match is None or written not in scales:
        raise Refused(
            f"{name} in the {tool} output is {text.strip()[:60]!r}",
            f"a number of {' or '.join(scales)}",
            "Give the output as the tool wrote it, with its units.",
            line=line,
        )
    return from_text(match.group("number"), name, tool, line) * scales[written]


def whole(value: float | None) -> int | None:
    """Bytes as a whole number."""
    return None if value is None else round(value)


def fold(tool: str, cards: Iterable[Card], *, driver: str | None = None, tool_version: str | None = None) -> Reading:
    """The reading of what a monitor saw of all its cards. Raises `Refused` when it saw none."""
    listed = list(cards)
    if not listed or len(listed) > _MAX_CARDS or sum(len(card.samples) for card in listed) > _MAX_SAMPLES:
        raise Refused(
            f"{len(listed)} cards in the {tool} output",
            f"1 to {_MAX_CARDS} cards and at most {_MAX_SAMPLES} samples",
            "Give the output of the tool on the machine that ran the benchmark, of the time of the run.",
        )
    each = [_one(card) for card in listed]
    sensors = _all(listed, each)
    sensors["driver"] = driver
    reading = Reading(tool, tool_version, sensors=known(sensors))
    reading.recipe = known({"card_as_written": sensors.get("card_as_written"), "driver": driver, "power_limit_w": sensors.get("power_limit_w")})
    if any(_THROTTLES.search(reason) for reason in sensors.get("throttle_reasons") or ()):
        reading.recipe["throttled"] = True
    _ask(reading)
    return reading


def _one(card: Card) -> dict[str, Any]:
    """The figures of one card over its samples."""
    made: dict[str, Any] = dict(card.facts)
    power = [s["power_w"] for s in card.samples if s.get("power_w") is not None]
    made["power_w"] = sum(power) / len(power) if power else None
    for key in _MEANS:
        seen = [s[key] for s in card.samples if s.get(key) is not None]
        made[key] = sum(seen) / len(seen) if seen else None
    for key in ("memory_used_bytes", "temperature_c"):
        made[key] = max((s[key] for s in card.samples if s.get(key) is not None), default=None)
    told = [s["throttle_reasons"] for s in card.samples if s.get("throttle_reasons") is not None]
    made["throttle_reasons"] = sorted({reason for reasons in told for reason in reasons}) if told else None
    made["samples"] = len(card.samples)
    return known(made)


def _all(cards: list[Card], each: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of all cards; None where one card does not say, or where cards differ."""
    made: dict[str, Any] = {"n_cards": len(each), "samples": min(one["samples"] for one in each) or None}
    for key in ("card_as_written", *_FACTS):
        values = [one.get(key) for one in each]
        made[key] = values[0] if all(value == values[0] for value in values) else None
    made["power_w"] = sum(one["power_w"] for one in each) if all("power_w" in one for one in each) else None
    made["memory_used_bytes"] = _peak_together(cards, each)
    for key in _MEANS:
        made[key] = sum(one[key] for one in each) / len(each) if all(key in one for one in each) else None
    made["temperature_c"] = max((one["temperature_c"] for one in each if "temperature_c" in one), default=None)
    told = [one["throttle_reasons"] for one in each if "throttle_reasons" in one]
    made["throttle_reasons"] = sorted({reason for reasons in told for reason in reasons}) if told else None
    for key in ("mig_instances", "mig_profiles"):
        made[key] = [item for one in each for item in one.get(key, ())] or None
    if len(each) > 1:
        made["cards"] = each
    return made


def _peak_together(cards: list[Card], each: list[dict[str, Any]]) -> int | None:
    """The highest sum over the cards at one moment, or None where a card does not say."""
    if any("memory_used_bytes" not in one for one in each):
        return None
    columns: list[list[Any]] = [[s.get("memory_used_bytes") for s in card.samples] for card in cards]
    if len({len(column) for column in columns}) == 1 and not any(None in column for column in columns):
        return int(max(sum(moment) for moment in zip(*columns, strict=True)))
    # Cards that were not sampled together: no moment is known, so no sum at one.
    return None if len(columns) > 1 else int(each[0]["memory_used_bytes"])


def _ask(reading: Reading) -> None:
    sensors = reading.sensors
    if "card_as_written" not in sensors:
        reading.questions.append(("card", "Which card was it, by its full name?"))
    if sensors.get("n_cards", 1) > 1:
        reading.questions.append(("n_cards", f"How many of the {sensors['n_cards']} cards did the run use?"))
    if "driver" not in sensors:
        reading.questions.append(("driver", "Which driver and compute stack?"))
    if "power_limit_w" not in sensors:
        reading.questions.append(("power_limit_w", "Which power limit had the card?"))
    if "power_w" in sensors and sensors.get("samples", 0) < 2:
        reading.questions.append(("mean_power_w", "Was this taken while the benchmark ran? One reading is no mean over a run; sample once a second."))
    if sensors.get("mig"):
        reading.questions.append(("card", "The card is split (MIG): which instance ran the benchmark? The bounds of the whole card do not hold for it."))
