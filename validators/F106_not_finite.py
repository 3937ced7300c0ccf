# code: F106
# slug: not-finite
# severity: error
# over: document
# asserts: Every number is finite.
# message: {field}: found {actual}, wanted {limit}
# fix: leave the key out where nothing was measured
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled

WANTED = {"not-finite": ("a finite number of at most 40 characters", "leave the key out where nothing was measured")}


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    for kind, pointer, found in document.problems:
        if kind in WANTED:
            yield Problem("", pointer, found, *WANTED[kind])
