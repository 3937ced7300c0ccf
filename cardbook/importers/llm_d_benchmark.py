"""llm-d's benchmark report (YAML), versions 0.1, 0.2 and 0.2.1.

Units are free text for each metric and are read, never assumed. The report does not say who
counted the tokens: with guidellm it was the server, with any other client the output rate
stands only where it fits the fixed length that was asked for. A report that contradicts
itself (the project's own examples hold invented numbers) is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from cardbook.importers import serving, serving_metrics
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section

NAME = "llm-d-benchmark"
_VERSIONS = ("0.1", "0.2", "0.2.1")
_VERSION = re.compile(r"""(?m)^version: *['"]?([\d.]+)['"]?""")
_FIX = "Give the report of one run, as the harness wrote it."
_TIMES = {"s": 1.0, "s/token": 1.0, "seconds": 1.0, "ms": 1e-3, "ms/token": 1e-3, "us": 1e-6, "ns": 1e-9}
_RATES = {"tokens/s": 1.0, "queries/s": 1.0, "requests/s": 1.0, "req/s": 1.0}
_LATENCIES = (("request_latency", "e2e"), ("time_to_first_token", "ttft"), ("time_per_output_token", "tpot"))
_SERVER_COUNTS = ("guidellm",)


def recognise(raw: RawOutput) -> bool:
    """True for YAML with a version and a report's blocks, in any version."""
    text = raw.text
    if not _VERSION.search(text):
        return False
    return "request_performance:" in text or ("\nscenario:" in text and "\nmetrics:" in text)


def read(raw: RawOutput) -> list[Reading]:
    """One reading, one measurement. Raises `Refused`."""
    box = Section(raw, serving.parse_yaml(raw, NAME), NAME)
    version = str(box.value.get("version"))
    if version not in _VERSIONS:
        raise Refused(
            f"a report of version {version[:20]}", f"one of {', '.join(_VERSIONS)}", "Write the report again with one of these.", line=box.line("version")
        )
    serving.refuse_faked_acceptance(raw)
    if version == "0.1":
        reading = _old(box)
    else:
        reading = _new(box)
    reading.tool_version = version
    return [serving.finish(reading)]


def _old(box: Section) -> Reading:
    metrics, scenario = box.section("metrics"), box.maybe("scenario")
    time = metrics.maybe("time")
    start, stop, duration = time.number("start"), time.number("stop"), time.number("duration")
    if start is not None and stop is not None and stop < start:
        raise Refused("a run that stopped before it started", "start before stop", _FIX, line=box.line("stop"))
    rates = metrics.maybe("throughput")
    one = _measure(metrics, rates.number, duration)
    reading = Reading(NAME, measurements=[one])
    host = scenario.maybe("host").value.get("accelerator")
    cards = host if isinstance(host, list) else [host]
    _cards(reading, [(Section(box.raw, card, NAME, "accelerator"), 1.0) for card in cards if isinstance(card, dict)])
    engines = scenario.maybe("platform").value.get("engine")
    names = {(item.get("name"), str(item.get("version"))) for item in engines if isinstance(item, dict)} if isinstance(engines, list) else set()
    if len(names) == 1:
        name, version = names.pop()
        reading.recipe |= serving.known({"engine": name if isinstance(name, str) else None, "engine_version": version if version != "None" else None})
    model = scenario.maybe("model")
    reading.recipe |= serving.known({"model_as_written": model.word("name"), "quant_as_written": model.word("quantization")})
    _count(reading, one, scenario.maybe("load").word("name"), None)
    return reading


def _new(box: Section) -> Reading:
    shape = box.section("results").section("request_performance").section("aggregate")
    run = box.maybe("run")
    duration = _span(run.maybe("time").value.get("duration"))
    rates = shape.maybe("throughput")

    def rate(name: str) -> float | None:
        short = name.removesuffix("s_per_sec")  # "output_tokens_per_sec" of 0.1 is "output_token_rate" here
        return _mean(rates, f"{short}_rate", _RATES)

    one = _measure(shape, rate, duration)
    reading = Reading(NAME, measurements=[one])
    start = run.maybe("time").value.get("start")
    written = start.isoformat() if isinstance(start, datetime) else start
    reading.recipe |= serving.known({"measured_on": serving.iso_date(written if isinstance(written, str) else None)})
    scenario = box.maybe("scenario")
    _stack(reading, scenario)
    load = scenario.maybe("load").maybe("standardized")
    if load.value.get("concurrency") != math.inf:
        serving.put(one, concurrency=load.number("concurrency"))
    asked = load.maybe("output_seq_len")
    _count(reading, one, load.word("tool"), asked.number("value") if asked.word("distribution") == "fixed" else None)
    return reading


def _span(written: Any) -> float | None:
    """An ISO 8601 duration of hours, minutes and seconds, in seconds."""
    match = re.fullmatch(r"PT(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{1,20})?)S)?", written) if isinstance(written, str) else None
    if match is None:
        return None
    hours, minutes, seconds = (float(part or 0.0) for part in match.groups())
    return 3600.0 * hours + 60.0 * minutes + seconds


def _mean(holder: Section, name: str, units: dict[str, float], statistic: str = "mean") -> float | None:
    """A statistic in base units, by the unit that stands beside it."""
    metric = holder.maybe(name)
    if not metric.value:
        return None
    unit = metric.value.get("units")
    scale = units.get(unit) if isinstance(unit, str) else None
    if scale is None:
        raise Refused(f"{name} is in {str(unit)[:40]!r}", f"one of {', '.join(units)}", _FIX, line=holder.line(name))
    return metric.number(statistic, scale)


def _measure(shape: Section, rate: Callable[[str], float | None], duration: float | None) -> Measurement:
    requests, latency = shape.section("requests"), shape.section("latency")
    done = requests.needed("total") - (requests.number("failures") or 0.0)
    made, taken = (_mean(requests, name, {"count": 1.0}) for name in ("output_length", "input_length"))
    serving.refuse_nothing_done(done, None if made is None else made * done, shape.raw)
    one = Measurement({"phase": "serve", "requests": done})
    # `duration` covers preparation too, so it is no duration of the timed part.
    serving.put(
        one,
        prompt_tokens=taken,
        generated_tokens=made,
        tok_s=rate("output_tokens_per_sec"),
        total_tok_s=rate("total_tokens_per_sec"),
        request_rate_per_s=rate("requests_per_sec"),
    )
    for name, field in _LATENCIES:
        for statistic, suffix in (("mean", ""), ("p50", "_p50"), ("p90", "_p90"), ("p95", "_p95"), ("p99", "_p99")):
            serving.put(one, **{f"{field}{suffix}_s": _mean(latency, name, _TIMES, statistic)})
    _consistent(shape, one, duration)
    serving.count_failures(one, requests.number("failures"), requests.number("total"))
    return one


def _consistent(shape: Section, one: Measurement, duration: float | None) -> None:
    values = one.values
    rate, made, taken = (values.get(key) for key in ("request_rate_per_s", "generated_tokens", "prompt_tokens"))
    if rate is None:
        return
    serving.require_equal("the output rate", values.get("tok_s"), None if made is None else rate * made, 0.05, shape.raw)
    if made is not None and taken is not None:
        serving.require_equal("the total rate", values.get("total_tok_s"), rate * (made + taken), 0.05, shape.raw)
    if duration and rate < 0.9 * values["requests"] / duration:
        raise Refused(
            f"{values['requests']:g} requests in {duration:g} s at {rate:g} requests/s",
            "a rate that the count and the duration allow",
            _FIX,
            line=shape.line("duration"),
        )


def _count(reading: Reading, one: Measurement, client: str | None, asked: float | None) -> None:
    if client in _SERVER_COUNTS or "generated_tokens" not in one.values:
        return
    serving_metrics.check_output_count(one, reading, asked, "the client asked for")


def _cards(reading: Reading, found: list[tuple[Section, float]]) -> None:
    """Card and number of cards over all components; each is (accelerator, replicas)."""
    names = {card.word("model") for card, _ in found}
    counts = [card.count("count") for card, _ in found]
    if len(names) == 1:
        reading.recipe |= serving.known({"card_as_written": names.pop()})
    if found and all(counts):
        total = sum((count or 0) * replicas for count, (_, replicas) in zip(counts, found, strict=True))
        reading.recipe["n_cards"] = int(total)
    degrees = {card.maybe("parallelism").count("tp") for card, _ in found}
    if len(degrees) == 1 and None not in degrees:
        reading.recipe["tensor_parallel"] = degrees.pop()
    elif len(degrees) > 1:
        reading.questions.append(("parallelism", "The components differ: which cards did prefill, which decode, and how did they share the model?"))


def _stack(reading: Reading, scenario: Section) -> None:
    if not isinstance(scenario.value.get("stack"), list):
        return
    parts = [part.maybe("standardized") for part in scenario.rows("stack")]
    engines = [part for part in parts if part.word("kind") == "inference_engine"]
    _cards(reading, [(part.section("accelerator"), part.number("replicas") or 1.0) for part in engines if "accelerator" in part])
    models = {part.maybe("model").word("name") for part in engines}
    if len(models) == 1:
        reading.recipe |= serving.known({"model_as_written": models.pop()})
    tools = {(part.word("tool"), part.word("tool_version")) for part in engines}
    if len(tools) == 1:
        tool, version = tools.pop()
        reading.questions.append(("engine", f"Which engine and build? The report says {tool} {version}."))
