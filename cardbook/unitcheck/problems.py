"""What the checker reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot.expressions import Expr


@dataclass(frozen=True)
class Problem:
    """A place where the units do not work out. `found` and `wanted` name the two units."""

    code: str
    file: str
    line: int
    found: str
    wanted: str
    message: str
    expression: str


@dataclass
class Checked:
    """The unit of each output column by name (of two with one name, the first), the same by
    position, and the problems in the order of their lines."""

    columns: dict[str, str | None] = field(default_factory=dict)
    units: list[tuple[str, str | None]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class Reporter:
    """Collects problems of one query, each place once."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: dict[tuple[int, str, str], Problem] = {}

    def add(self, node: Expr | None, found: str, wanted: str, message: str) -> None:
        start, line = position(node)
        text = "" if node is None else node.sql("duckdb")
        shown = text if len(text) <= 120 else text[:117] + "..."
        key = (start, shown, message)
        self.found.setdefault(key, Problem("U104", self.file, line, found, wanted, message, shown))

    def add_at(self, line: int, found: str, wanted: str, message: str) -> None:
        """A problem that belongs to a line and to no expression."""
        self.found[(line, "", message)] = Problem("U104", self.file, line, found, wanted, message, "")

    def problems(self) -> list[Problem]:
        return sorted(self.found.values(), key=lambda p: p.line)


def position(node: Expr | None) -> tuple[int, int]:
    """Offset and line of the first token of an expression; (0, 1) where none is known."""
    if node is None:
        return 0, 1
    places: list[tuple[int, int]] = []
    for part in node.walk():
        meta: Mapping[str, int] = part.meta
        if "line" in meta:
            places.append((meta["start"], meta["line"]))
    return min(places, default=(0, 1))
