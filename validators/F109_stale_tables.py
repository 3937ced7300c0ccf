# code: F109
# slug: stale-tables
# severity: error
# over: files
# asserts: The compiled tables are those of the documents.
# message: {field}: found {actual}, wanted {limit}
# fix: run `cardbook build`
from __future__ import annotations

from collections.abc import Iterator

from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables import build


def check(built: build.Built, context: Context) -> Iterator[tuple[str, Problem]]:
    for name in build.stale(context.package, built):
        yield name, Problem("", "", "a file that the documents no longer give", "the compiled form", "run `cardbook build`")
