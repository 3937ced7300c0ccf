"""A release has every form, the same bytes each time, and a version that covers its changes."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from cardbook import schema
from cardbook.cli.main import cli
from cardbook.package import Package, locate
from cardbook.release import build, changes, diff, duckdbfile, version
from cardbook.tables import build as tables
from cardbook.views import catalog
from tests import small
from tests.shell import ROOT

REQUEST = build.Request("2026-12-01")


def built(folder: Path) -> Package:
    folder.mkdir()
    package = small.make(folder)
    tables.write(package, tables.compile_package(package))
    return package


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return built(tmp_path / "book")


def forget() -> None:
    """Schemas and views are read once a run; here they change."""
    for cached in (schema.load, schema.kinds, catalog.views, catalog._fields, catalog._relations):
        cached.cache_clear()


def rebuilt(package: Package, said: str | None = None) -> Package:
    forget()
    if said:
        descriptor = json.loads(package.descriptor.read_text())
        package.descriptor.write_text(json.dumps(descriptor | {"version": said}))
    tables.write(package, tables.compile_package(package))
    return package


def edit(path: Path, change: Callable[[Any], Any]) -> None:
    content = json.loads(path.read_text())
    path.write_text(json.dumps(change(content) or content))


def test_two_builds_are_the_same_bytes(package: Package, tmp_path: Path) -> None:
    one = build.release(package, tmp_path / "one" / "r", REQUEST)
    two = build.release(package, tmp_path / "two" / "r", REQUEST)
    names = sorted(p.relative_to(one).as_posix() for p in one.rglob("*") if p.is_file())
    assert names == sorted(p.relative_to(two).as_posix() for p in two.rglob("*") if p.is_file())
    assert [n for n in names if (one / n).read_bytes() != (two / n).read_bytes()] == []
    assert {"cardbook.duckdb", "parquet/efficiency.parquet", "croissant.json", "dataset.jsonld", "CITATION.cff", "SHA256SUMS", "CHANGES.md"} <= set(names)


def test_the_duckdb_file_differs_by_its_identity_alone_before_it_is_settled(package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duckdbfile, "settle", lambda path: None)
    contents = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        contents.append(duckdbfile.write(package, tmp_path / name).read_bytes())
    differing = {i for i, (a, b) in enumerate(zip(*contents, strict=True)) if a != b}
    assert differing
    assert differing <= set(range(*duckdbfile.CHECKSUM.indices(4096))) | set(range(*duckdbfile.IDENTITY.indices(4096)))


def test_a_file_of_another_layout_is_not_settled(tmp_path: Path) -> None:
    (tmp_path / "x.duckdb").write_bytes(bytes(8192))
    with pytest.raises(duckdbfile.StorageError):
        duckdbfile.settle(tmp_path / "x.duckdb")


def test_sums_find_what_was_touched(package: Package, tmp_path: Path) -> None:
    out = build.release(package, tmp_path / "r", REQUEST)
    assert build.verify(out) == []
    (out / "data/tables/cards.csv").write_text("changed")
    (out / "more.txt").write_text("")
    (out / "LICENSE").unlink(missing_ok=True)
    (out / "CITATION.cff").unlink()
    assert build.verify(out) == ["CITATION.cff: missing", "more.txt: not listed", "data/tables/cards.csv: changed"]


def test_descriptor_holds_hash_and_bytes_of_every_form(package: Package, tmp_path: Path) -> None:
    out = build.release(package, tmp_path / "r", REQUEST)
    said = json.loads((out / "datapackage.json").read_text())
    listed = {e["path"]: (e["bytes"], e["hash"]) for e in (*said["resources"], *said["cardbook:forms"])}
    there = [p for p in out.rglob("*") if p.suffix in (".csv", ".parquet", ".duckdb")]
    assert listed == {p.relative_to(out).as_posix(): (p.stat().st_size, "sha256:" + hashlib.sha256(p.read_bytes()).hexdigest()) for p in there}


def test_descriptions_point_at_what_is_there(package: Package, tmp_path: Path) -> None:
    out = build.release(package, tmp_path / "r", build.Request("2026-12-01", "https://example.org/cardbook"))
    croissant = json.loads((out / "croissant.json").read_text())
    assert croissant["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert croissant["datePublished"] == "2026-12-01"
    objects = {o["@id"]: o for o in croissant["distribution"]}
    for name, o in objects.items():
        assert o["sha256"] == hashlib.sha256((out / name).read_bytes()).hexdigest()
    ids = {f["@id"] for r in croissant["recordSet"] for f in r["field"]}
    for record_set in croissant["recordSet"]:
        for field in record_set["field"]:
            assert field["source"]["fileObject"]["@id"] in objects
            assert field.get("references", {"field": {"@id": next(iter(ids))}})["field"]["@id"] in ids
    dataset = json.loads((out / "dataset.jsonld").read_text())
    assert {d["contentUrl"] for d in dataset["distribution"]} == set(objects)
    assert any(
        v == {"@type": "PropertyValue", "name": "tok_s", "description": v["description"], "unitText": "token/second"} for v in dataset["variableMeasured"]
    )
    assert "date-released: 2026-12-01" in (out / "CITATION.cff").read_text()


def test_a_release_is_whole_or_not_there(package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(build.duckdbfile, "write", broken)
    with pytest.raises(RuntimeError):
        build.release(package, tmp_path / "out" / "r", REQUEST)
    assert list((tmp_path / "out").iterdir()) == []
    (tmp_path / "out" / "r").mkdir()
    with pytest.raises(build.ReleaseError, match="never written over"):
        build.release(package, tmp_path / "out" / "r", REQUEST)


def test_a_release_is_a_package(package: Package, tmp_path: Path) -> None:
    out = build.release(package, tmp_path / "r", REQUEST)
    assert diff.compare(package, diff.package_at(out)).changes == []
    assert locate(out).root == out


# What a change asks of the version.


def retire(package: Package) -> None:
    edit(package.data / "recipes/rtx-3090/one/recipe.json", lambda d: d | {"status": "retired", "retired_reason": "the card was another"})


def new_recipe(package: Package) -> None:
    rate = [{"name": "tg128", "phase": "decode", "generated_tokens": "128 tokens", "depth": "0 tokens", "concurrency": 1, "rate": "120 tok/s"}]
    small.put(package, "recipes/rtx-3090/two/recipe.json", small.recipe("two", measurements=rate))


def corrected(package: Package) -> None:
    edit(package.data / "cards/rtx-3090.json", lambda d: d | {"memory_bandwidth": "936.2 GB/s"})


def gone(package: Package) -> None:
    shutil.rmtree(package.data / "recipes/rtx-3090/one")


def column(package: Package, change: Callable[[list[dict[str, Any]]], None], table: str = "engines") -> None:
    edit(package.table_schemas / f"{table}.json", lambda d: change(d["fields"]))


def column_added(package: Package) -> None:
    column(package, lambda fields: fields.append({"name": "motto", "type": "string", "key": "motto", "description": "What it says"}))


def column_removed(package: Package) -> None:
    column(package, lambda fields: fields.remove(next(f for f in fields if f["name"] == "family")))


def column_retyped(package: Package) -> None:
    def change(fields: list[dict[str, Any]]) -> None:
        next(f for f in fields if f["name"] == "tok_s")["unit"] = "token/step"

    edit(package.view_schemas / "measured.json", lambda d: change(d["fields"]))


def view_removed(package: Package) -> None:
    next(package.views.glob("*_littles_law.sql")).unlink()


@pytest.mark.parametrize(
    ("change", "level", "said"),
    [
        (corrected, "patch", "memory_bandwidth_bytes_s: 936000000000 → 936200000000"),
        (new_recipe, "minor", "recipes/two"),
        (retire, "minor", "the card was another"),
        (column_added, "minor", "engines.motto"),
        (gone, "major", "recipes/one"),
        (column_removed, "major", "engines.family"),
        (column_retyped, "major", "number in token/second → number in token/step"),
        (view_removed, "major", "littles_law"),
    ],
)
def test_the_version_follows_from_the_change(tmp_path: Path, change: Callable[[Package], None], level: str, said: str) -> None:
    old, new = built(tmp_path / "old"), built(tmp_path / "new")
    change(new)
    rebuilt(new)
    difference = diff.compare(old, new)
    assert difference.level == level
    assert said in changes.as_text(difference)
    assert not difference.covered
    wanted = {"patch": "0.1.1", "minor": "0.2.0", "major": "1.0.0"}[level]
    assert str(difference.wanted) == wanted
    difference = diff.compare(old, rebuilt(new, wanted))
    assert difference.covered == (not difference.broken) == (change is not column_removed)


def test_a_column_goes_only_after_it_was_marked(tmp_path: Path) -> None:
    old, new = built(tmp_path / "old"), built(tmp_path / "new")
    column_removed(new)
    rebuilt(new, "1.0.0")
    assert diff.compare(old, new).broken == ["column engines.family is gone, but the version before did not mark it deprecated"]

    def mark(fields: list[dict[str, Any]]) -> None:
        next(f for f in fields if f["name"] == "family")["deprecated"] = {"since": "0.1.0", "use": "name"}

    column(old, mark)
    forget()
    assert diff.compare(old, new).covered


def test_a_release_whose_version_does_not_cover_is_refused(tmp_path: Path) -> None:
    package = built(tmp_path / "book")
    before = diff.package_at(build.release(package, tmp_path / "before", REQUEST))
    corrected(package)
    rebuilt(package)
    request = build.Request("2026-12-02", previous=before)
    with pytest.raises(build.ReleaseError, match=r"a patch change asks for 0\.1\.1 at least; the version does not cover it"):
        build.release(package, tmp_path / "after", request)
    assert not (tmp_path / "after").exists()
    rebuilt(package, "0.1.1")
    out = build.release(package, tmp_path / "after", request)
    assert "memory_bandwidth_bytes_s" in (out / "CHANGES.md").read_text()
    assert json.loads((out / "CHANGES.json").read_text())["covered"] is True


def test_a_retired_id_stays_resolvable_with_its_reason(tmp_path: Path) -> None:
    import duckdb

    package = built(tmp_path / "book")
    retire(package)
    out = build.release(rebuilt(package), tmp_path / "r", REQUEST)
    db = duckdb.connect()
    db.execute(f"ATTACH '{out / 'cardbook.duckdb'}' AS book (READ_ONLY)")
    db.execute("USE book")
    assert db.execute("SELECT status, retired_reason FROM recipes WHERE id = 'one'").fetchall() == [("retired", "the card was another")]
    assert db.execute("SELECT COUNT(*) FROM measurements WHERE recipe = 'one'").fetchall() == [(2,)]
    assert db.execute("SELECT COUNT(*) FROM measured WHERE record LIKE 'one/%'").fetchall() == [(0,)]


def test_diff_on_the_command_line(tmp_path: Path) -> None:
    old, new = built(tmp_path / "old"), built(tmp_path / "new")
    run = CliRunner()
    same = run.invoke(cli, ["diff", str(old.root), str(new.root), "--check"])
    assert (same.exit_code, same.output) == (0, "no change\n0.1.0 → 0.1.0: nothing asks for a new version\n")
    corrected(new)
    rebuilt(new)
    assert run.invoke(cli, ["diff", str(old.root), str(new.root)]).exit_code == 0
    assert run.invoke(cli, ["diff", str(old.root), str(new.root), "--check"]).exit_code == 1
    said = json.loads(run.invoke(cli, ["diff", str(old.root), str(new.root), "--format", "json"]).output)
    assert (said["level"], said["wanted"], len(said["changes"])) == ("patch", "0.1.1", 1)
    assert "- `cards/rtx-3090`" in run.invoke(cli, ["diff", str(old.root), str(new.root), "--format", "markdown"]).output


def test_versions() -> None:
    assert str(version.parse("1.4.10").next("minor")) == "1.5.0"
    assert version.parse("0.10.0") > version.parse("0.9.9")
    for text in ("1.4", "1.4.0-rc1", "v1.0.0", "01.0.0"):
        with pytest.raises(ValueError, match="is no version"):
            version.parse(text)


def test_the_newest_release_is_found_by_version(tmp_path: Path) -> None:
    for said in ("0.9.0", "0.10.0", "0.2.0"):
        (tmp_path / said).mkdir()
        (tmp_path / said / "datapackage.json").write_text(json.dumps({"version": said}))
    found = build.latest(tmp_path)
    assert found is not None and found.root.name == "0.10.0"
    assert build.latest(tmp_path / "nothing") is None


def test_release_on_the_command_line(package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(package.root)
    locate.cache_clear()
    run = CliRunner()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1764547200")
    made = run.invoke(cli, ["release"])
    assert made.exit_code == 0, made.output
    assert "date-released: 2025-12-01" in (package.root / "dist/cardbook-0.1.0/CITATION.cff").read_text()
    assert run.invoke(cli, ["release", "--verify", "dist/cardbook-0.1.0"]).output == "every file is as released\n"
    assert run.invoke(cli, ["release"]).exit_code == 1
    corrected(package)
    stale = run.invoke(cli, ["release", "--out", str(tmp_path / "again")])
    assert stale.exit_code == 2 and "is stale" in stale.output
    locate.cache_clear()


def test_the_corpus_can_be_released(tmp_path: Path) -> None:
    """The whole of it: the version in datapackage.json covers what changed since the last one."""
    package = locate(ROOT)
    before = build.latest(ROOT / "releases")
    if before is not None:
        assert diff.compare(before, package).covered
