"""Where the findings of a bulk check go as they come: JSON Lines or Parquet, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from cardbook.findings import COLUMNS, Finding

SUFFIXES = (".jsonl", ".ndjson", ".parquet")
#: Findings that wait in memory for one row group.
GROUP = 65_536


@contextmanager
def open_sink(path: Path) -> Iterator[Callable[[list[Finding]], None]]:
    """A function that takes findings and writes them. The file gets its name only when the
    check is over; an interrupted one leaves nothing, and a killed one a hidden file that the next
    run begins anew. Raises `ValueError` for a name that is neither JSON Lines nor Parquet."""
    if path.suffix not in SUFFIXES:
        raise ValueError(f"{path}: findings go to a file named *.jsonl or *.parquet")
    temporary = path.with_name(f".{path.name}.partial")
    try:
        with (_parquet if path.suffix == ".parquet" else _lines)(temporary) as take:
            yield take
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_lines(findings: list[Finding], out: IO[str]) -> None:
    """One JSON object a line; a number that JSON has no form for is its name in text."""
    for finding in findings:
        out.write(json.dumps(plain(finding), ensure_ascii=False, allow_nan=False) + "\n")


def plain(finding: Finding) -> dict[str, Any]:
    """The finding as JSON takes it."""
    return {
        name: str(value) if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))) else value
        for name, value in vars(finding).items()
    }


@contextmanager
def _lines(path: Path) -> Iterator[Callable[[list[Finding]], None]]:
    with path.open("w", encoding="utf-8") as out:

        def take(findings: list[Finding]) -> None:
            write_lines(findings, out)
            out.flush()

        yield take


@contextmanager
def _parquet(path: Path) -> Iterator[Callable[[list[Finding]], None]]:
    """Columns of a finding; `actual` and `limit` are text, and `actual_value` and `limit_value`
    the numbers among them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"line": pa.int64(), "ratio": pa.float64()}
    fields = [pa.field(name, types.get(name, pa.string())) for name in COLUMNS]
    schema = pa.schema([*fields, pa.field("actual_value", pa.float64()), pa.field("limit_value", pa.float64())])
    waiting: list[Finding] = []
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:

        def flush() -> None:
            if waiting:
                writer.write_table(pa.table({f.name: [_cell(x, f.name) for x in waiting] for f in schema}, schema=schema))
                waiting.clear()

        def take(findings: list[Finding]) -> None:
            waiting.extend(findings)
            if len(waiting) >= GROUP:
                flush()

        yield take
        flush()


def _cell(finding: Finding, name: str) -> Any:
    if name in ("actual_value", "limit_value"):
        value = getattr(finding, name.removesuffix("_value"))
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    value = getattr(finding, name)
    return str(value) if name in ("actual", "limit") and value is not None else value
