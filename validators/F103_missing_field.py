# code: F103
# slug: missing-field
# severity: error
# over: document
# asserts: A document has every key that its schema requires.
# message: {field}: found {actual}, wanted {limit}
# fix: add the key
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    yield from (p for p in compiled.problems if p.code == "F103")
