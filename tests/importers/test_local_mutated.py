"""A thousand damaged files of the local runners: nothing but `Refused` is ever raised."""

from __future__ import annotations

import math
import random
from pathlib import Path
from types import ModuleType

import pytest

from cardbook import importers
from cardbook.importers.base import RawOutput, Refused
from tests.importers.serving_case import GOLDEN
from tests.importers.test_local_all_files import TOOLS
from tests.importers.test_serving_mutated import DAMAGE
from tests.shared_files import ROOT

PARTS, ROUNDS = 10, 1_000
LARGEST = 60_000  # characters; a larger file only makes the test slower


def _sources() -> list[tuple[str, str]]:
    """(tool, text) of the golden files, and of the public ones where they are there."""
    ours = _modules(set(TOOLS.values()))
    paths = [path for name in sorted(set(TOOLS.values())) for path in sorted((GOLDEN / name).iterdir())]
    public = ROOT.parent / "shared" / "formats"
    paths += [path for folder in sorted(TOOLS) if (public / folder).is_dir() for path in sorted((public / folder).iterdir())]
    found = []
    for path in paths:
        try:
            given = importers.load(path)
        except Refused:
            continue
        if len(given.text) <= LARGEST:
            found += [(module.NAME, given.text) for module in ours if module.recognise(given)]
    return found


def _modules(names: set[str]) -> list[ModuleType]:
    return [module for module in importers.importers() if module.NAME in names]


@pytest.mark.parametrize("part", range(PARTS))
def test_mutated(part: int) -> None:
    dice, sources, ours = random.Random(part), _sources(), _modules(set(TOOLS.values()))
    for _ in range(ROUNDS // PARTS):
        name, before = dice.choice(sources)
        text = dice.choice(DAMAGE)(before, dice)
        given = RawOutput(Path("raw"), text.encode("utf-8", "replace"), text)
        for module in ours:
            module.recognise(given)
        (tool,) = [module for module in ours if name == module.NAME]
        try:
            readings = tool.read(given)  # also where the content is no longer recognised
        except Refused as refusal:
            assert refusal.found and refusal.wanted and refusal.fix
            continue
        for one in (one for reading in readings for one in reading.measurements):
            assert all(isinstance(value, str) or (math.isfinite(value) and value >= 0) for value in one.values.values()), one
