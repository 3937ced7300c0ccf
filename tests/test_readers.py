"""The release of the corpus, opened by each public reader in its own way."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cardbook import schema
from cardbook.package import Package, locate
from cardbook.release import build
from cardbook.views import catalog
from tests.shell import ROOT, blocks

#: Where `npm install @duckdb/duckdb-wasm` was run, and a Python with the oldest readers.
MODULES = Path(os.environ.get("CARDBOOK_NODE_MODULES", ROOT / "build" / "wasm" / "node_modules"))
OLDEST = Path(os.environ.get("CARDBOOK_OLDEST_PYTHON", ROOT / "build" / "oldest" / "bin" / "python"))


@pytest.fixture(scope="module")
def package() -> Package:
    return locate(ROOT)


@pytest.fixture(scope="module")
def release(package: Package, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build.release(package, tmp_path_factory.mktemp("release") / "cardbook", build.Request("2026-12-01"))


@pytest.fixture(scope="module")
def counts(package: Package, release: Path) -> dict[str, int]:
    """Rows by table, counted in the CSVs by hand."""
    import csv

    found = {}
    for name in schema.load(package.table_schemas):
        with (release / f"data/tables/{name}.csv").open(encoding="utf-8", newline="") as lines:
            found[name] = sum(1 for _ in csv.reader(lines)) - 1
    return found


def test_duckdb_two_lines_of_the_readme(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    monkeypatch.chdir(release)
    (pull,) = [b for b in blocks(ROOT / "README.md", "sql") if "ATTACH" in b]
    assert len(pull.splitlines()) == 2
    found = duckdb.connect().execute(pull).fetchall()
    assert len(found) > 20 and 0 < found[0][1] <= 1.0


def test_duckdb_has_every_table_and_view_with_comments(package: Package, release: Path, counts: dict[str, int]) -> None:
    import duckdb

    db = duckdb.connect(str(release / "cardbook.duckdb"), read_only=True)
    assert {n: db.execute(f'SELECT COUNT(*) FROM "{n}"').fetchall()[0][0] for n in counts} == counts
    assert {v.name for v in catalog.views(package.views)} == {r[0] for r in db.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall()}
    for name, fields in catalog.relations(package).items():
        described = dict(db.execute("SELECT column_name, comment FROM duckdb_columns() WHERE table_name = ?", [name]).fetchall())
        assert described == {f.name: f.description + (f" [{f.unit}]" if f.unit else "") for f in fields}


def test_polars(package: Package, release: Path, counts: dict[str, int]) -> None:
    import polars as pl

    for name, table in schema.load(package.table_schemas).items():
        frame = pl.read_parquet(release / f"parquet/{name}.parquet")
        assert dict(frame.schema) == schema.polars_schema(table)
        assert frame.height == counts[name]
        assert frame.equals(pl.read_csv(release / f"data/tables/{name}.csv", schema=schema.polars_schema(table)).sort(table.primary_key, nulls_last=True))
    best = pl.scan_parquet(release / "parquet/efficiency.parquet").filter(pl.col("phase") == "decode").select(pl.col("fraction_of_wall").max()).collect()
    assert 0 < best.item() <= 1.0


def test_pandas(release: Path, counts: dict[str, int]) -> None:
    pd = pytest.importorskip("pandas")
    for name, rows in counts.items():
        assert len(pd.read_parquet(release / f"parquet/{name}.parquet")) == rows
        assert len(pd.read_csv(release / f"data/tables/{name}.csv", low_memory=False)) == rows


def test_pyarrow_reads_types_units_and_order(package: Package, release: Path) -> None:
    import pyarrow.parquet as pq

    for name, fields in catalog.relations(package).items():
        path = release / f"parquet/{name}.parquet"
        if not path.exists():
            continue
        found = pq.read_schema(path)
        for f in fields:
            metadata = {k.decode(): v.decode() for k, v in (found.field(f.name).metadata or {}).items() if not k.startswith(b"PARQUET")}
            assert metadata == {"description": f.description, **({"unit": f.unit} if f.unit else {})}
        about = json.loads(found.metadata[b"cardbook"])
        group = pq.read_metadata(path)
        if group.num_row_groups:
            assert group.row_group(0).column(0).compression == "ZSTD"
            assert [found.names[c.column_index] for c in group.row_group(0).sorting_columns] == about["primaryKey"]


def test_frictionless_validates_the_descriptor(release: Path) -> None:
    frictionless = pytest.importorskip("frictionless")
    report = frictionless.validate(str(release / "datapackage.json"))
    assert report.valid, report.flatten(["title", "message"])[:5]


def test_duckdb_wasm_opens_csv_and_views(release: Path, counts: dict[str, int]) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on this machine: duckdb-wasm is not tried")
    if not (MODULES / "@duckdb" / "duckdb-wasm").is_dir():
        pytest.skip(f"no duckdb-wasm in {MODULES}: run `make wasm`")
    done = subprocess.run([node, ROOT / "tests/readers/wasm.mjs", release, MODULES], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    assert {n: said["counts"][n] for n in counts} == counts
    import duckdb

    db = duckdb.connect(str(release / "cardbook.duckdb"), read_only=True)
    views = [n for n in said["counts"] if n not in counts]
    assert {n: said["counts"][n] for n in views} == {n: db.execute(f'SELECT COUNT(*) FROM "{n}"').fetchall()[0][0] for n in views}
    assert said["wall"] == pytest.approx(db.execute("SELECT SUM(wall_tok_s) FROM efficiency").fetchall()[0][0], rel=1e-12)


def test_oldest_supported_readers(release: Path, counts: dict[str, int]) -> None:
    if not OLDEST.exists():
        pytest.skip(f"no Python with the oldest readers at {OLDEST}: run `make oldest`")
    done = subprocess.run([OLDEST, ROOT / "tests/readers/oldest.py", release], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    wanted = dict(line.split("==") for line in (ROOT / "tests/readers/oldest.txt").read_text().split())
    assert {name: said["versions"][name] for name in wanted if name in said["versions"]} == {n: v for n, v in wanted.items() if n in said["versions"]}
    for reader in ("duckdb", "polars", "pandas", "pyarrow"):
        assert said[reader] == counts
