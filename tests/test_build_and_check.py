"""Build and check on a small package: bytes that repeat, bad input, exit codes, atomic writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cardbook.package import Package
from cardbook.rules import check
from cardbook.tables import build
from tests import small
from tests.shell import sh


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Package]:
    made = small.make(tmp_path / "package")
    build.write(made, build.compile_package(made))
    yield made


def findings(package: Package) -> dict[str, list[check.Finding]]:
    report = check.check_package(package, check.Options())
    found: dict[str, list[check.Finding]] = {}
    for f in report.findings:
        found.setdefault(f.code, []).append(f)
    return found


def test_a_sound_package_has_no_error(package: Package) -> None:
    report = check.check_package(package, check.Options())
    assert [f for f in report.findings if f.severity == "error"] == []
    assert (report.rows, report.bounded) == (2, 2)
    assert sh("cardbook check", cwd=package.root).returncode == 0


def test_values_are_in_base_units(package: Package) -> None:
    line = (package.tables / "cards.csv").read_text().splitlines()
    card = dict(zip(line[0].split(","), line[1].split(","), strict=False))
    assert (card["memory_bytes"], card["memory_bandwidth_bytes_s"], card["board_power_w"]) == ("25769803776", "936000000000", "350")


def test_the_same_documents_give_the_same_bytes(package: Package, tmp_path: Path) -> None:
    other = small.make(tmp_path / "other")
    build.write(other, build.compile_package(other))
    for path in sorted(package.tables.glob("*.csv")):
        assert path.read_bytes() == (other.tables / path.name).read_bytes()
    assert package.descriptor.read_bytes() == other.descriptor.read_bytes()


def test_build_check_names_what_is_stale_and_the_command(package: Package) -> None:
    assert sh("cardbook build --check", cwd=package.root).returncode == 0
    small.put(package, "cards/rtx-3090.json", small.CARD | {"board_power": "360 W"})
    done = sh("cardbook build --check", cwd=package.root)
    assert done.returncode == 1 and "data/tables/cards.csv" in done.stdout and "cardbook build" in done.stderr
    assert {f.file for f in findings(package)["F109"]} == {"data/tables/cards.csv", "datapackage.json"}
    assert sh("cardbook build", cwd=package.root).returncode == 0
    assert sh("cardbook build --check", cwd=package.root).returncode == 0


def test_an_interrupted_build_leaves_the_old_tables(package: Package, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {p.name: p.read_bytes() for p in package.tables.glob("*.csv")}
    small.put(package, "cards/rtx-3090.json", small.CARD | {"board_power": "360 W", "name": "RTX 3090"})
    built = build.compile_package(package)
    writes = 0
    original = Path.write_bytes

    def fail(self: Path, data: bytes) -> int:
        nonlocal writes
        writes += 1
        if writes == 2:
            raise KeyboardInterrupt
        return original(self, data)

    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(KeyboardInterrupt):
        build.write(package, built)
    monkeypatch.undo()
    assert {p.name: p.read_bytes() for p in package.tables.glob("*")} == before


#: Other figures than those of the recipe that is there, so that nothing is a copy.
OTHER = [{**small.recipe()["measurements"][1], "rate": "120 tok/s"}]
BAD: dict[str, tuple[Any, str, str | None]] = {
    "not JSON": ('{"id": "bad",', "F101", None),
    "not UTF-8": (b'{"id": "b\xff"}', "F101", None),
    "50 MB": (b'{"id": "' + b"x" * 50_000_000 + b'"}', "F105", None),
    "10,000 levels": ("[" * 10_000 + "]" * 10_000, "F105", None),
    "a key twice": (json.dumps(small.recipe("bad"))[:-1] + ', "cards": 2}', "F107", "cards"),
    "NaN": (json.dumps(small.recipe("bad")).replace('"cards": 1', '"cards": NaN'), "F106", None),
    "an unknown key": (small.recipe("bad", gpu="3090"), "F102", "gpu"),
    "a size for a bandwidth": (small.recipe("bad", power_limit="936 GB", measurements=OTHER), "U101", "power_limit"),
    "Gb": (small.recipe("bad", measurements=[{**OTHER[0], "peak_memory": "20 Gb"}]), "U103", "measurements/0/peak_memory"),
    "M for mega": (small.recipe("bad", measurements=[{**OTHER[0], "peak_memory": "20 M"}]), "U103", "measurements/0/peak_memory"),
    "a path that leaves its folder": (small.recipe("bad", raw_output="../../../cards/rtx-3090.json", measurements=OTHER), "F108", "raw_output"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_finding_and_the_rest_is_checked(package: Package, name: str) -> None:
    content, code, field = BAD[name]
    small.put(package, "recipes/rtx-3090/bad/recipe.json", content)
    small.put(package, "recipes/rtx-3090/fast/recipe.json", small.recipe("fast", measurements=[{**small.recipe()["measurements"][1], "rate": "1315.5 tok/s"}]))
    errors = [f for f in check.check_package(package, check.Options(ignore="F109,W103")).findings if f.severity == "error"]
    own = [f for f in errors if f.file == "data/recipes/rtx-3090/bad/recipe.json"]
    assert [f.code for f in own] == [code], [f.message for f in own]
    assert own[0].field == field and own[0].actual and own[0].limit and own[0].fix
    assert [(f.code, f.record) for f in errors if f not in own] == [("W101", "fast/tg128")]


def test_a_wrong_dimension_of_a_card_names_its_line(package: Package) -> None:
    path = small.put(package, "cards/rtx-3090.json", small.CARD | {"memory_bandwidth": "936 GB"})
    found = findings(package)["U101"][0]
    line = next(i for i, text in enumerate(path.read_text().splitlines(), 1) if "memory_bandwidth" in text)
    assert (found.file, found.line, found.field) == ("data/cards/rtx-3090.json", line, "memory_bandwidth")


def test_a_submission_needs_no_build(package: Package) -> None:
    """A new card, source and recipe, checked on top of tables that do not know them."""
    small.put(package, "sources/new.json", small.SOURCE | {"id": "new"})
    small.put(package, "cards/rtx-3090-new.json", small.CARD | {"id": "rtx-3090-new", "source": "new"})
    path = small.put(package, "recipes/rtx-3090-new/two/recipe.json", small.recipe("two", card="rtx-3090-new"))
    done = sh(f"cardbook check {path.parent} --format json", cwd=package.root)
    report = json.loads(done.stdout)
    assert done.returncode == 0, report
    assert report["rows"] == report["bounded"] == 2
    # The recipe of the package with the same figures is on another card, so it is no copy.
    copy = small.put(package, "recipes/rtx-3090/copy/recipe.json", small.recipe("copy"))
    assert "D101" in sh(f"cardbook check {copy.parent}", cwd=package.root).stdout


def test_exit_codes(package: Package) -> None:
    assert sh("cardbook check nothing-here", cwd=package.root).returncode == 2
    assert sh("cardbook check --select Z", cwd=package.root).returncode == 2
    assert sh("cardbook frobnicate", cwd=package.root).returncode == 2
    small.put(package, "recipes/rtx-3090/bad/recipe.json", "{")
    done = sh("cardbook check --ignore F109", cwd=package.root)
    assert done.returncode == 1 and "F101" in done.stdout and done.stderr == ""


def test_what_was_found_once_is_found_again(package: Package) -> None:
    """The cache of compiled documents holds only those of which there is nothing to say."""
    small.put(package, "recipes/rtx-3090/one/recipe.json", small.recipe(command="llama-bench -m /home/somebody/x.gguf"))
    assert sh("cardbook build", cwd=package.root).returncode == 0
    for _ in range(2):
        assert "P107" in findings(package)
    for _ in range(2):
        assert "P107" in sh("cardbook check --select P", cwd=package.root).stdout


def test_an_exception_excuses_and_must_be_needed(package: Package) -> None:
    small.put(package, "recipes/rtx-3090/one/recipe.json", small.recipe(measurements=[{**small.recipe()["measurements"][1], "rate": "2 tok/s"}]))
    build.write(package, build.compile_package(package))
    assert [f.record for f in findings(package)["C110"]] == ["one/tg128"]
    small.put(package, "exceptions/rules.json", {"exceptions": [{"code": "C110", "record": "one/tg128", "reason": "a test"}]})
    assert "C110" not in findings(package)
    small.put(package, "exceptions/rules.json", {"exceptions": [{"code": "W101", "record": "one/tg128", "reason": "a test"}]})
    assert [f.record for f in findings(package)["F110"]] == ["one/tg128"]


def test_formats(package: Package) -> None:
    small.put(package, "recipes/rtx-3090/one/recipe.json", small.recipe(measurements=[{**small.recipe()["measurements"][1], "rate": "500 tok/s"}]))
    github = sh("cardbook check --format github --select W101", cwd=package.root).stdout.splitlines()
    assert len(github) == 1 and github[0].startswith("::error file=data/recipes/rtx-3090/one/recipe.json,line=") and "W101" in github[0]
    jsonl = [json.loads(x) for x in sh("cardbook check --format jsonl --select W101", cwd=package.root).stdout.splitlines()]
    assert [x["code"] for x in jsonl] == ["W101"] and jsonl[0]["actual"] == 500 and jsonl[0]["unit"] == "token/second"
    assert jsonl[0]["ratio"] == pytest.approx(500 / jsonl[0]["limit"])
    sarif = json.loads(sh("cardbook check --format sarif --select W101", cwd=package.root).stdout)
    result = sarif["runs"][0]["results"][0]
    assert sarif["version"] == "2.1.0" and result["ruleId"] == "W101" and result["locations"][0]["physicalLocation"]["region"]["startLine"] > 1
    assert {"W101", "F101"} <= {r["id"] for r in sarif["runs"][0]["tool"]["driver"]["rules"]}


def test_compiled_cells_are_no_formulas(package: Package) -> None:
    for path in package.tables.glob("*.csv"):
        for line in path.read_text().splitlines()[1:]:
            for cell in line.replace('"', "").split(","):
                assert not cell.startswith(("=", "+", "@", "\t")) and (not cell.startswith("-") or cell[1:2].isdigit()), (path.name, cell)


def test_a_link_is_no_document(package: Package, tmp_path: Path) -> None:
    folder = package.data / "recipes" / "rtx-3090" / "linked"
    folder.mkdir()
    (folder / "recipe.json").symlink_to("/etc/hostname")
    assert "data/recipes/rtx-3090/linked/recipe.json" in {f.file for f in findings(package)["F108"]}
