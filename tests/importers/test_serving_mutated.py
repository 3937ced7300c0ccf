"""A thousand damaged files: truncated, bytes flipped, keys renamed, text for numbers, huge numbers.

Whatever the damage, an importer reads what is left or refuses it; nothing else is raised.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from cardbook.importers import importers
from cardbook.importers.base import RawOutput, Refused
from tests.importers.serving_case import GOLDEN
from tests.importers.test_serving_all_files import FOLDERS, OURS
from tests.shared_files import ROOT

ROUNDS = 1_000
LARGEST = 250_000  # characters; a larger file only makes the test slower
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
KEY = re.compile(r'"[A-Za-z_]{3,}"(?=:)|^ *[A-Za-z_]{3,}(?=:)', re.MULTILINE)
ODD = ["1e999", "NaN", "-Infinity", "9" * 5000, "1e300", "-1", "0", "true", "null", '"text"', "[]", "{}", "[" * 3000, '""', "0x10", "1_000", "１２"]


def _truncated(text: str, dice: random.Random) -> str:
    return text[: dice.randrange(len(text))]


def _flipped(text: str, dice: random.Random) -> str:
    data = bytearray(text.encode())
    for _ in range(dice.randrange(1, 20)):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return data.decode("utf-8", "replace")


def _one(pattern: re.Pattern[str], text: str, dice: random.Random, make: Callable[[str], str]) -> str:
    found = list(pattern.finditer(text))
    for match in sorted(dice.sample(found, min(len(found), dice.choice([1, 1, 1, 5, 50]))), key=lambda one: -one.start()):
        text = text[: match.start()] + make(match.group()) + text[match.end() :]
    return text


def _renamed(text: str, dice: random.Random) -> str:
    return _one(KEY, text, dice, lambda key: key.replace(key.strip(' "')[0], "x", 1))


def _swapped(text: str, dice: random.Random) -> str:
    return _one(NUMBER, text, dice, lambda _: dice.choice(ODD))


def _shuffled(text: str, dice: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    at, to = dice.randrange(len(lines)), dice.randrange(len(lines))
    lines.insert(to, lines[at])
    del lines[dice.randrange(len(lines))]
    return "".join(lines)


DAMAGE = (_truncated, _flipped, _renamed, _swapped, _shuffled)


def _sources() -> list[str]:
    golden = [path for path in GOLDEN.rglob("*") if path.is_file() and path.parent.name in {*OURS, "sglang-one-batch"}]
    formats = ROOT.parent / "shared" / "formats"  # golden files alone where it is absent
    public = [path for folder in sorted(FOLDERS) for path in (formats / folder).rglob("*") if path.is_file()]
    texts = [path.read_text() for path in sorted(golden) + sorted(public)]
    return [text for text in texts if 0 < len(text) <= LARGEST]


def _finite(tool: ModuleType, given: RawOutput) -> None:
    for reading in tool.read(given):
        for one in reading.measurements:
            for key, value in one.values.items():
                assert isinstance(value, str) or (math.isfinite(value) and value >= 0), f"{key} is {value}"


@pytest.mark.parametrize("part", range(10))
def test_mutated(part: int) -> None:
    dice = random.Random(part)
    sources = _sources()
    ours = [tool for tool in importers() if tool.NAME in OURS]
    for _ in range(ROUNDS // 10):
        before = dice.choice(sources)
        (tool,) = [tool for tool in ours if tool.recognise(RawOutput(Path("raw"), b"", before))]
        text = dice.choice(DAMAGE)(before, dice)
        given = RawOutput(Path("raw"), text.encode("utf-8", "replace"), text)
        for other in ours:
            other.recognise(given)
        try:
            _finite(tool, given)  # also where the content is no longer recognised
        except Refused as refusal:
            assert refusal.found and refusal.wanted and refusal.fix
