"""How the tests of serving importers read a file and compare what it says."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cardbook.importers.base import RawOutput, Reading, Refused
from tests.shared_files import ROOT, shared_formats

GOLDEN = ROOT / "tests" / "golden"


def raw(source: str | Path) -> RawOutput:
    """The raw output of a file, or of a text that stands in for one."""
    if isinstance(source, Path):
        data = source.read_bytes()
        return RawOutput(source, data, data.decode("utf-8"))
    return RawOutput(Path("raw"), source.encode(), source)


def golden(*parts: str) -> Path:
    """A file of our own, written by hand in the tool's form."""
    return GOLDEN.joinpath(*parts)


def only(tool: ModuleType, source: str | Path) -> Reading:
    """The one reading of a file that the tool recognises."""
    given = raw(source)
    assert tool.recognise(given)
    (reading,) = tool.read(given)
    assert isinstance(reading, Reading)
    return reading


def public(tool: ModuleType, *parts: str) -> Reading:
    """The one reading of a public file."""
    return only(tool, shared_formats(*parts))


def refused(tool: ModuleType, source: str | Path) -> Refused:
    """How the tool refuses a file that it recognises."""
    given = raw(source)
    assert tool.recognise(given)
    with pytest.raises(Refused) as caught:
        tool.read(given)
    assert caught.value.found and caught.value.wanted and caught.value.fix
    return caught.value


def says(values: dict[str, Any], expected: dict[str, Any], tolerance: float = 1e-6) -> None:
    """Every expected figure within `tolerance` (a ratio); None means that the field is absent."""
    got = {key: values.get(key) for key in expected}
    want = {key: pytest.approx(value, rel=tolerance) if isinstance(value, float) else value for key, value in expected.items()}
    assert got == want


def asks(reading: Reading) -> set[str]:
    """The fields that the contributor is asked for."""
    return {field for field, _ in reading.questions}


def loses(reading: Reading) -> set[str]:
    """The fields that were left out on purpose."""
    return {field for field, _ in reading.lost}
