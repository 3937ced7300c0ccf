"""Every public and golden file of these tools is read or refused, by one importer at most, and
a thousand damaged ones raise nothing but a refusal."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardbook.importers import importers, load, read
from cardbook.importers.base import RawOutput, Reading, Refused
from tests.importers.serving_case import GOLDEN
from tests.importers.test_serving_mutated import DAMAGE
from tests.shared_files import ROOT, shared_formats

FOLDERS = ("llama-perplexity", "llama-imatrix", "lm-eval", "nvidia-smi", "rocm-smi", "amd-smi", "xpu-smi", "ncu", "nsys", "rocprof")
OURS = {"llama-perplexity", "lm-eval", "nvidia-smi", "rocm-smi", "amd-smi", "xpu-smi", "ncu", "nsys", "rocprof"}
QUALITY = {"metric", "value", "standard_error", "baseline", "dataset", "split", "context_tokens", "samples", "shots", "note"}
KERNEL = {
    "name",
    "arch",
    "threads_per_block",
    "blocks",
    "registers_per_thread",
    "shared_memory_bytes",
    "theoretical_occupancy",
    "achieved_occupancy",
    "duration_s",
    "flops",
    "memory_bytes_moved",
    "clock_hz",
}
ROUNDS = 1_000
LARGEST = 120_000  # characters; a larger file only makes the test slower


def _figures(value: Any) -> Iterator[float]:
    if isinstance(value, dict):
        for inner in value.values():
            yield from _figures(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _figures(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def _check(readings: list[Reading]) -> None:
    assert readings
    for reading in readings:
        assert reading.tool in OURS
        assert reading.quality or reading.sensors or reading.kernels
        assert not reading.measurements
        for quality in reading.quality:
            assert {"metric", "value"} <= set(quality.values) <= QUALITY
        for kernel in reading.kernels:
            assert "name" in kernel.values and set(kernel.values) <= KERNEL
        said = [one.values for one in (*reading.quality, *reading.kernels)]
        assert all(math.isfinite(number) for number in _figures([said, reading.sensors, reading.recipe]))
        assert all(number >= 0 for number in _figures([reading.sensors, [kernel.values for kernel in reading.kernels]]))


@pytest.mark.parametrize("folder", FOLDERS)
def test_public_files(folder: str) -> None:
    for path in sorted(shared_formats(folder).iterdir()):
        try:
            given = load(path)
        except Refused:
            continue  # empty
        found = [tool for tool in importers() if tool.recognise(given)]
        if not found and path.suffix in (".txt", ".yaml", ".stderr"):
            continue  # the command, the task, or a log that says nothing
        assert len(found) == 1, f"{path.name} is recognised by {[tool.NAME for tool in found]}"
        try:
            _check(read(path))
        except Refused as refusal:
            assert refusal.found and refusal.wanted and refusal.fix


@pytest.mark.parametrize("path", sorted(p for name in FOLDERS for p in (GOLDEN / name).glob("*")), ids=lambda p: f"{p.parent.name}/{p.name}")
def test_golden_files(path: Path) -> None:
    (tool,) = [tool for tool in importers() if tool.recognise(load(path))]
    assert path.parent.name == tool.NAME
    if tool.NAME != "nsys":
        _check(read(path))


def test_the_files_of_others_are_not_taken() -> None:
    ours = [tool for tool in importers() if tool.NAME in OURS]
    for folder in sorted(shared_formats().iterdir()):
        if folder.is_dir() and folder.name not in (*FOLDERS, "gguf", "safetensors"):
            for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.stat().st_size < 500_000):
                try:
                    given = load(path)
                except Refused:
                    continue
                assert [tool.NAME for tool in ours if tool.recognise(given)] == [], path.name


def _sources() -> list[str]:
    formats = ROOT.parent / "shared" / "formats"  # golden files alone where it is absent
    paths = [p for root in (GOLDEN, formats) for name in FOLDERS for p in (root / name).glob("*") if p.is_file() and p.stat().st_size <= LARGEST]
    texts = [path.read_text() for path in sorted(paths)]
    return [text for text in texts if text.strip() and any(tool.NAME in OURS and tool.recognise(_raw(text)) for tool in importers())]


def _raw(text: str) -> RawOutput:
    return RawOutput(Path("raw"), text.encode("utf-8", "replace"), text)


@pytest.mark.parametrize("part", range(4))
def test_mutated(part: int) -> None:
    dice = random.Random(part)
    sources = _sources()
    ours = [tool for tool in importers() if tool.NAME in OURS]
    for _ in range(ROUNDS // 4):
        before = dice.choice(sources)
        (tool,) = [tool for tool in ours if tool.recognise(_raw(before))]
        text = before
        for _ in range(dice.choice([1, 1, 3])):
            text = dice.choice(DAMAGE)(text, dice) or before
        for other in ours:
            other.recognise(_raw(text))
        try:
            _check(tool.read(_raw(text)))  # also where the content is no longer recognised
        except Refused as refusal:
            assert refusal.found and refusal.wanted and refusal.fix


HOSTILE = [
    "| NVIDIA-SMI 1 Driver Version: 2\n|=\n" + "9" * 400_000,
    "==============NVSMI LOG==============\n" + " " * 400_000,
    "==============NVSMI LOG==============\n" + "\n".join(" " * (4 * i) + "a" for i in range(400)),
    "<nvidia_smi_log>" + "<a>" * 100_000,
    "GPU: 0\n    POWER:\n" + " " * 400_000 + "X",
    '{"card0": {"VRAM Total Memory (B)": "' + "-" * 400_000 + '"}}',
    "# gpu pwr\n# Idx W\n" + "0 " * 200_000,
    "index, power.draw [W]\n" + "0, " + "-" * 100_000,
    "perplexity: calculating perplexity over 8 chunks, n_ctx=1, Final estimate: PPL = " + "1" * 400_000,
    "chunk PPL ln(PPL(Q)/PPL(base)) KL Divergence\n" + "[1]1," * 100_000,
    "|Tasks|Version|Filter|n-shot|Metric|\n" + "|" * 400_000,
    '{"results": {' + '"a": {' * 100_000,
    '"ID","Process ID","Process Name","Host Name","Kernel Name"\n' + '"' * 400_001,
    "Timestamp, DeviceId, GPU Power (W)\n" + "," * 400_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_costs_no_more_than_its_size(text: str) -> None:
    begun = time.monotonic()
    for tool in importers():
        if tool.NAME in OURS:
            tool.recognise(_raw(text))
            try:
                tool.read(_raw(text))
            except Refused:
                continue
    assert time.monotonic() - begun < 20
