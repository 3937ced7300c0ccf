"""The dimensional type checker for SQL."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardbook.package import locate
from cardbook.rules import model
from cardbook.rules.units import check_all
from cardbook.unitcheck import Column, check_sql, infer
from cardbook.views import catalog

TEXT, TRUTH = Column(None, "string"), Column(None, "boolean")
TABLES = {
    "m": {
        "record": TEXT,
        "phase": TEXT,
        "ok": TRUTH,
        "day": Column(None, "date"),
        "size": Column("byte", "number"),
        "other_size": Column("byte", "integer"),
        "toks": Column("token", "number"),
        "t": Column("second", "number"),
        "t_ms": Column("ms", "number"),
        "rate": Column("token/second", "number"),
        "bw": Column("byte/second", "number"),
        "ratio": Column("1", "number"),
        "n": Column("1", "integer"),
        "power": Column("watt", "number"),
        "energy": Column("watt*second", "number"),
        "raw": Column(None, "number"),
    },
    "links": {"id": TEXT, "bw": Column("byte/second", "number"), "toks": Column("token", "number")},
    "constants": {"bits_per_byte": Column("bit/byte", "number"), "one_token": Column("token", "number"), "half": Column("1", "number")},
}

#: Query over TABLES and the units of its columns.
RIGHT: list[tuple[str, list[str | None]]] = [
    ("SELECT toks / t AS a, size * rate / toks AS b FROM m", ["token/second", "byte/second"]),
    ("SELECT size * k.bits_per_byte AS a FROM m CROSS JOIN constants AS k", ["bit"]),
    ("SELECT power * t AS a, power * t = energy AS b, energy / t + power AS c FROM m", ["watt*second", None, "watt"]),
    ("SELECT size * ratio AS a, size / other_size AS b, size * (1 - ratio) AS c, -size AS d FROM m", ["byte", "1", "byte", "byte"]),
    ("SELECT size * 1 AS a, size * -1 AS b, size + 0 AS c, 0 - size AS d, size * CAST(1 AS DOUBLE) AS e FROM m", ["byte"] * 5),
    ("SELECT COALESCE(size, 0) AS a, GREATEST(size - other_size, 0) AS b, NULLIF(size, 0) AS c, LEAST(size, other_size) AS d FROM m", ["byte"] * 4),
    ("SELECT CASE WHEN ok THEN size ELSE 0 END AS a, CASE phase WHEN 'decode' THEN size WHEN 'prefill' THEN NULL END AS b FROM m", ["byte", "byte"]),
    (
        "SELECT SUM(size) AS a, AVG(t) AS b, MAX(record) AS c, COUNT(*) AS d, COUNT(DISTINCT record) AS e, MEDIAN(rate) AS f FROM m",
        ["byte", "second", None, "1", "1", "token/second"],
    ),
    (
        "SELECT STDDEV(t) AS a, VAR_SAMP(t) AS b, QUANTILE_CONT(t, 0.9) AS c, ARG_MAX(size, t) AS d, BOOL_AND(ok) AS e FROM m",
        ["second", "second**2", "second", "byte", None],
    ),
    ("SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY t) AS a, SUM(size) FILTER (WHERE ok) AS b FROM m", ["second", "byte"]),
    (
        "SELECT SQRT(size * other_size) AS a, POWER(t, 2) AS b, POWER(1 - ratio, n) AS c, EXP(-ratio) AS d, LN(ratio) AS e FROM m",
        ["byte", "second**2", "1", "1", "1"],
    ),
    (
        "SELECT ABS(size) AS a, ROUND(t, 3) AS b, CEIL(size / other_size) AS c, FLOOR(t) AS d, SIGN(size) AS e, CAST(size AS BIGINT) AS f FROM m",
        ["byte", "second", "1", "second", "1", "byte"],
    ),
    (
        "SELECT record || '/' || n AS a, CONCAT(record, size) AS b, UPPER(record) AS c, CAST(size AS VARCHAR) AS d, LENGTH(record) AS e FROM m",
        [None, None, None, None, "1"],
    ),
    (
        "SELECT SUM(size) OVER (PARTITION BY record ORDER BY t) AS a, ROW_NUMBER() OVER w AS b, LAG(size, 1, 0) OVER w AS c FROM m WINDOW w AS (ORDER BY t)",
        ["byte", "1", "byte"],
    ),
    ("SELECT record FROM m WHERE size > 0 AND t BETWEEN 0 AND t AND n IN (1, 2) AND phase IN ('a', 'b') AND ok AND NOT ok AND ratio > 0.5", [None]),
    (
        "SELECT size IS NULL AS a, ok IS NOT TRUE AS b, size IS NOT DISTINCT FROM other_size AS c, record LIKE '%x' AS d, day > DATE '2026-01-01' AS e FROM m",
        [None] * 5,
    ),
    ("SELECT size AS a, a / t AS b, b * t AS c FROM m", ["byte", "byte/second", "byte"]),
    ("SELECT record AS a, SUM(size) AS b FROM m GROUP BY a HAVING b > 0 QUALIFY ROW_NUMBER() OVER (ORDER BY b) = 1 ORDER BY b DESC LIMIT 3", [None, "byte"]),
    ("SELECT a.size + b.size AS x FROM m AS a INNER JOIN m AS b USING (record)", ["byte"]),
    ("SELECT m.toks, l.bw FROM m LEFT JOIN links AS l ON m.record = l.id AND m.bw <= l.bw", ["token", "byte/second"]),
    ("SELECT x.* EXCLUDE (bw) REPLACE (toks / bw AS toks) FROM links AS x", [None, "token*second/byte"]),
    ("SELECT x.toks FROM (SELECT * FROM links WHERE toks > 0) AS x", ["token"]),
    ("WITH a AS (SELECT size / t AS r FROM m), b AS (SELECT MAX(r) AS r FROM a) SELECT m.size / b.r AS x FROM m CROSS JOIN b", ["second"]),
    ("SELECT size FROM m UNION ALL SELECT 0 UNION ALL SELECT NULL UNION ALL SELECT other_size FROM m", ["byte"]),
    ("WITH RECURSIVE r AS (SELECT size AS x FROM m UNION ALL SELECT r.x + m.size FROM r, m) SELECT x FROM r", ["byte"]),
    (
        "SELECT (SELECT MAX(b.size) FROM m AS b WHERE b.record = a.record) AS x, EXISTS (SELECT 1 FROM m) AS y FROM m AS a WHERE a.t IN (SELECT t FROM m)",
        ["byte", None],
    ),
    ("CREATE OR REPLACE VIEW v AS SELECT SIZE, M.TOKS FROM M", ["byte", "token"]),
    ("SELECT v.a, v.b FROM (VALUES (1, 'x'), (3, 'y')) AS v(a, b)", ["1", None]),
    ("FROM links SELECT bw", ["byte/second"]),
    ("SELECT raw FROM m WHERE raw IS NOT NULL AND raw > 3", [None]),
]


@pytest.mark.parametrize(("sql", "units"), RIGHT, ids=[sql[:50] for sql, _ in RIGHT])
def test_the_unit_goes_through(sql: str, units: list[str | None]) -> None:
    checked = check_sql(sql, TABLES)
    assert checked.problems == []
    assert [unit for _, unit in checked.units] == units


#: Query over TABLES, what is found and what is wanted (parts of the two).
WRONG: list[tuple[str, str, str]] = [
    ("SELECT size + toks FROM m", "byte + token", "equal"),
    ("SELECT size - ratio FROM m", "byte - 1", "equal"),
    ("SELECT t > t_ms FROM m", "second", "ms"),
    ("SELECT record FROM m WHERE t = toks", "second", "token"),
    ("SELECT size > 5 FROM m", "byte", "a bare 5"),
    ("SELECT size BETWEEN 0 AND t FROM m", "byte", "second"),
    ("SELECT t IN (0, 1) FROM m", "second", "a bare 1"),
    ("SELECT size * 8 FROM m", "byte * a bare 8", "constants"),
    ("SELECT size / 1e9 FROM m", "byte / a bare 1e+09", "constants"),
    ("SELECT size / 2 FROM m", "byte / a bare 2", "constants"),
    ("SELECT 1000 * t FROM m", "second * a bare 1000", "constants"),
    ("SELECT size * (4 + 4) FROM m", "a bare 8", "constants"),
    ("SELECT size * CAST(8 AS DOUBLE) FROM m", "a bare 8", "constants"),
    ("SELECT size * POWER(2, 3) FROM m", "a bare number", "constants"),
    ("SELECT size * COALESCE(8, 1) FROM m", "a bare number", "constants"),
    ("SELECT size * CASE WHEN ok THEN 8 ELSE 1 END FROM m", "a bare number", "constants"),
    ("SELECT size * (ratio * 1000) FROM m", "a bare number", "constants"),
    ("SELECT size * LENGTH('12345678') FROM m", "a bare number", "constants"),
    ("WITH k AS (SELECT 8 AS eight) SELECT size * eight FROM m CROSS JOIN k", "a bare 8", "constants"),
    ("WITH k AS (SELECT 8 AS x UNION ALL SELECT 9) SELECT size * x FROM m CROSS JOIN k", "a bare number", "constants"),
    ("SELECT size * x FROM m CROSS JOIN (VALUES (8)) AS v(x)", "a bare", "constants"),
    ("SELECT size * (SELECT 8) FROM m", "a bare number", "constants"),
    ("SELECT CASE WHEN ok THEN size ELSE toks END FROM m", "token", "byte"),
    ("SELECT CASE WHEN ok THEN size ELSE 1 END FROM m", "a bare 1", "byte"),
    ("SELECT CASE size WHEN toks THEN 1 END FROM m", "byte", "token"),
    ("SELECT COALESCE(size, toks) FROM m", "token", "byte"),
    ("SELECT GREATEST(size, 1) FROM m", "a bare 1", "byte"),
    ("SELECT NULLIF(size, t) FROM m", "byte", "second"),
    ("SELECT IF(ok, size, toks) FROM m", "token", "byte"),
    ("SELECT LN(size) FROM m", "byte", "1"),
    ("SELECT EXP(t) FROM m", "second", "1"),
    ("SELECT POWER(size, ratio) FROM m", "a power that varies", "literal"),
    ("SELECT POWER(ratio, t) FROM m", "second", "1"),
    ("SELECT SQRT(t_ms) FROM m", "ms", "root"),
    ("SELECT ROUND(size, toks) FROM m", "token", "1"),
    ("SELECT size % 5 FROM m", "byte % a bare 5", "equal"),
    ("SELECT size FROM m UNION ALL SELECT toks FROM m", "token", "byte"),
    ("SELECT size FROM m UNION ALL SELECT size, t FROM m", "2 columns", "1 columns"),
    ("SELECT LAG(size, 1, t) OVER (ORDER BY t) FROM m", "second", "byte"),
    ("SELECT a.size FROM m AS a INNER JOIN m AS b ON a.size = b.toks", "byte", "token"),
    ("SELECT 1 AS x FROM links AS a INNER JOIN (SELECT size AS toks FROM m) AS b USING (toks)", "token", "byte"),
    ("SELECT size FROM m WHERE t IN (SELECT toks FROM m)", "second", "token"),
    ("SELECT size FROM m GROUP BY size HAVING SUM(t) > 3", "second", "a bare 3"),
    ("SELECT size FROM m ORDER BY t + size", "second + byte", "equal"),
    ("SELECT size FROM m WHERE t", "second", "truth"),
    ("SELECT SUM(t) FILTER (WHERE t) FROM m", "second", "truth"),
    ("SELECT record + 1 FROM m", "text", "number"),
    ("SELECT record = 5 FROM m", "text", "a bare 5"),
    ("SELECT ok + 1 FROM m", "truth", "number"),
    ("SELECT SUM(ok) FROM m", "truth", "number"),
    ("SELECT raw * size FROM m", "without a unit", "number"),
    ("SELECT CAST(record AS DOUBLE) FROM m", "text", "number"),
    ("SELECT size::VARCHAR::DOUBLE * 8 FROM m", "text", "number"),
    ("SELECT t IS TRUE FROM m", "second", "truth"),
    # what is not known fails closed
    ("SELECT frobnicate(size) FROM m", "frobnicate()", "known"),
    ("SELECT LIST_CONTAINS([size], t) FROM m", "ArrayContains", "known"),
    ("SELECT COLUMNS('s.*') FROM m", "Columns", "known"),
    ("SELECT size = ANY (SELECT toks FROM m) FROM m", "Any", "known"),
    ("SELECT $1 * size FROM m", "Placeholder", "known"),
    ("SELECT * FROM READ_CSV('x.csv')", "READ_CSV", "table"),
    ("SELECT * FROM nowhere", "nowhere", "table"),
    ("SELECT * FROM other.m", "other.m", "table"),
    ("SELECT nothing FROM m", "nothing", "column"),
    ("SELECT a.nothing FROM m AS a", "a.nothing", "column"),
    ("SELECT z.size FROM m AS a", "z.size", "column"),
    ("SELECT bw FROM m, (SELECT t AS bw FROM m) AS l", "bw", "column"),
    ("SELECT size FROM m GROUP BY CUBE (size)", "Cube", "known"),
    ("PIVOT m ON phase USING SUM(size)", "Pivot", "SELECT"),
    ("DROP TABLE m", "Drop", "SELECT"),
    ("SELECT 1; SELECT 2", "2 statements", "one"),
    ("SELECT size FROM", "SQL", "SELECT"),
    ("", "0 statements", "one"),
]


@pytest.mark.parametrize(("sql", "found", "wanted"), WRONG, ids=[sql[:50] for sql, _, _ in WRONG])
def test_what_cannot_be_right_is_a_problem(sql: str, found: str, wanted: str) -> None:
    problems = check_sql(sql, TABLES, file="views/x.sql").problems
    assert len(problems) == 1, problems
    problem = problems[0]
    assert (problem.code, problem.file) == ("U104", "views/x.sql")
    assert found in problem.found
    assert wanted in problem.wanted
    assert problem.message


def test_the_line_is_that_of_the_expression() -> None:
    sql = "-- a comment\nSELECT\n    toks / t AS rate,\n    CASE\n        WHEN ok THEN size\n        ELSE toks\n    END AS x\nFROM m\nWHERE\n    t = toks\n"
    assert [(p.line, p.expression) for p in check_sql(sql, TABLES).problems] == [(6, "toks"), (10, "t = toks")]


def test_declared_units_are_held_against_the_columns() -> None:
    sql = "SELECT record, toks / t AS rate, ok FROM m"
    assert check_sql(sql, TABLES, {"record": None, "rate": "token/second", "ok": None}).problems == []
    assert check_sql("SELECT 0 AS a, NULL AS b FROM m", TABLES, {"a": "byte", "b": "second"}).problems == []
    for declared, words in (
        ({"record": None, "rate": "byte/second", "ok": None}, "declared in byte/second"),
        ({"record": None, "rate": "1", "ok": None}, "declared in 1"),
        ({"record": "1", "rate": "token/second", "ok": None}, "declared in 1"),
        ({"record": None, "rate": None, "ok": None}, "no quantity"),
        ({"record": None, "ok": None}, "not declared"),
        ({"record": None, "rate": "token/second", "ok": None, "more": "1"}, "missing"),
        ({"record": None, "rate": "Gb/s", "ok": None}, "write"),
    ):
        problems = check_sql(sql, TABLES, declared).problems
        assert len(problems) == 1 and words in problems[0].message, (declared, problems)


def test_partial_declarations_say_nothing_of_other_columns() -> None:
    sql = "SELECT record, toks / t AS rate FROM m"
    assert check_sql(sql, TABLES, {"rate": "token/second", "more": "1"}, partial=True).problems == []
    assert len(check_sql(sql, TABLES, {"rate": "second"}, partial=True).problems) == 1


def test_only_constants_introduce_a_unit() -> None:
    sql = "SELECT CAST(8 AS DOUBLE) AS bits_per_byte, 1 AS one_token, 0.5 AS half"
    declared = {"bits_per_byte": "bit/byte", "one_token": "token", "half": "1"}
    assert check_sql(sql, {}, declared, introduces_units=True).columns == declared
    assert check_sql(sql, {}, declared, introduces_units=True).problems == []
    assert len(check_sql(sql, {}, declared).problems) == 2
    # A whole output column that is a literal, and nothing else, takes the unit.
    assert len(check_sql("SELECT size * half AS bits_per_byte FROM m, constants", TABLES, {"bits_per_byte": "bit/byte"}, introduces_units=True).problems) == 1


def test_a_scaled_unit_keeps_its_name() -> None:
    assert infer("SELECT t_ms, t_ms + t_ms AS two, size / t_ms AS x FROM m", TABLES) == {"t_ms": "ms", "two": "ms", "x": "1000*byte/second"}


def test_a_table_whose_unit_is_unknown_is_a_problem() -> None:
    problems = check_sql("SELECT a FROM x", {"x": {"a": Column("Gb", "number")}}).problems
    assert len(problems) == 1 and "x.a" in problems[0].found


def test_one_mistake_is_reported_once() -> None:
    sql = "WITH a AS (SELECT size + toks AS x, t FROM m) SELECT x + t AS y, x * t AS z, x > t AS w FROM a"
    assert len(check_sql(sql, TABLES).problems) == 1


def test_a_query_nested_too_deep_is_a_problem() -> None:
    sql = "SELECT " + "(" * 5000 + "size" + ")" * 5000 + " FROM m"
    assert check_sql(sql, TABLES).problems
    assert check_sql("SELECT '" + "x" * 300_000 + "'", TABLES).problems


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.sampled_from(["{}", "SELECT {} FROM m", "SELECT size FROM m WHERE {}", "SELECT size {} toks FROM m"]))
def test_any_text_gives_columns_or_problems(text: str, around: str) -> None:
    for problem in check_sql(around.format(text), TABLES).problems:
        assert problem.found and problem.wanted and problem.line >= 1


def test_every_view_and_rule_of_the_package_passes() -> None:
    assert check_all(locate(Path(__file__))) == []


def test_the_check_of_all_sql_takes_less_than_a_second() -> None:
    package = locate(Path(__file__))
    check_all(package)
    count = len(catalog.views(package.views)) + sum(rule.sql is not None for rule in model.load(package.validators))
    # Processor time, so that a busy machine fails no one.
    start = time.process_time()
    check_all(package)
    assert time.process_time() - start < 1
    assert count > 50
