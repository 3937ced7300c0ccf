"""inference-perf: `stage_N_lifecycle_metrics.json` (or the same as YAML). All seconds.

The summary mixes all stages, so only stages are read. The output rate and TPOT follow
`output_len`, which is the client's count; `output_tokens` is the server's. Rates of input
count cached prompt tokens, and a `cached` of 0 may only mean that the server did not say.
`normalized_time_per_output_token` holds the first token; `inter_token_latency` is 0 for
tokens of one chunk: neither is TPOT.
"""

from __future__ import annotations

from cardbook.importers import serving, serving_metrics
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section, Side

NAME = "inference-perf"
_WANTED = "stage_N_lifecycle_metrics.json"
_FIX = "Give stage_N_lifecycle_metrics.json, one file for each stage."
_SIDES = (
    Side(r"inference-perf --config", "the command alone", _FIX),
    Side(r'\{\s*"global": \{\s*"warnings"', "the tool's check of its own reports", _FIX),
    Side(r'\[\s*\{\s*"start_time": [\d.]+,\s*"end_time": [\d.]+,\s*"request": ', "one request after another, without the aggregate rates", _FIX),
)
_KEYS = ("benchmark_time_seconds", "load_summary", "successes", "failures")
_LATENCIES = (("request_latency", "e2e"), ("time_to_first_token", "ttft"), ("time_per_output_token", "tpot"))
_STATISTICS = (("mean", ""), ("median", "_p50"), ("p90", "_p90"), ("p95", "_p95"), ("p99", "_p99"))


def recognise(raw: RawOutput) -> bool:
    """True for a stage, a summary, and the side files that `read` refuses."""
    text = raw.text
    if all(f'"{key}"' in text for key in _KEYS) or all(f"\n{key}:" in f"\n{text}" for key in _KEYS):
        return True
    return _is_config(raw) or serving.is_side(raw, _SIDES)


def _is_config(raw: RawOutput) -> bool:
    lines = {line.rstrip() for line in raw.text[:50_000].splitlines()}
    return {"api:", "load:", "data:", "server:", "tokenizer:"} <= lines


def read(raw: RawOutput) -> list[Reading]:
    """One reading, one measurement: a stage. Raises `Refused`."""
    serving.refuse_side(raw, _SIDES, _WANTED)
    if _is_config(raw):
        raise Refused("the configuration of a run", _WANTED, _FIX, line=1)
    as_json = raw.text.lstrip("\ufeff \r\n\t").startswith("{")
    box = Section(raw, serving.parse_json(raw, NAME) if as_json else serving.parse_yaml(raw, NAME), NAME)
    load = box.section("load_summary")
    if "requested_rate" not in load:
        raise Refused("the summary, which mixes all stages of the run", "one stage", _FIX, line=box.line("load_summary"))
    reading = Reading(NAME)
    one = _measure(box, load)
    reading.measurements.append(one)
    done = box.section("successes")
    server = done.maybe("output_tokens").number("mean")
    if not serving_metrics.check_output_count(one, reading, server, "the server's usage") and server is not None:
        one.values["generated_tokens"] = server
    _prompts(done, one, reading)
    serving.count_failures(one, box.section("failures").number("count"), load.number("count"))
    reading.questions.append(("tool_version", "Which version of inference-perf? The file does not say."))
    return [serving.finish(reading)]


def _measure(box: Section, load: Section) -> Measurement:
    done, duration = box.section("successes"), box.needed("benchmark_time_seconds")
    count = done.needed("count")
    serving.refuse_nothing_done(count, None, box.raw)
    if duration <= 0:
        raise Refused("a run of 0 s", "the duration of a stage", _FIX, line=box.line("benchmark_time_seconds"))
    rates, latency = done.section("throughput"), done.section("latency")
    one = Measurement({"phase": "serve", "requests": count, "duration_s": duration}, label=f"{load.needed('requested_rate'):g} requests/s")
    serving.put(
        one,
        generated_tokens=done.section("output_len").needed("mean"),
        tok_s=rates.needed("output_tokens_per_sec"),
        total_tok_s=rates.number("total_tokens_per_sec"),
        request_rate_per_s=rates.number("requests_per_sec"),
    )
    serving.refuse_nothing_done(count, one.values["generated_tokens"], box.raw)
    serving.require_equal("output_tokens_per_sec", one.values["tok_s"], one.values["generated_tokens"] * count / duration, 1e-3, box.raw)
    serving.require_equal("requests_per_sec", one.values.get("request_rate_per_s"), count / duration, 1e-3, box.raw)
    for name, field in _LATENCIES:
        spread = latency.maybe(name)
        for statistic, suffix in _STATISTICS:
            serving.put(one, **{f"{field}{suffix}_s": spread.number(statistic)})
    return one


def _prompts(done: Section, one: Measurement, reading: Reading) -> None:
    prompts, count = done.maybe("prompt_tokens"), one.values["requests"]
    total, cached = prompts.number("total"), prompts.number("cached")
    if any((done.maybe(kind).maybe("count").number("mean") or 0.0) > 0 for kind in ("image", "video", "audio")):
        serving.drop(one, "total_tok_s")
        reading.lost.append(("prompt_tokens", "prompts held images, video or audio, whose tokens the file does not count apart"))
        return
    serving.put(one, prompt_tokens=None if total is None else total / count)
    if cached:
        one.values["cached_prompt_tokens"] = cached / count
        if "total_tok_s" in one.values:
            serving.drop(one, "total_tok_s")
            reading.lost.append(("total_tok_s", f"it counts {cached:g} cached prompt tokens, which were not computed"))
