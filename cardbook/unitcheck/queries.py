"""Queries: which relations an expression sees, and what columns come out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cardbook.unitcheck.expressions import Expressions
from cardbook.unitcheck.kinds import NULL, UNKNOWN, Column, Kind, describe, kind_of, merge
from cardbook.unitcheck.problems import Reporter
from cardbook.units import UnitError

Node = Any

#: Output columns in order; two may share a name.
Relation = list[tuple[str, Kind]]


@dataclass
class Scope:
    """The relations of one SELECT by alias, its select aliases so far, and the scope around it.
    Names are compared as DuckDB does, without case."""

    relations: dict[str, dict[str, Kind]] = field(default_factory=dict)
    order: dict[str, Relation] = field(default_factory=dict)
    #: Columns of USING, which one name stands for.
    joined: set[str] = field(default_factory=set)
    aliases: dict[str, Kind] = field(default_factory=dict)
    outer: Scope | None = None
    #: True after a relation that could not be resolved: a missing column is then no news.
    broken: bool = False

    def add(self, name: str, relation: Relation) -> None:
        columns: dict[str, Kind] = {}
        for column, kind in relation:
            columns.setdefault(column.lower(), kind)
        self.relations[name.lower()] = columns
        self.order[name.lower()] = relation

    def column(self, name: str, table: str) -> Kind | str:
        """The kind of a column, or what is wrong with the name."""
        key = name.lower()
        if table:
            columns = self.relations.get(table.lower())
            if columns is not None and key in columns:
                return columns[key]
            if columns is None and self.outer is not None:
                return self.outer.column(name, table)
            return UNKNOWN if self.broken else f"no column {table}.{name}"
        found = [columns[key] for columns in self.relations.values() if key in columns]
        if found:
            if key not in self.joined and any(merge(found[0], other) is None for other in found[1:]):
                return f"{name} is a column of several tables, of different units"
            return found[0]
        if key in self.aliases:
            return self.aliases[key]
        if self.outer is not None:
            return self.outer.column(name, table)
        return UNKNOWN if self.broken else f"no column {name}"


class Queries:
    """Evaluates the queries of one statement over `tables`."""

    def __init__(self, tables: Mapping[str, Mapping[str, Column]], report: Reporter) -> None:
        self.tables = tables
        self.report = report
        self.common: list[dict[str, Relation]] = []
        self.expressions = Expressions(report, lambda node, scope: [k for _, k in self.query(node, scope)])

    def query(self, node: Node, outer: Scope | None = None) -> Relation:
        """The output columns of a SELECT, a set operation or either in brackets."""
        clause = node.args.get("with_")
        if clause is not None:
            self.common.append({})
            for cte in clause.expressions:
                self._common(cte, bool(clause.args.get("recursive")), outer)
        try:
            name = type(node).__name__
            if name == "Select":
                return self._select(node, outer)
            if name in ("Union", "Except", "Intersect"):
                return self._set(node, outer)
            if name == "Subquery":
                return self.query(node.this, outer)
            if name == "Values":
                return self._values(node, outer or Scope())
            self.report.add(node, name, "a SELECT", f"the checker does not know {name}")
            return []
        finally:
            if clause is not None:
                self.common.pop()

    def _common(self, cte: Node, recursive: bool, outer: Scope | None) -> None:
        names = [c.name for c in cte.args["alias"].args.get("columns") or ()]
        body = cte.this
        if recursive and type(body).__name__ == "Union":
            # The part before UNION says what the name is inside the part behind it.
            self.common[-1][cte.alias.lower()] = _renamed(self.query(body.this, outer), names)
        self.common[-1][cte.alias.lower()] = _renamed(self.query(body, outer), names)

    def _set(self, node: Node, outer: Scope | None) -> Relation:
        left, right = self.query(node.this, outer), self.query(node.expression, outer)
        if node.args.get("by_name"):
            others = {n.lower(): k for n, k in right}
            right = [(n, others.get(n.lower(), NULL)) for n, _ in left] + [(n, k) for n, k in right if n.lower() not in {m.lower() for m, _ in left}]
            left = left + [(n, NULL) for n, _ in right[len(left) :]]
        if len(left) != len(right):
            self.report.add(node, f"{len(right)} columns", f"{len(left)} columns", "the two queries differ in their number of columns")
            return left
        result: Relation = []
        for (name, one), (_, other) in zip(left, right, strict=True):
            both = merge(one, other)
            if both is None:
                self.report.add(node.expression, f"{describe(other)} in column {name}", describe(one), "the two queries give a column different units")
            result.append((name, both or UNKNOWN))
        return result

    def _values(self, node: Node, scope: Scope) -> Relation:
        rows = [self.expressions.all(row.expressions, scope) for row in node.expressions]
        result: Relation = []
        for index, column in enumerate(zip(*rows, strict=False)):
            both: Kind | None = NULL
            for kind in column:
                both = merge(both, kind) if both is not None else None
            if both is None:
                self.report.add(node, "rows of different units", "one unit a column", "the rows give a column different units")
            result.append((f"col{index}", both or UNKNOWN))
        return result

    def _table(self, node: Node) -> Relation | None:
        key = node.name.lower()
        if type(node.this).__name__ != "Identifier":
            self.report.add(node, node.sql("duckdb"), "a table or view", "the columns of a table function are not known")
            return None
        if not node.text("db"):
            for layer in reversed(self.common):
                if key in layer:
                    return layer[key]
        columns = self.tables.get(node.name) or self.tables.get(key)
        if columns is None or node.text("catalog") or node.text("db") not in ("", "main"):
            self.report.add(node, f"no table or view {node.sql('duckdb')}", "a table, a view or a WITH query", "this table is not known")
            return None
        relation: Relation = []
        for name, column in columns.items():
            try:
                relation.append((name, kind_of(column)))
            except UnitError as error:
                self.report.add(node, f"{error.found} of {node.name}.{name}", error.wanted, error.fix)
                relation.append((name, UNKNOWN))
        return relation

    def _source(self, node: Node, scope: Scope) -> str | None:
        """Add one relation of FROM or JOIN to the scope; its name."""
        kind = type(node).__name__
        alias = node.args.get("alias")
        relation: Relation | None
        if node.args.get("pivots") or node.args.get("sample") or kind not in ("Table", "Subquery", "Values", "Lateral"):
            self.report.add(node, kind, "a table, a view or a query", f"the checker does not know {kind} here")
            relation = None
        elif kind == "Table":
            relation = self._table(node)
        elif kind == "Lateral":
            relation = self.query(node.this, scope)
        elif kind == "Values":
            relation = self._values(node, scope)
        else:
            relation = self.query(node.this, scope.outer)
        name = node.alias_or_name or f"({len(scope.relations)})"
        if relation is None:
            scope.broken = True
            scope.add(name, [])
            return None
        columns = [c.name for c in alias.args.get("columns") or ()] if alias is not None else []
        scope.add(name, _renamed(relation, columns))
        for join in node.args.get("joins") or ():
            self._join(join, scope)
        return name.lower()

    def _join(self, join: Node, scope: Scope) -> None:
        before = dict(scope.relations)
        name = self._source(join.this, scope)
        if name is None:
            return
        using = [c.name.lower() for c in join.args.get("using") or ()]
        if (join.args.get("method") or "").upper() == "NATURAL":
            using = [c for c in scope.relations[name] if any(c in columns for columns in before.values())]
        for column in using:
            one = next((columns[column] for columns in before.values() if column in columns), None)
            other = scope.relations[name].get(column)
            if one is None or other is None:
                if not scope.broken:
                    self.report.add(join, f"no column {column} on both sides", "a column of both tables", "USING names a column of both tables")
            else:
                self.expressions.comparable(join, one, other)
            scope.joined.add(column)
        condition = join.args.get("on")
        if condition is not None:
            self.expressions.truth(condition, scope)

    def _select(self, node: Node, outer: Scope | None) -> Relation:
        scope = Scope(outer=outer)
        source = node.args.get("from_")
        if source is not None:
            self._source(source.this, scope)
        for join in (*(node.args.get("joins") or ()), *(node.args.get("laterals") or ())):
            if type(join).__name__ == "Lateral":
                self._source(join, scope)
            else:
                self._join(join, scope)
        result = self._items(node, scope)
        self._clauses(node, scope)
        return result

    def _items(self, node: Node, scope: Scope) -> Relation:
        result: Relation = []
        for item in node.expressions:
            star = item if type(item).__name__ == "Star" else item.this if type(item).__name__ == "Column" else None
            if type(star).__name__ == "Star":
                result += self._star(star, item.text("table").lower(), scope)
                continue
            kind = self.expressions.kind(item, scope)
            name = item.alias or _heading(item)
            result.append((name, kind))
            if item.alias:
                scope.aliases.setdefault(item.alias.lower(), kind)
        return result

    def _star(self, star: Node, table: str, scope: Scope) -> Relation:
        if table and table not in scope.order:
            if not scope.broken:
                self.report.add(star, f"no table {table}", "a table of this query", "this table is not in FROM")
            return []
        found: Relation = []
        seen: set[str] = set()
        for name, relation in scope.order.items():
            if not table or name == table:
                found += [(n, k) for n, k in relation if table or n.lower() not in scope.joined or n.lower() not in seen]
                seen |= {n.lower() for n, _ in relation}
        left_out = {c.name.lower() for c in star.args.get("except_") or star.args.get("except") or ()}
        replaced = {a.alias.lower(): self.expressions.kind(a.this, scope) for a in star.args.get("replace") or ()}
        renamed = {a.this.name.lower(): a.alias for a in star.args.get("rename") or ()}
        return [(renamed.get(n.lower(), n), replaced.get(n.lower(), k)) for n, k in found if n.lower() not in left_out]

    def _clauses(self, node: Node, scope: Scope) -> None:
        """The clauses that give no columns: conditions, groups, windows, order."""
        for clause in ("where", "having", "qualify"):
            if node.args.get(clause) is not None:
                self.expressions.truth(node.args[clause].this, scope)
        group, order = node.args.get("group"), node.args.get("order")
        if group is not None:
            self.expressions.all(group.expressions, scope)
        for window in node.args.get("windows") or ():
            self.expressions.all(list(window.args.get("partition_by") or ()), scope)
            if window.args.get("order") is not None:
                self.expressions.all(window.args["order"].expressions, scope)
        if order is not None:
            self.expressions.all([o for o in order.expressions if type(o.this).__name__ != "Var"], scope)
        if type(node.args.get("distinct")).__name__ == "Distinct" and node.args["distinct"].args.get("on") is not None:
            self.expressions.all(node.args["distinct"].args["on"].expressions, scope)


def _heading(item: Node) -> str:
    """The name that DuckDB gives to an output column without one, as near as it is known."""
    if type(item).__name__ == "Column":
        return str(item.name)
    text = str(item.sql("duckdb", normalize_functions="lower"))
    return "count_star()" if text == "count(*)" else text


def _renamed(relation: Relation, names: list[str]) -> Relation:
    """`relation` under the column names of an alias."""
    return [(names[i] if i < len(names) else n, k) for i, (n, k) in enumerate(relation)]
