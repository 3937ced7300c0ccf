"""Run sets of rows through Great Expectations, on pandas or Spark, and build its Data Docs.

Great Expectations is told to send nothing. Over duckdb-engine it is broken, so the rows come
as frames.
"""

from __future__ import annotations

import datetime
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from expectations.model import Expect, Judged

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 5


@dataclass(frozen=True)
class Failure:
    """One expectation that did not hold: what was wanted, what was found, in which rows."""

    judged: str
    kind: str
    arguments: dict[str, Any]
    reason: str
    found: str
    rows: tuple[str, ...]

    def text(self) -> str:
        wanted = ", ".join(f"{k}={v}" for k, v in self.arguments.items() if v is not None)
        lines = [f"{self.judged}: {self.kind}({wanted})", f"    found {self.found}", f"    why   {self.reason}"]
        return "\n".join([*lines, *(f"    row   {row}" for row in self.rows[:SHOWN])])


def run(sets: list[Judged], engine: str, run_name: str, day: datetime.date, out: Path) -> tuple[int, list[Failure]]:
    """Judge every set; write the Data Docs under `out`. Returns the number of expectations and
    those that failed, in the order of the sets."""
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    warnings.simplefilter("ignore")
    import great_expectations as gx
    from great_expectations.core.run_identifier import RunIdentifier
    from great_expectations.data_context.types.base import ProgressBarsConfig

    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    for site in context.get_site_names():
        context.delete_data_docs_site(site)
    store = {"class_name": "TupleFilesystemStoreBackend", "base_directory": str(out.resolve())}
    site = {"class_name": "SiteBuilder", "store_backend": store, "site_index_builder": {"class_name": "DefaultSiteIndexBuilder"}, "show_how_to_buttons": False}
    context.add_data_docs_site("offline", site)
    source = context.data_sources.add_spark("rows") if engine == "spark" else context.data_sources.add_pandas("rows")
    # The day is the only time in the documents, so that the same data give the same bytes.
    run_id = RunIdentifier(run_name=run_name, run_time=datetime.datetime.combine(day, datetime.time(), datetime.UTC))
    frame = _spark_frame() if engine == "spark" else lambda rows: rows
    count, failures = 0, []
    for judged in sets:
        batch = source.add_dataframe_asset(judged.name).add_batch_definition_whole_dataframe("all")
        # Added one at a time, each would be written and read again.
        suite = context.suites.add(gx.ExpectationSuite(name=judged.name, expectations=[_expectation(e) for e in judged.expects]))
        definition = context.validation_definitions.add(gx.ValidationDefinition(name=judged.name, data=batch, suite=suite))
        form: dict[str, Any] = {"result_format": "COMPLETE"}
        if judged.index:
            form["unexpected_index_column_names"] = list(judged.index)
        result = definition.run(batch_parameters={"dataframe": frame(judged.rows)}, run_id=run_id, result_format=form)
        count += len(result.results)
        failures += [_failure(judged, r) for r in result.results if not r.success]
        if len(result.results) != len(judged.expects):
            raise RuntimeError(f"{judged.name}: {len(judged.expects)} expectations stated, {len(result.results)} answered")
    context.build_data_docs(site_names=["offline"])
    return count, failures


def _expectation(expect: Expect) -> Any:
    import great_expectations.expectations as gxe

    return getattr(gxe, expect.kind)(**expect.arguments, meta={"notes": {"format": "string", "content": [expect.reason]}})


def _failure(judged: Judged, result: Any) -> Failure:
    config = result.expectation_config
    arguments = {k: v for k, v in config.kwargs.items() if k not in ("batch_id", "ignore_row_if", "or_equal")}
    notes = (config.meta or {}).get("notes", {}).get("content", [""])
    raised = [e["exception_message"] for e in _exceptions(result.exception_info) if e.get("raised_exception")]
    found = result.result or {}
    if raised:
        said = f"no answer: {raised[0]}"
    elif "unexpected_count" in found:
        said = f"{found['unexpected_count']} of {found['element_count']} rows otherwise"
    else:
        said = str(found.get("observed_value"))
    rows = tuple(", ".join(f"{k}={v}" for k, v in row.items()) for row in found.get("unexpected_index_list") or ())
    return Failure(judged.name, config.type, arguments, notes[0], said, rows)


def _exceptions(info: Any) -> list[dict[str, Any]]:
    """The one exception, or the several by metric, that Great Expectations reports."""
    if not isinstance(info, dict):
        return []
    return [info] if "raised_exception" in info else [v for v in info.values() if isinstance(v, dict)]


def _spark_frame() -> Any:
    """A function from a pandas frame of text and numbers to a Spark one, null for what is absent."""
    from pyspark.sql import SparkSession
    from pyspark.sql.types import DoubleType, StringType, StructField, StructType

    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.sql.shuffle.partitions", "2").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def frame(rows: pd.DataFrame) -> Any:
        import pandas as pd

        numeric = {c: pd.api.types.is_numeric_dtype(rows[c]) for c in rows.columns}
        fields = [StructField(str(c), DoubleType() if numeric[c] else StringType()) for c in rows.columns]
        values = [
            [None if pd.isna(v) else float(v) if numeric[c] else str(v) for c, v in zip(rows.columns, row, strict=True)]
            for row in rows.itertuples(index=False, name=None)
        ]
        return session.createDataFrame(values, StructType(fields))

    return frame
