# code: R105
# slug: unknown-source
# severity: error
# over: package
# asserts: Every source that a record cites is in the package.
# message: {field}: found {actual}, wanted {limit}
# fix: add data/sources/<id>.json
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cardbook.documents.validate import Problem
from cardbook.rules.keys import dangling
from cardbook.rules.run import Context

if TYPE_CHECKING:
    import duckdb


def check(db: duckdb.DuckDBPyConnection, context: Context) -> Iterator[tuple[str, str, Problem]]:
    yield from dangling(db, context.package, lambda key: key.table == "sources")
