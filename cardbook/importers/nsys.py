"""Nsight Systems: the summary of kernels is recognised, and refused for what it cannot say."""

from __future__ import annotations

import re

from cardbook.importers.base import RawOutput, Reading, Refused

NAME = "nsys"

_BEGINS = re.compile(r'"?Time \(%\)"?,"?Total Time \(ns\)"?,"?(?:Instances|Num Calls|Count|Operations)"?,')


def recognise(raw: RawOutput) -> bool:
    """True for a CSV of nsys stats."""
    return _BEGINS.match(raw.text[:500]) is not None


def read(raw: RawOutput) -> list[Reading]:
    """Raises `Refused`: a mean over launches of many shapes is no profile of a kernel."""
    raise Refused(
        "a summary by kernel name: mean times, without launch shape, occupancy or bytes",
        "a profile of kernels",
        "Profile the longest kernels with ncu --set full, and import its details page as CSV.",
        line=1,
    )
