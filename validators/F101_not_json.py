# code: F101
# slug: not-json
# severity: error
# over: document
# asserts: A document is one JSON object in UTF-8.
# message: {field}: found {actual}, wanted {limit}
# fix: write one JSON object, in UTF-8
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled

WANTED = {
    "encoding": ("UTF-8 text", "save the file as UTF-8 without a byte order mark"),
    "syntax": ("one JSON object", "mend the JSON at the place named"),
    "unreadable": ("a readable file", "check the file"),
}


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    for kind, pointer, found in document.problems:
        if kind in WANTED:
            yield Problem("", pointer, found, *WANTED[kind])
