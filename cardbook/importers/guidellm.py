"""guidellm: JSON of 0.3 (args, worker) and of 0.5 to 0.8 (metadata, config), CSV of 0.8.

`request_latency` is seconds, names with `_ms` are milliseconds. Of a rate only `.mean` is
the aggregate (tokens over the duration); its median is over moments. Only `successful`
requests are taken. `inter_token_latency_ms` is (last - first) / (n - 1): the TPOT meant here.
`time_per_output_token_ms` holds the first token (0.5 on) or divides by n (0.3) and is left out.
Tokens are the server's usage unless the run preferred the client's own count.
"""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

from cardbook.importers import serving
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import MS, Section, Side

NAME = "guidellm"
_WANTED = "its JSON (or the CSV of 0.8)"
_GIVE = "Give the JSON report that guidellm wrote."
_SIDES = (
    Side(r"guidellm (?:benchmark|run)\b", "the command alone", _GIVE),
    Side(r"(?s)(?!\{).{0,4000}?(?:Benchmarks Metadata:|Run Summary Info|OpenAIHTTPBackend backend validated)", "what guidellm prints, rounded", _GIVE),
)
_LATENCIES = (("request_latency", "e2e", 1.0), ("time_to_first_token_ms", "ttft", MS), ("inter_token_latency_ms", "tpot", MS))
_PERCENTILES = ("p50", "p90", "p95", "p99")
# Tokens over duration and the time-weighted mean differ by the edges of the window.
_WINDOW = 0.03


def recognise(raw: RawOutput) -> bool:
    """True for a report (JSON or CSV), and for the side files that `read` refuses."""
    text = raw.text
    if text.startswith("Run Info,") and "guidellm" in text[:20_000]:
        return True
    if '"benchmarks"' in text and '"request_concurrency"' in text and '"output_tokens_per_second"' in text:
        return True
    return '"guidellm_version"' in text[:2_000] or serving.is_side(raw, _SIDES)


def read(raw: RawOutput) -> list[Reading]:
    """One reading; one measurement for each benchmark (rate or concurrency). Raises `Refused`."""
    serving.refuse_side(raw, _SIDES, _WANTED)
    serving.refuse_faked_acceptance(raw)
    if raw.text.startswith("Run Info,"):
        return [_csv(raw)]
    box = Section(raw, serving.parse_json(raw, NAME), NAME)
    version = box.maybe("metadata").word("guidellm_version")
    reading = Reading(NAME, tool_version=version)
    for bench in box.rows("benchmarks"):
        reading.measurements.append(_benchmark(bench, version, reading))
    return [serving.finish(reading)]


def _benchmark(bench: Section, version: str | None, reading: Reading) -> Measurement:
    metrics, config = bench.section("metrics"), bench.maybe("config")
    old = "args" in bench and "worker" in bench
    if not old and not ("config" in bench and version):
        raise Refused(
            "a report of guidellm in a layout that is not known",
            "the layout of 0.3, or of 0.5 to 0.8",
            "Run the benchmark with guidellm 0.8.",
            line=bench.line("benchmarks"),
        )
    strategy = bench.section("args").section("strategy") if old else config.section("strategy")
    backend = bench.section("worker") if old else config.maybe("backend")
    totals = bench.section("request_totals") if old else metrics.section("request_totals")
    _tell(reading, "model_as_written", backend.word("backend_model" if old else "model"), bench)
    date = serving.epoch_date(bench.number("start_time"))
    if date:
        reading.recipe.setdefault("measured_on", date)
    one = Measurement({"phase": "serve"}, label=_label(strategy))
    done = totals.needed("successful")
    serving.refuse_nothing_done(done, None, bench.raw)
    one.values |= {"requests": done, "duration_s": bench.needed("duration")}
    _rates(metrics, one)
    for name, field, scale in _LATENCIES:
        _latency(metrics, name, field, scale, one)
    serving.put(one, concurrency=_streams(strategy, config.maybe("profile")), cached_prompt_tokens=_cached(bench, done))
    _doubts(one, totals, config, backend, reading)
    mean = _mean(metrics, "request_concurrency")
    if "concurrency" not in one.values and mean is not None:
        serving.note(one, f"{mean:.3g} requests in flight on average")
    return one


def _tell(reading: Reading, key: str, value: str | None, bench: Section) -> None:
    if value and reading.recipe.setdefault(key, value) != value:
        raise Refused(
            f"benchmarks of {reading.recipe[key]} and of {value} in one report",
            "one model in a file",
            "Give a report of one model.",
            line=serving.line_of(bench.raw, value),
        )


def _label(strategy: Section) -> str | None:
    kind, rate, streams = strategy.word("type_"), strategy.number("rate"), strategy.number("streams")
    at = rate if rate is not None else streams
    return f"{kind}@{at:g}" if kind and at is not None else kind


def _streams(strategy: Section, profile: Section) -> float | None:
    """The concurrency that was asked for. A rate's cap of 10240 is a default and says nothing."""
    if strategy.word("type_") == "synchronous":
        return 1.0
    return strategy.number("streams") or profile.number("max_concurrency")


def _mean(metrics: Section, name: str) -> float | None:
    return metrics.section(name).section("successful").number("mean")


def _rates(metrics: Section, one: Measurement) -> None:
    made, taken = _mean(metrics, "output_token_count"), _mean(metrics, "prompt_token_count")
    rate, total = _mean(metrics, "output_tokens_per_second"), _mean(metrics, "tokens_per_second")
    done, duration = one.values["requests"], one.values["duration_s"]
    serving.refuse_nothing_done(done, (made or 0.0) * done, metrics.raw)
    if duration <= 0:
        raise Refused("a duration of 0 s", "the duration of a run", _GIVE, line=metrics.line("duration"))
    serving.require_equal("output_tokens_per_second", rate, (made or 0.0) * done / duration, _WINDOW, metrics.raw)
    if taken is not None:
        serving.require_equal("tokens_per_second", total, ((made or 0.0) + taken) * done / duration, _WINDOW, metrics.raw)
    serving.put(one, prompt_tokens=taken, generated_tokens=made, tok_s=rate, total_tok_s=total, request_rate_per_s=_mean(metrics, "requests_per_second"))


def _latency(metrics: Section, name: str, field: str, scale: float, one: Measurement) -> None:
    spread = metrics.section(name).section("successful")
    shares = spread.maybe("percentiles")
    serving.put(one, **{f"{field}_s": spread.number("mean", scale)})
    for share in _PERCENTILES:
        serving.put(one, **{f"{field}_{share}_s": shares.number(share, scale)})


def _cached(bench: Section, done: float) -> float | None:
    """Mean of the server's cached prompt tokens, when every request is listed and has them."""
    rows = bench.maybe("requests").value.get("successful")
    if not isinstance(rows, list) or len(rows) != done:
        return None
    found = [row.get("cached_tokens") if isinstance(row, dict) else None for row in rows]
    if any(count is None for count in found):
        return None
    return sum(serving.to_number(count, "cached_tokens", NAME, bench.line("cached_tokens")) for count in found) / done


def _doubts(one: Measurement, totals: Section, config: Section, backend: Section, reading: Reading) -> None:
    failed, cut = totals.number("errored"), totals.number("incomplete")
    serving.count_failures(one, failed, totals.number("total"))
    if cut:
        serving.note(one, f"{cut:g} requests were cut off at the end and are not counted")
    if config.value.get("prefer_response_metrics") is False:
        serving.drop(one, "tok_s", "total_tok_s", "tpot_s", "prompt_tokens", "generated_tokens")
        reading.lost.append(("tok_s", "the run preferred the client's tokenizer to the server's usage"))
    if backend.value.get("stream") is False:
        serving.drop(one, "ttft_s", "tpot_s")
        reading.lost.append(("ttft_s", "the answers were not streamed"))


_CSV = {  # field: (group, name, statistic)
    "requests": ("Request Counts", "Successful", ""),
    "duration_s": ("Timings", "Duration", "Sec"),
    "prompt_tokens": ("Token Metrics", "Successful Input Tokens", "Mean"),
    "generated_tokens": ("Token Metrics", "Successful Output Tokens", "Mean"),
    "tok_s": ("Token Throughput", "Successful Output Tokens/Sec", "Mean"),
    "total_tok_s": ("Token Throughput", "Successful Total Tokens/Sec", "Mean"),
    "request_rate_per_s": ("Server Throughput", "Successful Requests/Sec", "Mean"),
}
_CSV_LATENCIES = (
    ("Request Latency", "Successful Sec", "e2e", 1.0),
    ("Time to First Token", "Successful ms", "ttft", MS),
    ("Inter Token Latency", "Successful ms", "tpot", MS),
)
# A cell of percentiles lists min, p0.1, p1, p5, p10, p25, p75, p90, p95, p99, max: no p50, which is the median's cell.
_CSV_SHARES = {"p90": 7, "p95": 8, "p99": 9}


def _csv(raw: RawOutput) -> Reading:
    """Three header rows (group, name, unit or statistic), then one benchmark a row."""
    try:
        rows = list(csv.reader(io.StringIO(raw.text), strict=True))
    except csv.Error as error:
        raise serving.truncated(raw, NAME, str(error)) from None
    if len(rows) < 4 or any(len(row) != len(rows[0]) for row in rows):
        raise serving.truncated(raw, NAME, "rows of different lengths, or no row under the three header rows")
    heads = [(group, name, last) for group, name, last in zip(*rows[:3], strict=True)]
    reading = Reading(NAME)
    for number, row in enumerate(rows[3:], 4):
        cells = dict(zip(heads, row, strict=True))
        one = _csv_row(cells, number)
        serving.require_equal(
            "output tokens/sec", one.values["tok_s"], one.values["generated_tokens"] * one.values["requests"] / one.values["duration_s"], _WINDOW, raw
        )
        reading.measurements.append(one)
        model = re.search(r'"model": "([^"]+)"', cells.get(("Run Info", "Backend", ""), ""))
        if model:
            _tell(reading, "model_as_written", model.group(1), Section(raw, {}, NAME))
        reading.recipe |= serving.known({"measured_on": serving.iso_date(cells.get(("Timings", "Start Time", "")))})
    reading.questions.append(("tool_version", "Which version of guidellm? The CSV does not say."))
    return serving.finish(reading)


def _csv_row(cells: dict[tuple[str, str, str], str], line: int) -> Measurement:
    one = Measurement({"phase": "serve"}, label=cells.get(("Benchmark", "Strategy", "")) or None, line=line)
    for field, head in _CSV.items():
        one.values[field] = _cell(cells, head, line)
    if min(one.values["requests"], one.values["duration_s"], one.values["generated_tokens"]) <= 0:
        raise Refused("a benchmark that finished no request", "a run that produced output", _GIVE, line=line)
    for group, name, field, scale in _CSV_LATENCIES:
        one.values[f"{field}_s"] = _cell(cells, (group, name, "Mean"), line) * scale
        one.values[f"{field}_p50_s"] = _cell(cells, (group, name, "Median"), line) * scale
        shares = _list(cells.get((group, name, "Percentiles"), ""), line)
        for share, at in _CSV_SHARES.items():
            one.values[f"{field}_{share}_s"] = serving.to_number(shares[at], f"{name} {share}", NAME, line) * scale
    streams = re.fullmatch(r"concurrent@(\d{1,6})(?:\.0+)?", one.label or "")
    if streams or one.label == "synchronous":
        one.values["concurrency"] = float(streams.group(1)) if streams else 1.0
    failed, cut = (_cell(cells, ("Request Counts", name, ""), line) for name in ("Errored", "Incomplete"))
    serving.count_failures(one, failed, _cell(cells, ("Request Counts", "Total", ""), line))
    if cut:
        serving.note(one, f"{cut:g} requests were cut off at the end and are not counted")
    return one


def _cell(cells: dict[tuple[str, str, str], str], head: tuple[str, str, str], line: int) -> float:
    name = " / ".join(head)
    return serving.from_text(cells.get(head) or f"missing ({name})", name, NAME, line)


def _list(cell: str, line: int) -> list[Any]:
    try:
        shares = json.loads(cell)
    except (ValueError, RecursionError):
        shares = None
    if not isinstance(shares, list) or len(shares) != 11:
        raise Refused(f"a cell of percentiles that is no list of eleven: {cell[:40]!r}", "the eleven percentiles of guidellm 0.8", _GIVE, line=line)
    return shares
