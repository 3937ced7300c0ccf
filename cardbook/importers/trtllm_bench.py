"""`trtllm-bench throughput`: the printed report (0.17 on) and the JSON of --report_json.

Milliseconds. "Token Throughput" of old reports is output only; later ones name Total
Output and Total Token Throughput: each is checked against requests × mean output. "Per
User" output throughput is n / e2e of a request, with its TTFT in it, and is left out;
`token_output_speed_tok_s` of the JSON is 1 / TPOT, the rate of one stream. TPOT is
(e2e - ttft) / (n - 1).
"""

from __future__ import annotations

import re

from cardbook.importers import serving
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import MS, Section

NAME = "trtllm-bench"
_HEADING = "= PERFORMANCE OVERVIEW"
_LINE = re.compile(r"([A-Z][^:\n]{1,60}):[ \t]")
_SHARE = re.compile(r"(?m)^\[(Latency|TTFT|TPOT)\] P(50|90|95|99)[ \t]*: ([^\s]+)[ \t\r]*$")
_FIELDS = {"Latency": "e2e", "TTFT": "ttft", "TPOT": "tpot"}
_FIX = "Give the whole report, or the JSON of --report_json."
# The printed figures are rounded and the mean length is of all requests.
_CLOSE = 0.02


def recognise(raw: RawOutput) -> bool:
    """True for the printed report and for the JSON report."""
    text = raw.text
    if '"request_info"' in text and '"system_output_throughput_tok_s"' in text:
        return True
    return _HEADING in text and "Request Throughput (req/sec)" in text


def read(raw: RawOutput) -> list[Reading]:
    """One reading, one measurement. Raises `Refused`, also for a report that is cut off."""
    serving.refuse_faked_acceptance(raw)
    text = raw.text
    reading = _json(raw) if text.lstrip("\ufeff \r\n\t").startswith("{") else _text(raw)
    reading.recipe["engine"] = "tensorrt-llm"
    return [serving.finish(reading)]


def _text(raw: RawOutput) -> Reading:
    if raw.text.count(_HEADING) != 1:
        raise Refused("several reports, or none, in one text", "one report", _FIX, line=serving.line_of(raw, _HEADING))
    found: dict[str, str] = {}
    for words in raw.text.splitlines():
        match = _LINE.match(words)
        if match and words[match.end() :].strip():
            found.setdefault(match.group(1).strip(), words[match.end() :].strip())
    if "Total Latency (ms)" not in found:
        raise serving.truncated(raw, NAME, "the performance overview ends before Total Latency")
    box = Section(raw, found, NAME)
    rates = {
        "tok_s": "Total Output Throughput (tokens/sec)" if "Total Output Throughput (tokens/sec)" in box else "Token Throughput (tokens/sec)",
        "total_tok_s": "Total Token Throughput (tokens/sec)",
        "request_rate_per_s": "Request Throughput (req/sec)",
    }
    one = Measurement({"phase": "serve"}, line=serving.line_of(raw, _HEADING))
    for field, label in rates.items():
        serving.put(one, **{field: _plain(box, label)})
    serving.put(
        one,
        requests=_plain(box, "Number of requests"),
        duration_s=_plain(box, "Total Latency (ms)", MS),
        prompt_tokens=_plain(box, "Average Input Length (tokens)"),
        generated_tokens=_plain(box, "Average Output Length (tokens)"),
        e2e_s=_plain(box, "Average request latency (ms)", MS),
        ttft_s=_plain(box, "Average time-to-first-token [TTFT] (ms)", MS),
        tpot_s=_plain(box, "Average time-per-output-token [TPOT] (ms)", MS),
    )
    for match in _SHARE.finditer(raw.text):
        field, line = f"{_FIELDS[match.group(1)]}_p{match.group(2)}_s", serving.line_of(raw, match.group())
        if field in one.values:
            raise Refused(f"{match.group()[:40]!r} stands twice", "one report", _FIX, line=line)
        one.values[field] = serving.from_text(match.group(3), match.group(1), NAME, line) * MS
    _flight(one, _plain(box, "Number of concurrent requests"))
    _check(one, raw)
    reading = Reading(NAME, measurements=[one])
    _set_up(reading, box.word("Model"), box.word("TensorRT-LLM Version"), box.word("Quantization"), box.word("Dtype"), box.word("KV Cache Dtype"))
    _cards(reading, _plain(box, "TP Size"), _plain(box, "PP Size"), None if box.word("EP Size") in (None, "None") else _plain(box, "EP Size"))
    date = re.search(r"(?m)^\[(0[1-9]|1[0-2])/(0[1-9]|[12]\d|3[01])/(20\d\d)-", raw.text)
    if date:
        reading.recipe["measured_on"] = f"{date.group(3)}-{date.group(1)}-{date.group(2)}"
    if any(label.startswith("Per User Output Throughput") for label in found):
        reading.lost.append(("tok_s_per_stream", "the throughput per user is tokens over the whole request, its TTFT included"))
    return reading


def _plain(box: Section, label: str, scale: float = 1.0) -> float | None:
    written = box.word(label)
    return None if written is None else serving.from_text(written, label, NAME, serving.line_of(box.raw, label)) * scale


def _flight(one: Measurement, mean: float | None) -> None:
    """The number of concurrent requests is what was measured, not a limit that was asked for."""
    if mean:
        serving.note(one, f"{mean:.4g} requests in flight on average")


def _check(one: Measurement, raw: RawOutput) -> None:
    values = one.values
    lacking = [key for key in ("tok_s", "requests", "duration_s", "prompt_tokens", "generated_tokens") if not values.get(key)]
    if lacking:
        raise Refused(f"no {', '.join(lacking)} in the report, or nothing but zero", "the report of a finished run", _FIX, line=one.line)
    made, taken = values["generated_tokens"], values["prompt_tokens"]
    rate = values["requests"] / values["duration_s"]
    # Settles also what "Token Throughput" meant in this build: output only.
    serving.require_equal("the output throughput", values["tok_s"], rate * made, _CLOSE, raw)
    serving.require_equal("the total throughput", values.get("total_tok_s"), rate * (made + taken), _CLOSE, raw)


def _set_up(reading: Reading, model: str | None, version: str | None, quant: str | None, dtype: str | None, kv: str | None) -> None:
    reading.tool_version = version
    weights = dtype if quant in (None, "None") else quant
    reading.recipe |= serving.known(
        {"model_as_written": model, "engine_version": version, "quant_as_written": weights, "kv_quant_as_written": None if kv == "None" else kv}
    )


def _cards(reading: Reading, tensor: float | None, pipeline: float | None, expert: float | None) -> None:
    """Experts are spread over the tensor-parallel cards: they add none."""
    if not tensor or tensor > 1e6 or (pipeline or 1.0) > 1e6:
        return
    stages = pipeline or 1.0
    reading.recipe |= {"tensor_parallel": int(tensor), "n_cards": int(tensor * stages)}
    used = [name for name, degree in (("tensor", tensor), ("pipeline", stages), ("expert", expert or 1.0)) if degree > 1]
    reading.recipe["parallelism"] = "none" if not used else used[0] if len(used) == 1 else "mixed"


def _json(raw: RawOutput) -> Reading:
    box = Section(raw, serving.parse_json(raw, NAME), NAME)
    info, speed, world = box.section("request_info"), box.section("performance"), box.section("world_info")
    engine, streaming = box.section("engine"), box.maybe("streaming_metrics")
    one = Measurement({"phase": "serve"}, line=box.line("performance"))
    serving.put(
        one,
        requests=info.number("num_requests"),
        duration_s=speed.number("total_latency_ms", MS),
        prompt_tokens=info.number("avg_input_length"),
        generated_tokens=info.number("avg_output_length"),
        tok_s=speed.number("system_output_throughput_tok_s"),
        total_tok_s=speed.number("system_total_throughput_tok_s"),
        request_rate_per_s=speed.number("request_throughput_req_s"),
        e2e_s=speed.number("avg_request_latency_ms", MS),
        ttft_s=streaming.number("avg_ttft_ms", MS),
        tpot_s=streaming.number("avg_tpot_ms", MS),
        tok_s_per_stream=streaming.number("token_output_speed_tok_s"),
    )
    spreads = ((speed, "request_latency_percentiles_ms", "e2e"), (streaming, "ttft_percentiles", "ttft"), (streaming, "tpot_percentiles", "tpot"))
    for holder, key, field in spreads:
        shares = holder.maybe(key)
        for share in ("p50", "p90", "p95", "p99"):
            serving.put(one, **{f"{field}_{share}_s": shares.number(share, MS)})
    _flight(one, info.number("avg_num_concurrent_requests"))
    _check(one, raw)
    reading = Reading(NAME, measurements=[one])
    _set_up(reading, engine.word("model"), engine.word("version"), engine.word("quantization"), engine.word("dtype"), engine.word("kv_cache_dtype"))
    _cards(reading, world.number("tp_size"), world.number("pp_size"), world.number("ep_size"))
    reading.recipe |= serving.known({"card_as_written": box.maybe("machine").word("name")})
    reading.lost.append(("tok_s_per_stream", "output_throughput_per_user is tokens over the whole request, its TTFT included; token_output_speed is taken"))
    _energy(box, one, reading)
    return reading


def _energy(box: Section, one: Measurement, reading: Reading) -> None:
    """Energy and power, which must belong together; with several cards their scope is not said."""
    energy, power = box.maybe("energy").number("total_energy_j"), box.maybe("energy").number("average_gpu_power")
    if energy is None and power is None:
        return
    if reading.recipe.get("n_cards") == 1:
        serving.require_equal("average_gpu_power", power, None if energy is None else energy / one.values["duration_s"], 0.05, box.raw)
        serving.put(one, energy_j=energy, mean_power_w=power)
    else:
        reading.lost.append(("mean_power_w", "the report does not say whether power and energy are of one card or of all"))
