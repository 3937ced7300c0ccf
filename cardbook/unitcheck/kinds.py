"""What the checker knows of an expression: its kind of value and, of a number, its unit.

pint parses every unit once; after that a unit is an index into a table and products of units
are looked up, so that a query costs no unit arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from cardbook.units import Unit, canonical, multiply, resolve


@dataclass(frozen=True)
class Column:
    """A column of a table or view. `unit` is a unit expression; "1" for a plain number, None for
    what is no quantity (text, boolean, date). `type` as in a table schema: string, number,
    integer, boolean, date, datetime, time."""

    unit: str | None
    type: str


@dataclass(frozen=True, slots=True)
class Kind:
    """`tag` is number, text, truth, time, opaque, null or unknown.

    Of a number: `unit` its index in the table of units; `value` what it is when the query writes
    it as a literal; `factor` true when a bare number other than 0, 1 and -1 scales it, so that
    a conversion cannot hide in a plain number. `unknown` follows a problem already reported.
    """

    tag: str
    unit: int = 0
    value: Fraction | None = None
    factor: bool = False

    @property
    def is_zero(self) -> bool:
        return self.tag == "number" and self.value == 0


TEXT, TRUTH, TIME = Kind("text"), Kind("truth"), Kind("time")
OPAQUE, NULL, UNKNOWN, PLAIN = Kind("opaque"), Kind("null"), Kind("unknown"), Kind("number")

#: Literals that change nothing but a sign.
HARMLESS = frozenset((Fraction(0), Fraction(1), Fraction(-1)))

_PARSED: dict[str, int] = {}
_UNITS: list[Unit] = [Unit(Fraction(1), ())]
_INDEX: dict[Unit, int] = {_UNITS[0]: 0}
_WRITTEN: dict[int, str] = {}


def _intern(unit: Unit) -> int:
    index = _INDEX.setdefault(unit, len(_UNITS))
    if index == len(_UNITS):
        _UNITS.append(unit)
    return index


def unit_index(text: str) -> int:
    """The index of a unit expression. Raises `UnitError`."""
    if text not in _PARSED:
        index = _intern(resolve(text))
        _PARSED[text] = index
        _WRITTEN.setdefault(index, text)
    return _PARSED[text]


@lru_cache(maxsize=8192)
def product(left: int, right: int, power: int = 1) -> int:
    """The unit of left * right**power."""
    return _intern(multiply(_UNITS[left], _UNITS[right], power))


@lru_cache(maxsize=512)
def raised(unit: int, power: Fraction) -> int | None:
    """The unit of unit**power; None where a scaled unit has no exact root."""
    found = _UNITS[unit]
    if power.denominator != 1 and found.factor != 1:
        return None
    factor = found.factor ** int(power) if power.denominator == 1 else Fraction(1)
    return _intern(Unit(factor, tuple((n, e * power) for n, e in found.powers if power)))


@lru_cache(maxsize=2048)
def unit_name(unit: int) -> str:
    """A unit expression that the registry reads back: "byte/second"."""
    found = _UNITS[unit]
    if found.factor == 1:
        return canonical(found.powers)
    return _WRITTEN.get(unit) or f"{found.factor}*{canonical(found.powers)}"


@lru_cache(maxsize=1024)
def kind_of(column: Column) -> Kind:
    """The kind of a column. Raises `UnitError` when its unit does not parse."""
    if column.unit is not None:
        return Kind("number", unit_index(column.unit))
    by_type = {"string": TEXT, "boolean": TRUTH, "date": TIME, "datetime": TIME, "time": TIME}
    return by_type.get(column.type, OPAQUE)


def literal(value: Fraction) -> Kind:
    """A number that the query writes out."""
    return Kind("number", 0, value, value not in HARMLESS)


def plain(kind: Kind) -> Kind:
    """`kind` without its literal value, as a function of it leaves it."""
    return kind if kind.value is None or kind.value == 0 else replace(kind, value=None)


def merge(left: Kind, right: Kind) -> Kind | None:
    """The kind that both are, for branches, comparisons and sums; None where they differ.

    NULL and what is unknown agree with anything, and a literal zero with any number, because
    zero is zero in every unit.
    """
    if left.tag in ("null", "unknown"):
        return right
    if right.tag in ("null", "unknown"):
        return left
    if left.tag != right.tag:
        return None
    if left.tag != "number":
        return left
    if left.unit != right.unit:
        if left.value == 0:
            return replace(right, value=None)
        if right.value == 0:
            return replace(left, value=None)
        return None
    return Kind("number", left.unit, left.value if left.value == right.value else None, left.factor or right.factor)


def describe(kind: Kind) -> str:
    """A kind in words for a message."""
    if kind.tag != "number":
        return {"truth": "a truth value", "text": "text", "time": "a date or time", "opaque": "a column without a unit"}.get(kind.tag, "NULL")
    name = unit_name(kind.unit)
    if name != "1":
        return name
    if kind.value is not None:
        return f"a bare {float(kind.value):g}"
    return "1 (a plain number)"


def output_unit(kind: Kind) -> str | None:
    """The unit of an output column."""
    return unit_name(kind.unit) if kind.tag == "number" else None
