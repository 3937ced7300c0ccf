"""The suite over whole sets of rows: every hand-written threshold can fail, a missing
dependency is no pass, the pages load nothing.

Where Great Expectations is not installed the tests that need it are skipped; `make
expectations` installs it.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import subprocess
import sys
from datetime import date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

import cardbook
from cardbook import schema
from cardbook.package import Package, locate
from cardbook.tables import build
from cardbook.views import database
from tests import small
from tests.shell import ROOT

sys.path.insert(0, str(ROOT / "validators"))

from expectations import docs, drift, frames, generated, model, run, runner, suite

pytestmark = pytest.mark.filterwarnings("ignore")
PACKAGE = locate(Path(__file__))
RUN = ROOT / "validators" / "expectations" / "run.py"


def newest() -> date:
    found = cardbook.connect().execute("SELECT MAX(LEFT(measured_on, 10)) FROM recipes WHERE LENGTH(measured_on) >= 10").fetchone()
    assert found
    return date.fromisoformat(found[0]) + timedelta(days=1)


@pytest.fixture(scope="module")
def great_expectations() -> None:
    try:
        run.require("pandas")
    except run.Missing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def package(tmp_path: Path) -> Package:
    made = small.make(tmp_path / "package")
    build.write(made, build.compile_package(made))
    return made


@lru_cache(maxsize=1)
def by_hand() -> list[model.Judged]:
    """The sets judged by hand on the corpus, and against itself as the earlier release."""
    db = database.connect(PACKAGE)
    return [*suite.judged(db, PACKAGE, newest()), generated.keys(PACKAGE), *drift.judged(db, PACKAGE, PACKAGE.root)]


#: Quantiles out of their range on either side.
OUTSIDE: list[tuple[dict[str, Any], str]] = [
    ({"best": 1.0001}, "best"), ({"q10": 1e-6}, "q10"), ({"q50": 0.0005}, "q50"), ({"q50": 0.93}, "q50"), ({"q90": 0.01}, "q90"), ({"q90": 0.98}, "q90"),
]  # fmt: skip
#: Set of rows → (what its first row is made to say, the column whose expectation must then
#: fail; of a pair, the one that should be the greater).
DOCTORED: dict[str, list[tuple[dict[str, Any], str]]] = {
    **{f"wall-{phase}": OUTSIDE for phase in suite.RANGES},
    "wall-overall": [({"q50": 1e-3}, "q50"), ({"q50": 0.6}, "q50_most"), ({"q90": 1e-3}, "q90"), ({"q90": 0.99}, "q90_most")],
    "sources": [({"share_of_measurements": 0.51}, "share_of_measurements"), ({"share_of_recipes": 0.51}, "share_of_recipes")],
    "freshness": [
        ({"newest": None}, "newest"), ({"days_since_newest": 271.0}, "days_since_newest"), ({"dated_share": 0.1}, "dated_share"),
        ({"unreadable": 1.0}, "unreadable"), ({"in_the_future": 1.0}, "in_the_future"),
    ],
    "keys": [({"dangling": 1.0}, "dangling")],
    "drift-counts": [({"now": 0.0, "before": 1.0}, "now"), ({"vanished": 1.0}, "vanished")],
    "drift-walls": [({"mean_moved": 0.16}, "mean_moved"), ({"corrections_moved": 0.021}, "corrections_moved")],
    "drift-nulls": [({"risen": 0.11}, "risen")],
}  # fmt: skip


def column_of(arguments: dict[str, Any]) -> str:
    """The column that an expectation is about; of a pair, the one that should be the greater."""
    return str(arguments.get("column") or arguments.get("column_A", "rows"))


def doctored(found: dict[str, model.Judged]) -> list[tuple[model.Judged, str]]:
    """Each set with one value of one row changed, and the column whose expectation must fail."""
    cases = []
    for name, changes in DOCTORED.items():
        for n, (change, column) in enumerate(changes):
            rows = found[name].rows.copy()
            for key, value in change.items():
                rows[key] = rows[key].astype("object") if value is None else rows[key]
                rows.loc[rows.index[0], key] = value
            cases.append((model.Judged(f"{name}-{n}", name, rows, found[name].expects, found[name].index), column))
    for key in suite.NULLS:
        rows = found["nulls"].rows.copy()
        here = (rows["relation"] == key[0]) & (rows["column_name"] == key[1]) & (rows["tier"] == key[2]) & (rows["phase"] == key[3])
        if here.any():
            rows.loc[here, "share_null"] = suite.NULLS[key][0] + 0.001
            cases.append((model.Judged(f"nulls-{'-'.join(key)}", "nulls", rows, found["nulls"].expects, found["nulls"].index), "most_null"))
    for name, judged in found.items():
        if any(e.kind == "ExpectTableRowCountToBeBetween" for e in judged.expects):
            cases.append((model.Judged(f"{name}-empty", name, judged.rows.iloc[:0], judged.expects, judged.index), "rows"))
    return cases


def failed_columns(failures: list[runner.Failure], name: str) -> set[str]:
    return {column_of(f.arguments) for f in failures if f.judged == name}


def test_every_threshold_can_fail(great_expectations: None, tmp_path: Path) -> None:
    found = {j.name: j for j in by_hand()}
    cases = doctored(found)
    _, failures = runner.run([case for case, _ in cases], "pandas", "doctored", newest(), tmp_path / "docs")
    reached = set()
    for case, column in cases:
        failed = failed_columns(failures, case.name)
        # Nothing is known of no rows, so that other expectations may hold or not.
        assert column in failed if column == "rows" else failed == {column}, (case.name, failed)
        reached |= {(case.title, c) for c in failed}
    stated = {(j.name, column_of(e.arguments)) for j in found.values() for e in j.expects}
    assert stated - reached == set(), "an expectation that no doctored rows make fail"


def test_the_schemas_reach_every_column(great_expectations: None, tmp_path: Path, package: Package) -> None:
    """A table whose text breaks a type, an enumeration, a pattern, a key and the order of columns."""
    path = package.tables / "measurements.csv"
    header, first, _ = path.read_text().splitlines()
    names = header.split(",")
    cells = dict(zip(names, first.split(","), strict=True))
    broken = {**cells, "phase": "idle", "tok_s": "-4867", "prompt_tokens": "12 tokens", "recipe": "", "measurement": "Two Words"}
    path.write_text("\n".join([header, first, first, ",".join(broken[n] for n in names)]) + "\n")
    table = schema.load(package.table_schemas)["measurements"]
    rows = database.empty().execute(f"SELECT * FROM {generated.as_text(path)}").df()
    bounds = [b for b in generated.bounds(package) if b.name == "bounds-measurements"]
    judged = model.Judged("table-measurements", table.title, rows, generated.of_table(table), table.primary_key)
    swapped = model.Judged("swapped", "swapped", rows[[names[1], names[0], *names[2:]]], generated.of_table(table)[:1])
    _, failures = runner.run([judged, swapped, *bounds], "pandas", "broken", date(2026, 1, 1), tmp_path / "docs")
    assert failed_columns(failures, "table-measurements") == {"rows", "phase", "prompt_tokens", "recipe", "measurement"}
    assert [f.kind for f in failures if f.judged == "table-measurements" and "column" not in f.arguments] == ["expect_compound_columns_to_be_unique"]
    assert [f.kind for f in failures if f.judged == "swapped"] == ["expect_table_columns_to_match_ordered_list"]
    assert failed_columns(failures, "bounds-measurements") == {"tok_s"}


def test_every_reason_is_stated() -> None:
    for judged in by_hand():
        assert judged.expects and all(len(e.reason) > 5 for e in judged.expects), judged.name
    assert all(reason for _, reason in suite.NULLS.values())


def test_limits_name_columns_that_exist() -> None:
    known = {r.name: set(r.columns) for r in frames.relations(PACKAGE)}
    assert [key for key in suite.NULLS if key[1] not in known[key[0]]] == []


def test_frames_of_two_measurements(package: Package) -> None:
    db = database.connect(package)
    decode = frames.walls(db, "decode").to_dict("records")
    # 131.55 tok/s of the small package; ten rows make a quantile, one does not.
    ((fraction,),) = db.execute("SELECT 131.55 / wall_tok_s FROM efficiency WHERE phase = 'decode'").fetchall()
    assert [(r["card"], r["measurements"], r["best"]) for r in decode] == [("rtx-3090", 1.0, pytest.approx(fraction))]
    assert decode[0]["q50"] != decode[0]["q50"]
    assert frames.shares(db).to_dict("records") == [
        {"origin": "physics", "recipes": 1.0, "measurements": 2.0, "share_of_recipes": 1.0, "share_of_measurements": 1.0}
    ]
    nulls = {(r["relation"], r["column_name"], r["phase"]): r["share_null"] for r in frames.nulls(db, package).to_dict("records")}
    assert nulls["recipes", "driver", ""] == 0 and nulls["recipes", "measured_on", ""] == 1
    assert nulls["measurements", "prompt_tokens", "prefill"] == 0 and nulls["measurements", "prompt_tokens", "decode"] == 1


@pytest.mark.parametrize(
    ("written", "newest", "days", "unreadable", "future"),
    [
        ("2026-03-01", "2026-03-01", 9, 0, 0),
        ("2026-03", "2026-03-01", 9, 0, 0),
        ("2025", "2025-01-01", 433, 0, 0),
        ("2026-03-11", "2026-03-11", -1, 0, 1),
        ("in March", None, None, 1, 0),
    ],
)
def test_freshness_reads_what_sources_write(package: Package, written: str, newest: str | None, days: float | None, unreadable: int, future: int) -> None:
    small.put(package, "recipes/rtx-3090/one/recipe.json", small.recipe(measured_on=written))
    build.write(package, build.compile_package(package))
    (row,) = frames.freshness(database.connect(package), date(2026, 3, 10)).to_dict("records")
    assert (row["unreadable"], row["in_the_future"]) == (unreadable, future)
    assert (row["newest"], row["days_since_newest"]) == (newest, days) or (newest is None and row["dated_share"] == 0)


def test_drift_sees_what_vanished_and_moved(package: Package, tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    for path in package.tables.glob("*.csv"):
        (old / path.name).write_bytes(path.read_bytes())
    # The earlier release lacks a column, has one recipe more, and a decode rate of half.
    text = (old / "recipes.csv").read_text().splitlines()
    header = text[0].split(",")
    at = header.index("throttled")
    rows = [line.split(",") for line in text]
    gone = ["gone" if n == 0 else cell for n, cell in enumerate(rows[1])]
    (old / "recipes.csv").write_text("\n".join(",".join(c for n, c in enumerate(r) if n != at) for r in [*rows, gone]) + "\n")
    (old / "measurements.csv").write_text((old / "measurements.csv").read_text().replace("131.55", "65.775"))
    found = {j.name: j.rows for j in drift.judged(database.connect(package), package, old)}
    counts = {r["table"]: (r["before"], r["now"], r["vanished"]) for r in found["drift-counts"].to_dict("records")}
    assert counts["recipes"] == (2, 1, 1) and counts["cards"] == (1, 1, 0)
    moved = {r["phase"]: r["corrections_moved"] for r in found["drift-walls"].to_dict("records")}
    (best,) = frames.walls(database.connect(package), "decode")["best"]
    assert moved["prefill"] == 0 and moved["decode"] == pytest.approx(best / 2)


def test_drift_needs_a_release(package: Package, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"recipes\.csv"):
        frames.earlier(package, tmp_path)


@pytest.mark.parametrize(
    ("engine", "absent", "there", "said"),
    [
        ("pandas", {"great_expectations"}, set(), "great-expectations is not installed"),
        ("pandas", {"pandas"}, set(), "pandas is not installed"),
        ("pandas", {"grpc"}, {"pyspark", "great_expectations"}, "without grpcio"),
        ("spark", {"grpc"}, {"pyspark", "great_expectations"}, "without grpcio"),
        ("spark", {"pyspark"}, {"great_expectations"}, "needs pyspark"),
    ],
)
def test_what_is_missing_is_exit_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], engine: str, absent: set[str], there: set[str], said: str
) -> None:
    real = importlib.util.find_spec

    def find(name: str) -> Any:
        return None if name in absent else object() if name in there else real(name)

    monkeypatch.setattr(importlib.util, "find_spec", find)
    assert run.main(["--engine", engine]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("stopped", [SystemExit(0), ImportError("no module named x")])
def test_an_import_that_ends_the_interpreter_is_exit_2(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], stopped: BaseException) -> None:
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in ("pyspark", "grpc") else real(name) or object())

    def end(name: str) -> None:
        raise stopped

    monkeypatch.setattr(importlib, "import_module", end)
    assert run.main([]) == 2
    assert "great_expectations" in capsys.readouterr().err


def test_a_stop_in_the_middle_is_exit_2(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(_: Any) -> int:
        raise SystemExit(0)

    monkeypatch.setattr(run, "require", lambda engine: None)
    monkeypatch.setattr(run, "judge", stop)
    assert run.main([]) == 2


def test_a_page_loads_nothing() -> None:
    page = """<html><head><link rel="stylesheet" href="https://cdn.example/x.css"><script src="https://cdn.example/x.js"></script>
    <style>@import url(https://cdn.example/y.css);</style></head><body><img src="https://cdn.example/logo.png"><a href="https://example.org/">a name</a>
    <p id="0b8f1b0e-7a34-4a55-9a39-0d6f0f7a4f10">20260102T030405.678901Z</p></body></html>"""
    made = docs.offline(page, "../offline.css", date(2026, 1, 2))
    assert "http" not in made and 'href="../offline.css"' in made and "a name" in made
    assert 'id="id-1"' in made and "20260102T000000.000000Z" in made


@pytest.fixture(scope="module")
def corpus_docs(great_expectations: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    out = tmp_path_factory.mktemp("docs") / "out"
    command = [sys.executable, str(RUN), "--previous", str(ROOT), "--today", newest().isoformat(), "--package", str(ROOT), "--out", str(out)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600), out


def test_the_corpus_holds(corpus_docs: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    done, _ = corpus_docs
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 failed" in done.stdout


def test_the_pages_are_readable_offline(corpus_docs: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    _, out = corpus_docs
    pages = sorted(out.rglob("*.html"))
    assert len(pages) > 50
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|link|img|iframe|source)\b[^>]*(?:src|href)=[\"']?([^\"' >]+)", text)
        assert loaded and all((page.parent / target).is_file() for target in loaded), page
        assert "<script" not in text and not re.search(r"(?:src|href|url\()=?[\"']?https?:", text), page
    index = (out / "index.html").read_text(encoding="utf-8")
    targets = re.findall(r'<a href="([^"]+)"', index)
    assert len(targets) >= 28 and all((out / t).is_file() for t in targets)
    assert suite.WHY_MEDIAN.split(";")[0] in index.replace("&#x27;", "'")


def test_a_bad_corpus_is_exit_1(great_expectations: None, package: Package, tmp_path: Path) -> None:
    """The small package has one source and two rows: sound row by row, and no corpus."""
    done = subprocess.run(
        [sys.executable, str(RUN), "--package", str(package.root), "--out", str(tmp_path / "out")], capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 1, done.stderr
    assert "sources:" in done.stdout and "why" in done.stdout


def test_a_folder_with_other_files_is_not_emptied(great_expectations: None, package: Package, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("kept")
    assert run.main(["--package", str(package.root), "--out", str(tmp_path)]) == 2
    assert (tmp_path / "mine.txt").read_text() == "kept"
