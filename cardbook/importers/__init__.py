"""Importers: one module per benchmark tool, found by what is in this folder.

A module that offers `NAME`, `recognise` and `read` (see `base.Importer`) is an importer; there
is no list to keep.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from cardbook.importers.base import MAX_RAW_BYTES, RawOutput, Reading, Refused

__all__ = ["MAX_RAW_BYTES", "RawOutput", "Reading", "Refused", "importers", "load", "read", "recognise"]


@lru_cache(maxsize=1)
def importers() -> tuple[Any, ...]:
    """Every importer module, in the order of their names."""
    import importlib
    import pkgutil

    found = []
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        if all(hasattr(module, name) for name in ("NAME", "recognise", "read")):
            found.append(module)
    return tuple(found)


def load(path: Path) -> RawOutput:
    """Read a raw file within its size limit. Raises `Refused`."""
    try:
        size = path.stat().st_size
        if size > MAX_RAW_BYTES:
            raise Refused(f"{size} bytes", f"at most {MAX_RAW_BYTES}", "attach the summary of the run, not its per-request log")
        data = path.read_bytes()
    except OSError as error:
        raise Refused(error.strerror or str(error), "a readable file", "check the path") from error
    if not data.strip():
        raise Refused("an empty file", "the output of a benchmark tool", "run the benchmark again and keep its standard output")
    try:
        return RawOutput(path, data, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Refused(f"byte {data[error.start]:#04x} at offset {error.start}", "UTF-8 text", "keep the tool's text, CSV or JSON output") from error


def recognise(raw: RawOutput) -> list[Any]:
    """The importers that recognise the content."""
    return [module for module in importers() if module.recognise(raw)]


def read(path: Path, tool: str | None = None) -> list[Reading]:
    """What a raw file says. `tool` names the importer where the content alone does not tell.

    Raises `Refused` for a file that no importer, or more than one, recognises.
    """
    raw = load(path)
    if tool is not None:
        named = [m for m in importers() if tool == m.NAME]
        if not named:
            raise Refused(f"tool {tool!r}", "one of " + ", ".join(m.NAME for m in importers()), "name one of them")
        found = named
    else:
        found = recognise(raw)
    if not found:
        raise Refused("output of no tool that is known here", "one of " + ", ".join(m.NAME for m in importers()), "name it with --tool, or use `cardbook new`")
    if len(found) > 1:
        raise Refused("output that could be of " + " or ".join(m.NAME for m in found), "output of one tool", "name it with --tool, or split the file")
    readings: list[Reading] = found[0].read(raw)
    if not readings:
        raise Refused(f"no measurement in the output of {found[0].NAME}", "at least one", "run the benchmark to its end")
    return readings
