"""A bulk source larger than memory: part by part it says what the whole says at once."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cardbook import schema
from cardbook.cli.main import cli
from cardbook.findings import Finding
from cardbook.package import Package, locate
from cardbook.rules import check, fleet, form, model, rowwise, run, sinks
from cardbook.views import bulk, catalog, database
from tests.shell import ROOT

sys.path.insert(0, str(ROOT / "scripts" / "bench"))
import generate

ROW = {
    "card": "rtx-3090", "n_cards": 1, "parallelism": "none", "model": "llama-3.1-8b", "quant": "gguf-q4-k-m", "checkpoint_bytes": 4912898304, "kv_quant": "f16",
    "engine": "llama.cpp", "phase": "decode", "generated_tokens": 128, "depth_tokens": 0, "concurrency": 1, "tok_s": 131.55, "host_offload": "none",
    "speculation": "none",
}  # fmt: skip


@pytest.fixture(scope="module")
def package() -> Package:
    return locate(ROOT)


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rows drawn from the corpus, a third of them wrong in a way people are wrong."""
    path = tmp_path_factory.mktemp("bulk") / "wrong.parquet"
    generate.generate(6000, path, mistakes=0.35)
    return path


def save(folder: Path, *rows: dict[str, Any], name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def found(package: Package, path: Path, **options: Any) -> list[Finding]:
    return check.check_bulk(package, path, check.Options(**options)).findings


def keys(findings: list[Finding]) -> Counter[str]:
    return Counter(json.dumps(sinks.plain(f), sort_keys=True) for f in findings)


def one_by_one(package: Package, path: Path) -> list[Finding]:
    """Each rule by itself over every row, nothing left out beforehand."""
    db = database.empty()
    database.load_tables(db, package)
    bulk.create(db, package, path)
    database.create_views(db, package, skip=frozenset({"measured"}), materialize={"efficiency": None})
    rules = check.bulk_rules(package, check.Options())
    return list(run.over_rows(rules, db, run.Context(package), lambda record, column: (str(path), None, column)))


def test_parts_say_what_each_rule_says_of_the_whole(package: Package, wrong: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = keys(one_by_one(package, wrong))
    assert len({json.loads(k)["code"] for k in expected}) > 12
    assert keys(found(package, wrong)) == expected
    monkeypatch.setattr(fleet, "PART_ROWS", 701)
    monkeypatch.setattr(fleet, "FIRST_ROWS", 97)
    report = check.check_bulk(package, wrong, check.Options())
    assert keys(report.findings) == expected
    assert report.rows == 6000
    assert report.counts == Counter((f.code, f.slug, f.severity) for f in report.findings)


def test_every_rule_over_measured_rows_judges_a_row_by_itself(package: Package) -> None:
    tables = schema.load(package.table_schemas)
    rules = check.bulk_rules(package, check.Options())
    assert [r.code for r in rules if rowwise.condition(r, tables, "x") is None] == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT e.record FROM efficiency AS e INNER JOIN efficiency AS f ON e.card = f.card WHERE e.tok_s > f.tok_s",
        "SELECT e.record FROM efficiency AS e WHERE e.tok_s > (SELECT MAX(tok_s) FROM efficiency)",
        "SELECT e.card FROM efficiency AS e WHERE e.tok_s > 0 GROUP BY e.card",
        "SELECT e.record FROM efficiency AS e LEFT JOIN card_peaks AS p ON e.card = p.card WHERE p.path IS NULL",
        "SELECT e.record FROM efficiency AS e",
    ],
)
def test_a_rule_that_looks_at_other_rows_is_seen_as_such(package: Package, sql: str) -> None:
    from dataclasses import replace

    rule = replace(model.load(package.validators)[0], sql=sql)
    assert rowwise.condition(rule, schema.load(package.table_schemas), "x") is None


def test_csv_and_parquet_give_the_same(package: Package, tmp_path: Path, wrong: Path) -> None:
    db = database.empty()
    db.execute(f"COPY (FROM read_parquet('{wrong}')) TO '{tmp_path / 'wrong.csv'}' (HEADER true)")

    def without_file(findings: list[Finding]) -> Counter[tuple[Any, ...]]:
        return Counter((f.code, f.severity, f.record, f.field, f.message) for f in findings)

    assert without_file(found(package, tmp_path / "wrong.csv")) == without_file(found(package, wrong))


def test_a_folder_of_parquet_is_one_source(package: Package, tmp_path: Path, wrong: Path) -> None:
    folder = tmp_path / "fleet"
    folder.mkdir()
    db = database.empty()
    for part in range(2):
        db.execute(f"COPY (FROM read_parquet('{wrong}') WHERE hash(record) % 2 = {part}) TO '{folder / f'{part}.parquet'}' (FORMAT parquet)")
    (folder / "_SUCCESS").write_text("")
    counts = Counter((f.code, f.record) for f in found(package, folder))
    assert counts == Counter((f.code, f.record) for f in found(package, wrong))


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        ({"phase": "Decode"}, "F104", "phase"),
        ({"phase": None}, "F104", "phase"),
        ({"host_offload": "No"}, "F104", "host_offload"),
        ({"speculation": "yes"}, "F104", "speculation"),
        ({"n_cards": 0}, "F104", "n_cards"),
        ({"tok_s": 0}, "F104", "tok_s"),
        ({"depth_tokens": -1}, "F104", "depth_tokens"),
        ({"tok_s": 1e400}, "F106", "tok_s"),
    ],
)
def test_the_form_of_a_row_is_judged(package: Package, tmp_path: Path, change: dict[str, Any], code: str, field: str) -> None:
    path = save(tmp_path, ROW, {**ROW, **change}, ROW)
    assert [(f.record, f.severity) for f in found(package, path) if (f.code, f.field) == (code, field)] == [("2", "error")]


def test_a_row_cannot_call_itself_a_claim(package: Package, tmp_path: Path) -> None:
    too_large = {**ROW, "model": "llama-3.3-70b", "quant": "bf16", "checkpoint_bytes": 141107412992}
    codes = {f.code for f in found(package, save(tmp_path, {**too_large, "tier": "claim"}))}
    assert codes == {f.code for f in found(package, save(tmp_path, {**too_large, "tier": None}))} >= {"M101"}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("rows.csv", "card,n_cards,tok_s\nrtx-3090,1,5\nrtx-3090,2.5,5\n", "whole number"),
        ("rows.csv", "card,n_cards,tok_s\nrtx-3090,1,5\nrtx-3090,1,fast\n", "cannot be read"),
        ("rows.csv", "card,nodes\nrtx-3090,1\n", "'nodes' is not in the relation"),
        ("rows.csv", "nothing\n1\n", "'nothing' is not in the relation"),
        ("rows.jsonl", '{"card": "rtx-3090"\n', "cannot be read"),
        ("rows.parquet", "no parquet", "cannot be read"),
    ],
)
def test_what_is_no_source_stops_the_check(package: Package, tmp_path: Path, name: str, text: str, said: str) -> None:
    (tmp_path / name).write_text(text)
    out = tmp_path / "findings.jsonl"
    result = CliRunner().invoke(cli, ["check", str(tmp_path / name), "--out", str(out)])
    assert result.exit_code != 0
    assert said in str(result.output) + str(result.exception)
    assert list(tmp_path.iterdir()) == [tmp_path / name]


def test_numbers_of_unnamed_rows_run_on_over_parts(package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "FIRST_ROWS", 3)
    monkeypatch.setattr(fleet, "PART_ROWS", 4)
    rows = [{**ROW, "card": "no-such-card"} if number in (2, 9, 19) else ROW for number in range(1, 21)]
    assert [f.record for f in found(package, save(tmp_path, *rows), select="R101")] == ["19", "2", "9"]


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_out_holds_every_finding_and_text_a_few(package: Package, tmp_path: Path, wrong: Path, suffix: str) -> None:
    out = tmp_path / f"findings.{suffix}"
    result = CliRunner().invoke(cli, ["check", str(wrong), "--out", str(out), "--memory", "1GiB"])
    assert result.exit_code == 1
    expected = Counter((f.code, f.record, f.message) for f in found(package, wrong))
    if suffix == "jsonl":
        lines = [json.loads(line) for line in out.read_text().splitlines()]
    else:
        import pyarrow.parquet as pq

        lines = pq.read_table(out).to_pylist()
    assert Counter((f["code"], f["record"], f["message"]) for f in lines) == expected
    assert result.output.count(" W901 unbounded: ") == 3
    assert "6,000 measured rows" in result.output
    assert sorted(p.name for p in tmp_path.iterdir()) == [out.name]


def test_an_interrupted_check_leaves_nothing(package: Package, tmp_path: Path, wrong: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "findings.jsonl"
    monkeypatch.setattr(fleet, "FIRST_ROWS", 500)
    real, taken = fleet.Stage.take, []

    def take(self: fleet.Stage, part: Any) -> None:
        real(self, part)
        taken.append(part)
        assert (tmp_path / ".findings.jsonl.partial").stat().st_size > 0
        raise KeyboardInterrupt

    monkeypatch.setattr(fleet.Stage, "take", take)
    CliRunner().invoke(cli, ["check", str(wrong), "--out", str(out)])
    assert len(taken) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_condition_that_counts_otherwise_than_its_rule_is_an_error(package: Package, wrong: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet.Stage, "_narrow", lambda self, rule: f"SELECT * FROM ({rule.sql}) WHERE false")
    said = [f.message for f in found(package, wrong, select="R101")]
    assert said and "where the one pass counted" in said[0]


def test_form_rules_follow_the_table_schemas(package: Package) -> None:
    asked = {r.sql.split("'")[1] for r in form.rules(package) if r.sql}
    columns = catalog.view_fields(package)["measured"]
    assert {f.name for f in columns if f.type != "string"} <= asked
