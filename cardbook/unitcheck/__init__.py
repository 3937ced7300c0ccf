"""The dimensional type checker for SQL.

sqlglot walks a SELECT; every column brings the unit of its schema, and the unit goes through
arithmetic, aggregates, branches, joins and windows. What cannot be right is a problem (U104):
unequal units added or compared, a bare number standing for a conversion, text used as a number,
an output whose unit is not the declared one. What the checker does not know is a problem too.

A number that the query writes out is a plain number. Zero fits every unit, NULL everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cardbook.unitcheck.kinds import Column, Kind, describe, merge, output_unit, unit_index
from cardbook.unitcheck.problems import Checked, Problem, Reporter
from cardbook.units import UnitError

__all__ = ["Checked", "Column", "Problem", "check_sql", "infer"]

#: Longer than any query of the project; a stranger's file is bounded before it is parsed.
MAX_CHARACTERS = 200_000


def check_sql(
    sql: str,
    tables: Mapping[str, Mapping[str, Column]],
    declared: Mapping[str, str | None] | None = None,
    file: str = "<query>",
    introduces_units: bool = False,
    partial: bool = False,
) -> Checked:
    """Check one SELECT, or CREATE VIEW … AS SELECT, over `tables` (name → column → unit).

    `declared` is the unit of every output column (None for what is no quantity): each must
    match, and none may be missing or extra, unless `partial`. With `introduces_units` an output
    column that is a literal takes its declared unit: the view `constants`. Raises nothing:
    what cannot be parsed is a problem.
    """
    checked = Checked()
    report = Reporter(file)
    try:
        _check(sql, tables, declared, introduces_units, partial, report, checked)
    except RecursionError:
        report.add(None, "a query nested too deep", "a query of moderate depth", "the checker cannot follow it")
    checked.problems = report.problems()
    return checked


def infer(sql: str, tables: Mapping[str, Mapping[str, Column]]) -> dict[str, str | None]:
    """The unit of each output column of a query; None where there is none or it is not known."""
    return check_sql(sql, tables).columns


def _check(
    sql: str,
    tables: Mapping[str, Mapping[str, Column]],
    declared: Mapping[str, str | None] | None,
    introduces_units: bool,
    partial: bool,
    report: Reporter,
    checked: Checked,
) -> None:
    import sqlglot
    from sqlglot.errors import SqlglotError

    from cardbook.unitcheck.queries import Queries

    if len(sql) > MAX_CHARACTERS:
        report.add(None, f"{len(sql)} characters", f"at most {MAX_CHARACTERS}", "the query is too long")
        return
    try:
        statements = [s for s in sqlglot.parse(sql, read="duckdb") if s is not None]
    except SqlglotError as error:
        first = (getattr(error, "errors", None) or [{}])[0]
        said = str(first.get("description") or error).splitlines()[0].partition(" but got <")[0]
        report.add_at(first.get("line") or 1, "no SQL that can be read", "one SELECT", said)
        return
    if len(statements) != 1:
        report.add(statements[1] if statements else None, f"{len(statements)} statements", "one SELECT", "one query at a time is checked")
        return
    node = statements[0]
    if type(node).__name__ == "Create":
        node = node.args["expression"]
    if type(node).__name__ not in ("Select", "Union", "Except", "Intersect", "Subquery"):
        report.add(statements[0], type(statements[0]).__name__, "a SELECT", "only a query has units")
        return
    relation = Queries(tables, report).query(node)
    select = node
    while type(select).__name__ != "Select":
        select = select.this
    literals = introduces_units and declared is not None
    if declared is not None:
        items = {i.alias_or_name: i for i in reversed(select.expressions)}
        relation = [(n, _declared(n, k, declared, items.get(n, select), literals, partial, report)) for n, k in relation]
        names = {n for n, _ in relation}
        for name in declared:
            if name not in names and not partial:
                report.add(select, f"no column {name}", f"column {name} of the schema", "a declared column is missing")
    for name, kind in relation:
        unit = output_unit(kind)
        checked.units.append((name, unit))
        checked.columns.setdefault(name, unit)


def _declared(name: str, kind: Kind, declared: Mapping[str, str | None], item: Any, introduces_units: bool, partial: bool, report: Reporter) -> Kind:
    """The kind of an output column held against the schema; `item` is where it stands."""
    if name not in declared:
        if not partial:
            report.add(item, f"column {name}", "a column of the schema", "this column is not declared")
        return kind
    wanted = declared[name]
    if kind.tag in ("unknown", "null"):
        return kind
    if wanted is None:
        if kind.tag == "number":
            report.add(item, f"{describe(kind)} in column {name}", "no unit (text, a truth value or a date)", "the column is declared to be no quantity")
        return kind
    try:
        unit = unit_index(wanted)
    except UnitError as error:
        report.add(item, f"{error.found} declared for {name}", error.wanted, error.fix)
        return kind
    if introduces_units and kind.value is not None and kind.unit == 0:
        return replace(kind, unit=unit)
    both = merge(kind, Kind("number", unit))
    if both is None:
        report.add(item, f"{describe(kind)} in column {name}", wanted, f"column {name} is declared in {wanted}")
    return both or kind
