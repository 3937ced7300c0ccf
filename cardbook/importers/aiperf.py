"""AIPerf: `profile_export_aiperf.json` (all of it) and `.csv` (rounded, no set-up).

Every metric carries its unit. `output_token_throughput` is over all streams, `…_per_user`
of one; `inter_token_latency` is (e2e - ttft) / (n - 1). The tokens are the client's count:
the server's usage stands beside it and is the one taken. Cached prompt tokens are inside
every prompt rate; `usage_prompt_cache_read_tokens` is their only sign.
"""

from __future__ import annotations

from typing import Any

from cardbook.importers import serving, serving_metrics
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section, Side
from cardbook.importers.serving_metrics import Metrics

NAME = "aiperf"
_WANTED = "profile_export_aiperf.json"
_FIX = "Give profile_export_aiperf.json of the same run."
_SIDES = (
    Side(r"aiperf profile ", "the command alone", _FIX),
    Side(r'\{"ready": ?(?:true|false)', "the marker of a finished run", _FIX),
    Side(r'\{\s*"data": \[\s*\{\s*"session_id"', "the prompts that were sent", _FIX),
    Side(r'\{"metadata": ?\{"session_num"', "one request a line, without the aggregate rates", _FIX),
    Side(r"# AIPerf Server Metrics Export", "the server's own metrics, which are of no phase", _FIX),
    Side(
        r'\{\s*"schema_version": "[\d.]+",\s*"aiperf_version": "[^"]+",\s*"benchmark_id": "[^"]+",\s*"summary"',
        "the server's own metrics, which are of no phase",
        _FIX,
    ),
    Side(r"(?s)(?!\{).{0,15000}?NVIDIA AIPerf \|", "what AIPerf prints, rounded", _FIX),
)


def recognise(raw: RawOutput) -> bool:
    """True for the two exports, and for the side files that `read` refuses."""
    head = raw.text[:20_000]
    if '"aiperf_version"' in head and '"request_throughput"' in raw.text:
        return True
    return _is_csv(raw) or serving.is_side(raw, _SIDES)


def _is_csv(raw: RawOutput) -> bool:
    return raw.text.startswith("Metric,avg,min,max") and ("Credit-to-Start" in raw.text or "Usage " in raw.text or "Input Token Throughput" in raw.text)


def read(raw: RawOutput) -> list[Reading]:
    """One reading, one measurement. Raises `Refused`, also for a cancelled run."""
    serving.refuse_side(raw, _SIDES, _WANTED)
    if raw.text.startswith("Metric,"):
        box = serving_metrics.from_csv(raw, NAME)
        reading = Reading(NAME, questions=[("tool_version", "Which version of AIPerf? The CSV does not say.")])
    else:
        box = Section(raw, serving.parse_json(raw, NAME), NAME)
        reading = _set_up(box)
    metrics = Metrics(box)
    one = serving_metrics.measure(metrics)
    reading.measurements.append(one)
    serving.put(one, concurrency=_concurrency(box))
    _output_count(metrics, one, reading)
    _prompts(metrics, one, reading)
    _failures(metrics, one)
    return [serving.finish(reading)]


def _set_up(box: Section) -> Reading:
    if box.value.get("was_cancelled") is True or box.value.get("is_complete") is False:
        raise Refused("a run that was cancelled or did not end", "a complete run", "Run the benchmark again.", line=box.line("was_cancelled"))
    version = box.word("aiperf_version")
    if version is None:
        raise Refused("an export without aiperf_version", "an export of AIPerf", _FIX, line=1)
    serving.refuse_faked_acceptance(box.raw)
    reading = Reading(NAME, tool_version=version)
    config = box.maybe("input_config")
    models = config.maybe("models").value.get("items")
    names = [item.get("name") for item in models if isinstance(item, dict)] if isinstance(models, list) else []
    if len(names) > 1:
        raise Refused("a run over several models", "one model in a run", "Run the benchmark for one model.", line=box.line("models"))
    if names and isinstance(names[0], str):
        reading.recipe["model_as_written"] = names[0]
    reading.recipe |= serving.known({"measured_on": serving.iso_date(box.word("start_time")), "prompt": _prompt(config)})
    return reading


def _first(config: Section, key: str) -> dict[str, Any]:
    found = config.value.get(key)
    return found[0] if isinstance(found, list) and len(found) == 1 and isinstance(found[0], dict) else {}


def _prompt(config: Section) -> str | None:
    kind = _first(config, "datasets").get("type")
    return f"{kind} prompts of the client" if isinstance(kind, str) else None


def _concurrency(box: Section) -> float | None:
    """The cap of the profiling phase, where there is just one."""
    phases = box.maybe("input_config").value.get("phases")
    if not isinstance(phases, list):
        return None
    asked = [phase for phase in phases if isinstance(phase, dict) and phase.get("kind") == "profiling"]
    if len(asked) != 1 or asked[0].get("concurrency") is None:
        return None
    return serving.to_number(asked[0]["concurrency"], "concurrency", NAME, box.line("concurrency"))


def _output_count(metrics: Metrics, one: Measurement, reading: Reading) -> None:
    usage = metrics.get("usage_completion_tokens", "token")
    if serving_metrics.check_output_count(one, reading, usage, "the server's usage"):
        return
    if usage:
        one.values["generated_tokens"] = usage


def _prompts(metrics: Metrics, one: Measurement, reading: Reading) -> None:
    counted, usage = one.values.get("prompt_tokens"), metrics.get("usage_prompt_tokens", "token")
    if usage is not None and counted is not None and abs(usage - counted) > serving_metrics.SAME_COUNT * usage:
        one.values["prompt_tokens"] = usage
        serving.drop(one, "total_tok_s")
        reading.lost.append(("total_tok_s", f"the client counted {counted:.4g} prompt tokens a request, the server's usage {usage:.4g}"))
    cached = metrics.get("usage_prompt_cache_read_tokens", "token")
    if cached is None:
        return
    one.values["cached_prompt_tokens"] = cached
    if cached > 0 and "total_tok_s" in one.values:
        serving.drop(one, "total_tok_s")
        reading.lost.append(("total_tok_s", f"it counts {cached:.4g} cached prompt tokens a request, which were not computed"))


def _failures(metrics: Metrics, one: Measurement) -> None:
    done, tried = one.values["requests"], metrics.get("completed_request_count", "request")
    failed = metrics.get("error_request_count", "request")
    if failed is None and tried is not None:
        failed = max(tried - done, 0.0)
    serving.count_failures(one, failed, tried)
    goodput = metrics.get("goodput", "request/second")
    if goodput is not None and "tok_s" in one.values:  # its limits on ITL use the same count of tokens
        serving.note(one, f"goodput {goodput:.4g} requests/s within the limits that the client was given")
