"""Spark says what DuckDB says: each known difference of the dialects, then finding for finding."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cardbook.cli.main import cli
from cardbook.package import Package, locate
from cardbook.rules import check, fleet, form, model, sinks
from cardbook.spark import dialect, engine
from cardbook.views import bulk, catalog, database
from tests.shell import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import generate

MISSING = (
    "pyspark is not installed: run `make spark-test`"
    if importlib.util.find_spec("pyspark") is None
    else "no Java on this machine: Spark is not tried"
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ
    else None
)
needs_spark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))

#: One row of every kind of number; `a`, `b` DOUBLE, `i`, `j` BIGINT, `s` text.
INPUT = """
SELECT * FROM (VALUES
    (CAST(1 AS DOUBLE), CAST(0 AS DOUBLE), 7, 2, 'x'), (CAST(-1 AS DOUBLE), CAST(0 AS DOUBLE), -7, 2, NULL), (CAST(0 AS DOUBLE), CAST(0 AS DOUBLE), 0, 3, ''),
    (CAST(2.5 AS DOUBLE), CAST(3 AS DOUBLE), 1, 3, 'y'), (CAST(3.5 AS DOUBLE), CAST(-2 AS DOUBLE), 2, 3, 'z'), (CAST(-2.5 AS DOUBLE), NULL, 3, 7, 'z'),
    (NULL, CAST(1 AS DOUBLE), 5, NULL, 'v'), (CAST('NaN' AS DOUBLE), CAST(1 AS DOUBLE), NULL, 9, 'u'),
    (CAST('Infinity' AS DOUBLE), CAST(5 AS DOUBLE), 10, 10, 't')
) AS t (a, b, i, j, s)
"""

DIFFERENCES = {
    "division by zero": "a / b",
    "division of whole numbers": "i / j",
    "division of decimals": "i * 1.1 / j",
    "division inside division": "a / (b / j)",
    "integer division": "i // NULLIF(j, 0)",
    "a decimal times a number": "i * 0.1 + a * 1.000000001",
    "casts round half to even": "CAST(CASE WHEN ABS(a) < 1000 THEN a END AS BIGINT)",
    "casts of counts": "CAST(i AS BIGINT)",
    "text of whole numbers": "CAST(i AS VARCHAR)",
    "natural logarithm": "LN(b)",
    "logarithm": "LOG(b)",
    "logarithm of a base": "LOG(2, b)",
    "concat passes over NULL": "CONCAT(s, '/', CAST(i AS VARCHAR))",
    "pipes do not": "s || '!'",
    "greatest": "GREATEST(a, b, 0)",
    "least": "LEAST(a, b)",
    "power": "POWER(a, 0.5)",
    "power of zero": "POWER(b, 0)",
    "not distinct": "a IS NOT DISTINCT FROM b",
    "not distinct whole": "i IS NOT DISTINCT FROM j",
    "three-valued logic": "(a > b) IS NOT TRUE",
    "NaN is the largest": "a > 1000000",
    "NaN equals itself": "a = a",
    "no difference but a finite one": "(a - a = 0) IS NOT TRUE",
    "ceil": "CEIL(a / 3)",
    "floor": "FLOOR(a / 3)",
    "null in": "s NOT IN ('x', 'y')",
    "coalesce of kinds": "COALESCE(i, a)",
    "case without else": "CASE WHEN i > 1 THEN a END",
}
AGGREGATES = {
    "sum of whole numbers": "SUM(i)",
    "cast of a sum": "CAST(SUM(i) AS BIGINT)",
    "largest with NaN": "MAX(a)",
    "least": "MIN(a)",
    "percentile": "QUANTILE_CONT(i, 0.9)",
    "median": "MEDIAN(j)",
    "counts": "COUNT(*) FILTER (WHERE i > 1)",
    "count distinct": "COUNT(DISTINCT s)",
}


@pytest.fixture(scope="module")
def package() -> Package:
    return locate(ROOT)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    with engine.session("local[2]") as session:
        yield session


def same(one: Any, two: Any) -> bool:
    if isinstance(one, float) or isinstance(two, float):
        if one is None or two is None:
            return one is two
        return (math.isnan(one) and math.isnan(two)) or one == two or math.isclose(one, two, rel_tol=1e-15)
    return bool(one == two)


def both(spark: Any, sql: str) -> tuple[list[Any], list[Any]]:
    duck = [tuple(float(x) if type(x).__name__ == "Decimal" else x for x in row) for row in database.empty().execute(sql).fetchall()]
    return duck, [tuple(row) for row in spark.sql(dialect.translate(sql)).collect()]


@needs_spark
@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_known_difference(spark: Any, name: str) -> None:
    duck, other = both(spark, f"SELECT i, {DIFFERENCES[name]} AS x FROM ({INPUT}) ORDER BY i, j")
    assert len(duck) == len(other) == 9
    assert [(a, b) for a, b in zip(duck, other, strict=True) if not all(map(same, a, b))] == []


@needs_spark
@pytest.mark.parametrize("name", AGGREGATES)
def test_an_aggregate(spark: Any, name: str) -> None:
    (duck,), (other,) = both(spark, f"SELECT {AGGREGATES[name]} AS x FROM ({INPUT})")
    assert same(duck[0], other[0]), (duck, other)


@needs_spark
@pytest.mark.parametrize("order", ["s", "s DESC", "a", "a DESC", "i NULLS FIRST"])
def test_null_has_one_place_in_an_order(spark: Any, order: str) -> None:
    duck, other = both(spark, f"SELECT {order.split()[0]} AS x FROM ({INPUT}) ORDER BY {order}")
    assert [str(r) for r in duck] == [str(r) for r in other]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT TRY_CAST(s AS BIGINT)",
        "SELECT CAST(a / b AS VARCHAR)",
        "SELECT CONCAT(a * 2, 'x')",
        "SELECT CEIL(a, 2)",
        "SELECT APPROX_QUANTILE(a, 0.5) FROM t",
    ],
)
def test_what_has_no_equal_is_refused(sql: str) -> None:
    with pytest.raises(dialect.NotTranslated):
        dialect.translate(sql)


def test_every_view_and_rule_translates(package: Package) -> None:
    for view in catalog.views(package.views):
        assert dialect.translate(view.sql)
    for rule in (*model.load(package.validators), *form.rules(package)):
        if rule.sql is not None:
            assert dialect.translate(rule.sql)


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spark") / "wrong.parquet"
    generate.generate(4000, path, mistakes=0.4)
    return path


def keys(report: check.Report) -> Counter[str]:
    return Counter(json.dumps(sinks.plain(f) | {"file": None}, sort_keys=True) for f in report.findings)


@needs_spark
def test_finding_for_finding(spark: Any, package: Package, wrong: Path, tmp_path: Path) -> None:
    """On the session that the fixture holds, so that an existing session is tried too."""
    expected = check.check_bulk(package, wrong, check.Options())
    assert len({f.code for f in expected.findings}) > 12
    found = engine.check_bulk(package, str(wrong), check.Options(), fleet.Plan())
    assert (found.rows, found.bounded, found.counts) == (expected.rows, expected.bounded, expected.counts)
    assert keys(found) == keys(expected)
    # The same rows as CSV, with the rules of one family.
    database.empty().execute(f"COPY (FROM read_parquet('{wrong}')) TO '{tmp_path / 'wrong.csv'}' (HEADER true)")
    some = check.Options(select="F,W", strict=True)
    assert keys(engine.check_bulk(package, str(tmp_path / "wrong.csv"), some, fleet.Plan())) == keys(check.check_bulk(package, wrong, some))


@needs_spark
def test_a_row_without_a_name_cannot_be_numbered(spark: Any, package: Package, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("card,tok_s\nrtx-3090,5\n")
    with pytest.raises(bulk.BulkError, match="no column record"):
        engine.check_bulk(package, str(tmp_path / "rows.csv"), check.Options(), fleet.Plan())


@needs_spark
@pytest.mark.parametrize(("rows", "said"), [("a,2.5,5\n", "whole number"), ("a,1,fast\n", "cannot be read")])
def test_a_value_of_another_type_stops_the_check(spark: Any, package: Package, tmp_path: Path, rows: str, said: str) -> None:
    (tmp_path / "rows.csv").write_text("record,n_cards,tok_s\n" + rows)
    with pytest.raises(bulk.BulkError, match=said):
        engine.check_bulk(package, str(tmp_path / "rows.csv"), check.Options(), fleet.Plan())


def test_without_pyspark_there_is_a_clear_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    (tmp_path / "rows.csv").write_text("record,card\na,rtx-3090\n")
    result = CliRunner().invoke(cli, ["check", "--engine", "spark", str(tmp_path / "rows.csv")])
    assert result.exit_code == 2
    assert "Spark is not installed: `pip install cardbook[spark]`" in result.output


def test_without_java_there_is_a_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(engine.SparkAbsent, match="Java 17"):
        engine._find_java()


def test_another_engine_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("record,card\na,rtx-3090\n")
    result = CliRunner().invoke(cli, ["check", "--engine", "sparkle", str(tmp_path / "rows.csv")])
    assert result.exit_code == 2 and "no engine 'sparkle'" in result.output


def test_the_master_stands_behind_a_colon() -> None:
    assert engine.master_of("spark") is None
    assert engine.master_of("spark:spark://host:7077") == "spark://host:7077"
