"""`vllm bench latency`: the time of a batch, and no rate from it."""

from __future__ import annotations

import pytest

from cardbook.importers import vllm_bench_latency as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says


def test_two_iterations() -> None:
    reading = public(tool, "vllm-bench-latency", "h100x8_405b_in2048_out2048_bs4.json")
    (one,) = reading.measurements
    says(
        one.values, {"e2e_s": 73.0387226099997, "e2e_p90_s": 73.04012752919962, "e2e_p99_s": 73.0404436360196, "repeats": 2, "tok_s": None, "concurrency": None}
    )
    # the batch and the lengths are in the file's name only
    assert {"concurrency", "prompt_tokens", "generated_tokens", "model"} <= asks(reading)
    assert "tok_s" in loses(reading)


def test_empty_list_of_iterations() -> None:
    (one,) = public(tool, "vllm-bench-latency", "h100x8_405b_in2048_out2048_bs256.json").measurements
    says(one.values, {"e2e_s": 879.7610089220007, "e2e_p50_s": 879.7610089220007, "repeats": None})


def test_golden() -> None:
    reading = only(tool, golden("vllm-bench-latency", "batch.json"))
    says(reading.measurements[0].values, {"e2e_s": 2.0, "e2e_p90_s": 2.08, "repeats": 3})
    assert reading.recipe == {"engine": "vllm"}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [("2.0,", "3.0,", "avg_latency is 3"), ("[1.9", '["a"', "latencies"), ('"percentiles"', '"percentiles": 1, "percentiles"', "twice"), ("}}", "}", "parsed")],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("vllm-bench-latency", "batch.json").read_text()
    assert found in refused(tool, text.replace(before, after, 1)).found
