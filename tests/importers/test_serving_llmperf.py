"""LLMPerf: the aggregate, never the rate of one request; no TPOT."""

from __future__ import annotations

import pytest

from cardbook.importers import llmperf as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


def test_summary_with_errors() -> None:
    reading = public(tool, "llmperf", "bedrock_70b_summary.json")
    assert reading.recipe == {"model_as_written": "meta.llama2-70b-chat-v1", "measured_on": "2023-12-27"} and reading.tool_version == "2023-08-31"
    (one,) = reading.measurements
    # 62.9 over five streams; 21.07 is one request with its TTFT in it
    says(
        one.values,
        {
            "tok_s": 62.867056292903534,
            "tok_s_per_stream": None,
            "requests": 101.0,
            "concurrency": 5.0,
            "ttft_s": 0.40837363779203295,
            "ttft_p99_s": 0.686971139999514,
            "e2e_s": 7.058203132000026,
            "generated_tokens": 149.75247524752476,
            "prompt_tokens": 550.0,
            "request_rate_per_s": 25.18838751305755 / 60,
            "tpot_s": None,
            "tpot_p50_s": None,
        },
    )
    assert "49 of 150 requests failed" in one.values["note"] and "tpot_s" in loses(reading) and "card" in asks(reading)


def test_summary_without_errors() -> None:
    (one,) = public(tool, "llmperf", "groq_70b_summary.json").measurements
    says(one.values, {"ttft_s": 0.22786034579078357, "generated_tokens": 150.0, "requests": 150.0})
    assert "requests failed" not in one.values["note"]


def test_another_count_of_tokens() -> None:
    reading = public(tool, "llmperf", "together_70b_summary.json")
    says(reading.measurements[0].values, {"tok_s": None, "generated_tokens": None, "e2e_p50_s": 2.438425})
    assert "tok_s" in loses(reading)


@pytest.mark.parametrize("name", ["bedrock_70b_individual_responses.json", "together_70b_individual_responses.json"])
def test_responses_are_no_result(name: str) -> None:
    assert refused(tool, shared_formats("llmperf", name)).wanted == "the summary"


def test_golden() -> None:
    (one,) = only(tool, golden("llmperf", "summary.json")).measurements
    says(one.values, {"tok_s": 120.0, "request_rate_per_s": 1.2, "concurrency": 4.0, "e2e_s": 3.0, "ttft_p90_s": 0.6, "tpot_s": None})
    assert "6 of 30 requests failed" in one.values["note"]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('"results_mean_output_throughput_token_per_s": 120.0', '"results_mean_output_throughput_token_per_s": 33.3', "the output throughput is 33.3"),
        ('"results_num_completed_requests": 24', '"results_num_completed_requests": 0', "no request finished"),
        ('"num_concurrent_requests": 4', '"num_concurrent_requests": "4"', "'4'"),
    ],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("llmperf", "summary.json").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
