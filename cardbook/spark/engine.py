"""Check a bulk source on Spark: the same views, the same rules, the same findings.

Tables of the package are small and go to the executors with the plan; the source stays where it
is. One pass keeps the suspicious rows, as in `cardbook.rules.fleet`, and each rule runs over them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cardbook import schema
from cardbook.findings import Finding
from cardbook.package import Package
from cardbook.rules import fleet, run
from cardbook.rules.check import Options, Report, bulk_rules
from cardbook.rules.model import Rule
from cardbook.rules.rowwise import Condition, condition
from cardbook.spark.dialect import translate
from cardbook.views import bulk, catalog, database

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Views that read every measured row and have few of their own, one a combination of names.
KEYED = frozenset({"path_peaks"})
#: Findings handed on at a time.
BATCH = 10_000
#: Of a Spark that is started here.
STARTED = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
#: Of the session: the views have many columns, the package's tables are small, and the text of
#: a suspicious plan helps nobody.
SETTINGS = {
    "spark.sql.codegen.maxFields": "500",
    "spark.sql.autoBroadcastJoinThreshold": "67108864",
    "spark.sql.shuffle.partitions": "16",
    # A condition pushed below a view has the view's expressions written into it, below the next
    # view theirs in turn: the plan grows with the power of the depth. Conditions stay on top.
    "spark.sql.optimizer.excludedRules": ",".join(
        f"org.apache.spark.sql.catalyst.optimizer.{rule}" for rule in ("PushDownPredicates", "PushPredicateThroughNonJoin")
    ),
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.sql.session.timeZone": "UTC",
}
#: Findings up to which it costs less to interpret a plan than to compile it, and to take them
#: in one piece than part by part.
FEW = 200_000
_TYPES = {"string": "STRING", "number": "DOUBLE", "integer": "BIGINT", "boolean": "BOOLEAN"}


class SparkAbsent(RuntimeError):
    """Spark cannot run here; the message says what is missing."""


def master_of(engine: str) -> str | None:
    """The master of `spark` or `spark:MASTER`. Raises `SparkAbsent` for another engine."""
    name, _, master = engine.partition(":")
    if name != "spark":
        raise SparkAbsent(f"no engine {engine!r}: duckdb, spark or spark:MASTER")
    return master or None


@contextmanager
def session(master: str | None) -> Iterator[SparkSession]:
    """A session of its own on the Spark that runs already, else on one that is started (local, or
    at `master`) and stopped again. Raises `SparkAbsent` without pyspark or Java."""
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise SparkAbsent("Spark is not installed: `pip install cardbook[spark]` (in a clone: `make spark`)") from error
    running = SparkSession.getActiveSession()
    if running is not None:
        yield _own(running)
        return
    _find_java()
    builder = SparkSession.builder.appName("cardbook").master(master or "local[*]")
    for key, value in STARTED.items():
        builder = builder.config(key, value)
    try:
        running = builder.getOrCreate()
    except Exception as error:
        raise SparkAbsent(f"Spark did not start at {master or 'local[*]'}: {_reason(error)}") from error
    try:
        yield _own(running)
    finally:
        running.stop()


def _own(running: SparkSession) -> SparkSession:
    """Views and settings that the session around this one does not see."""
    spark = running.newSession()
    for key, value in SETTINGS.items():
        spark.conf.set(key, value)
    return spark


def _find_java() -> None:
    import os
    import shutil

    home = os.environ.get("JAVA_HOME")
    if not (home and (Path(home) / "bin" / "java").exists()) and shutil.which("java") is None:
        raise SparkAbsent("Spark needs Java 17 or later: install one (Debian: openjdk-17-jre-headless) or set JAVA_HOME")


def check_bulk(package: Package, source: str, options: Options, plan: fleet.Plan, master: str | None = None) -> Report:
    """The report that DuckDB would give on `source`, any path that Spark reads. Raises
    `SparkAbsent`, and `bulk.BulkError` for a source that is none."""
    rules = bulk_rules(package, options)
    context = run.Context(package, options.strict)
    with session(master) as spark:
        load_tables(spark, package)
        measured(spark, package, source)
        create_views(spark, package, rules)
        judged = Judge(spark, package, source, rules, context, plan).run()
    return Report(judged.findings, 0, judged.rows, judged.bounded, len({r.code for r in rules}), judged.counts)


def load_tables(spark: SparkSession, package: Package) -> None:
    """Every table of the package as a temporary view, small enough to be broadcast."""
    db = database.empty()
    database.load_tables(db, package)
    for name, table in schema.load(package.table_schemas).items():
        columns = ", ".join(f'"{f.name}"' for f in table.fields)
        small(spark, db.sql(f'SELECT {columns} FROM "{name}"').to_arrow_table(), name)


def small(spark: SparkSession, table: object, name: str) -> None:
    """A temporary view over an Arrow table. From Arrow Spark knows how large it is, and sends it
    to every executor instead of sorting both sides of each join."""
    spark.createDataFrame(table).createOrReplaceTempView(name)


def measured(spark: SparkSession, package: Package, source: str) -> None:
    """`measured` over a source, as `cardbook.views.bulk.select` makes it."""
    frame = read(spark, package, source)
    fields = catalog.view_fields(package)["measured"]
    known = [f.name for f in fields]
    extra = sorted(set(frame.columns) - set(known))
    if extra:
        raise bulk.BulkError(f"{source}: column {extra[0]!r} is not in the relation measured; wanted any of {', '.join(sorted(known))}. Rename or drop it.")
    if "record" not in frame.columns:
        raise bulk.BulkError(f"{source}: no column record; Spark reads rows in no order, so they cannot be numbered. Give each row a name.")
    _check_whole(frame, source, [f.name for f in fields if f.type == "integer"])
    frame.createOrReplaceTempView("bulk_rows")
    parts = []
    for f in fields:
        if f.name == "tier":
            given = "CAST(tier AS STRING)" if "tier" in frame.columns else "CAST(NULL AS STRING)"
            parts.append(f"CASE WHEN {given} IN ('reported', 'submitted') THEN {given} ELSE 'bulk' END AS tier")
        elif f.name in frame.columns:
            parts.append(f"CAST(`{f.name}` AS {_TYPES[f.type]}) AS `{f.name}`")
        else:
            parts.append(f"CAST(NULL AS {_TYPES[f.type]}) AS `{f.name}`")
    spark.sql(f"SELECT {', '.join(parts)} FROM bulk_rows").createOrReplaceTempView("measured")


def read(spark: SparkSession, package: Package, source: str) -> DataFrame:
    """The rows of a source. Text that is no number stops the reading."""
    suffix = Path(source).suffix.lower()
    form = bulk.SUFFIXES.get(suffix) or (bulk.form_of(Path(source)) if Path(source).is_dir() else None) or "parquet"
    known = {f.name: "STRING" if f.type == "string" else "DOUBLE" for f in catalog.view_fields(package)["measured"]}
    try:
        if form == "parquet":
            return spark.read.option("mergeSchema", "true").parquet(source)
        if form == "json":
            heads = spark.read.json(source).columns
            types = ", ".join(f"`{h}` {known.get(h, 'STRING')}" for h in heads)
            return spark.read.schema(types).option("mode", "FAILFAST").json(source)
        options = {"header": "true", "mode": "FAILFAST", "escape": '"', "sep": "\t" if suffix == ".tsv" else ",", "enforceSchema": "false"}
        heads = spark.read.options(**options).csv(source).columns
        types = ", ".join(f"`{h}` {known.get(h, 'STRING')}" for h in heads)
        return spark.read.schema(types).options(**options, nanValue="nan", positiveInf="inf", negativeInf="-inf").csv(source)
    except Exception as error:
        raise bulk.BulkError(f"{source}: cannot be read: {str(error).splitlines()[0]}") from error


def _check_whole(frame: DataFrame, source: str, names: list[str]) -> None:
    """A cast to BIGINT would cut 2.5 to 2 without a word."""
    doubtful = [n for n, kind in frame.dtypes if n in names and kind not in ("bigint", "int", "smallint", "tinyint")]
    if not doubtful:
        return
    broken = [
        f"SUM(CASE WHEN `{n}` IS NOT NULL AND (CAST(`{n}` AS DOUBLE) = RINT(CAST(`{n}` AS DOUBLE)) AND ABS(CAST(`{n}` AS DOUBLE)) < 9e18) IS NOT TRUE THEN 1 ELSE 0 END) AS `{n}`"  # noqa: E501
        for n in doubtful
    ]
    try:
        counts = frame.selectExpr(*broken).collect()[0]
    except Exception as error:
        raise bulk.BulkError(f"{source}: cannot be read: {_reason(error)}") from error
    for name in doubtful:
        if counts[name]:
            raise bulk.BulkError(f"{source}: column {name!r} holds {counts[name]} values that are no whole number; mend them or leave them empty")


def _reason(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def create_views(spark: SparkSession, package: Package, rules: list[Rule]) -> None:
    """The views that the rules need, translated. What no measured row changes is worked out once."""
    views = catalog.views(package.views)
    wanted = database.needed(package, ["efficiency", *(str(r.sql) for r in rules)])
    for view in views:
        if view.name == "measured" or view.name not in wanted:
            continue
        frame = spark.sql(translate(view.sql))
        if fleet.reads(view, views, "measured") and view.name not in KEYED:
            frame.createOrReplaceTempView(view.name)
        else:
            with _interpreted(spark):
                small(spark, frame.toArrow(), view.name)


@contextmanager
def _interpreted(spark: SparkSession) -> Iterator[None]:
    """Without generated code: to compile it takes longer than to read a few hundred rows."""
    settings = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN", "spark.sql.shuffle.partitions": "1"}
    before = {key: spark.conf.get(key) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, value in before.items():
            spark.conf.set(key, str(value))


class Judge:
    """One pass over all rows, then each rule over the suspicious ones."""

    def __init__(self, spark: SparkSession, package: Package, source: str, rules: list[Rule], context: run.Context, plan: fleet.Plan) -> None:
        self.spark, self.package, self.source, self.rules, self.context, self.plan = spark, package, source, rules, context, plan
        self.units = catalog.units_by_column(package)
        self.judged = fleet.Judged(counts=Counter())

    def run(self) -> fleet.Judged:
        tables = schema.load(self.package.table_schemas)
        found = [condition(rule, tables, str(number)) for number, rule in enumerate(self.rules)]
        if None in found:
            raise bulk.BulkError(f"{self.rules[found.index(None)].code} looks at more than one row at a time, which Spark is not asked to do")
        conditions: list[Condition] = [c for c in found if c is not None]
        names = [f.name for f in catalog.view_fields(self.package)["efficiency"]]
        keep = list(dict.fromkeys(["record", "tier", "unbounded_for", *run.columns_used(self.rules, names)]))
        self.judged.rows = self._rows()
        self.plan.progress(0, self.judged.rows)
        # Without its lineage: to plan a rule over the whole tree of views takes longer than to run it.
        try:
            suspicious = self.spark.sql(translate(fleet.one_pass(conditions, keep, "efficiency"))).localCheckpoint()
        except Exception as error:
            raise bulk.BulkError(f"{self.source}: cannot be read: {_reason(error)}") from error
        suspicious.createOrReplaceTempView("efficiency")
        self._judge(conditions)
        self.plan.progress(self.judged.rows, self.judged.rows)
        return self.judged

    def _rows(self) -> int:
        try:
            return int(self.spark.sql("SELECT COUNT(*) AS n FROM measured").collect()[0]["n"])
        except Exception as error:
            raise bulk.BulkError(f"{self.source}: cannot be read: {_reason(error)}") from error

    def _judge(self, conditions: list[Condition]) -> None:
        fired = [0] * len(conditions)
        self.judged.bounded = self.judged.rows
        for tier, unbounded, *counts in self.spark.sql(translate(fleet.counting(conditions, "efficiency"))).collect():
            self.judged.bounded -= unbounded
            for number, count in enumerate(counts):
                fired[number] += count
                if count:
                    rule = conditions[number].rule
                    self.judged.counts[rule.code, rule.slug, rule.severity_for(tier, self.context.strict)] += count
        with _interpreted(self.spark) if sum(fired) < FEW else nullcontext():
            for number, one in enumerate(conditions):
                if fired[number]:
                    self._findings(one.rule, fired[number])

    def _findings(self, rule: Rule, expected: int) -> None:
        frame = self.spark.sql(translate(str(rule.sql)))
        shown = fleet.columns_shown(rule)
        frame = frame.select(*(f"`{name}`" for name in frame.columns if name in shown))
        limit = self.plan.per_rule if self.plan.sink is None else None
        batch: list[Finding] = []
        frame = frame if limit is None else frame.limit(limit)
        for row in frame.collect() if expected < FEW else frame.toLocalIterator(prefetchPartitions=True):
            finding = run.from_row(rule, row.asDict(), self.units, self.context, lambda record, column: (self.source, None, column))
            batch.append(finding if finding.file else replace(finding, file=self.source))
            if len(batch) >= BATCH:
                self._take(batch)
                batch = []
        self._take(batch)

    def _take(self, batch: list[Finding]) -> None:
        if self.plan.sink is not None:
            self.plan.sink(batch)
            return
        self.judged.findings += batch
        if self.plan.early is not None:
            self.plan.early(batch)
