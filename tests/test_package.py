"""The data package as its users meet it: frictionless, two lines of Python, a wheel."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import duckdb
import polars as pl
import pytest

import cardbook
from cardbook import schema
from cardbook.package import locate
from cardbook.views import catalog
from tests.shell import ROOT, sh

PACKAGE = locate(Path(__file__))
TABLES = schema.load(PACKAGE.table_schemas)


def test_frictionless_validates_the_package() -> None:
    done = sh("frictionless validate datapackage.json --json --skip-errors byte-count", timeout=600)
    report = json.loads(done.stdout)
    errors = [e for task in report["tasks"] for e in task["errors"]] + report["errors"]
    assert report["valid"] and done.returncode == 0, errors[:5]
    assert len(report["tasks"]) == len(TABLES)


def test_licence_and_version_stand_in_the_descriptor() -> None:
    descriptor = json.loads(PACKAGE.descriptor.read_text())
    assert [x["name"] for x in descriptor["licenses"]] == ["Apache-2.0"]
    assert descriptor["version"]


@pytest.mark.parametrize("name", sorted(TABLES))
def test_types_follow_from_the_table_schema(name: str) -> None:
    """The DuckDB table, the Polars frame and the document schema agree with the one definition."""
    table = TABLES[name]
    described = {r[0]: r[1] for r in cardbook.connect().execute(f'DESCRIBE "{name}"').fetchall()}
    assert described == {f.name: {"string": "VARCHAR", "number": "DOUBLE", "integer": "BIGINT", "boolean": "BOOLEAN"}[f.type] for f in table.fields}
    frame = cardbook.table(name)
    assert dict(frame.schema) == {f.name: {"string": pl.String, "number": pl.Float64, "integer": pl.Int64, "boolean": pl.Boolean}[f.type] for f in table.fields}
    kind = schema.kinds(PACKAGE.table_schemas)[str(table.document)]
    properties = schema.document_schema(kind)["properties"]
    written = json.loads((PACKAGE.document_schemas / f"{kind.name}.schema.json").read_text())["properties"]
    assert properties == written
    inner = properties if table.path is None else properties[table.path]["items"]["properties"]
    for f in table.fields:
        if f.key not in "-#" and f.level != "document":
            assert f.key in inner, f.name


@pytest.mark.parametrize("name", [v.name for v in catalog.views(PACKAGE.views)])
def test_every_view_column_is_described(name: str) -> None:
    described = {r[0]: r[1] for r in cardbook.connect().execute(f'DESCRIBE "{name}"').fetchall()}
    fields = catalog.view_fields(PACKAGE)[name]
    assert described == {f.name: f.duckdb_type for f in fields}
    assert all(f.description for f in fields)


def test_measured_has_the_columns_of_the_design() -> None:
    wanted = (
        "record tier card n_cards parallelism model quant checkpoint_bytes kv_quant engine engine_version backend phase prompt_tokens generated_tokens "
        "depth_tokens concurrency ubatch_tokens tok_s tok_s_per_stream tok_s_stddev total_tok_s request_rate_per_s duration_s ttft_s tpot_s e2e_s "
        "cached_prompt_tokens host_offload speculation draft_tokens acceptance_rate accepted_per_step peak_memory_bytes mean_power_w energy_j power_limit_w "
        "memory_clock_ratio prefill_cards decode_cards"
    )
    assert [f.name for f in catalog.view_fields(PACKAGE)["measured"]] == wanted.split()


def test_query_is_read_only() -> None:
    for sql in ("DROP TABLE cards", "SELECT 1; DROP TABLE cards", "COPY cards TO '/tmp/x'", "SELECT * FROM read_csv('/etc/passwd')", "ATTACH ':memory:' AS x"):
        done = sh(f'cardbook query "{sql}"')
        assert done.returncode == 2, (sql, done.stdout)


def test_wheel_alone_queries_and_validates(tmp_path: Path) -> None:
    """Installed in an environment of its own, outside the clone."""
    dist = tmp_path / "dist"
    subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", dist, ROOT], check=True)
    home = tmp_path / "venv"
    venv.create(home, with_pip=False, system_site_packages=False)
    site = next(home.glob("lib/python*/site-packages"))
    wheel = next(dist.glob("cardbook-*.whl"))
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site, wheel], check=True)
    # The dependencies come from the environment of the tests; the package itself does not.
    paths = subprocess.run(
        [sys.executable, "-c", "import duckdb, pathlib; print(pathlib.Path(duckdb.__file__).parent.parent)"], check=True, capture_output=True, text=True
    ).stdout.strip()
    (site / "dependencies.pth").write_text(paths + "\n")
    code = (
        "import cardbook; assert 'venv' in cardbook.__file__ and 'site-packages' in cardbook.__file__, cardbook.__file__; "
        "print(cardbook.connect().sql('SELECT COUNT(*) FROM efficiency').fetchall()[0][0], cardbook.table('cards').height)"
    )
    done = subprocess.run([home / "bin" / "python", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows, cards = map(int, done.stdout.split())
    assert rows == cardbook.connect().execute("SELECT COUNT(*) FROM efficiency").fetchone()[0] and cards == len(cardbook.table("cards"))
    bulk = subprocess.run(
        [home / "bin" / "python", "-m", "cardbook", "check", ROOT / "tests/golden/readme/fleet.csv"], cwd=tmp_path, capture_output=True, text=True
    )
    assert bulk.returncode == 0, bulk.stdout + bulk.stderr


def test_nothing_heavy_is_imported_with_the_package() -> None:
    heavy = ("duckdb", "polars", "pint", "jsonschema", "frictionless", "sqlglot", "pyarrow")
    code = f"import sys, cardbook, cardbook.cli.main; print(sorted(m for m in {heavy} if m in sys.modules))"
    assert sh(f'{sys.executable} -c "{code}"').stdout.strip() == "[]"


def test_architecture_lists_the_folders() -> None:
    listed = {line.split("`")[1].rstrip("/") for line in (ROOT / "ARCHITECTURE.md").read_text().splitlines() if line.startswith("| `")}
    tracked = sh("git ls-files").stdout.split()
    tops = {p.split("/")[0] for p in tracked if "/" in p} - {".github", ".ci", "cardbook"}
    inside = {"/".join(p.split("/")[:2]) for p in tracked if p.startswith("cardbook/") and p.count("/") > 1}
    assert listed == tops | inside


def test_the_query_of_the_readme_is_what_duckdb_says() -> None:
    sql = "SELECT COUNT(*) FROM recipes"
    done = sh(f'cardbook query "{sql}" --format csv')
    expected = duckdb.sql(f"SELECT COUNT(*) FROM read_csv('{PACKAGE.tables / 'recipes.csv'}', all_varchar = true)").fetchall()
    assert done.stdout.split()[-1] == str(expected[0][0])
