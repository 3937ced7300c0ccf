"""Semantic versions of the data, and what a change asks of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: From the least to the most.
LEVELS = ("none", "patch", "minor", "major")


@dataclass(frozen=True, order=True)
class Version:
    """major.minor.patch. The promise holds from 0.1.0 on: there is no leave to break names
    before 1.0.0."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"

    def next(self, level: str) -> Version:
        """The least version that a change of `level` may have after this one."""
        return {
            "none": self,
            "patch": Version(self.major, self.minor, self.patch + 1),
            "minor": Version(self.major, self.minor + 1, 0),
            "major": Version(self.major + 1, 0, 0),
        }[level]


def parse(text: str) -> Version:
    """Raises `ValueError` for anything but three whole numbers."""
    found = re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", text)
    if not found:
        raise ValueError(f"{text!r} is no version: three whole numbers are wanted, like 1.4.0")
    return Version(*map(int, found.groups()))


def largest(levels: list[str]) -> str:
    """The most of some levels."""
    return max(levels, key=LEVELS.index, default="none")
