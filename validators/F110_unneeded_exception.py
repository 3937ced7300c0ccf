# code: F110
# slug: unneeded-exception
# severity: error
# over: files
# asserts: Every exception excuses a finding that still occurs.
# message: {field}: found {actual}, wanted {limit}
# fix: remove the exception
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.validate import Problem
from cardbook.rules.run import Context


def check(built: object, context: Context) -> Iterator[tuple[str, Problem]]:
    """Judged in `cardbook.rules.check`, once every other rule has run."""
    yield from ()
