# code: U101
# slug: wrong-dimension
# severity: error
# over: document
# asserts: A value has the dimension of its field.
# message: {field}: found {actual}, wanted {limit}
# fix: write the value in a unit of the wanted dimension
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    yield from (p for p in compiled.problems if p.code == "U101")
