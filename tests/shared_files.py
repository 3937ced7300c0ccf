"""Where tests find the public raw files, which are not part of this repository."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def shared_formats(*parts: str) -> Path:
    """A path under ../shared/formats; the test is skipped, and says so, where it is absent."""
    path = ROOT.parent.joinpath("shared", "formats", *parts)
    if not path.exists():
        pytest.skip(f"the public file ../shared/formats/{'/'.join(parts)} is absent")
    return path
