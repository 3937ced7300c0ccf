"""The oracle that judges mutants of the SQL, and the checker on a share of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardbook.package import locate
from tests.test_unitcheck import RIGHT, TABLES

SCRIPTS = Path(__file__).resolve().parents[1] / "scripts"


@pytest.fixture(scope="module")
def scripts() -> Iterator[Any]:
    sys.path.insert(0, str(SCRIPTS))
    try:
        import mutate_sql_units

        yield mutate_sql_units
    finally:
        sys.path.remove(str(SCRIPTS))


def places(scripts: Any, sql: str) -> tuple[Any, list[Any]]:
    import sqlglot
    from scaling_oracle import Oracle

    oracle = Oracle(["byte", "token", "second", "watt", "bit"])
    walk = scripts.Walk(TABLES, oracle)
    walk.query(sqlglot.parse_one(sql, read="duckdb"))
    return oracle, walk.places


@pytest.mark.parametrize(
    ("expression", "right", "powers"),
    [
        ("toks / t", True, {"token": 1, "second": -1}),
        ("size + toks", False, None),
        ("size + other_size", True, {"byte": 1}),
        ("SQRT(size * other_size)", True, {"byte": 1}),
        ("POWER(1 - ratio, n)", True, {}),
        ("POWER(1 - ratio, toks)", False, None),
        ("LN(size)", False, None),
        ("CASE WHEN ok THEN size ELSE 0 END", True, {"byte": 1}),
        ("CASE WHEN ok THEN size ELSE toks END", False, None),
        ("COALESCE(size, other_size, 0) / t", True, {"byte": 1, "second": -1}),
        ("GREATEST(size, toks)", False, None),
        ("t > toks / rate", True, None),
        ("t > toks", False, None),
        ("NULLIF(size, toks)", False, None),
        ("CONCAT(record, size + toks)", False, None),
        ("size * 8", True, {"byte": 1}),
        ("power * t = energy AND size > 0", True, None),
    ],
)
def test_the_oracle_finds_the_powers_by_computing(scripts: Any, expression: str, right: bool, powers: dict[str, float] | None) -> None:
    oracle, (place,) = places(scripts, f"SELECT {expression} FROM m")
    found, value = oracle.verdict(place.node, place.relations)
    assert found == right
    if right:
        assert value == powers


def test_what_the_checker_passes_the_oracle_passes(scripts: Any) -> None:
    from scaling_oracle import Undecided

    decided = 0
    for sql, _ in RIGHT:
        try:
            oracle, found = places(scripts, sql)
            verdicts = [oracle.verdict(p.node, p.relations)[0] for p in found]
        except (Undecided, KeyError, AttributeError):
            # The oracle knows the SQL of the views and little more.
            continue
        decided += 1
        assert all(verdicts), sql
    assert decided > 12


def test_a_share_of_the_mutants_of_the_package_is_caught(scripts: Any) -> None:
    found = scripts.run(locate(Path(__file__)), seed=7, sample=0.1, only=lambda file: any(part in file for part in ("020_", "120_", "150_", "C10", "M10")))
    changing = [m for m in found if m.changes]
    missed = [m for m in changing if not m.caught]
    assert len(changing) > 30
    assert len(missed) <= 0.05 * len(changing), missed
    assert "| all |" in scripts.table(found)
