"""Whether a rule judges each measured row by itself, and by which condition.

A rule of the shape

    SELECT … FROM efficiency AS e [CROSS JOIN constants AS k] [LEFT JOIN table AS t ON e.x = t.key] WHERE condition

says the same of a row whatever other rows there are. So a file larger than memory can be
checked part by part, and the conditions of all rules can be asked in one pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cardbook import schema
from cardbook.rules.model import Rule


@dataclass(frozen=True)
class Condition:
    """The condition of one rule over `e` and `k`, and the tables that it looks a key up in."""

    rule: Rule
    where: str
    joins: tuple[str, ...]


def condition(rule: Rule, tables: Mapping[str, schema.Table], mark: str) -> Condition | None:
    """The condition of a rule, its looked-up tables renamed with `mark`; None for a rule of
    another shape."""
    import sqlglot
    from sqlglot import exp

    try:
        tree: Any = sqlglot.parse_one(str(rule.sql), read="duckdb")
    except sqlglot.errors.SqlglotError:
        return None
    if not isinstance(tree, exp.Select) or not _plain(tree):
        return None
    source = tree.args["from_"].this if "from_" in tree.args else tree.args["from"].this
    if not isinstance(source, exp.Table) or source.name != "efficiency" or source.alias != "e":
        return None
    where = tree.args["where"].this.copy()
    joins = []
    for join in tree.args.get("joins") or ():
        if join.this.name == "constants" and join.alias_or_name == "k" and join.kind.upper() == "CROSS":
            continue
        joined = _lookup(join, tables)
        if joined is None:
            return None
        renamed = f"{join.alias_or_name}_{mark}"
        on = join.args["on"].copy()
        for part in (where, on):
            for column in part.find_all(exp.Column):
                if column.table == join.alias_or_name:
                    column.set("table", exp.to_identifier(renamed))
        joins.append(f'LEFT JOIN "{joined}" AS {renamed} ON {on.sql("duckdb")}')
    return Condition(rule, where.sql("duckdb"), tuple(joins))


def _plain(tree: Any) -> bool:
    """True for a SELECT of FROM, JOIN and WHERE alone."""
    from sqlglot import exp

    clauses = {key for key, value in tree.args.items() if value}
    if not clauses <= {"expressions", "from", "from_", "joins", "where", "kind"} or "where" not in clauses:
        return False
    return not any(tree.find(kind) for kind in (exp.AggFunc, exp.Window, exp.Subquery, exp.Exists))


def _lookup(join: Any, tables: Mapping[str, schema.Table]) -> str | None:
    """The table of a LEFT JOIN on its primary key, which gives at most one row a row."""
    from sqlglot import exp

    table, on = join.this, join.args.get("on")
    if join.side.upper() != "LEFT" or not isinstance(table, exp.Table) or table.name not in tables or not isinstance(on, exp.EQ):
        return None
    keys = [c.name for c in on.find_all(exp.Column) if c.table == join.alias_or_name]
    return table.name if tuple(keys) == tables[table.name].primary_key else None
