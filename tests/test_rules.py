"""Every rule on the named cases of its fixture: tests/fixtures/CODE.json."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from cardbook import schema
from cardbook.documents import strict
from cardbook.package import locate
from cardbook.rules import model, run
from cardbook.tables.rows import rows
from cardbook.views import catalog, database

FIXTURES = Path(__file__).parent / "fixtures"
PACKAGE = locate(Path(__file__))
RULES = {r.code: r for r in model.load(PACKAGE.validators)}
#: Rules about the package on disk have tests of their own.
ON_DISK = {r.code for r in RULES.values() if r.over == "files"}


@lru_cache(maxsize=128)
def fixture(code: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((FIXTURES / f"{code}.json").read_text())
    return content


CASES = [(code, case) for code in sorted(RULES) if code not in ON_DISK for case in fixture(code)["cases"]]


def test_every_rule_has_a_passing_and_a_failing_case() -> None:
    for code in set(RULES) - ON_DISK:
        names = list(fixture(code)["cases"])
        assert any(n.startswith("pass") for n in names) and any(n.startswith("fail") for n in names), code


def tables_db(overlay: dict[str, list[dict[str, Any]]], measured: list[dict[str, Any]] | None) -> Any:
    """The base tables of the fixtures, with rows of a case on top."""
    db = database.empty()
    base = json.loads((FIXTURES / "base.json").read_text())
    for name, table in schema.load(PACKAGE.table_schemas).items():
        database.create_table(db, table, None)
        found = base.get(name, []) + overlay.get(name, [])
        database.fill_rows(db, table, [dict.fromkeys(table.names) | row for row in found])
    for name in ("recipes", "measurements"):
        db.execute(f"CREATE VIEW known_{name} AS SELECT * FROM {name}")
    skip = frozenset()
    if measured is not None:
        relation = schema.Table("measured", "", "", catalog.view_fields(PACKAGE)["measured"], (), (), None, None, None, {})
        database.create_table(db, relation, None)
        database.fill_rows(db, relation, [dict.fromkeys(relation.names) | row for row in measured])
        skip = frozenset({"measured"})
    database.create_views(db, PACKAGE, skip=skip)
    return db


@pytest.mark.parametrize(("code", "case"), CASES, ids=[f"{c}: {n}" for c, n in CASES])
def test_case(code: str, case: str, tmp_path: Path) -> None:
    rule, content = RULES[code], fixture(code)["cases"][case]
    assert content["expect"] if case.startswith("fail") else not content["expect"]
    if rule.over == "document":
        found = len(document_findings(rule, content, tmp_path))
    else:
        db = tables_db(content.get("tables", {}), content.get("measured"))
        context = run.Context(PACKAGE)

        def nowhere(record: str | None, column: str | None) -> tuple[None, None, str | None]:
            return None, None, column

        findings = list((run.over_rows if rule.sql else run.over_package)([rule], db, context, nowhere))
        assert not any("the rule broke" in f.message for f in findings), findings
        for f in findings:
            assert "{" not in f.message and "unknown" not in f.message.replace("unknown-", ""), f.message
            assert f.fix and f.code == code
        found = sorted({str(f.record).removeprefix("") for f in findings})
        if rule.sql is None:
            found = sorted({r.partition("/")[0] if r not in content["expect"] else r for r in found})
    assert found == content["expect"]


def document_findings(rule: model.Rule, content: dict[str, Any], tmp_path: Path) -> list[Any]:
    """The findings of a document rule on recipes/rtx-3090/draft-1/recipe.json of the case."""
    folder = tmp_path / "recipes" / "rtx-3090" / "draft-1"
    folder.mkdir(parents=True)
    for name, text in content.get("files", {}).items():
        (folder / name).write_text(text)
    if "bytes" in content:
        data = bytes.fromhex(content["bytes"])
    elif "repeat" in content:
        before, unit, times, after = content["repeat"]
        data = (before + unit * times + after).encode()
    elif "text" in content:
        data = content["text"].encode()
    else:
        data = json.dumps(content["document"], indent=2).encode()
    path = folder / "recipe.json"
    path.write_bytes(data)
    document = strict.read(path, "recipe.json", "recipe")
    findings = run.over_document([rule], document, rows(document, PACKAGE.table_schemas), run.Context(PACKAGE))
    assert not any("the rule broke" in f.message for f in findings), findings
    return findings
