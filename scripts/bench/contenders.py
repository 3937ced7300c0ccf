"""Other validators over the same file, each doing the checks that it can express: types, words
and ranges of the columns of `measured`. None can express a wall.

    python scripts/bench/contenders.py NAME FILE.csv|FILE.parquet [ROWS]

Prints one JSON object: seconds (its import apart), rows, findings.
"""

from __future__ import annotations

import csv
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

JSON = dict[str, Any]


def columns() -> list[JSON]:
    """name, type, enum and least value of every column of `measured`; read from the schemas by
    hand, because a contender's environment has no cardbook."""
    root = Path(__file__).resolve().parent.parent.parent / "schemas"
    fields = json.loads((root / "views" / "measured.json").read_text())["fields"]
    said: dict[str, JSON] = {}
    for table in ("measurements", "recipes"):
        for f in json.loads((root / "tables" / f"{table}.json").read_text())["fields"]:
            said[f["name"]] = f.get("constraints", {})
    found = []
    for f in fields:
        c = {} if f["name"] == "tier" else said.get(f["name"], {})
        least = c.get("minimum", c.get("exclusiveMinimum", 0)) if f["type"] in ("number", "integer") else None
        found.append({"name": f["name"], "type": f["type"], "enum": c.get("enum"), "least": least})
    return found


def pandera(path: Path, rows: int | None) -> tuple[float, int, int]:
    import pandera.polars as pa
    import polars as pl

    types = {"string": pl.String, "number": pl.Float64, "integer": pl.Int64}
    checks: dict[str, Any] = {}
    for c in columns():
        own = [pa.Check.isin(c["enum"])] if c["enum"] else [pa.Check.ge(c["least"])] if c["least"] is not None else []
        checks[c["name"]] = pa.Column(types[c["type"]], own, nullable=True)
    schema = pa.DataFrameSchema(checks)
    start = time.perf_counter()
    frame = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path, schema={c["name"]: types[c["type"]] for c in columns()})
    frame = frame if rows is None else frame.head(rows)
    findings = 0
    try:
        schema.validate(frame, lazy=True)
    except pa.errors.SchemaErrors as error:
        findings = len(error.failure_cases)
    return time.perf_counter() - start, frame.height, findings


def great_expectations(path: Path, rows: int | None) -> tuple[float, int, int]:
    import great_expectations as gx
    import pandas as pd

    start = time.perf_counter()
    frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, low_memory=False)
    frame = frame if rows is None else frame.head(rows)
    context = gx.get_context(mode="ephemeral")
    batch = context.data_sources.add_pandas("fleet").add_dataframe_asset("rows").add_batch_definition_whole_dataframe("all")
    suite = gx.ExpectationSuite(name="form")
    for c in columns():
        if c["enum"]:
            suite.add_expectation(gx.expectations.ExpectColumnValuesToBeInSet(column=c["name"], value_set=c["enum"]))
        elif c["least"] is not None:
            suite.add_expectation(gx.expectations.ExpectColumnValuesToBeBetween(column=c["name"], min_value=c["least"]))
    result = batch.get_batch({"dataframe": frame}).validate(suite)
    return time.perf_counter() - start, len(frame), sum(not r.success for r in result.results)


def frictionless(path: Path, rows: int | None) -> tuple[float, int, int]:
    import frictionless as fl

    def field(c: JSON) -> JSON:
        constraints = {"enum": c["enum"]} if c["enum"] else {"minimum": c["least"]} if c["least"] is not None else {}
        return {"name": c["name"], "type": c["type"], "constraints": constraints}

    schema = fl.Schema.from_descriptor({"fields": [field(c) for c in columns()]})
    start = time.perf_counter()
    resource = fl.Resource(path=path.name, basepath=str(path.parent), schema=schema)
    report = fl.validate(resource, limit_rows=rows) if rows else fl.validate(resource)
    return time.perf_counter() - start, report.tasks[0].stats["rows"], report.stats["errors"]


def jsonschema_rs(path: Path, rows: int | None) -> tuple[float, int, int]:
    import jsonschema_rs as js

    properties: JSON = {}
    for c in columns():
        properties[c["name"]] = {"type": c["type"]} | ({"enum": c["enum"]} if c["enum"] else {}) | ({"minimum": c["least"]} if c["least"] is not None else {})
    validator = js.validator_for({"type": "object", "properties": properties, "additionalProperties": False})
    start = time.perf_counter()
    count = findings = 0
    for row in _rows(path):
        count += 1
        findings += not validator.is_valid(row)
        if count == rows:
            break
    return time.perf_counter() - start, count, findings


def _rows(path: Path) -> Iterator[JSON]:
    numbers = {c["name"]: int if c["type"] == "integer" else float for c in columns() if c["type"] != "string"}
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            yield {k: numbers[k](v) if k in numbers else v for k, v in row.items() if v}


def duckdb(path: Path, rows: int | None) -> tuple[float, int, int]:
    """The floor: DuckDB parses the file into a table with the same types, and checks nothing."""
    import duckdb as dd

    db = dd.connect(config={"threads": 2})
    types = {"string": "VARCHAR", "number": "DOUBLE", "integer": "BIGINT"}
    typed = "{" + ", ".join(f"'{c['name']}': '{types[c['type']]}'" for c in columns()) + "}"
    start = time.perf_counter()
    source = f"read_parquet('{path}')" if path.suffix == ".parquet" else f"read_csv('{path}', header = true, columns = {typed}, auto_detect = false)"
    db.execute(f"CREATE TABLE parsed AS SELECT * FROM {source}")
    seconds = time.perf_counter() - start
    return seconds, db.execute("SELECT COUNT(*) FROM parsed").fetchall()[0][0], 0


CONTENDERS: dict[str, tuple[Callable[[Path, int | None], tuple[float, int, int]], str]] = {
    "duckdb": (duckdb, "duckdb"),
    "pandera": (pandera, "pandera[polars]"),
    "great-expectations": (great_expectations, "great-expectations pandas pyarrow"),
    "frictionless": (frictionless, "frictionless"),
    "jsonschema-rs": (jsonschema_rs, "jsonschema-rs"),
}


def main() -> None:
    name, path, rows = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else None
    seconds, count, findings = CONTENDERS[name][0](path, rows)
    print(json.dumps({"seconds": seconds, "rows": count, "findings": findings}))


if __name__ == "__main__":
    main()
