"""The tables of the README: each is a query of docs/queries, printed under its result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from cardbook.cli.table import markdown
from cardbook.package import Package

if TYPE_CHECKING:
    import duckdb

_BLOCK = re.compile(r"(<!-- table: ([a-z0-9-]+) -->\n)(.*?)(<!-- /table -->)", re.DOTALL)


def render(package: Package, db: duckdb.DuckDBPyConnection, text: str) -> str:
    """`text` with every table block filled anew."""

    def block(match: re.Match[str]) -> str:
        sql = (package.root / "docs" / "queries" / f"{match.group(2)}.sql").read_text().strip()
        cursor = db.execute(sql)
        names = [d[0] for d in cursor.description or ()]
        rows: list[Any] = cursor.fetchall()
        table = markdown(names, rows) if rows else "No rows yet."
        details = f"<details><summary>the query</summary>\n\n```sql\n{sql}\n```\n\n</details>"
        return f"{match.group(1)}\n{table}\n\n{details}\n\n{match.group(4)}"

    return _BLOCK.sub(block, text)


def files(package: Package, db: duckdb.DuckDBPyConnection) -> dict[str, bytes]:
    """What a build writes beside the tables: README.md and its picture."""
    from cardbook.cli.picture import fraction_of_wall

    path = package.root / "README.md"
    if not path.exists():
        return {}
    return {
        "README.md": render(package, db, path.read_text(encoding="utf-8")).encode(),
        "docs/picture.svg": fraction_of_wall(db).encode(),
    }
