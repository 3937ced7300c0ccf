"""The unit registry, values as people write them, and units in print."""

from __future__ import annotations

import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardbook import schema, units
from cardbook.package import locate
from cardbook.units import UnitError, format_quantity, parse_quantity
from cardbook.views import catalog

#: Text, unit wanted, value.
VALUES: list[tuple[Any, str, int | float]] = [
    ("936.2 GB/s", "byte/second", 936200000000.0),
    ("24 GiB", "byte", 24 * 2**30),
    ("24 GB", "byte", 24 * 10**9),
    ("24GB", "byte", 24 * 10**9),
    ("1.5 TiB", "byte", 3 * 2**39),
    ("512 kB", "byte", 512000),
    ("512 KiB", "byte", 524288),
    ("5 gigabytes", "byte", 5 * 10**9),
    ("384 bit", "bit", 384),
    ("8 Gbit", "bit", 8 * 10**9),
    ("2.6 ms", "second", 0.0026),
    ("5 us", "second", 5e-6),
    ("5 µs", "second", 5e-6),
    ("5 μs", "second", 5e-6),
    ("3 ns", "second", 3e-9),
    ("2 min", "second", 120.0),
    ("1 h", "second", 3600.0),
    ("512 tokens", "token", 512),
    ("512 tok", "token", 512),
    ("16k tokens", "token", 16000),
    ("16 k tokens", "token", 16000),
    ("16Ki tokens", "token", 16384),
    ("16 ktok", "token", 16000),
    ("16k", "token", 16000),
    ("16Ki", "token", 16384),
    ("2048", "token", 2048),
    (2048, "token", 2048),
    (2.5, "token/step", 2.5),
    ("3.1 token/step", "token/step", 3.1),
    ("69.3 tok/s", "token/second", 69.3),
    ("69.3 tokens/s", "token/second", 69.3),
    ("69.3 t/s", "token/second", 69.3),
    ("69.3 tokens per second", "token/second", 69.3),
    ("27e9 parameters", "parameter", 27 * 10**9),
    ("27 billion parameters", "parameter", 27 * 10**9),
    ("27 Gparam", "parameter", 27 * 10**9),
    ("71.2 TFLOPS", "FLOP/second", 71.2e12),
    ("71.2 TFLOP/s", "FLOP/second", 71.2e12),
    ("1.2 PFLOP/s", "FLOP/second", 1.2e15),
    ("1979 TOPS", "OP/second", 1979e12),
    ("6400 MT/s", "transfer/second", 6.4e9),
    ("21 GT/s", "transfer/second", 21e9),
    ("1.695 GHz", "cycle/second", 1.695e9),
    ("1695 MHz", "cycle/second", 1.695e9),
    ("350 W", "watt", 350.0),
    ("1.2 kW", "watt", 1200.0),
    ("350 J", "watt*second", 350.0),
    ("0.5 Wh", "watt*second", 1800.0),
    ("3 W·h", "watt*second", 10800.0),
    ("2048 /token", "1/token", 2048.0),
    ("2048 1/token", "1/token", 2048.0),
    ("128 KiB/token", "byte/token", 131072.0),
    ("4.85 bpw", "bit/parameter", 4.85),
    ("4.85 bit/parameter", "bit/parameter", 4.85),
    ("295.3 FLOP/B", "FLOP/byte", 295.3),
    ("2.5 USD", "dollar", 2.5),
    ("0.52", "1", 0.52),
    (0.52, "1", 0.52),
    ("52 %", "1", 0.52),
    ("52%", "", 0.52),
    # spaces, signs, scientific notation
    ("  5 GB ", "byte", 5 * 10**9),
    ("5\u00a0GB", "byte", 5 * 10**9),
    ("5\u202fGB", "byte", 5 * 10**9),
    ("5\u2009GB", "byte", 5 * 10**9),
    ("1e3 ms", "second", 1.0),
    ("1E3ms", "second", 1.0),
    ("9.36×10¹¹ byte/s", "byte/second", 936e9),
    ("9.36 x 10^11 byte/s", "byte/second", 936e9),
    ("9.36·10⁻³ s", "second", 0.00936),
    ("-5 W", "watt", -5.0),
    ("−5 W", "watt", -5.0),
    ("+5 W", "watt", 5.0),
    ("0 W", "watt", 0.0),
    ("0 tokens", "token", 0),
    (".5 s", "second", 0.5),
    ("5. s", "second", 5.0),
]


@pytest.mark.parametrize(("text", "unit", "value"), VALUES)
def test_a_value_as_people_write_it(text: Any, unit: str, value: int | float) -> None:
    found = parse_quantity(text, unit)
    assert found == value
    assert type(found) is type(value)


#: Text, unit wanted, code, and words that the fix must hold.
REFUSED: list[tuple[Any, str, str, str]] = [
    ("2.6 ms/token", "token/second", "U101", "384.6 tok/s"),
    ("100 GB", "token/second", "U101", "that unit"),
    ("8 Gbit", "byte", "U101", "do not convert"),
    ("5 TOPS", "FLOP/second", "U101", "that unit"),
    ("5 GB/s/s", "byte/second", "U101", ""),
    ("5 GB GB", "byte", "U101", ""),
    ("5 W²", "watt", "U101", ""),
    ("52 %", "byte", "U101", ""),
    ("936.2", "byte/second", "U101", "write the unit"),
    (936.2, "byte/second", "U101", "write the unit"),
    ("16k", "byte", "U103", "Ki"),
    ("5 horsepower", "watt", "U102", "registry"),
    ("5 Tokens", "token", "U102", "'tokens'"),
    ("5 GBps", "byte/second", "U102", "'GB/s'"),
    ("5 KW", "watt", "U102", "'kW'"),
    ("5 s**99999", "second", "U102", ""),
    ("5 GB/", "byte", "U102", ""),
    ("5 (GB", "byte", "U102", ""),
    ("5 GB; DROP", "byte", "U102", ""),
    ("5e s", "second", "U102", ""),
    ("5 krequest", "request", "U102", ""),
    *[(f"8 {symbol}", "byte", "U103", "GB") for symbol in ("Gb", "gb", "gB", "GBs")],
    ("8 Gib", "byte", "U103", "'GiB'"),
    *[(f"8 {symbol}", "byte", "U103", "MB") for symbol in ("Mb", "mb", "mB", "MBs")],
    *[(f"8 {symbol}/s", "byte/second", "U103", "bit") for symbol in ("Gb", "gb", "Mb", "kb", "Kb")],
    ("8 KB", "byte", "U103", "KiB"),
    ("8 Gbps", "byte/second", "U103", "'Gbit/s'"),
    ("27B", "parameter", "U103", "billion parameters"),
    ("27 B", "byte", "U103", "'byte'"),
    ("27M parameters", "parameter", "U103", "e6"),
    ("16K tokens", "token", "U103", "16Ki"),
    ("16 M", "token", "U103", "e6"),
    ("16 T", "transfer", "U103", "e12"),
    ("16 b", "bit", "U103", "'bit'"),
    ("16 g", "byte", "U103", "gram"),
    ("5 t", "token", "U103", "'tokens'"),
    ("5 T/s", "token/second", "U103", "MT/s"),
    ("5 Gt/s", "token/second", "U103", "'Gtok'"),
    ("5 tps", "token/second", "U103", "'tok/s'"),
    ("1695 mhz", "cycle/second", "U103", "'MHz'"),
    ("1695 Mhz", "cycle/second", "U103", "'MHz'"),
    ("71 TFLOPs", "FLOP/second", "U103", "'TFLOP/s'"),
    ("5 Ms", "second", "U103", "'ms'"),
    ("5 m", "second", "U103", "'min'"),
    ("1,5 GB/s", "byte/second", "F104", "comma"),
    ("1,234 tokens", "token", "F104", "comma"),
    ("1.234.567 tokens", "token", "F104", "separators"),
    ("1 234 tokens", "token", "F104", "separators"),
    ("1\u202f234 tokens", "token", "F104", "separators"),
    ("1_000 tokens", "token", "F104", "separators"),
    ("2 × 24 GB", "byte", "F104", "48 GB"),
    ("2x24 GB", "byte", "F104", "48 GB"),
    ("5-6 GB", "byte", "F104", "range"),
    ("5 ± 1 GB", "byte", "F104", "spread"),
    ("~5 GB", "byte", "F104", ""),
    (">5 GB", "byte", "F104", ""),
    ("GB", "byte", "F104", ""),
    ("five GB", "byte", "F104", ""),
    ("", "byte", "F104", ""),
    ("   ", "token", "F104", ""),
    ("nan s", "second", "F104", ""),
    ("inf s", "second", "F104", ""),
    (float("nan"), "1", "F104", "finite"),
    (float("inf"), "token", "F104", "finite"),
    ("1e400 s", "second", "F104", "range"),
    ("1e999999999 s", "second", "F104", "range"),
    ("1×10^999999999 s", "second", "F104", "range"),
    ("１２ GB", "byte", "F104", ""),
    ("9" * 5000 + " GB", "byte", "F104", ""),
    (True, "token", "F104", ""),
    (None, "token", "F104", ""),
    (["5 GB"], "byte", "F104", ""),
]


@pytest.mark.parametrize(("text", "unit", "code", "fix"), REFUSED)
def test_a_value_that_is_refused_says_how_to_write_it(text: Any, unit: str, code: str, fix: str) -> None:
    with pytest.raises(UnitError) as caught:
        parse_quantity(text, unit)
    error = caught.value
    assert error.code == code, error
    assert fix in error.fix, error
    assert error.found and error.wanted and error.fix


def test_every_ambiguous_symbol_names_two_readings_with_a_spelling_each() -> None:
    for symbol in ("Gb", "gb", "gB", "Mb", "mb", "kb", "KB", "M", "K", "T", "b", "B", "g", "GBs", "mhz", "Mhz", "tps", "Gbps", "TFLOPs", "t", "m", "k"):
        with pytest.raises(UnitError) as caught:
            units.resolve(symbol)
        assert caught.value.code == "U103", symbol
        assert caught.value.fix.count("; ") == 1 and caught.value.fix.count("write") >= 1, symbol


def test_base_units_are_dimensions_of_their_own() -> None:
    bases = ("byte", "bit", "token", "parameter", "FLOP", "OP", "step", "request", "transfer", "cycle", "second", "watt", "dollar")
    for base in bases:
        assert units.dimensionality(base) == {base: 1}
    for one in bases:
        for other in bases:
            assert units.same_unit(one, other) == (one == other)


def test_one_unit_under_several_names() -> None:
    for one, other in (("tok/s", "t/s"), ("tokens/s", "token/second"), ("TFLOPS", "TFLOP/s"), ("TOPS", "1e12"), ("J", "W*s"), ("Hz", "cycle/s"), ("Wh", "W*h")):
        if other != "1e12":
            assert units.same_unit(one, other)
    assert not units.same_unit("TOPS", "TFLOPS")
    assert not units.same_unit("GB", "GiB")
    assert not units.same_unit("ms", "s")
    assert units.resolve("GB").factor == 10**9
    assert units.resolve("GiB").factor == 2**30


def test_the_expression_reader_agrees_with_pint() -> None:
    registry = units.registry()
    for text in (
        "byte/second",
        "GB/s",
        "FLOP/(parameter*token)",
        "FLOP/token**2",
        "watt*second",
        "MT/s",
        "kB/token",
        "J/token",
        "TFLOP/s/W",
        "B*s/(s*token)",
        "1/token",
    ):
        factor, base = registry.get_root_units(registry.parse_expression(text).units) if text != "1/token" else (1, registry.parse_units("1/token"))
        expected = {name: Fraction(str(power)) for name, power in base._units.items()}
        assert dict(units.resolve(text).powers) == expected, text
        assert units.resolve(text).factor == Fraction(str(factor)), text


def test_every_unit_of_the_package_parses_and_is_explained() -> None:
    package = locate(Path(__file__))
    used = {f.unit for fields in catalog.relations(package).values() for f in fields if f.unit}
    assert len(used) > 20
    for unit in used:
        resolved = units.resolve(unit)
        assert resolved.factor == 1, f"{unit} is no coherent base unit"
        assert units.canonical(resolved.powers) == unit, f"write {unit} as the checker does"
        assert units.same_unit(units.symbol(unit), unit) or units.symbol(unit) == "byte"
    for unit, meaning in units.explain_units(sorted(used)):
        assert "\n" not in meaning and len(meaning) > 10, unit
        assert not meaning.startswith("written"), f"{unit} has no explanation"


def test_the_table_that_saves_loading_pint_is_what_pint_says() -> None:
    registry, table = units.registry(), units._table()
    assert len(table) > 80
    for symbol, unit in table.items():
        factor, base = registry.get_root_units(symbol)
        assert unit.factor == Fraction(str(factor)), symbol
        assert dict(unit.powers) == {name: Fraction(str(power)) for name, power in base._units.items()}, symbol


def test_count_units_are_those_of_the_schemas() -> None:
    assert schema.COUNT_UNITS <= units.COUNTS


def test_examples_are_values() -> None:
    for unit, text in units.EXAMPLES.items():
        for one in text.replace(", or ", " or ").split(" or "):
            parse_quantity(one, unit)


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (936.2e9, "byte/second", "936.2 GB/s"),
        (24e9, "byte", "24 GB"),
        (512, "byte", "512 byte"),
        (999.99e9, "byte", "1 TB"),
        (0.0026, "second", "2.6 ms"),
        (12.5e-6, "second", "12.5 µs"),
        (3600, "second", "3600 s"),
        (0, "second", "0 s"),
        (69.3333, "token/second", "69.33 tok/s"),
        (12345.678, "token/second", "12346 tok/s"),
        (26.9e9, "parameter", "26.9 billion parameters"),
        (71.16e12, "FLOP/second", "71.16 TFLOP/s"),
        (1.695e9, "cycle/second", "1.695 GHz"),
        (6.4e9, "transfer/second", "6400 MT/s"),
        (131072, "byte/token", "131.1 kB/tok"),
        (295.34, "FLOP/byte", "295.3 FLOP/B"),
        (28950, "FLOP/byte", "28950 FLOP/B"),
        (1200.0, "watt*second", "1.2 kJ"),
        (2048, "1/token", "2048 /tok"),
        (0.52, "1", "0.52"),
        (-5e9, "byte", "-5 GB"),
    ],
)
def test_a_value_in_print(value: float, unit: str, text: str) -> None:
    assert format_quantity(value, unit) == text


def test_binary_prefixes_only_when_asked_for() -> None:
    assert format_quantity(24 * 2**30, "byte") == "25.77 GB"
    assert format_quantity(24 * 2**30, "byte", binary=True) == "24 GiB"
    assert parse_quantity(format_quantity(24 * 2**30 + 1, "byte", None, binary=True), "byte") == 24 * 2**30 + 1


def test_symbols_for_column_heads() -> None:
    heads = {"byte/second": "byte/s", "token/second": "tok/s", "watt*second": "J", "cycle/second": "Hz", "FLOP/(parameter*token)": "FLOP/(param·tok)"}
    assert {unit: units.symbol(unit) for unit in heads} == heads


PRINTED = [u for u in units.EXAMPLES if u != "1"] + ["bit/byte", "FLOP/(parameter*token)", "FLOP/token**2", "FLOP/OP", "step", "transfer", "cycle", "OP"]
finite = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@settings(max_examples=400, deadline=None)
@given(value=finite | st.integers(-(2**63) + 1, 2**63 - 1), unit=st.sampled_from(PRINTED))
def test_what_is_printed_in_full_parses_back_to_the_same_value(value: float | int, unit: str) -> None:
    back = parse_quantity(format_quantity(value, unit, digits=None), unit)
    assert back == (value if isinstance(back, int) else float(value))


@settings(max_examples=400, deadline=None)
@given(value=finite.filter(lambda v: abs(v) > 1e-250), unit=st.sampled_from(PRINTED), digits=st.integers(1, 15))
def test_what_is_printed_short_parses_back_to_the_rounded_value(value: float, unit: str, digits: int) -> None:
    back = parse_quantity(format_quantity(value, unit, digits=digits), unit)
    assert abs(Fraction(back) - Fraction(value)) <= abs(Fraction(value)) * Fraction(6, 10 ** (digits))


#: Units that pint's default registry defines too, in a base unit of both.
COMPARABLE = [("GHz", "cycle/second", "1/s"), ("MHz", "cycle/second", "1/s"), ("W", "watt", "W"), ("kW", "watt", "W"), ("mW", "watt", "W")]
COMPARABLE += [("ms", "second", "s"), ("us", "second", "s"), ("ns", "second", "s"), ("min", "second", "s"), ("h", "second", "s"), ("J", "watt*second", "J")]
COMPARABLE += [
    ("Wh", "watt*second", "J"),
    ("kJ", "watt*second", "J"),
    ("GB", "byte", "byte"),
    ("GiB", "byte", "byte"),
    ("kB", "byte", "byte"),
    ("TiB", "byte", "byte"),
]


@pytest.fixture(scope="module")
def default_registry() -> Any:
    import pint

    # The default registry keeps its own data file; only the tests ever load it.
    return pint.UnitRegistry(non_int_type=Decimal)


@settings(max_examples=200, deadline=None)
@given(number=st.decimals(min_value="0.0001", max_value="99999", places=4), which=st.sampled_from(COMPARABLE))
def test_a_value_converts_as_in_the_default_registry(default_registry: Any, number: Decimal, which: tuple[str, str, str]) -> None:
    written, unit, theirs = which
    # There a hertz converts to radians; cycles are compared as 1/s.
    factor = {"GHz": Decimal("1e9"), "MHz": Decimal("1e6")}.get(written)
    expected = number * factor if factor else default_registry.Quantity(number, written).to(theirs).magnitude
    assert parse_quantity(f"{number} {written}", unit) == pytest.approx(float(expected), rel=1e-15, abs=0)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40), st.sampled_from(PRINTED))
def test_any_text_is_a_quantity_or_a_unit_error(text: str, unit: str) -> None:
    for candidate in (text, "5 " + text):
        try:
            parse_quantity(candidate, unit)
        except UnitError as error:
            assert error.code in ("U101", "U102", "U103", "F104")


def test_thirty_thousand_values_take_no_time() -> None:
    parse_quantity("1 tok/s", "token/second")
    start = time.process_time()
    for i in range(30_000):
        parse_quantity(f"{i}.25 tok/s", "token/second")
    assert time.process_time() - start < 1
