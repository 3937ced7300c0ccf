"""Run rules and collect findings. A crash inside a rule is itself a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.findings import Finding
from cardbook.package import Package
from cardbook.rules.message import fill
from cardbook.rules.model import Rule
from cardbook.tables.rows import Compiled
from cardbook.views import catalog

if TYPE_CHECKING:
    import duckdb

Locate = Callable[[str | None, str | None], tuple[str | None, int | None, str | None]]


@dataclass(frozen=True)
class Context:
    """What a rule may look at beside the document or the tables. `whole` is true when the
    whole package is checked, not one submission."""

    package: Package
    strict: bool = False
    whole: bool = True


def crashed(rule: Rule, error: Exception, where: str | None) -> Finding:
    """The finding for a rule that broke: fail closed."""
    return Finding(
        rule.code, rule.slug, "error", file=where,
        message=f"the rule broke: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}",
        fix="report this with the file; nothing was judged by this rule",
    )  # fmt: skip


def over_document(rules: Iterable[Rule], document: Document, compiled: Compiled, context: Context) -> list[Finding]:
    """The findings of the document rules on one document."""
    findings: list[Finding] = []
    for rule in rules:
        try:
            for problem in rule.check()(document, compiled, context):
                findings.append(_from_problem(rule, document, problem, context))
        except Exception as error:
            findings.append(crashed(rule, error, document.shown))
    return findings


def _from_problem(rule: Rule, document: Document, problem: Problem, context: Context) -> Finding:
    line = document.line_of(problem.pointer)
    name = problem.pointer.lstrip("/") or None
    tier = document.value.get("tier") if isinstance(document.value, dict) else None
    where = f"{name}: " if name else ""
    return Finding(
        rule.code, rule.slug, rule.severity_for(tier, context.strict), file=document.shown, line=line, field=name,
        record=document.path.parent.name if document.kind == "recipe" else document.path.stem,
        actual=problem.found, limit=problem.wanted, unit=None,
        message=f"{where}found {problem.found}; wanted {problem.wanted}", fix=problem.fix or rule.fix,
    )  # fmt: skip


def over_rows(rules: Iterable[Rule], db: duckdb.DuckDBPyConnection, context: Context, locate: Locate, limit: int | None = None) -> Iterator[Finding]:
    """The findings of the SQL rules on the views of a connection, at most `limit` a rule."""
    units = catalog.units_by_column(context.package)
    for rule in rules:
        try:
            cursor = db.execute(str(rule.sql))
            names = [d[0] for d in cursor.description or ()]
            count = 0
            while rows := cursor.fetchmany(1000):
                for values in rows:
                    count += 1
                    if limit is None or count <= limit:
                        yield from_row(rule, dict(zip(names, values, strict=True)), units, context, locate)
        except Exception as error:
            yield crashed(rule, error, None)


def from_row(rule: Rule, row: dict[str, Any], units: Mapping[str, str | None], context: Context, locate: Locate) -> Finding:
    """The finding of one offending row."""
    own: dict[str, str | None] = {**units, "actual": rule.unit or None, "bound": rule.unit or None, "ratio": None}
    file, line, pointer = locate(row.get("record"), row.get("field"))
    return Finding(
        rule.code, rule.slug, rule.severity_for(row.get("tier", "submitted"), context.strict),
        record=row.get("record"), file=file, line=line, field=pointer or row.get("field"),
        actual=row.get("actual"), limit=row.get("bound"), ratio=row.get("ratio"), unit=rule.unit or None,
        message=fill(rule.message, row, own), fix=fill(rule.fix, row, own),
    )  # fmt: skip


def over_package(rules: Iterable[Rule], db: duckdb.DuckDBPyConnection, context: Context, locate: Locate) -> Iterator[Finding]:
    """The findings of the Python rules over the tables: `check(db, context)` yields
    (record, field, problem)."""
    for rule in rules:
        try:
            for record, column, problem in rule.check()(db, context):
                file, line, pointer = locate(record, column)
                yield Finding(
                    rule.code, rule.slug, rule.severity_for(None, context.strict), record=record, file=file, line=line,
                    field=pointer or column, actual=problem.found, limit=problem.wanted,
                    message=f"{column}: found {problem.found}; wanted {problem.wanted}", fix=problem.fix or rule.fix,
                )  # fmt: skip
        except Exception as error:
            yield crashed(rule, error, None)


def over_files(rules: Iterable[Rule], context: Context, built: object) -> Iterator[Finding]:
    """The findings of the rules about the package on disk: `check(built, context)` yields
    (file, problem)."""
    for rule in rules:
        try:
            for file, problem in rule.check()(built, context):
                yield Finding(
                    rule.code, rule.slug, rule.severity, file=file, actual=problem.found, limit=problem.wanted,
                    message=f"found {problem.found}; wanted {problem.wanted}", fix=problem.fix or rule.fix,
                )  # fmt: skip
        except Exception as error:
            yield crashed(rule, error, None)


def columns_used(rules: Iterable[Rule], names: Iterable[str], texts: Iterable[str] = ()) -> list[str]:
    """Those of `names` that occur in the SQL of the rules or in other SQL texts."""
    import re

    words: set[str] = set()
    for text in (*(f"{r.sql} {r.message} {r.fix}" for r in rules if r.sql), *texts):
        words |= set(re.findall(r"\w+", text))
    return [name for name in names if name in words]
