# code: F105
# slug: over-a-limit
# severity: error
# over: document
# asserts: Size, depth and number of values stay within their limits.
# message: {field}: found {actual}, wanted {limit}
# fix: make the document smaller
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled

WANTED = {
    "size": ("at most 1 MiB", "attach raw output as a file of its own beside the recipe"),
    "depth": ("at most 32 levels", "flatten the document"),
    "count": ("at most 200,000 values", "split the document"),
}


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    for kind, pointer, found in document.problems:
        if kind in WANTED:
            yield Problem("", pointer, found, *WANTED[kind])
