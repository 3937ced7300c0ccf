"""Units in what people read: labels, values with a prefix that fits, one line of explanation."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache

from cardbook.units import EXAMPLES, Unit, resolve

#: (symbol, symbol when a prefix or another unit stands with it, prefixes from large to small)
_STYLE: dict[str, tuple[str, str, str]] = {
    "byte": ("byte", "B", "PTGMk"),
    "bit": ("bit", "bit", "TGMk"),
    "token": ("tok", "tok", ""),
    "parameter": ("parameters", "param", ""),
    "FLOP": ("FLOP", "FLOP", "EPTGMk"),
    "OP": ("OP", "OP", "EPTGMk"),
    "step": ("step", "step", ""),
    "request": ("request", "request", ""),
    "transfer": ("transfer", "T", "M"),
    "cycle": ("cycle", "cycle", ""),
    "second": ("s", "s", "mun"),
    "watt": ("W", "W", "k"),
    "dollar": ("USD", "USD", ""),
    "joule": ("J", "J", "Mk"),
    "hertz": ("Hz", "Hz", "GMk"),
}
_POWER = {"E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "": 0, "m": -3, "u": -6, "n": -9}
_SHOWN = {"u": "µ"}
_WORDS = (("trillion", 12), ("billion", 9), ("million", 6))
_EXACT = Context(prec=400)
_BINARY = (("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))

#: Products of base units that have a name of their own.
_NAMED: dict[tuple[tuple[str, int], ...], str] = {
    (("second", 1), ("watt", 1)): "joule",
    (("cycle", 1), ("second", -1)): "hertz",
}

_MEANING: dict[str, str] = {
    "1": "a plain number: a ratio, a factor or a count of cards, layers or streams",
    "byte": "size in bytes; a byte is no multiple of a bit here, GB is 10⁹ byte and GiB is 2³⁰ byte",
    "byte/second": "bandwidth in bytes per second",
    "bit": "width in bits",
    "bit/byte": "bits in a byte, the constant that turns one into the other",
    "bit/parameter": "bits that a weight takes on average, also written bpw",
    "byte/parameter": "bytes that a weight takes on average",
    "byte/token": "bytes of KV cache that a token takes",
    "token": "tokens of the model's own tokenizer",
    "token/second": "tokens per second, over all streams unless the column says otherwise; tok/s, tokens/s and t/s are one unit",
    "token/step": "tokens that a stream emits, or drafts, in one pass of the model",
    "1/token": "elements (plain numbers) per token",
    "parameter": "weights of a model",
    "FLOP": "floating-point operations; a multiply-add counts two",
    "FLOP/second": "rate of floating-point operations, dense; TFLOPS and TFLOP/s are one unit",
    "FLOP/byte": "arithmetic intensity: operations per byte moved",
    "FLOP/token": "floating-point operations that a token costs",
    "FLOP/token**2": "floating-point operations per pair of tokens that attend to each other",
    "FLOP/(parameter*token)": "floating-point operations per weight and token",
    "FLOP/OP": "floating-point operations that an integer operation stands for",
    "OP/second": "rate of integer operations; 1 TOPS is 10¹² OP/s",
    "second": "time in seconds",
    "watt": "electrical power",
    "watt*second": "energy; 1 J is 1 W·s, and 1 Wh is 3600 J",
    "request": "requests to a server",
    "request/second": "requests per second",
    "step": "passes of the model, each of which emits at least one token a stream",
    "cycle/second": "clock; 1 GHz is 10⁹ cycles per second, without a factor of 2π",
    "transfer/second": "transfers per second on a memory pin; 1 MT/s is 10⁶ of them",
    "dollar": "US dollars",
}


def _parts(unit: Unit) -> list[tuple[str, Fraction]]:
    """Name and exponent by named part, the leading one first."""
    named = _NAMED.get(tuple((n, int(e)) for n, e in unit.powers if e.denominator == 1))
    if named:
        return [(named, Fraction(1))]
    return sorted(unit.powers, key=lambda p: (p[1] < 0, p[0] == "second", p[0]))


def _label(unit: Unit, prefix: str) -> str:
    """The unit in symbols with `prefix` on its leading part."""
    parts = _parts(unit)
    above: list[str] = []
    below: list[str] = []
    for index, (name, exponent) in enumerate(parts):
        alone, joined, _ = _STYLE[name]
        head = prefix if index == 0 else ""
        # A lone "B" or "T" has two readings; under a prefix or a fraction bar it has one.
        spelt = not head and (len(parts) == 1 or (index == 0 and exponent > 0 and name in ("byte", "transfer")))
        shown = alone if spelt else _SHOWN.get(head, head) + joined
        power = abs(exponent)
        (above if exponent > 0 else below).append(shown if power == 1 else f"{shown}**{power}")
    top = "·".join(above)
    if not below:
        return top or "1"
    return f"{top}/" + (f"({'·'.join(below)})" if len(below) > 1 else below[0])


def symbol(unit: str) -> str:
    """Short label of a unit for a column head: "byte/s", "tok/s", "J". Raises `UnitError`."""
    return _label(resolve(unit), "")


def _prefixes(unit: Unit) -> str:
    """Prefixes that the leading part takes in print."""
    parts = _parts(unit)
    if not parts or parts[0][1] != 1:
        return ""
    name = parts[0][0]
    if ("byte", Fraction(-1)) in parts:
        # An intensity is compared with the ridge point: 28950 FLOP/B beside 304.2 FLOP/B.
        return ""
    # 4.8e-4 byte/token, but 2.6 ms: only a time alone takes the small ones.
    return _STYLE[name][2] if name != "second" or len(parts) == 1 else ""


@lru_cache(maxsize=1024)
def _known(unit: str) -> tuple[Unit, str]:
    """A unit by its text and the prefixes it takes: a fleet prints millions of values in few units."""
    resolved = resolve(unit)
    return resolved, _prefixes(resolved)


@lru_cache(maxsize=1024)
def _labelled(unit: str, prefix: str) -> str:
    return _label(resolve(unit), prefix)


def _number(value: Decimal, digits: int | None) -> str:
    if digits is not None and value:
        # Never fewer digits than the whole part has: 12346 tok/s, not 12350.
        whole = max(digits, value.adjusted() + 1) if value.adjusted() < 15 else digits
        value = Context(prec=whole).plus(value)
    if value and not -7 <= value.adjusted() < 18:
        return f"{value.normalize(_EXACT):e}"
    text = f"{value:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def _scale(value: Decimal, prefixes: str, digits: int | None) -> str:
    """The prefix that leaves between 1 and 1000 in front of the unit, where there is one."""
    if not value or not prefixes:
        return ""
    small = [p for p in prefixes if _POWER[p] < 0]
    large = [p for p in prefixes if _POWER[p] > 0]
    shown = abs(value) if digits is None else Context(prec=digits).plus(abs(value))
    for prefix in large:
        if shown.adjusted() >= _POWER[prefix]:
            return prefix
    if shown.adjusted() >= 0 or not small:
        return ""
    return next((p for p in small if shown.adjusted() >= _POWER[p]), small[-1])


def format_quantity(value: float | int, unit: str, digits: int | None = 4, *, binary: bool = False) -> str:
    """A value in the base unit `unit` with a prefix that fits: "936.2 GB/s", "2.6 ms".

    `digits` are significant digits; with None the text parses back to exactly `value`. Decimal
    prefixes always, unless `binary` asks for GiB. Raises `UnitError` for an unknown unit.
    """
    resolved, prefixes = _known(unit)
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value} {symbol(unit)}"
    # The shortest text of a float is exact enough for a float, but a count beyond 2**53 comes
    # back as an int, so there every digit counts.
    short = isinstance(value, float) and not 2**53 <= abs(value) < 2**63
    number = Decimal(repr(value)) if short else Decimal(value)
    if not resolved.powers or resolved.factor != 1:
        return f"{_number(number, digits)} {unit}" if resolved.powers else _number(number, digits)
    if binary and _parts(resolved)[0][0] in ("byte", "bit"):
        for prefix, power in _BINARY:
            if abs(number) >= 2**power:
                exact = Decimal(number) / Decimal(2**power)
                if digits is not None or exact * 2**power == number:
                    return f"{_number(exact, digits)} {_label(resolved, prefix)}"
    prefix, label = _scale(number, prefixes, digits), None
    power = _POWER[prefix]
    if resolved.powers == (("parameter", Fraction(1)),):
        shown = abs(number) if digits is None else Context(prec=digits).plus(abs(number))
        word, power = next(((w, p) for w, p in _WORDS if number and shown.adjusted() >= p), ("", 0))
        label = f"{word} parameters".strip()
    scaled = number.scaleb(-power, _EXACT) if power else number
    return f"{_number(scaled, digits)} {label or _labelled(unit, prefix)}"


def explain_units(units: Iterable[str]) -> list[tuple[str, str]]:
    """Each unit and what it means with an example of a value, a line each."""
    lines = []
    for unit in units:
        meaning = _MEANING.get(unit)
        if meaning is None:
            label = symbol(unit)
            meaning = "a product or quotient of base units" if label == unit else f"written {label}"
        example = EXAMPLES.get(unit)
        lines.append((unit, f"{meaning}; written {example}" if example and unit != "1" else meaning))
    return lines
