"""guidellm: JSON of two layouts, CSV, and the prints that are refused."""

from __future__ import annotations

import pytest

from cardbook.importers import guidellm as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


def test_v0_3() -> None:
    reading = public(tool, "guidellm", "v0.3.1_concurrent4.json")
    assert reading.recipe == {"model_as_written": "tiny-llama", "measured_on": "2026-12-01"} and reading.tool_version is None
    (one,) = reading.measurements
    says(
        one.values,
        {
            "concurrency": 4.0,
            "requests": 12.0,
            "duration_s": 0.6648147106170654,
            "prompt_tokens": 799 / 12,
            "generated_tokens": 32.0,
            "tok_s": 576.1003688448895,
            "total_tok_s": 1777.9389973228715,
            "request_rate_per_s": 18.05014210480072,
            "ttft_s": 0.063827991485595696,
            "ttft_p99_s": 0.1005105972290039,
            # not time_per_output_token_ms, 4.7086 here: that divides by n
            "tpot_s": 0.0048604735764124065,
            "e2e_s": 0.21462259689966837,
        },
    )


def test_v0_8() -> None:
    reading = public(tool, "guidellm", "v0.8.1_concurrent4.json")
    assert reading.tool_version == "0.8.1"
    (one,) = reading.measurements
    says(
        one.values,
        {
            "concurrency": 4.0,
            "tok_s": 650.5118655075535,
            "total_tok_s": 1951.5355965226606,
            "request_rate_per_s": 20.328495797111053,
            "tpot_s": 0.004796186762471353,
            "tpot_p99_s": 0.005136959014400359,
            "ttft_s": 0.03934561212857564,
            "e2e_s": 0.18871344129244483,
            "duration_s": 1.1806087493896484,
            "cached_prompt_tokens": None,
        },
    )
    assert one.label == "concurrent@4" and "cached_prompt_tokens" in asks(reading)


def test_two_rates_with_a_request_cut_off() -> None:
    reading = public(tool, "guidellm", "v0.8.1_two_rates.json")
    slow, fast = reading.measurements
    says(slow.values, {"tok_s": 96.0, "requests": 15.0, "concurrency": None})
    says(fast.values, {"tok_s": 185.6, "requests": 29.0, "request_rate_per_s": 5.8})
    assert "1 requests were cut off" in fast.values["note"]
    assert "concurrency" in asks(reading)  # the strategy's cap of 10240 is a default


def test_cached_tokens_of_every_request() -> None:
    (one,) = public(tool, "guidellm", "concurrent1.json").measurements
    says(one.values, {"cached_prompt_tokens": 24.5, "prompt_tokens": 140.875, "tok_s": 291.7790967455819})


def test_development_version() -> None:
    reading = public(tool, "guidellm", "llmd_fixture_report_v2.json")
    assert reading.tool_version == "0.8.0.dev18"
    says(reading.measurements[1].values, {"tok_s": 6.377131566888984, "ttft_s": 0.00978386402130127})


def test_csv_says_what_the_json_says() -> None:
    (one,) = public(tool, "guidellm", "v0.8.1_concurrent4.csv").measurements
    says(
        one.values,
        {
            "tok_s": 650.5118655075535,
            "tpot_s": 0.004796186762471353,
            "e2e_p50_s": 0.1875927448272705,
            "e2e_p90_s": 0.1971898078918457,
            "e2e_p99_s": 0.21087265014648438,
            "concurrency": 4.0,
            "generated_tokens": 32.0,
        },
    )
    slow, fast = public(tool, "guidellm", "v0.8.1_two_rates.csv").measurements
    says(slow.values, {"tok_s": 96.0, "e2e_p95_s": 0.26691627502441406, "concurrency": None})
    says(fast.values, {"tok_s": 185.6})
    says(public(tool, "guidellm", "concurrent1.csv").measurements[0].values, {"concurrency": 1.0, "requests": 8.0})


@pytest.mark.parametrize(
    "name",
    [
        "concurrent1.stdout",
        "v0.3.1_concurrent4.stdout",
        "v0.8.1_concurrent4.stdout",
        "v0.8.1_two_rates.stdout",
        "concurrent1.command.txt",
        "v0.3.1_concurrent4.command.txt",
        "v0.8.1_concurrent4.command.txt",
        "v0.8.1_two_rates.command.txt",
    ],
)
def test_side_files(name: str) -> None:
    assert "JSON" in refused(tool, shared_formats("guidellm", name)).wanted


@pytest.mark.parametrize("name", ["v0.8.json", "v0.8.csv", "v0.3.json"])
def test_golden(name: str) -> None:
    reading = only(tool, golden("guidellm", name))
    assert reading.recipe == {"model_as_written": "example/model-8b", "measured_on": "2026-01-04"}
    (one,) = reading.measurements
    says(
        one.values,
        {
            "tok_s": 128.0,
            "total_tok_s": 384.0,
            "request_rate_per_s": 2.0,
            "prompt_tokens": 128.0,
            "generated_tokens": 64.0,
            "e2e_s": 1.75,
            "e2e_p50_s": 1.7,
            "e2e_p99_s": 2.2,
            "ttft_s": 0.175,
            "ttft_p90_s": 0.2,
            "tpot_s": 0.025,
            "tpot_p95_s": 0.029,
            "concurrency": 1.0 if name == "v0.3.json" else 4.0,
            "cached_prompt_tokens": 8.0 if name == "v0.8.json" else None,
        },
    )
    assert ("1 of 13 requests failed" in one.values.get("note", "")) == (name != "v0.3.json")


def test_client_side_counts_lose_the_rates() -> None:
    text = golden("guidellm", "v0.8.json").read_text()
    reading = only(tool, text.replace('"prefer_response_metrics": true', '"prefer_response_metrics": false'))
    says(reading.measurements[0].values, {"tok_s": None, "tpot_s": None, "generated_tokens": None, "ttft_s": 0.175})
    assert "tok_s" in loses(reading)


def test_answers_that_were_not_streamed_have_no_ttft() -> None:
    text = golden("guidellm", "v0.8.json").read_text()
    reading = only(tool, text.replace('"stream": true', '"stream": false'))
    says(reading.measurements[0].values, {"ttft_s": None, "tpot_s": None, "ttft_p99_s": None, "tok_s": 128.0})


@pytest.mark.parametrize(
    ("name", "before", "after", "found"),
    [
        ("v0.8.json", '"successful": 10,', '"successful": 0,', "no request finished"),
        ("v0.8.json", '"mean": 128.0,\n      "median": 90.0', '"mean": 90.0,\n      "median": 90.0', "output_tokens_per_second is 90"),
        ("v0.8.json", '"guidellm_version": "0.8.1"', '"other": "0.8.1"', "layout"),
        ("v0.8.json", '"duration": 5.0', '"duration": 0', "duration of 0 s"),
        ("v0.8.csv", "Successful Output Tokens/Sec", "Output/s", "Successful Output Tokens/Sec"),
        ("v0.8.csv", "2.3]", "2.3", "no list of eleven"),
        ("v0.8.csv", ",384.0,2.0", "", "rows of different lengths"),
    ],
)
def test_what_is_refused(name: str, before: str, after: str, found: str) -> None:
    text = golden("guidellm", name).read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found


def test_truncated() -> None:
    text = golden("guidellm", "v0.8.json").read_text()
    assert refused(tool, text[:-40]).line is not None
