"""A set of rows and what is expected of it, in words that do not need Great Expectations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Expect:
    """One expectation: the name of its Great Expectations class, its arguments, and the reason
    for the threshold, which the Data Docs print under it."""

    kind: str
    arguments: dict[str, Any]
    reason: str


@dataclass(frozen=True)
class Judged:
    """Rows with what is expected of them. `index` names the columns that identify a row in a
    message."""

    name: str
    title: str
    rows: pd.DataFrame
    expects: tuple[Expect, ...]
    index: tuple[str, ...] = field(default=())


def between(column: str, low: float | None, high: float | None, reason: str) -> Expect:
    """Every value of `column` within [low, high]."""
    return Expect("ExpectColumnValuesToBeBetween", {"column": column, "min_value": low, "max_value": high}, reason)


def not_null(column: str, reason: str) -> Expect:
    return Expect("ExpectColumnValuesToNotBeNull", {"column": column}, reason)


def some_rows(reason: str, least: int = 1) -> Expect:
    return Expect("ExpectTableRowCountToBeBetween", {"min_value": least}, reason)


def at_most(column: str, limit: str, reason: str) -> Expect:
    """`column` is no greater than `limit` of the same row; rows without a limit pass."""
    arguments = {"column_A": limit, "column_B": column, "or_equal": True, "ignore_row_if": "either_value_is_missing"}
    return Expect("ExpectColumnPairValuesAToBeGreaterThanB", arguments, reason)
