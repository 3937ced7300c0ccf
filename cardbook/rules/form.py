"""The form of bulk rows: what F104 and F106 ask of a document, asked of a column.

A document is held against its JSON Schema before it becomes a row. A bulk row never was a
document, and a rule that asks for `phase = 'decode'` would pass over `Decode` in silence. The
ranges and the words are those of the table schemas.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cardbook import schema
from cardbook.package import Package
from cardbook.rules.model import Rule, load
from cardbook.views import catalog
from cardbook.views.database import quoted

#: Tables whose columns a measured row repeats.
TABLES = ("recipes", "measurements")
OTHER_MEANING = frozenset({"record", "tier"})


def rules(package: Package) -> list[Rule]:
    """F104 and F106 as rules over measured rows, one a column and code."""
    shipped = {rule.code: rule for rule in load(package.validators)}
    return list(_rules(package, shipped)) if {"F104", "F106"} <= shipped.keys() else []


def _rules(package: Package, shipped: dict[str, Rule]) -> Iterator[Rule]:
    tables = schema.load(package.table_schemas)
    for column in catalog.view_fields(package)["measured"]:
        if column.name in OTHER_MEANING:
            continue
        constraints = next((f.constraints for t in TABLES for f in tables[t].fields if f.name == column.name), {})
        if column.type == "string":
            words = constraints.get("enum")
            if words:
                # Without a phase no wall applies, and nothing would be said.
                wrong = f"e.{column.name} NOT IN ({', '.join(map(quoted, words))})" + (f" OR e.{column.name} IS NULL" if column.name == "phase" else "")
                yield _rule(shipped["F104"], column.name, wrong, f"one of {', '.join(words)}")
            continue
        if column.type == "number":
            yield _rule(shipped["F106"], column.name, f"e.{column.name} IS NOT NULL AND (e.{column.name} - e.{column.name} = 0) IS NOT TRUE", "a finite number")
        least = constraints.get("minimum", constraints.get("exclusiveMinimum", 0))
        sign, words_for = ("<=", "above") if "exclusiveMinimum" in constraints else ("<", "at least")
        yield _rule(shipped["F104"], column.name, f"e.{column.name} {sign} {least}", f"{words_for} {least}")


def _rule(rule: Rule, column: str, wrong: str, wanted: str) -> Rule:
    """SQL in the shape of every rule over measured rows, so that it runs where they run."""
    return replace(
        rule,
        over="measured",
        message="{record}: " + column + ": found {actual}; wanted {bound}",
        sql=f"SELECT e.record, e.tier, '{column}' AS field, e.{column} AS actual, {quoted(wanted)} AS bound\nFROM efficiency AS e\nWHERE {wrong}",
    )
