"""LLMPerf: the summary (`…_summary.json`). All seconds.

`results_mean_output_throughput_token_per_s` is over all streams; the `request_output_…`
figures are one stream with its TTFT in it and are left out. `inter_token_latency_s` is
e2e / n, with the first token in it: no TPOT. Tokens are counted with a Llama tokenizer
whatever the model, so the length asked for is the only second count.
"""

from __future__ import annotations

from cardbook.importers import serving, serving_metrics
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section

NAME = "llmperf"
_FIX = "Give the …_summary.json of the same run."
_STATISTICS = (("mean", ""), ("quantiles_p50", "_p50"), ("quantiles_p90", "_p90"), ("quantiles_p95", "_p95"), ("quantiles_p99", "_p99"))
_ONE_REQUEST = ("number_total_tokens", "end_to_end_latency_s", "request_output_throughput_token_per_s")


def recognise(raw: RawOutput) -> bool:
    """True for the summary, and for the list of responses (which `read` refuses)."""
    return '"results_mean_output_throughput_token_per_s"' in raw.text or _is_responses(raw)


def _is_responses(raw: RawOutput) -> bool:
    return raw.text.lstrip("\ufeff \r\n\t").startswith("[") and all(f'"{key}"' in raw.text for key in _ONE_REQUEST)


def read(raw: RawOutput) -> list[Reading]:
    """One reading, one measurement. Raises `Refused`."""
    if _is_responses(raw):
        raise Refused("one request after another, without the aggregate rate", "the summary", _FIX, line=1)
    box = Section(raw, serving.parse_json(raw, NAME), NAME)
    reading = Reading(NAME, tool_version=box.word("version"))
    reading.recipe |= serving.known({"model_as_written": box.word("model"), "measured_on": serving.epoch_date(box.number("timestamp"))})
    one = _measure(box)
    reading.measurements.append(one)
    asked = box.number("mean_output_tokens")
    if serving_metrics.check_output_count(one, reading, asked if asked else None, "the client asked for"):
        serving.note(one, "output tokens are counted with a Llama tokenizer, and as many as were asked for")
        reading.lost.append(("tpot_s", "inter_token_latency_s is the whole time over all tokens, the first one included"))
    return [serving.finish(reading)]


def _measure(box: Section) -> Measurement:
    done, made = box.needed("results_num_completed_requests"), box.needed("results_number_output_tokens_mean")
    serving.refuse_nothing_done(done, done * made, box.raw)
    rate, minute = box.needed("results_mean_output_throughput_token_per_s"), box.needed("results_num_completed_requests_per_min")
    serving.require_equal("the output throughput", rate, made * minute / 60.0, 0.02, box.raw)
    one = Measurement({"phase": "serve", "requests": done, "generated_tokens": made, "tok_s": rate, "request_rate_per_s": minute / 60.0})
    serving.put(one, concurrency=box.number("num_concurrent_requests"), prompt_tokens=box.number("results_number_input_tokens_mean"))
    for name, field in (("ttft_s", "ttft"), ("end_to_end_latency_s", "e2e")):
        for statistic, suffix in _STATISTICS:
            serving.put(one, **{f"{field}{suffix}_s": box.number(f"results_{name}_{statistic}")})
    serving.count_failures(one, box.number("results_number_errors"), box.number("results_num_requests_started"))
    return one
