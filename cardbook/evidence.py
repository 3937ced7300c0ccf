"""Read the raw output of a submitted recipe again and hold the document against it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from cardbook import importers, schema
from cardbook.importers.base import Measurement, Reading, Refused
from cardbook.tables.rows import Row

#: What tells one measurement of a raw file from another.
SHAPE = ("phase", "prompt_tokens", "generated_tokens", "depth_tokens", "concurrency")
#: A document may round what the tool printed, to four digits at the least.
TOLERANCE = 5e-4


def read_again(path: Path, tool: str | None) -> list[Reading]:
    """The readings of a raw file. Raises `Refused`."""
    try:
        return importers.read(path)
    except Refused:
        if tool is None:
            raise
        return importers.read(path, tool)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, int | float) and isinstance(b, int | float) and not isinstance(a, bool):
        return math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-12)
    return bool(a == b)


def _fits(row: Mapping[str, Any], found: Measurement) -> bool:
    return all(found.values.get(k) is None or row.get(k) is None or _same(row[k], found.values[k]) for k in SHAPE)


def differences(recipe: Row, measurements: list[Row], readings: list[Reading]) -> Iterator[tuple[int, str, Any, Any]]:
    """(index of the measurement, column, value of the document, value of the raw file) for all
    that disagrees; column '' where the raw file has no such measurement. With several raw
    measurements of one shape the nearest is taken."""
    known = [m for reading in readings for m in reading.measurements]
    for index, row in enumerate(measurements):
        candidates = [list(_compare(row, m)) for m in known if _fits(row, m)]
        if not candidates:
            yield index, "", row.get("measurement"), None
        else:
            for column, ours, theirs in min(candidates, key=len):
                yield index, column, ours, theirs


def _compare(row: Row, found: Measurement) -> Iterator[tuple[str, Any, Any]]:
    for column, theirs in found.values.items():
        ours = row.get(column)
        if theirs is not None and ours is not None and not _same(ours, theirs):
            yield column, ours, theirs


#: Column of the recipe → the flags of a command that say it.
FLAGS: dict[str, tuple[str, ...]] = {
    "context_tokens": (r"--max-model-len[ =](\d+)", r"--ctx-size[ =](\d+)"),
    "kv_quant": (r"(?:-ctk|--cache-type-k)[ =](\S+)", r"--kv-cache-dtype[ =](\S+)"),
    "n_cards": (r"(?:--tensor-parallel-size|-tp|--tp-size|--tp)[ =](\d+)",),
}
#: Column of a measurement → flags; a list of values names several measurements.
SHAPE_FLAGS: dict[str, tuple[str, ...]] = {
    "prompt_tokens": (r"(?:-p|--n-prompt|--random-input-len|--random-input|--input-len)[ =]([\d,]+)",),
    "generated_tokens": (r"(?:-n|--n-gen|--random-output-len|--random-output|--output-len)[ =]([\d,]+)",),
    "depth_tokens": (r"(?:-d|--n-depth)[ =]([\d,]+)",),
    "concurrency": (r"(?:--max-concurrency|--concurrency)[ =]([\d,]+)",),
}
#: Names of KV formats that engines take for one another; `auto` says nothing.
_KV = {"fp8": ("fp8-e4m3", "fp8-e5m2")}


def against_command(recipe: Row, measurements: list[Row]) -> Iterator[tuple[str, Any, Any]]:
    """(column, value of the document, value of the command) where the command says otherwise."""
    command = recipe.get("command") or ""
    for column, patterns in FLAGS.items():
        said = _flag(command, patterns)
        ours = recipe.get(column)
        if said is None or ours is None:
            continue
        if column == "kv_quant":
            if said != "auto" and str(ours) not in (said, said.replace("_", "-"), *_KV.get(said, ())):
                yield column, ours, said
        elif column == "n_cards":
            if int(said) > int(ours):
                yield column, ours, said
        elif float(said) != float(ours):
            yield column, ours, said
    for column, patterns in SHAPE_FLAGS.items():
        said = _flag(command, patterns)
        # llama-bench -n 0 or -p 0 leaves one of the two tests out; a name such as -n 4 of
        # another tool is only held against values that the document gives at all.
        if said is None or not re.search(r"llama-bench|bench serve|bench_serving", command):
            continue
        allowed = {float(v) for v in said.split(",") if v}
        for row in measurements:
            ours = row.get(column)
            if ours is not None and ours not in (0, *allowed) and row["phase"] != "serve":
                yield column, ours, said


def _flag(command: str, patterns: tuple[str, ...]) -> str | None:
    for pattern in patterns:
        found = re.search(rf"(?:^|\s){pattern}(?=\s|$)", command)
        if found:
            return found.group(1).strip("\"'")
    return None


def columns(package_schemas: Path) -> dict[str, str]:
    """Column of `measurements` → its document key."""
    return {f.name: f.key for f in schema.load(package_schemas)["measurements"].fields}
