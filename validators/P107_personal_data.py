# code: P107
# slug: personal-data
# severity: error
# over: document
# asserts: No document holds names of people, hosts or home folders, addresses or serials.
# message: {field}: found {actual}, wanted {limit}
# fix: replace it by a placeholder
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    from cardbook.record.scrub import find_personal_data

    for pointer, text in _strings(document.value, ""):
        # Versions of four parts look like addresses.
        version = pointer.rpartition("/")[2] in ("driver", "tool_version", "engine_version", "os")
        for kind, found in find_personal_data(text):
            if version and kind == "network address":
                continue
            yield Problem("", pointer, f"{kind}: {found}", "no personal data", "replace it by a placeholder such as <path>")


def _strings(value: Any, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _strings(inner, f"{pointer}/{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _strings(inner, f"{pointer}/{index}")
