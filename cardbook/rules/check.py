"""Check a package, a submission, or a bulk file: documents → tables → views → rules."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardbook import schema
from cardbook.documents import places
from cardbook.documents.strict import Document
from cardbook.findings import Finding
from cardbook.package import Package, locate
from cardbook.rules import model, run
from cardbook.rules.locate import Locator
from cardbook.rules.model import Rule
from cardbook.tables.corpus import Corpus, add, compile_file
from cardbook.tables.rows import Compiled
from cardbook.views import catalog, database

if TYPE_CHECKING:
    import duckdb

    from cardbook.rules import fleet
    from cardbook.tables.build import Built

EXCEPTIONS = "data/exceptions/rules.json"


@dataclass
class Report:
    """What a check found. `rows` and `bounded` count measured rows and those with a full bound."""

    findings: list[Finding] = field(default_factory=list)
    documents: int = 0
    rows: int = 0
    bounded: int = 0
    rules: int = 0
    #: Findings by (code, slug, severity) where `findings` does not hold all of them.
    counts: Counter[tuple[str, str, str]] | None = None

    @property
    def errors(self) -> int:
        if self.counts is not None:
            return sum(n for (_, _, severity), n in self.counts.items() if severity == "error")
        return sum(f.severity == "error" for f in self.findings)

    @property
    def exit_code(self) -> int:
        return 1 if self.errors else 0


@dataclass(frozen=True)
class Options:
    """`select` and `ignore` are comma-separated prefixes of rule codes."""

    select: str | None = None
    ignore: str | None = None
    strict: bool = False


def _rules(package: Package, options: Options) -> dict[str, list[Rule]]:
    chosen = model.choose(model.load(package.validators), options.select, options.ignore)
    return {over: [r for r in chosen if r.over == over] for over in model.OVERS}


def _sorted(findings: list[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda f: (f.severity != "error", f.file or "", f.line or 0, f.code, f.record or "", f.field or "", f.message))


def check_package(package: Package, options: Options) -> Report:
    """The whole corpus."""
    from cardbook.tables import build

    rules = _rules(package, options)
    context = run.Context(package, options.strict)
    report = Report(rules=sum(map(len, rules.values())))

    def judge(document: Document, compiled: Compiled) -> bool:
        found = run.over_document(rules["document"], document, compiled, context)
        report.findings += found
        # A partial run has not judged it, and a submission's raw output may change beside it.
        whole = options.select is None and options.ignore is None
        return whole and not found and (document.value or {}).get("tier") != "submitted"

    built = build.compile_package(package, judge)
    report.findings += run.over_files(rules["files"], context, built)
    _tables(report, package, built, rules, context)
    report.documents = len(list(places.files(package)))
    # A partial run cannot tell whether an exception is still needed.
    report.findings = _sorted(_except(package, report.findings, whole=options.select is None and options.ignore is None))
    return report


def _tables(report: Report, package: Package, built: Built, rules: dict[str, list[Rule]], context: run.Context) -> None:
    db = database.empty()
    database.load_tables(db, package, built.files)
    for name in ("recipes", "measurements"):
        db.execute(f"CREATE VIEW known_{name} AS SELECT * FROM {name}")
    database.create_views(db, package, materialize={"efficiency": None})
    locator = Locator(package, built.corpus.files)
    report.findings += run.over_rows([r for r in rules["measured"] + rules["package"] if r.sql], db, context, locator.find)
    report.findings += run.over_package([r for r in rules["package"] if not r.sql], db, context, locator.find)
    _count(report, db)


def _count(report: Report, db: duckdb.DuckDBPyConnection) -> None:
    found = db.execute("SELECT COUNT(*), COUNT(*) FILTER (unbounded_for IS NULL) FROM efficiency WHERE tier <> 'claim'").fetchone()
    report.rows, report.bounded = found if found else (0, 0)


def _except(package: Package, findings: list[Finding], *, whole: bool) -> list[Finding]:
    """Without the findings that have an exception; an exception that no finding needs is one."""
    path = package.root / EXCEPTIONS
    if not path.exists():
        return findings
    excused = {(e["code"], e["record"]): e["reason"] for e in json.loads(path.read_text())["exceptions"]}
    fired = {(f.code, f.record) for f in findings if f.record is not None}
    kept = [f for f in findings if (f.code, f.record) not in excused]
    if whole:
        kept += [
            Finding(
                "F110", "unneeded-exception", "error", record=record, file=EXCEPTIONS, message=f"{code} no longer fires on {record}", fix="remove the exception"
            )
            for code, record in sorted(set(excused) - fired)
        ]
    return kept


def submission_files(paths: list[Path]) -> Iterator[Path]:
    """The documents under the paths of a submission."""
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.rglob("*.json") if places.kind_of(locate(path), p) is not None)
        else:
            yield path


def check_documents(package: Package, paths: list[Path], options: Options, keep: Callable[[duckdb.DuckDBPyConnection], None] | None = None) -> Report:
    """A submission: its documents, judged with the compiled tables around them. Documents that
    it refers to are read anew, so that a contributor need not compile the tables."""
    rules = _rules(package, options)
    context = run.Context(package, options.strict, whole=False)
    report = Report(rules=sum(map(len, rules.values())))
    corpus = Corpus({name: [] for name in schema.load(package.table_schemas)})
    for path in submission_files(paths):
        kind = places.kind_of(package, path)
        document, compiled = compile_file(package, kind or "recipe", path)
        report.documents += 1
        report.findings += run.over_document(rules["document"], document, compiled, context)
        add(corpus, compiled.rows, document.shown)
    _submission(report, package, corpus, rules, context, keep)
    report.findings = _sorted(_except(package, report.findings, whole=False))
    return report


def _submission(
    report: Report,
    package: Package,
    corpus: Corpus,
    rules: dict[str, list[Rule]],
    context: run.Context,
    keep: Callable[[duckdb.DuckDBPyConnection], None] | None,
) -> None:
    from cardbook.rules.overlay import overlay

    db = database.empty()
    # A few rows cost more to optimise for than to read.
    db.execute("PRAGMA disable_optimizer")
    overlay(db, package, corpus)
    wanted = database.needed(package, ["efficiency", *(r.sql or "" for group in rules.values() for r in group)])
    unread = frozenset(v.name for v in catalog.views(package.views)) - wanted
    # One row's views cost more to plan one inside another than to write down one by one.
    database.create_views(db, package, skip=unread, materialize=dict.fromkeys(wanted))
    locator = Locator(package, corpus.files)
    named = {record for _, record in corpus.files}
    found = [
        *run.over_rows([r for r in rules["measured"] + rules["package"] if r.sql], db, context, locator.find),
        *run.over_package([r for r in rules["package"] if not r.sql], db, context, locator.find),
    ]
    # Findings about the rest of the package are not this submission's.
    report.findings += [f for f in found if f.record is None or f.record.partition("/")[0] in named]
    _count(report, db)
    if keep is not None:
        keep(db)


def judge_recipe(package: Package, path: Path) -> tuple[Report, list[dict[str, Any]]]:
    """The report on one recipe, and its rows of `efficiency`."""
    rows: list[dict[str, Any]] = []

    def keep(db: duckdb.DuckDBPyConnection) -> None:
        cursor = db.execute("SELECT * FROM efficiency WHERE tier <> 'claim' ORDER BY record")
        names = [d[0] for d in cursor.description or ()]
        rows.extend(dict(zip(names, values, strict=True)) for values in cursor.fetchall())

    return check_documents(package, [path], Options(), keep), rows


def bulk_rules(package: Package, options: Options) -> list[Rule]:
    """The rules over measured rows, and the form of a row (F104, F106) that no document had."""
    from cardbook.rules import form

    shipped = model.load(package.validators)
    chosen = {r.code for r in model.choose(shipped, options.select, options.ignore)}
    return [r for r in (*form.rules(package), *(r for r in shipped if r.over == "measured" and r.sql)) if r.code in chosen]


def check_bulk(package: Package, path: Path, options: Options, plan: fleet.Plan | None = None) -> Report:
    """A bulk source in the form of `measured`: the same views, the rules over measured rows. By
    default every finding is in the report; `plan` sends them elsewhere, or keeps a few a rule."""
    from cardbook.rules import fleet

    rules = bulk_rules(package, options)
    judged = fleet.check(package, path, rules, run.Context(package, options.strict), plan or fleet.Plan())
    return Report(_sorted(judged.findings), 0, judged.rows, judged.bounded, len({r.code for r in rules}), judged.counts)
