"""Unit symbols that have two readings, and the prefixes that a unit takes.

Published numbers go wrong where a symbol is read in two ways, so such a symbol is refused with
both readings and the spelling of each, even where one of them would fit the field.
"""

from __future__ import annotations

import re

_UP = ("kilo", "mega", "giga", "tera", "peta", "exa")
_BINARY = ("kibi", "mebi", "gibi", "tebi", "pebi")
_DOWN = ("milli", "micro", "nano")

#: Prefixes by unit of the definition file; a unit that is not here takes none. A millibyte or
#: a megasecond is a slip of the shift key and never meant.
PREFIXES: dict[str, frozenset[str]] = {
    "byte": frozenset(_UP + _BINARY),
    "bit": frozenset(_UP + _BINARY),
    "token": frozenset(("kilo", "mega", "giga", "tera", "kibi", "mebi")),
    "parameter": frozenset(("kilo", "mega", "giga", "tera")),
    "FLOP": frozenset(_UP),
    "FLOPS": frozenset(_UP),
    "OP": frozenset(_UP),
    "OPS": frozenset(_UP),
    "transfer": frozenset(("kilo", "mega", "giga")),
    "hertz": frozenset(("kilo", "mega", "giga")),
    "second": frozenset(_DOWN),
    "watt": frozenset(("milli", "kilo", "mega")),
    "joule": frozenset(("milli", "kilo", "mega")),
    "watthour": frozenset(("milli", "kilo", "mega")),
}

#: A reading in words and how to write it, "" where CardBook has no such unit.
Reading = tuple[str, str]

_ALONE: dict[str, tuple[Reading, Reading]] = {
    "k": (("thousand (10**3)", "'e3', or 'k' before tokens: '16k tokens'"), ("2**10", "'Ki', as in '16Ki tokens' or 'KiB'")),
    "K": (("thousand (10**3)", "a lower-case 'k', as in '16k tokens' or 'kB'"), ("2**10", "'Ki', as in '16Ki tokens' or 'KiB'")),
    "M": (("million (10**6)", "'e6', or attached: 'MB', 'Mtok', 'Mparam'"), ("2**20", "'Mi', as in 'MiB'")),
    "G": (("10**9", "'e9', or attached: 'GB', 'Gparam'"), ("2**30", "'Gi', as in 'GiB'")),
    "T": (("tera (10**12)", "'e12', or attached: 'TB', 'TFLOP/s'"), ("transfers or tokens", "'transfer', 'MT/s' or 'tok'")),
    "P": (("peta (10**15)", "'e15', or attached: 'PFLOP/s'"), ("parameters", "'parameters'")),
    "b": (("bit", "'bit'"), ("byte, or billion", "'byte', or 'e9'")),
    "g": (("10**9", "attached as 'G': 'GB'"), ("gram", "")),
    "m": (("minute", "'min'"), ("million", "'e6'")),
    "p": (("parameters", "'parameters'"), ("pico or peta", "'e-12' or 'e15'")),
    "x": (("a ratio", "the plain number"), ("a count", "the unit of what is counted")),
    "tps": (("tokens per second", "'tok/s'"), ("transactions per second", "'request/s'")),
    "bps": (("bits per second", "'bit/s'"), ("bytes per second", "'byte/s'")),
    "rps": (("requests per second", "'request/s'"), ("rounds per second", "")),
    "Ms": (("milliseconds", "'ms'"), ("megaseconds", "'e6 s'")),
    "MS": (("milliseconds", "'ms'"), ("megaseconds", "'e6 s'")),
    "ops": (("operations", "'OP'"), ("operations per second", "'OP/s'")),
    "flops": (("floating-point operations", "'FLOP'"), ("the same per second", "'FLOP/s'")),
}

#: Refused only when they are the whole unit: in "GB", "byte/s" or "t/s" they have one reading.
_WHOLE: dict[str, tuple[Reading, Reading]] = {
    "B": (("bytes", "'byte'"), ("billions", "'e9' and the unit, or 'billion parameters'")),
    "t": (("tokens", "'tokens'"), ("thousands", "'e3'")),
}

_FAMILIES: tuple[tuple[re.Pattern[str], str], ...] = (
    # (pattern with the prefix letter as its first group, kind)
    (re.compile(r"([KMGTPE])b"), "bit or byte"),
    (re.compile(r"([kmgtpe])b"), "bit or byte"),
    (re.compile(r"([mgtpe])B"), "decimal or binary"),
    (re.compile(r"(K)B"), "decimal or binary"),
    (re.compile(r"([KMGTP])ib"), "binary bit or byte"),
    (re.compile(r"([KMGTP])i"), "binary bit or byte"),
    (re.compile(r"([kKMGTPE])Bs"), "plural or rate"),
    (re.compile(r"([KMGTPkmgtp])bps"), "bit or byte rate"),
    (re.compile(r"(m|M)(?!Hz$)[hH][zZ]|(m)Hz"), "hertz"),
    (re.compile(r"([kMGT])t"), "tokens or transfers"),
    (re.compile(r"([kMGTPE]?)FLOPs"), "FLOP"),
    (re.compile(r"([kMGTPE]?)OPs"), "OP"),
)


def _family(kind: str, letter: str) -> tuple[Reading, Reading]:
    upper = "k" if letter in "kK" else letter.upper()
    binary = letter.upper() + "i"
    if kind == "bit or byte":
        return (f"{upper}bit (bits)", f"'{upper}bit'"), (f"{upper}B (bytes)", f"'{upper}B' or '{binary}B'")
    if kind == "decimal or binary":
        power = "KMGTPE".index(letter.upper()) + 1
        return (f"10**{3 * power} byte", f"'{upper}B'"), (f"2**{10 * power} byte", f"'{binary}B'")
    if kind == "binary bit or byte":
        return (f"{binary}bit (bits)", f"'{binary}bit'"), (f"{binary}B (bytes)", f"'{binary}B'")
    if kind == "plural or rate":
        return (f"{upper}B (an amount)", f"'{upper}B'"), (f"{upper}B per second", f"'{upper}B/s'")
    if kind == "bit or byte rate":
        return (f"{upper}bit per second", f"'{upper}bit/s'"), (f"{upper}B per second", f"'{upper}B/s'")
    if kind == "tokens or transfers":
        return (f"{letter}tok (tokens)", f"'{letter}tok'"), (f"{letter}T (transfers)", f"'{letter}T'")
    if kind == "hertz":
        return ("megahertz", "'MHz'"), ("millihertz", "'e-3 Hz'")
    return (f"an amount of {letter}{kind}", f"'{letter}{kind}'"), (f"{letter}{kind} per second", f"'{letter}{kind}/s'")


def readings(symbol: str, whole: bool) -> tuple[Reading, Reading] | None:
    """The two readings of an ambiguous symbol, None where it has one or none. `whole` is true
    when the symbol is all that stands behind the number."""
    if symbol in _ALONE:
        return _ALONE[symbol]
    if whole and symbol in _WHOLE:
        return _WHOLE[symbol]
    for pattern, kind in _FAMILIES:
        match = pattern.fullmatch(symbol)
        if match:
            return _family(kind, match.group(1) or "")
    if symbol.lower() in ("tps", "bps", "rps", "flops", "ops") and symbol not in ("FLOPS", "OPS"):
        return _ALONE[symbol.lower()]
    return None
