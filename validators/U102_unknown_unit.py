# code: U102
# slug: unknown-unit
# severity: error
# over: document
# asserts: Every unit is one that the registry knows.
# message: {field}: found {actual}, wanted {limit}
# fix: write a unit from `cardbook list units`
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    yield from (p for p in compiled.problems if p.code == "U102")
