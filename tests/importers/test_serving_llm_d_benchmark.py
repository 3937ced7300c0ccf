"""llm-d's benchmark report: units that are read, and examples that contradict themselves."""

from __future__ import annotations

import pytest

from cardbook.importers import llm_d_benchmark as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("br_v0_1_example.yaml", "stopped before it started"),
        ("br_v0_2_example.yaml", "the output rate is 2262.45"),
        ("br_v0_2_1_example.yaml", "the output rate is 2262.45"),
    ],
)
def test_invented_examples(name: str, found: str) -> None:
    assert found in refused(tool, shared_formats("llm-d-benchmark", name)).found


@pytest.mark.parametrize(("name", "ttft"), [("matched", 0.038234718750004504), ("mismatched", 0.041008)])
def test_stage_of_inference_perf(name: str, ttft: float) -> None:
    reading = public(tool, "inference-perf", f"{name}_inference-perf.partial.stage_0.yaml")
    assert reading.tool_version == "0.2.1"
    (one,) = reading.measurements
    # nothing in the file says whose tokens the 134 and 378 a second are: one of them is wrong
    says(one.values, {"tok_s": None, "tpot_s": None, "generated_tokens": None, "ttft_s": ttft, "requests": 32.0, "prompt_tokens": 64.0}, 1e-4)
    assert "tok_s" in loses(reading) and {"model", "concurrency"} <= asks(reading)


def test_golden_0_2_1() -> None:
    reading = only(tool, golden("llm-d-benchmark", "v0.2.1.yaml"))
    assert reading.recipe == {
        "measured_on": "2026-01-04",
        "card_as_written": "Example 96GB",
        "n_cards": 8,
        "tensor_parallel": 4,
        "model_as_written": "example/model-8b",
    }
    (one,) = reading.measurements
    says(
        one.values,
        {
            "e2e_s": 1.0,
            "e2e_p99_s": 1.5,
            "ttft_s": 0.1,
            "ttft_p50_s": 0.09,
            "tpot_s": 0.02,
            "tok_s": 80.0,
            "total_tok_s": 480.0,
            "concurrency": 8.0,
            "requests": 100.0,
        },
    )
    assert "2 of 102 requests failed" in one.values["note"]


def test_golden_0_1_with_guidellm() -> None:
    reading = only(tool, golden("llm-d-benchmark", "v0.1.yaml"))
    assert reading.recipe["engine_version"] == "0.9.0.1" and reading.recipe["quant_as_written"] == "fp16"
    says(reading.measurements[0].values, {"tok_s": 82.0, "e2e_p90_s": 1.5, "tpot_s": 0.02, "generated_tokens": 41.0})


@pytest.mark.parametrize(
    ("name", "before", "after", "found"),
    [
        ("v0.2.1.yaml", "version: 0.2.1", "version: 0.9", "version 0.9"),
        ("v0.2.1.yaml", "units: ms\n", "units: fortnights\n", "'fortnights'"),
        ("v0.2.1.yaml", "mean: 80.0", "mean: 800.0", "the output rate is 800"),
        ("v0.2.1.yaml", "PT1M2.5S", "PT10S", "100 requests in 10 s at 2 requests/s"),
        ("v0.2.1.yaml", "          mean: 200.0", "          mean: [", "parsed"),
        ("v0.1.yaml", "requests_per_sec: 2.0", "requests_per_sec: 1.0", "the output rate is 82"),
    ],
)
def test_what_is_refused(name: str, before: str, after: str, found: str) -> None:
    text = golden("llm-d-benchmark", name).read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
