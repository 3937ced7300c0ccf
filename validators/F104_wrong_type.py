# code: F104
# slug: wrong-type
# severity: error
# over: document
# asserts: Every value has the type, form and range that its schema gives.
# message: {field}: found {actual}, wanted {limit}
# fix: mend the value
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    yield from (p for p in compiled.problems if p.code == "F104")
