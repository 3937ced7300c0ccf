"""Check a bulk source larger than memory: the same views and rules, part by part.

The source is read once. Each part of its rows becomes `measured`; one pass over `efficiency`
asks the conditions of all rules (`cardbook.rules.rowwise`) and keeps the rows that any of them
holds for; each rule then runs, as written, over those few rows alone.
"""

from __future__ import annotations

import queue
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardbook import schema
from cardbook.findings import Finding
from cardbook.package import Package
from cardbook.rules import run
from cardbook.rules.model import Rule
from cardbook.rules.rowwise import Condition, condition
from cardbook.views import bulk, catalog, database

if TYPE_CHECKING:
    import duckdb

#: Rows of a part where memory is not short; the first is small, so that findings show early.
PART_ROWS, FIRST_ROWS = 262_144, 65_536
#: Bytes that a row of a part takes at most, with its efficiency and the next part being read.
ROW_BYTES = 4096
THREADS = 2

Sink = Callable[[list[Finding]], None]
Progress = Callable[[int, int | None], None]


@dataclass
class Judged:
    """What a bulk check says. `counts` counts every finding; `findings` holds those kept."""

    rows: int = 0
    bounded: int = 0
    counts: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class Plan:
    """How the findings leave: all to `sink`, or the first `per_rule` of a rule kept (None: all)."""

    sink: Sink | None = None
    per_rule: int | None = None
    memory: int | None = None
    progress: Progress = lambda done, total: None
    #: Told of the findings of each part that are kept, at once.
    early: Sink | None = None


def check(package: Package, path: Path, rules: list[Rule], context: run.Context, plan: Plan) -> Judged:
    """Check a bulk source. Raises `bulk.BulkError` for a source that is none, also when a value
    that cannot be read stands far down: what was found until then is no result."""
    db = database.empty(threads=THREADS, memory=None if plan.memory is None else f"{plan.memory * 5 // 8 // 2**20}MiB")
    database.load_tables(db, package)
    source = bulk.open_source(db, package, path)
    stage: Stage | None = None
    total = _total(db, source, path)
    size = PART_ROWS if plan.memory is None else max(16_384, min(PART_ROWS, plan.memory // ROW_BYTES // 16_384 * 16_384))
    plan.progress(0, total)
    for part in parts(db, source, size):
        part = bulk.numbered(part, stage.judged.rows if stage else 0) if source.numbered else part
        stage = stage or Stage(db, package, source, rules, context, plan, part)
        stage.take(part)
        plan.progress(stage.judged.rows, total)
    return stage.judged if stage else Judged()


def _total(db: duckdb.DuckDBPyConnection, source: bulk.Source, path: Path) -> int | None:
    """Rows of the source: known for Parquet, guessed from the first lines for text."""
    if source.form == "parquet":
        return int(db.execute(f"SELECT COUNT(*) FROM {source.table}").fetchall()[0][0])
    sizes = [file.stat().st_size for file in bulk.files(path)]
    with bulk.files(path)[0].open("rb") as lines:
        sample = lines.read(2**20)
    return int(sum(sizes) * sample.count(b"\n") / len(sample)) if sample else None


def parts(db: duckdb.DuckDBPyConnection, source: bulk.Source, size: int) -> Iterator[Any]:
    """Arrow tables of at most `size` rows in the order of the source; the next one is read while
    this one is judged."""
    waiting: queue.Queue[Any] = queue.Queue(maxsize=1)
    reading = db.cursor()
    stopped = threading.Event()

    def put(item: Any) -> None:
        while not stopped.is_set():
            try:
                waiting.put(item, timeout=0.1)
                return
            except queue.Full:
                continue

    def read() -> None:
        try:
            import pyarrow as pa

            reader = reading.sql(bulk.raw(source)).to_arrow_reader(FIRST_ROWS if size > FIRST_ROWS else size)
            batches, held, wanted = [], 0, FIRST_ROWS
            for batch in reader:
                batches.append(batch)
                held += batch.num_rows
                if held >= min(wanted, size):
                    put(pa.Table.from_batches(batches))
                    batches, held, wanted = [], 0, size
                if stopped.is_set():
                    return
            if batches:
                put(pa.Table.from_batches(batches))
            put(None)
        except Exception as error:
            put(error)

    thread = threading.Thread(target=read, name="cardbook-read", daemon=True)
    thread.start()
    try:
        while (item := waiting.get()) is not None:
            if isinstance(item, Exception):
                raise bulk.BulkError(f"{source.shown}: cannot be read: {str(item).splitlines()[0]}") from item
            yield item
    finally:
        stopped.set()
        reading.interrupt()
        thread.join()


class Stage:
    """The views over one part at a time, and the rules over its suspicious rows."""

    def __init__(
        self, db: duckdb.DuckDBPyConnection, package: Package, source: bulk.Source, rules: list[Rule], context: run.Context, plan: Plan, part: Any
    ) -> None:
        self.db, self.package, self.source, self.context, self.plan = db, package, source, context, plan
        self.judged = Judged()
        tables = schema.load(package.table_schemas)
        found = [(rule, condition(rule, tables, str(number))) for number, rule in enumerate(rules)]
        self.conditions = [c for _, c in found if c is not None]
        # A rule of another shape still runs, over every row of a part.
        self.others = [rule for rule, c in found if c is None]
        self.narrow: dict[int, str] = {}
        self._prepare(rules, part)

    def _prepare(self, rules: list[Rule], part: Any) -> None:
        self.db.register("part", part)
        self.db.execute(f"CREATE VIEW measured AS {bulk.select(self.package, self.source, 'part')}")
        wanted = database.needed(self.package, ["efficiency", *(str(r.sql) for r in rules)])
        views = catalog.views(self.package.views)
        # What no measured row changes is computed once, which also keeps the plan of a part short.
        fixed = {v.name for v in views if v.name in wanted and not reads(v, views, "measured")}
        database.create_views(self.db, self.package, skip=frozenset(v.name for v in views) - wanted | {"measured"}, materialize=dict.fromkeys(fixed))
        self.db.execute("CREATE SCHEMA suspicious")
        names = [f.name for f in catalog.view_fields(self.package)["efficiency"]]
        self.keep = list(dict.fromkeys(["record", "tier", "unbounded_for", *run.columns_used(rules, names)]))
        self.pass_sql, self.count_sql = one_pass(self.conditions, self.keep), counting(self.conditions)

    def take(self, part: Any) -> None:
        """Judge one part."""
        self.db.register("part", part)
        self._check_whole()
        self.db.execute(f"CREATE OR REPLACE TABLE suspicious.efficiency AS {self.pass_sql}")
        self.judged.rows += part.num_rows
        found: list[Finding] = []
        self._count(part.num_rows)
        self.db.execute("SET search_path = 'suspicious,main'")
        for number, one in enumerate(self.conditions):
            if self.fired[number]:
                found += self._findings(one.rule, self.fired[number])
        self.db.execute("SET search_path = 'main'")
        for rule in self.others:
            found += self._findings(rule, None)
        if self.plan.sink is not None:
            self.plan.sink(found)
        else:
            self.judged.findings += found
            if self.plan.early is not None:
                self.plan.early(found)

    def _check_whole(self) -> None:
        counting = bulk.broken_count(self.package, self.source, "part")
        if counting is None:
            return
        cursor = self.db.execute(counting)
        names = [d[0] for d in cursor.description or ()]
        (counts,) = cursor.fetchall()
        for name, count in zip(names, counts, strict=True):
            if count:
                raise bulk.BulkError(f"{self.source.shown}: column {name!r} holds {count} values that are no whole number; mend them or leave them empty")

    def _count(self, rows: int) -> None:
        """Count by rule and severity in one pass over the suspicious rows."""
        self.fired = [0] * len(self.conditions)
        self.judged.bounded += rows
        for tier, unbounded, *counts in self.db.execute(self.count_sql).fetchall():
            self.judged.bounded -= unbounded
            for number, count in enumerate(counts):
                rule = self.conditions[number].rule
                self.fired[number] += count
                if count:
                    self.judged.counts[rule.code, rule.slug, rule.severity_for(tier, self.context.strict)] += count

    def _findings(self, rule: Rule, expected: int | None) -> Iterator[Finding]:
        limit = self.plan.per_rule if self.plan.sink is None else None
        if limit is not None and expected is not None:
            limit -= sum(f.code == rule.code for f in self.judged.findings)
            if limit <= 0:
                return
        shown = self.source.shown
        given = 0
        narrow = replace(rule, sql=self._narrow(rule) + ("" if limit is None else f"\nLIMIT {limit}"))
        for finding in run.over_rows([narrow], self.db, self.context, lambda record, column: (shown, None, column)):
            given += 1
            if expected is None:
                self.judged.counts[finding.code, finding.slug, finding.severity] += 1
            yield finding if finding.file else replace(finding, file=shown)
        if expected is not None and limit is None and given != expected:
            # The condition and the rule are the same text; if they ever part, say so and fail.
            self.judged.counts[rule.code, rule.slug, "error"] += 1
            yield run.crashed(rule, RuntimeError(f"{given} findings where the one pass counted {expected}"), shown)

    def _narrow(self, rule: Rule) -> str:
        """The rule without the columns that its findings do not show: many rules select all."""
        if id(rule) not in self.narrow:
            names = [row[0] for row in self.db.execute(f"DESCRIBE {rule.sql}").fetchall()]
            shown = columns_shown(rule)
            columns = ", ".join(f'"{name}"' for name in names if name in shown)
            self.narrow[id(rule)] = f"SELECT {columns} FROM (\n{rule.sql}\n)"
        return self.narrow[id(rule)]


def reads(view: catalog.View, views: tuple[catalog.View, ...], name: str) -> bool:
    """True for the view `name` and every view that reads it, straight or through another."""
    if view.name == name:
        return True
    read = database.reads(view.sql)
    return any(other.name in read and other.name != view.name and reads(other, views, name) for other in views)


def one_pass(conditions: list[Condition], keep: list[str], relation: str = "main.efficiency") -> str:
    """The SELECT of the rows that any condition holds for, or that have no full bound."""
    columns = ", ".join(f'e."{name}"' for name in keep)
    fired = "\n    OR ".join(["e.unbounded_for IS NOT NULL", *(f"({c.where})" for c in conditions)])
    return f"SELECT {columns}\n{_relations(relation, conditions)}\nWHERE {fired}"


def counting(conditions: list[Condition], relation: str = "suspicious.efficiency") -> str:
    """The SELECT that counts the suspicious rows by tier, without a full bound and by condition."""
    flags = "".join(f",\n    COUNT(*) FILTER (WHERE {c.where}) AS f{number}" for number, c in enumerate(conditions))
    return f"SELECT e.tier, COUNT(*) FILTER (WHERE e.unbounded_for IS NOT NULL) AS unbounded{flags}\n{_relations(relation, conditions)}\nGROUP BY e.tier"


def _relations(relation: str, conditions: list[Condition]) -> str:
    joins = "\n".join(join for c in conditions for join in c.joins)
    return f"FROM {relation} AS e\nCROSS JOIN constants AS k\n{joins}"


def columns_shown(rule: Rule) -> set[str]:
    """The columns of a rule's rows that its findings show."""
    return set(re.findall(r"\{(\w+)\}", f"{rule.message} {rule.fix}")) | {"record", "tier", "field", "actual", "bound", "ratio"}
