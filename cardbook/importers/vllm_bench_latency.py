"""`vllm bench latency` (JSON): seconds for one whole batch, prefill and decode together.

The file names no batch, no lengths and no model; they stand only in its name, which is no
evidence. A rate would need them and would still hold the prefill, so none is derived.
"""

from __future__ import annotations

import math

from cardbook.importers import serving
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section

NAME = "vllm-bench-latency"


def recognise(raw: RawOutput) -> bool:
    """True for the three keys of this file, which no other tool writes together."""
    head = raw.text[:100_000]
    return all(f'"{key}"' in head for key in ("avg_latency", "latencies", "percentiles"))


def read(raw: RawOutput) -> list[Reading]:
    """One reading with the end-to-end time of a batch. Raises `Refused`."""
    box = Section(raw, serving.parse_json(raw, NAME), NAME)
    mean, shares = box.needed("avg_latency"), box.section("percentiles")
    if mean <= 0:
        raise Refused("avg_latency is 0 s", "the time of a batch", "Run the benchmark again.", line=box.line("avg_latency"))
    one = Measurement({"phase": "serve", "e2e_s": mean})
    for share in ("50", "90", "95", "99"):
        serving.put(one, **{f"e2e_p{share}_s": shares.number(share)})
    times = box.value.get("latencies")
    if not isinstance(times, list):
        raise Refused("latencies is not a list", "the list of iterations, empty or not", "Give the whole file.", line=box.line("latencies"))
    checked = [serving.to_number(time, "latencies", NAME, box.line("latencies")) for time in times]
    if checked:
        serving.require_equal("avg_latency", mean, math.fsum(checked) / len(checked), 1e-6, raw)
        one.values["repeats"] = len(checked)
    reading = Reading(NAME, recipe={"engine": "vllm"}, measurements=[one])
    reading.lost.append(("tok_s", "the file has neither the batch nor the lengths, and its time holds prefill and decode together"))
    return [serving.finish(reading)]
