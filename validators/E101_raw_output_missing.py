# code: E101
# slug: raw-output-missing
# severity: incomplete
# over: document
# asserts: A submitted recipe keeps the raw output of its tool beside it.
# message: {field}: found {actual}, wanted {limit}
# fix: keep the file that the tool wrote
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    if document.kind != "recipe" or not isinstance(document.value, dict) or document.value.get("tier") != "submitted":
        return
    raw = document.value.get("raw_output")
    if not isinstance(raw, str):
        yield Problem("", "/raw_output", "no raw output", "the file that the tool wrote, beside recipe.json", "add it and name it in raw_output")
    elif not (document.path.parent / raw).is_file():
        yield Problem("", "/raw_output", f"no file {raw!r} in the folder", "the file that the tool wrote", "add it to the folder")
