"""Every command block of README.md and CONTRIBUTING.md is run."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.shell import ROOT, blocks, sh

README = ROOT / "README.md"


@pytest.mark.parametrize("command", [b for b in blocks(README, "sh") if not b.startswith("make")])
def test_readme_command(command: str) -> None:
    done = sh(command)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()


def test_readme_python() -> None:
    for code in blocks(README, "python"):
        done = sh(f"{sys.executable} - <<'EOF'\n{code}\nEOF")
        assert done.returncode == 0, done.stderr
        assert "record" in done.stdout


def test_make_targets_of_the_readme_do_what_it_says() -> None:
    """`make check` runs the main job; `make test` the tests (not run here: it would run itself)."""
    assert [b for b in blocks(README, "sh") if b.startswith("make")] == ["make check", "make test"]
    venv = Path(sys.executable).parent.parent
    done = sh(f"make check VENV={venv}", timeout=600)
    assert "measured rows" in done.stdout
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    planned = sh(f"make -n test VENV={venv}")
    assert "-m pytest" in planned.stdout


def test_contributing_commands() -> None:
    shutil.rmtree(ROOT / "build" / "example", ignore_errors=True)
    for command in blocks(ROOT / "CONTRIBUTING.md", "sh"):
        done = sh(command)
        assert done.returncode == 0, command + done.stdout + done.stderr
    drafts = list((ROOT / "build" / "example").glob("*/recipe.json"))
    assert len(drafts) == 1 and (drafts[0].parent / "llama-bench.json").is_file()
    shutil.rmtree(ROOT / "build" / "example")
