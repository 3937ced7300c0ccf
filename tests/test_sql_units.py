"""Every view and rule of the project is sound in its dimensions (U104), quickly reported."""

from __future__ import annotations

import json
from pathlib import Path

from cardbook.package import locate
from cardbook.rules.units import check_all
from cardbook.views.units import infer
from tests.shell import sh

PACKAGE = locate(Path(__file__))


def test_all_sql_is_sound() -> None:
    assert check_all(PACKAGE) == []


def test_ad_hoc_queries_get_their_units() -> None:
    found = infer(PACKAGE, "SELECT memory_bandwidth_bytes_s / memory_bytes AS sweeps, MAX(board_power_w) AS most FROM cards GROUP BY ALL")
    assert found == {"sweeps": "1/second", "most": "watt"}
    done = sh("""cardbook query --units "SELECT id, memory_bandwidth_bytes_s FROM cards WHERE id = 'rtx-3090'\"""")
    assert "[byte/s]" in done.stdout.splitlines()[0].replace("B/s", "byte/s")


def test_a_contributors_query_is_checked(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.sql", tmp_path / "bad.sql"
    good.write_text("SELECT checkpoint_bytes / bandwidth_bytes_s AS read_time\nFROM efficiency\n")
    bad.write_text("SELECT\n    checkpoint_bytes + prompt_tokens AS nothing,\n    checkpoint_bytes * 8 AS bits\nFROM efficiency\n")
    done = sh(f"cardbook query --check-units {good}")
    assert done.returncode == 0 and "read_time: second" in done.stdout
    done = sh(f"cardbook query --check-units {bad}")
    assert done.returncode == 1
    assert f"{bad}:2: error U104" in done.stdout and f"{bad}:3: error U104" in done.stdout


def test_json_names_its_units() -> None:
    done = sh("cardbook query --units --format json \"SELECT id, memory_bytes FROM cards WHERE id = 'rtx-3090'\"")
    content = json.loads(done.stdout)
    assert content == {"units": {"id": None, "memory_bytes": "byte"}, "rows": [{"id": "rtx-3090", "memory_bytes": 25769803776}]}


def test_every_unit_is_explained_in_a_line() -> None:
    lines = sh("cardbook list --units").stdout.splitlines()
    assert any(line.startswith("byte/second") for line in lines) and all(len(line.split(None, 1)) == 2 for line in lines[2:])
