# code: E102
# slug: raw-output-disagrees
# severity: error
# over: document
# asserts: The document says what the raw output says.
# message: {field}: found {actual}, wanted {limit}
# fix: take the value of the raw output, or attach the output of the run that the document describes
from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from cardbook import evidence
from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.importers.base import Reading, Refused
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled


def _readings(document: Document) -> list[Reading] | None:
    value = document.value if document.kind == "recipe" and isinstance(document.value, dict) else {}
    raw = value.get("raw_output")
    if value.get("tier") != "submitted" or not isinstance(raw, str) or PurePosixPath(raw).name != raw:
        return None
    path = document.path.parent / raw
    return evidence.read_again(path, value.get("tool")) if path.is_file() and not path.is_symlink() else None


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    try:
        readings = _readings(document)
    except Refused as refused:
        yield Problem("", "/raw_output", refused.found, refused.wanted, refused.fix)
        return
    if readings is None or not compiled.rows.get("recipes"):
        return
    keys = evidence.columns(context.package.table_schemas)
    for index, column, ours, theirs in evidence.differences(compiled.rows["recipes"][0], compiled.rows["measurements"], readings):
        if column:
            yield Problem("", f"/measurements/{index}/{keys[column]}", f"{ours!r}", f"{theirs!r}, as the raw output says", "take the value of the raw output")
        else:
            yield Problem(
                "",
                f"/measurements/{index}",
                f"a measurement {ours!r} that the raw output does not hold",
                "a measurement of this phase and shape",
                "attach the output of this run",
            )
