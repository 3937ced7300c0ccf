# code: R106
# slug: dangling-key
# severity: error
# over: package
# asserts: Every other key into a table finds its row, and no primary key stands twice.
# message: {field}: found {actual}, wanted {limit}
# fix: add the record, or mend the key
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cardbook.documents.validate import Problem
from cardbook.rules.keys import dangling, repeated
from cardbook.rules.run import Context

if TYPE_CHECKING:
    import duckdb


def check(db: duckdb.DuckDBPyConnection, context: Context) -> Iterator[tuple[str, str, Problem]]:
    yield from dangling(db, context.package, lambda key: key.table != "sources")
    yield from repeated(db, context.package)
