"""`vllm bench throughput` (JSON): all requests at once, no server.

`tokens_per_second` is (prompt + output) / elapsed, so it is total_tok_s and never tok_s;
the file does not say how its tokens divide into prompt and output.
"""

from __future__ import annotations

from cardbook.importers import serving
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section

NAME = "vllm-bench-throughput"


def recognise(raw: RawOutput) -> bool:
    """True for the keys of this file, which no other tool writes together."""
    head = raw.text[:100_000]
    return all(f'"{key}"' in head for key in ("elapsed_time", "num_requests", "total_num_tokens", "tokens_per_second"))


def read(raw: RawOutput) -> list[Reading]:
    """One reading with the input + output rate. Raises `Refused`."""
    box = Section(raw, serving.parse_json(raw, NAME), NAME)
    elapsed, requests = box.needed("elapsed_time"), box.needed("num_requests")
    tokens, total = box.needed("total_num_tokens"), box.needed("tokens_per_second")
    serving.refuse_nothing_done(requests, tokens, raw)
    if elapsed <= 0:
        raise Refused("elapsed_time is 0 s", "the duration of a run", "Run the benchmark again.", line=box.line("elapsed_time"))
    serving.require_equal("tokens_per_second", total, tokens / elapsed, 1e-6, raw)
    one = Measurement({"phase": "serve", "requests": requests, "duration_s": elapsed, "total_tok_s": total})
    serving.put(one, request_rate_per_s=box.number("requests_per_second"))
    reading = Reading(NAME, recipe={"engine": "vllm"}, measurements=[one])
    reading.lost.append(("tok_s", "tokens_per_second counts prompt and output tokens together"))
    return [serving.finish(reading)]
