"""InferenceX (InferenceMAX): the result JSON of its fork of vLLM's client.

The stems are vLLM's without `_ms`, and the values are **seconds**. Rates are over all
streams of all cards. Card, engine, precision and parallelism stand in the file name only.
"""

from __future__ import annotations

from cardbook.importers import serving
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section

NAME = "inferencex"
_KEYS = ("model_id", "input_throughput", "output_throughput", "median_ttft", "num_prompts")
_STATISTICS = (("mean", ""), ("median", "_p50"), ("p90", "_p90"), ("p95", "_p95"), ("p99", "_p99"))


def recognise(raw: RawOutput) -> bool:
    """True for latencies named without a unit beside vLLM's other keys."""
    return all(f'"{key}"' in raw.text for key in _KEYS) and '_ms"' not in raw.text


def read(raw: RawOutput) -> list[Reading]:
    """One reading, one measurement. Raises `Refused`."""
    box = Section(raw, serving.parse_json(raw, NAME), NAME)
    serving.refuse_faked_acceptance(raw)
    duration, done = box.needed("duration"), box.needed("completed")
    taken, made, rate = box.needed("total_input_tokens"), box.needed("total_output_tokens"), box.needed("output_throughput")
    serving.refuse_nothing_done(done, made, raw)
    if duration <= 0:
        raise Refused("a duration of 0 s", "the duration of a run", "Give the whole result file.", line=box.line("duration"))
    serving.require_equal("output_throughput", rate, made / duration, 1e-6, raw)
    serving.require_equal("input_throughput", box.number("input_throughput"), taken / duration, 1e-6, raw)
    one = Measurement(
        {"phase": "serve", "requests": done, "duration_s": duration, "prompt_tokens": taken / done, "generated_tokens": made / done, "tok_s": rate}
    )
    serving.put(one, concurrency=box.number("max_concurrency"), request_rate_per_s=box.number("request_throughput"))
    for stem, field in (("ttft", "ttft"), ("tpot", "tpot"), ("e2el", "e2e")):
        for statistic, suffix in _STATISTICS:
            serving.put(one, **{f"{field}{suffix}_s": box.number(f"{statistic}_{stem}")})
    _refuse_milliseconds(box, one)
    asked = box.number("num_prompts")
    serving.count_failures(one, None if asked is None else asked - done, asked)
    goodput = box.number("request_goodput")
    if goodput is not None:
        serving.note(one, f"goodput {goodput:g} requests/s within the limits that the client was given")
    reading = Reading(NAME, measurements=[one])
    reading.recipe |= serving.known({"model_as_written": box.word("model_id"), "measured_on": serving.iso_date(box.word("date"))})
    return [serving.finish(reading)]


def _refuse_milliseconds(box: Section, one: Measurement) -> None:
    """No request takes much longer than the whole run: such latencies are milliseconds."""
    slowest = max((value for key, value in one.values.items() if key.startswith(("ttft", "e2e"))), default=0.0)
    if slowest > 2.0 * one.values["duration_s"]:
        raise Refused(
            f"a request of {slowest:g} in a run of {one.values['duration_s']:g} s",
            "latencies in seconds",
            "The file is not of InferenceX's client: give vLLM's own, whose names end in _ms.",
            line=box.line("median_e2el"),
        )
