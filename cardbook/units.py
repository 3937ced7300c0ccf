"""The one unit registry, and values as people write them.

`units.txt` defines every unit; pint's own definitions are never loaded. There byte, bit, token,
parameter, FLOP, OP, step, request, transfer, cycle, second, watt and dollar are dimensions of
their own, so that nothing converts that should not.

How a value is written: a number in plain decimal or scientific notation, then its unit:
"936.2 GB/s", "24 GiB", "2.6 ms", "1e3 ms", "9.36×10¹¹ byte/s", "52 %" for a ratio. Counts
(`COUNTS`) may stand bare, and take k (1000) and Ki (1024) on the number: "16k tokens",
"16Ki tokens", "16k"; thousand, million, billion and trillion as words: "27 billion parameters".
Conversion is exact: a value is a fraction until it becomes the nearest float.
"""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pint import UnitRegistry

#: Units whose values are counts: a bare number is one of them.
COUNTS = frozenset({"token", "parameter", "request", "step", "token/step"})

#: Units whose whole values come out as int.
_WHOLE = frozenset({"byte", "bit", "token", "parameter", "request", "step", "FLOP", "OP", "transfer", "cycle"})

#: How a value of a unit is written, for messages.
EXAMPLES: dict[str, str] = {
    "byte": "24 GB or 24 GiB",
    "byte/second": "936.2 GB/s",
    "bit": "384 bit",
    "bit/parameter": "4.85 bit/parameter",
    "byte/token": "128 KiB/token",
    "byte/parameter": "0.56 byte/parameter",
    "token": "512 tokens or 16k tokens",
    "token/second": "69.3 tok/s",
    "token/step": "3.1 token/step",
    "1/token": "2048 /token",
    "parameter": "27e9 parameters or 27 billion parameters",
    "FLOP": "110.6 TFLOP",
    "FLOP/second": "71.2 TFLOP/s",
    "FLOP/byte": "76 FLOP/byte",
    "FLOP/token": "54 GFLOP/token",
    "OP/second": "1979 TOP/s",
    "second": "2.6 ms or 1.5 s",
    "watt": "350 W",
    "watt*second": "1200 J or 0.5 Wh",
    "request": "100 requests",
    "request/second": "4.2 request/s",
    "cycle/second": "1.695 GHz",
    "transfer/second": "6400 MT/s",
    "dollar": "2.5 USD",
    "1": "0.52, or 52 %",
}

_KNOWN = "a unit of `cardbook list units`"

_NAME = r"[A-Za-zµμ$]+"
_TOKEN = re.compile(rf"\s*(?:(?P<name>{_NAME})|(?P<number>\d+)|(?P<op>\*\*|\^|[*/()]|-(?=\d)))")
_NUMBER = re.compile(r"(?P<mantissa>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?:\s*[×x*·]\s*10(?:\^|\*\*)(?P<exponent>[+-]?\d+))?", re.ASCII)
_SIMPLE = re.compile(rf"([0-9]{{1,20}}(?:\.[0-9]{{1,20}})?) ({_NAME}(?:/{_NAME})?)", re.ASCII)
_SUPERSCRIPTS = {ord(c): d for c, d in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True)}
_POWER = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_WORDS = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SCALE = re.compile(r"(?P<scale>k|Ki|thousand|million|billion|trillion)(?:\s+(?P<rest>.*))?$", re.DOTALL)

#: Nothing that is measured needs more; a longer text or exponent is an attack on the parser.
_LONGEST, _LARGEST_EXPONENT = 100, 400


class UnitError(ValueError):
    """A value or unit that cannot be read. `code` is U101 (another dimension), U102 (unknown
    unit), U103 (two readings) or F104 (no quantity at all); `found` and `wanted` are for the
    message, `fix` says how to write it."""

    def __init__(self, code: str, found: str, wanted: str, fix: str) -> None:
        super().__init__(f"found {found}, wanted {wanted}. {fix}")
        self.code = code
        self.found = found
        self.wanted = wanted
        self.fix = fix


@dataclass(frozen=True)
class Unit:
    """A unit in base units: `factor` times the product of `powers`, sorted (base, exponent)."""

    factor: Fraction
    powers: tuple[tuple[str, Fraction], ...]


@lru_cache(maxsize=1)
def registry() -> UnitRegistry[Any]:
    """pint over the project's definition file, in exact fractions. Raises nothing."""
    from pint import UnitRegistry

    return UnitRegistry(str(Path(__file__).with_name("units.txt")), non_int_type=Fraction, cache_folder=None)


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    from cardbook.unit_symbols import PREFIXES

    units = registry()
    symbols = {name: units.get_symbol(name) for name in PREFIXES}
    prefixes = {"kilo": "k", "mega": "M", "giga": "G", "tera": "T", "milli": "m", "micro": "u", "kibi": "Ki", "mebi": "Mi", "gibi": "Gi"}
    attached = [short + symbols[name] for name, allowed in PREFIXES.items() for long, short in prefixes.items() if long in allowed]
    return tuple(sorted({*map(str, units._units), *attached}))


def _suggest(symbol: str) -> str:
    names = _names()
    same = [n for n in names if n.lower() == symbol.lower()]
    close = same or difflib.get_close_matches(symbol, names, 1, 0.75)
    hint = {"GBps": "GB/s", "TBps": "TB/s", "MBps": "MB/s", "it": "step"}.get(symbol) or (close[0] if close else None)
    return f"did you mean '{hint}'? " if hint else ""


@lru_cache(maxsize=1)
def _table() -> dict[str, Unit]:
    """What pint's registry says of every symbol, written down by scripts/unit_table.py so that
    a command that reads a few values need not load pint. Empty where the file is missing."""
    import json

    path = Path(__file__).with_name("unit_table.json")
    if not path.exists():
        return {}
    return {name: Unit(Fraction(factor), tuple((n, Fraction(p)) for n, p in powers)) for name, (factor, powers) in json.loads(path.read_text()).items()}


@lru_cache(maxsize=512)
def _named(symbol: str, whole: bool) -> Unit:
    """The unit of one symbol, with its prefix, as pint's registry has it."""
    from cardbook.unit_symbols import PREFIXES, readings

    two = readings(symbol, whole)
    if two:
        fix = "; ".join(f"for {words} write {spelling}" if spelling else f"{words} is no unit here" for words, spelling in two)
        raise UnitError("U103", f"the unit '{symbol}', which has two readings", "a unit with one reading", fix)
    known = _table().get(symbol)
    if known is not None:
        return known
    units = registry()
    for prefix, name, suffix in units.parse_unit_name("USD" if symbol == "$" else symbol):
        # pint also strips a plural s, which would read "GBs" as an amount.
        if not suffix and (not prefix or prefix in PREFIXES.get(name, ())):
            factor, base = units.get_root_units(prefix + name)
            return Unit(Fraction(str(factor)), tuple(sorted((n, Fraction(str(p))) for n, p in base._units.items())))
    raise UnitError("U102", f"the unit '{_short(symbol)}'", _KNOWN, f"{_suggest(symbol)}write a unit that the registry knows")


def _short(text: object) -> str:
    shown = str(text)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def multiply(left: Unit, right: Unit, power: int = 1) -> Unit:
    """`left` times `right` to an integer `power`."""
    powers = dict(left.powers)
    for name, exponent in right.powers:
        powers[name] = powers.get(name, Fraction(0)) + exponent * power
    return Unit(left.factor * Fraction(right.factor**power), tuple(sorted((n, p) for n, p in powers.items() if p)))


_ONE = Unit(Fraction(1), ())


class _Expression:
    """A recursive-descent reader of products, quotients, integer powers and brackets."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = []
        at = 0
        stripped = text.rstrip()
        while at < len(stripped):
            match = _TOKEN.match(stripped, at)
            if not match:
                raise UnitError("U102", f"the unit '{_short(text)}'", _KNOWN, f"'{stripped[at:].strip()[:1]}' has no place in a unit")
            self.tokens.append(match.group().strip())
            at = match.end()
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def fail(self) -> UnitError:
        return UnitError("U102", f"the unit '{_short(self.text)}'", _KNOWN, "write it as a product or quotient of units, such as 'byte/s'")

    def product(self) -> Unit:
        # "/token" is "1/token": a count of something without a unit per token.
        result = _ONE if self.peek() == "/" else self.power()
        while self.peek() not in ("", ")"):
            token = self.peek()
            divide = token in ("/", "per")
            if divide or token == "*":
                self.take()
            elif not re.fullmatch(_NAME, token) and token != "(":
                raise self.fail()
            result = multiply(result, self.power(), -1 if divide else 1)
        return result

    def power(self) -> Unit:
        token = self.take()
        if token == "(":
            unit = self.product()
            if self.take() != ")":
                raise self.fail()
        elif token == "1":
            unit = _ONE
        elif re.fullmatch(_NAME, token):
            unit = _named(token, len(self.tokens) == 1)
        else:
            raise self.fail()
        if self.peek() in ("**", "^"):
            self.take()
            sign = -1 if self.peek() == "-" else 1
            if sign < 0:
                self.take()
            digits = self.take()
            if not re.fullmatch(r"[0-9]", digits):
                raise self.fail()
            unit = multiply(_ONE, unit, sign * int(digits))
        return unit


@lru_cache(maxsize=2048)
def resolve(unit: str) -> Unit:
    """A unit expression in base units: products, quotients, integer powers, brackets; "" and
    "1" are dimensionless.

    Raises `UnitError` U102 for an unknown unit, U103 for an ambiguous one.
    """
    if len(unit) > _LONGEST:
        raise UnitError("U102", f"the unit '{_short(unit)}'", _KNOWN, "shorten it")
    text = _POWER.sub(lambda m: "**" + m.group().translate(_SUPERSCRIPTS), unit)
    text = re.sub("[·⋅×]", "*", text).strip()
    if not text:
        return _ONE
    expression = _Expression(text)
    result = expression.product()
    if expression.peek():
        raise expression.fail()
    return result


def valid_unit(unit: str) -> bool:
    """True when `unit` is an expression that the registry knows."""
    try:
        resolve(unit)
    except UnitError:
        return False
    return True


def dimensionality(unit: str) -> Mapping[str, Fraction]:
    """Exponent by base unit: {"byte": 1, "second": -1} of "GB/s". Raises `UnitError`."""
    return dict(resolve(unit).powers)


def same_unit(a: str, b: str) -> bool:
    """True when both name the same unit: "J" and "watt*second", but not "ms" and "second"."""
    return resolve(a) == resolve(b)


def canonical(powers: tuple[tuple[str, Fraction], ...]) -> str:
    """Powers of base units as the expression that the schemas write: "byte/second"."""

    def part(name: str, exponent: Fraction) -> str:
        return name if exponent == 1 else f"{name}**{exponent}" if exponent.denominator == 1 else f"{name}**({exponent})"

    above = [part(n, e) for n, e in powers if e > 0]
    below = [part(n, -e) for n, e in powers if e < 0]
    # Energy is written watt*second in the schemas, power before time.
    top = "*".join(sorted(above, key=lambda n: (n.startswith("second"), n))) or "1"
    if not below:
        return top
    return f"{top}/({'*'.join(below)})" if len(below) > 1 else f"{top}/{below[0]}"


def _wanted(unit: str) -> str:
    example = EXAMPLES.get(unit)
    name = "a plain number" if unit in ("", "1") else unit
    return f"{name}, written such as {example}" if example else name


def _no_quantity(text: object, unit: str, fix: str) -> UnitError:
    return UnitError("F104", f"'{_short(text)}'", _wanted(unit), fix)


def _plain(text: str) -> str:
    """`text` with one kind of space and one minus sign, and 10¹¹ as 10^11."""
    if text.isascii():
        return text.strip()
    spaced = "".join(" " if unicodedata.category(c) == "Zs" else c for c in text)
    return re.sub(rf"(?<=10){_POWER.pattern}", lambda m: "^" + m.group().translate(_SUPERSCRIPTS), spaced.replace("−", "-")).strip()


def _split(text: str, unit: str) -> tuple[Fraction, str]:
    """The number at the head of a value, and what follows it."""
    if not text:
        raise _no_quantity(text, unit, "leave the key out where the value is not known")
    match = _NUMBER.match(text)
    if not match:
        raise _no_quantity(text, unit, "begin with one number in digits; a range, a sign such as ~ or a word is no value")
    rest = text[match.end() :].strip()
    if rest[:1] in (",", ".", "'", "_", "’") or (rest[:1].isdigit() and not rest.startswith("1/")):
        raise _no_quantity(text, unit, "write the number without separators and with a decimal point: 1234.5 (a comma has two readings)")
    if re.match(r"[-–±~+]|(?:[x×*·]\s*\d)|/\s*\d", rest):
        raise _no_quantity(text, unit, "write one number: no range, spread, sum or product (2 × 24 GB is 48 GB)")
    mantissa, _, exponent = match["mantissa"].lower().partition("e")
    power = int(exponent or 0) + int(match["exponent"] or 0) if len(exponent) < 6 and len(match["exponent"] or "") < 6 else _LARGEST_EXPONENT + 1
    if abs(power) > _LARGEST_EXPONENT:
        raise _no_quantity(text, unit, "the exponent is out of range")
    return Fraction(mantissa) * Fraction(10) ** power, rest


def _scaled(number: Fraction, rest: str, unit: str) -> tuple[Fraction, str]:
    """Take k, Ki and the words for powers of a thousand off the unit of a count."""
    match = _SCALE.match(rest)
    if not match:
        return number, rest
    scale, tail = match["scale"], match["rest"] or ""
    noun = tail or (unit if unit in COUNTS else "")
    if scale in ("k", "Ki") and not (noun and valid_unit(noun) and same_unit(noun, "token")):
        return number, rest
    if not noun or not valid_unit(noun) or len(resolve(noun).powers) != 1 or resolve(noun).factor != 1:
        return number, rest
    return number * {"k": 1000, "Ki": 1024, **_WORDS}[scale], noun


@lru_cache(maxsize=2048)
def _shift(written: str, unit: str) -> int | None:
    """The power of ten between two units where it is one, for the fast way: a decimal shift
    in the text is exact."""
    try:
        found, target = resolve(written), resolve(unit)
    except UnitError:
        return None
    if found.powers != target.powers:
        return None
    shift = round(math.log10(found.factor / target.factor))
    return shift if found.factor / target.factor == Fraction(10) ** shift else None


def parse_quantity(text: str | int | float, unit: str) -> int | float:
    """The value of `text` in the base unit `unit`, a pint expression such as "byte/second".

    An int where the value is whole, fits 64 bits and `unit` is a count (byte, token, FLOP, ...),
    else the nearest float. A bare number is taken for a count of `COUNTS` and for a ratio ("1" or "").
    Sign and zero are kept: what is too small is for the field's constraints to say.

    Raises `UnitError`: U101 for another dimension (a reciprocal is never inverted) or a missing
    unit, U102 for an unknown unit, U103 for an ambiguous one, F104 for what is no quantity:
    commas, ranges, products, text, NaN, infinities, booleans.
    """
    simple = _SIMPLE.fullmatch(text) if isinstance(text, str) else None
    if simple and (shift := _shift(simple[2], unit)) is not None:
        if unit not in _WHOLE:
            return float(f"{simple[1]}e{shift}")
        if shift >= 0 and len(simple[1]) + shift < 19 and "." not in simple[1]:
            return int(simple[1]) * int(10**shift)
    target = resolve(unit)
    bare_allowed = unit in COUNTS or not target.powers
    if isinstance(text, bool) or not isinstance(text, str | int | float):
        raise _no_quantity(text, unit, "write a number and its unit")
    if isinstance(text, str):
        if len(text) > _LONGEST:
            raise _no_quantity(text, unit, "a quantity is a number and its unit")
        number, rest = _split(_plain(text), unit)
        number, rest = _scaled(number, rest, unit)
        if rest == "%":
            number, rest = number / 100, "1"
    else:
        if not math.isfinite(text):
            raise _no_quantity(text, unit, "write a finite number")
        number, rest = Fraction(text), ""
    if not rest:
        if not bare_allowed:
            raise UnitError("U101", f"'{_short(text)}', a number without a unit", _wanted(unit), "write the unit behind the number")
        value = number
    else:
        value = number * _factor(rest, unit, target, text, number)
    if value.denominator == 1 and abs(value) < 2**63 and (unit in _WHOLE or (not rest and isinstance(text, int))):
        return int(value)
    try:
        return float(value)
    except OverflowError:
        raise _no_quantity(text, unit, "the number is out of range") from None


def _factor(written: str, unit: str, target: Unit, text: object, number: Fraction) -> Fraction:
    """What a value in the unit `written` is multiplied by to be in `unit`."""
    try:
        found = resolve(written)
    except UnitError as error:
        if error.code == "U102" and not any(c.isalpha() for c in written):
            raise _no_quantity(text, unit, "write a number and its unit") from None
        raise UnitError(error.code, f"'{_short(text)}': {error.found}", _wanted(unit), error.fix) from None
    if found.powers == target.powers:
        return found.factor / target.factor
    fix = "write the value in that unit"
    if found.powers and found.powers == multiply(_ONE, target, -1).powers and number:
        value = float(target.factor * found.factor / (number * found.factor * found.factor))
        fix = f"it is the reciprocal, and is not inverted for you: if the figure is a time or size per unit, the value is {value:.4g} {symbol(unit)}"
    elif {n for n, _ in found.powers} ^ {n for n, _ in target.powers} == {"bit", "byte"}:
        fix = "bits and bytes do not convert: write bytes as 'GB' and bits as 'Gbit'"
    name = canonical(found.powers)
    raise UnitError("U101", f"'{_short(text)}', which is in {'no unit' if name == '1' else name}", _wanted(unit), fix)


def format_quantity(value: float | int, unit: str, digits: int | None = 4, *, binary: bool = False) -> str:
    """A value in the base unit `unit` as people read it; see `cardbook.unit_text`."""
    from cardbook import unit_text

    return unit_text.format_quantity(value, unit, digits, binary=binary)


def symbol(unit: str) -> str:
    """Short label of a unit for a column head: "byte/s", "tok/s", "J"."""
    from cardbook import unit_text

    return unit_text.symbol(unit)


def explain_units(units: Any) -> list[tuple[str, str]]:
    """Each unit and what it means, in a line; see `cardbook.unit_text`."""
    from cardbook import unit_text

    return unit_text.explain_units(units)
