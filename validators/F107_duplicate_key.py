# code: F107
# slug: duplicate-key
# severity: error
# over: document
# asserts: No key stands twice in one object.
# message: {field}: found {actual}, wanted {limit}
# fix: keep one of the two
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled

WANTED = {"duplicate-key": ("each key once", "keep one of them")}


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    for kind, pointer, found in document.problems:
        if kind in WANTED:
            yield Problem("", pointer, found, *WANTED[kind])
