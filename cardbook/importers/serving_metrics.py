"""Metrics that carry their unit, as AIPerf and GenAI-Perf write them (JSON and CSV).

Both count tokens with the client's tokenizer. Only a second count (the server's usage, or
the length that was asked for) shows whether that is the model's own count; where the two
differ, every figure with output tokens in it is left out.
"""

from __future__ import annotations

import csv
import io
import re
from typing import Any

from cardbook.importers import serving
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section

_UNITS = {
    "ms": ("second", 1e-3),
    "sec": ("second", 1.0),
    "s": ("second", 1.0),
    "ns": ("second", 1e-9),
    "us": ("second", 1e-6),
    "tokens": ("token", 1.0),
    "tokens/sec": ("token/second", 1.0),
    "tokens/sec/user": ("token/second", 1.0),
    "requests": ("request", 1.0),
    "count": ("request", 1.0),
    "requests/sec": ("request/second", 1.0),
    "per sec": ("request/second", 1.0),
}
_SHARES = ("p50", "p90", "p95", "p99")
_LATENCIES = (("request_latency", "e2e"), ("time_to_first_token", "ttft"), ("inter_token_latency", "tpot"))
# The denominators of the rates are the server's first and last byte, the stated duration is not.
_WINDOW = 0.05
# The same count, allowing for a request that stopped early.
SAME_COUNT = 0.01


class Metrics:
    """The metrics of one file. Every figure comes out in base units. Raises `Refused`."""

    def __init__(self, box: Section) -> None:
        self.box = box

    def get(self, name: str, dimension: str, statistic: str = "avg") -> float | None:
        """The statistic of a metric, None where the file has none."""
        if name not in self.box:
            return None
        metric = self.box.section(name)
        unit = metric.value.get("unit")
        known = _UNITS.get(unit) if isinstance(unit, str) else None
        if known is None or known[0] != dimension:
            raise Refused(f"{name} is in {str(unit)[:40]!r}", f"a unit of {dimension}", "Give the file as the tool wrote it.", line=self.box.line(name))
        return metric.number(statistic, known[1])

    def needed(self, name: str, dimension: str) -> float:
        """The average of a metric that a finished run always has."""
        found = self.get(name, dimension)
        if found is None:
            raise Refused(f"no {name}", "the metrics of a finished run of an LLM endpoint", "Give the whole export.", line=1)
        return found


def from_csv(raw: RawOutput, tool: str) -> Section:
    """The CSV export as the JSON would hold it: tables one under the other, blank lines between.

    A label is `Name (unit)`. GPU tables, which have other headers, are passed over.
    """
    try:
        rows = list(csv.reader(io.StringIO(raw.text), strict=True))
    except csv.Error as error:
        raise serving.truncated(raw, tool, str(error)) from None
    made: dict[str, Any] = {}
    head: list[str] = []
    for line, row in enumerate(rows, 1):
        if not row:
            head = []
        elif not head:
            head = row
        elif head[0] == "Metric":
            _csv_row(head, row, line, tool, made)
    return Section(raw, made, tool)


def _csv_row(head: list[str], row: list[str], line: int, tool: str, made: dict[str, Any]) -> None:
    if len(row) != len(head):
        raise Refused(f"a row of {len(row)} cells under {len(head)} headers", "a whole table", "Copy the file again.", line=line)
    label = re.fullmatch(r"(.*?)(?: \(([^()]*)\))?", row[0])
    name, unit = (label.group(1), label.group(2)) if label else (row[0], None)
    key = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if key in made:
        raise Refused(f"{row[0]!r} stands twice", "one run in a file", "Give one run's file.", line=line)
    cells = {("avg" if column == "Value" else column): _cell(cell) for column, cell in zip(head[1:], row[1:], strict=True) if cell}
    made[key] = {"unit": unit or ("requests" if "count" in key or "requests" in key else None), **cells}


def _cell(cell: str) -> float | str:
    """A number where the cell is one; any other text is refused where a figure is wanted."""
    plain = cell.replace(",", "")
    return float(plain) if serving.PLAIN.fullmatch(plain) else cell[:60]


def measure(metrics: Metrics) -> Measurement:
    """The measurement, with the tokens as the client counted them."""
    one = Measurement({"phase": "serve"})
    done, made = metrics.needed("request_count", "request"), metrics.needed("output_sequence_length", "token")
    rate = metrics.needed("output_token_throughput", "token/second")
    requests = metrics.needed("request_throughput", "request/second")
    serving.refuse_nothing_done(done, made * done, metrics.box.raw)
    serving.require_equal("output_token_throughput", rate, made * requests, _WINDOW, metrics.box.raw)
    duration = metrics.get("benchmark_duration", "second")
    if duration:
        serving.require_equal("request_throughput", requests, done / duration, _WINDOW, metrics.box.raw)
    serving.put(
        one,
        requests=done,
        duration_s=duration,
        generated_tokens=made,
        tok_s=rate,
        request_rate_per_s=requests,
        prompt_tokens=metrics.get("input_sequence_length", "token"),
        total_tok_s=metrics.get("total_token_throughput", "token/second"),
        tok_s_per_stream=metrics.get("output_token_throughput_per_user", "token/second"),
    )
    for name, field in _LATENCIES:
        serving.put(one, **{f"{field}_s": metrics.get(name, "second")})
        for share in _SHARES:
            serving.put(one, **{f"{field}_{share}_s": metrics.get(name, "second", share)})
    return one


def check_output_count(one: Measurement, reading: Reading, other: float | None, whose: str) -> bool:
    """Compares the client's output tokens with another count (a mean of a request).

    Without another count, or where the two differ, all figures with output tokens in them
    go, and the function returns False.
    """
    made = one.values["generated_tokens"]
    if other is not None and abs(made - other) <= SAME_COUNT * other:
        return True
    serving.drop(one, "tok_s", "total_tok_s", "tok_s_per_stream", "tpot_s", "generated_tokens")
    reason = f"the client's tokenizer counted {made:.4g} output tokens a request"
    reading.lost.append(("tok_s", f"{reason}, {whose} {other:.4g}" if other is not None else f"{reason}, and the file has no other count to compare with"))
    reading.lost.append(("tpot_s", "it divides by the client's count of tokens"))
    return False
