"""inference-perf: stages only, the server's count, cached prompts."""

from __future__ import annotations

import pytest

from cardbook.importers import inference_perf as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


@pytest.mark.parametrize(
    ("stage", "rate", "duration", "requests", "ttft", "tpot"),
    [
        (0, 134.22447735725737, 7.629010894000203, 32.0, 0.038234718750004504, 0.004745621631053793),
        (1, 252.33833103224126, 8.116087999, 64.0, 0.037908, 0.004752),
    ],
)
def test_matched(stage: int, rate: float, duration: float, requests: float, ttft: float, tpot: float) -> None:
    reading = public(tool, "inference-perf", f"matched_stage_{stage}_lifecycle_metrics.json")
    (one,) = reading.measurements
    says(one.values, {"tok_s": rate, "duration_s": duration, "requests": requests, "ttft_s": ttft, "tpot_s": tpot}, 1e-4 if stage else 1e-6)
    says(one.values, {"generated_tokens": 32.0, "prompt_tokens": 64.0, "cached_prompt_tokens": 32.0, "total_tok_s": None, "concurrency": None})
    assert loses(reading) == {"total_tok_s"} and "concurrency" in asks(reading)


@pytest.mark.parametrize("stage", [0, 1])
def test_mismatched(stage: int) -> None:
    reading = public(tool, "inference-perf", f"mismatched_stage_{stage}_lifecycle_metrics.json")
    (one,) = reading.measurements
    # the server's 32, not the client's 97; a "cached" of 0 may mean that the server did not say
    says(one.values, {"tok_s": None, "tpot_s": None, "generated_tokens": 32.0, "cached_prompt_tokens": None, "prompt_tokens": 64.0})
    assert loses(reading) == {"tok_s", "tpot_s"} and "cached_prompt_tokens" in asks(reading)


def test_summary_mixes_stages() -> None:
    assert "mixes all stages" in refused(tool, shared_formats("inference-perf", "mismatched_summary_lifecycle_metrics.json")).found


def test_yaml_of_a_run_with_images() -> None:
    reading = public(tool, "inference-perf", "llmd_fixture_lifecycle.yaml")
    says(reading.measurements[0].values, {"requests": 3.0, "duration_s": 2.48, "tok_s": None, "prompt_tokens": None, "e2e_s": 0.49})
    assert {"tok_s", "prompt_tokens"} <= loses(reading)


SIDES = [
    "command.txt",
    "config.yml",
    "matched_config.yaml",
    "mismatched_config.yaml",
    "matched_validation.json",
    "mismatched_validation.json",
    "matched_per_request_lifecycle_metrics.json",
    "mismatched_per_request_lifecycle_metrics.json",
]


@pytest.mark.parametrize("name", SIDES)
def test_side_files(name: str) -> None:
    assert refused(tool, shared_formats("inference-perf", name)).wanted == "stage_N_lifecycle_metrics.json"


def test_golden() -> None:
    (one,) = only(tool, golden("inference-perf", "stage_0.json")).measurements
    says(one.values, {"tok_s": 80.0, "total_tok_s": 480.0, "tpot_s": 0.02, "ttft_p99_s": 0.15, "prompt_tokens": 200.0, "cached_prompt_tokens": None})
    assert one.label == "2 requests/s" and "2 of 22 requests failed" in one.values["note"]
    reading = only(tool, golden("inference-perf", "stage_0.yaml"))
    says(reading.measurements[0].values, {"tok_s": 80.0, "tpot_p50_s": 0.018, "prompt_tokens": None, "total_tok_s": None})


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('"output_tokens_per_sec": 80.0', '"output_tokens_per_sec": 480.0', "output_tokens_per_sec is 480"),
        ('"requests_per_sec": 2.0', '"requests_per_sec": 4.0', "requests_per_sec is 4"),
        ('"benchmark_time_seconds": 10.0', '"benchmark_time_seconds": 0', "a run of 0 s"),
        ('"count": 20', '"count": 0', "no request finished"),
        ('"requested_rate"', '"rate"', "mixes all stages"),
    ],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("inference-perf", "stage_0.json").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found


def test_yaml_tricks() -> None:
    text = golden("inference-perf", "stage_0.yaml").read_text()
    assert "alias" in refused(tool, text.replace("  count: 0", "  count: &a 0\n  other: [*a, *a]")).found
    assert "twice" in refused(tool, text + "failures:\n  count: 1\n").found
