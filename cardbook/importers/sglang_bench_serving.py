"""SGLang's serving client: `python -m sglang.bench_serving` (JSON Lines, one run a line).

Latencies are milliseconds, rates over all streams. `total_output_tokens` is what the
server was asked for or reported, `…_retokenized` what the client's tokenizer finds in the
text. `request_rate` may be a bare `Infinity`, which strict JSON readers refuse. Inter-token
latency is a gap between chunks and never stands in for TPOT, which old files do not have.
Newer fields (mean_ttft_ms, accept_length, server_info …) are read where they are present.
"""

from __future__ import annotations

import math

from cardbook.importers import serving
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import MS, Section

NAME = "sglang-bench-serving"
_KEYS = ("total_output_tokens_retokenized", "total_input_tokens", "output_throughput")
# A tokenizer rarely splits a text again exactly as it was generated; more than this is another count.
_SAME_COUNT = 0.05
_STATISTICS = (("mean", ""), ("median", "_p50"), ("p90", "_p90"), ("p95", "_p95"), ("p99", "_p99"))


def recognise(raw: RawOutput) -> bool:
    """True for the JSON Lines, and for the printed block (which `read` refuses)."""
    if all(f'"{key}"' in raw.text for key in _KEYS):
        return True
    return "Serving Benchmark Result" in raw.text and "(retokenized)" in raw.text


def read(raw: RawOutput) -> list[Reading]:
    """One reading; one measurement for each line. Raises `Refused`."""
    if "Serving Benchmark Result" in raw.text and not raw.text.lstrip().startswith("{"):
        raise Refused(
            "the text that the client prints",
            "its JSON Lines file, which holds more and does not round",
            "Give the file that --output-file names.",
            line=serving.line_of(raw, "Serving Benchmark Result"),
        )
    serving.refuse_faked_acceptance(raw)
    reading = Reading(NAME)
    for line, box in serving.json_lines(raw, NAME):
        one = _measure(box, line)
        reading.measurements.append(one)
        _counts(box, one, reading)
        _server(box, reading, line)
    if not reading.measurements:
        raise serving.truncated(raw, NAME, "no run in it")
    if any("accepted_per_step" in one.values for one in reading.measurements):
        reading.questions.append(("speculation", "The server speculated: with a draft model, MTP, EAGLE, n-grams …?"))
    return [serving.finish(reading)]


def _measure(box: Section, line: int) -> Measurement:
    duration, completed = box.needed("duration"), box.needed("completed")
    taken, made, rate = box.needed("total_input_tokens"), box.needed("total_output_tokens"), box.needed("output_throughput")
    serving.refuse_nothing_done(completed, made, box.raw)
    if duration <= 0:
        raise Refused("a duration of 0 s", "the duration of a run", "Give the whole file.", line=line)
    serving.require_equal(f"output_throughput in line {line}", rate, made / duration, 1e-6, box.raw)
    one = Measurement({"phase": "serve"}, label=_load(box), line=line)
    serving.put(
        one,
        requests=completed,
        duration_s=duration,
        prompt_tokens=taken / completed,
        generated_tokens=made / completed,
        tok_s=rate,
        total_tok_s=box.number("total_throughput"),
        request_rate_per_s=box.number("request_throughput"),
        concurrency=box.number("max_concurrency"),
    )
    serving.require_equal(f"request_throughput in line {line}", one.values.get("request_rate_per_s"), completed / duration, 1e-6, box.raw)
    for metric, field in (("ttft", "ttft"), ("tpot", "tpot"), ("e2e_latency", "e2e")):
        for statistic, suffix in _STATISTICS:
            serving.put(one, **{f"{field}{suffix}_s": box.number(f"{statistic}_{metric}_ms", MS)})
    length = box.number("accept_length")
    if length is not None:
        if length < 1.0:
            raise Refused(f"an accept_length of {length:g}", "at least the bonus token, 1", "Give the file as the tool wrote it.", line=line)
        one.values["accepted_per_step"] = length - 1.0
    asked = box.number("num_prompts")
    serving.count_failures(one, None if asked is None else asked - completed, asked)
    return one


def _load(box: Section) -> str | None:
    """What was sent: the dataset and the rate, as words."""
    rate = box.value.get("request_rate")
    at = "all at once" if rate in (math.inf, "inf") else None
    if isinstance(rate, int | float) and not isinstance(rate, bool) and math.isfinite(rate):
        at = f"{rate:g} requests/s"
    return ", ".join(part for part in (box.word("dataset_name"), at) if part) or None


def _counts(box: Section, one: Measurement, reading: Reading) -> None:
    """Takes the rates out when the client's own count is another one."""
    again, made = box.number("total_output_tokens_retokenized"), box.needed("total_output_tokens")
    if again is None or abs(again - made) <= _SAME_COUNT * made:
        return
    for key in ("tok_s", "total_tok_s", "generated_tokens", "tpot_s"):
        one.values.pop(key, None)
    reading.lost.append(("tok_s", f"line {one.line}: {made:g} output tokens by the server or the request, {again:g} by the client's tokenizer"))


def _server(box: Section, reading: Reading, line: int) -> None:
    """The server's own arguments, which newer files carry. Paths and hosts are not taken."""
    info = box.maybe("server_info")
    told = serving.known(
        {
            "model_as_written": info.word("model_path"),
            "engine_version": info.word("version"),
            "kv_quant_as_written": info.word("kv_cache_dtype"),
            "quant_as_written": info.word("quantization"),
            "tensor_parallel": info.count("tp_size"),
        }
    )
    if told.get("kv_quant_as_written") == "auto":
        del told["kv_quant_as_written"]
    if told.get("engine_version"):
        told["engine"] = "sglang"
    for key, value in told.items():
        if reading.recipe.setdefault(key, value) != value:
            raise Refused(
                f"line {line} was measured with {key} {value}, another line with {reading.recipe[key]}",
                "one configuration in a file",
                "Keep the lines of one configuration together.",
                line=line,
            )
