# code: U104
# slug: view-unit-mismatch
# severity: error
# over: files
# asserts: Every expression of every view and rule has the unit that its schema declares.
# message: {file}: found {actual}, wanted {limit}
# fix: mend the expression: join the constant that carries the missing unit
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.rules.units import check_all


def check(built: object, context: Context) -> Iterator[tuple[str, Problem]]:
    for problem in check_all(context.package):
        yield problem.file, Problem("", "", f"{problem.found} (line {problem.line}: {problem.message})", problem.wanted, "")
