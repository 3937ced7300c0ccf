# code: U103
# slug: ambiguous-unit
# severity: error
# over: document
# asserts: No unit has two readings.
# message: {field}: found {actual}, wanted {limit}
# fix: write the unit out as the message says
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    yield from (p for p in compiled.problems if p.code == "U103")
