"""AIPerf: the server's usage against the client's count, cached prompts, units."""

from __future__ import annotations

import pytest

from cardbook.importers import aiperf as tool
from tests.importers.serving_case import asks, golden, loses, only, public, raw, refused, says
from tests.shared_files import shared_formats


def test_matched() -> None:
    reading = public(tool, "aiperf", "matched_profile_export_aiperf.json")
    assert reading.tool_version == "0.13.0"
    assert reading.recipe == {"model_as_written": "tiny-llama", "measured_on": "2026-12-01", "prompt": "synthetic prompts of the client"}
    (one,) = reading.measurements
    says(
        one.values,
        {
            "tok_s": 650.6864182528927,
            "tok_s_per_stream": 211.6761052496613,
            "requests": 24.0,
            "concurrency": 4.0,
            "duration_s": 1.1753950720000002,
            "ttft_s": 0.0413366875,
            "ttft_p99_s": 0.05614235253999999,
            "tpot_s": 0.00472627323655914,
            "e2e_s": 0.18785115783333333,
            "generated_tokens": 32.0,
            "prompt_tokens": 64.0,
            "cached_prompt_tokens": 32.0,
            # 1,952 tokens a second, half of the prompts among them from a cache
            "total_tok_s": None,
        },
    )
    assert loses(reading) == {"total_tok_s"} and "cached_prompt_tokens" not in asks(reading)


def test_mismatched_loses_every_figure_with_output_tokens() -> None:
    reading = public(tool, "aiperf", "mismatched_profile_export_aiperf.json")
    (one,) = reading.measurements
    says(
        one.values,
        {
            "tok_s": None,
            "total_tok_s": None,
            "tok_s_per_stream": None,
            "tpot_s": None,
            "tpot_p99_s": None,
            # the server's usage says 32, the client counted 98
            "generated_tokens": 32.0,
            "ttft_s": 0.041787922125,
            "e2e_s": 0.202118676,
            "request_rate_per_s": 18.618630174656293,
        },
    )
    assert loses(reading) == {"tok_s", "tpot_s"}
    assert "98.04" in reading.lost[0][1] and "32" in reading.lost[0][1]


def test_prompts_are_the_servers_count_too() -> None:
    reading = public(tool, "aiperf", "profile_export_aiperf.json")
    says(
        reading.measurements[0].values,
        {"prompt_tokens": 142.83333333333334, "generated_tokens": 16.0, "tok_s": None, "concurrency": 2.0, "cached_prompt_tokens": 21.083333333333332},
    )
    assert {"tok_s", "total_tok_s"} <= loses(reading)


@pytest.mark.parametrize(
    ("name", "rate", "ttft"),
    [
        ("matched_profile_export_aiperf.csv", 650.69, 0.04134),
        ("mismatched_profile_export_aiperf.csv", None, 0.04179),
        ("profile_export_aiperf.csv", None, 0.17085),
    ],
)
def test_csv(name: str, rate: float | None, ttft: float) -> None:
    reading = public(tool, "aiperf", name)
    says(reading.measurements[0].values, {"tok_s": rate, "ttft_s": ttft, "concurrency": None})
    assert {"model", "concurrency", "tool_version"} <= asks(reading)


SIDES = [
    ".aiperf_results_ready.json",
    "inputs.json",
    "matched.command.txt",
    "mismatched.command.txt",
    "profile.command.txt",
    "stdout.txt",
    "matched_profile_export.jsonl",
    "mismatched_profile_export.jsonl",
    "profile_export.jsonl",
    "matched_profile_export_console.txt",
    "mismatched_profile_export_console.txt",
    "profile_export_console.txt",
    "matched_server_metrics_export.csv",
    "matched_server_metrics_export.json",
    "mismatched_server_metrics_export.csv",
    "mismatched_server_metrics_export.json",
    "server_metrics_export.csv",
    "server_metrics_export.json",
]


@pytest.mark.parametrize("name", SIDES)
def test_side_files(name: str) -> None:
    assert refused(tool, shared_formats("aiperf", name)).wanted == "profile_export_aiperf.json"


@pytest.mark.parametrize("name", ["matched.json", "short.csv"])
def test_golden(name: str) -> None:
    (one,) = only(tool, golden("aiperf", name)).measurements
    says(
        one.values,
        {
            "tok_s": 92.0,
            "total_tok_s": 492.0,
            "tok_s_per_stream": 50.0,
            "tpot_s": 0.02,
            "ttft_p95_s": 0.13,
            "e2e_s": 1.0,
            "requests": 20.0,
            "concurrency": 2.0 if name.endswith("json") else None,
            "cached_prompt_tokens": None,
        },
    )
    if name.endswith("json"):
        assert "2 of 22 requests failed" in one.values["note"] and "goodput 1.5" in one.values["note"]


def test_without_usage_there_is_nothing_to_compare() -> None:
    text = golden("aiperf", "matched.json").read_text().replace('"usage_completion_tokens"', '"other"')
    reading = only(tool, text)
    says(reading.measurements[0].values, {"tok_s": None, "generated_tokens": None, "ttft_s": 0.1})
    assert "no other count" in reading.lost[0][1]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('"was_cancelled": false', '"was_cancelled": true', "cancelled"),
        ('"is_complete": true', '"is_complete": false', "did not end"),
        ('"unit": "ms",\n  "avg": 100.0', '"unit": "furlong",\n  "avg": 100.0', "'furlong'"),
        ('"unit": "tokens/sec",\n  "avg": 92.0', '"unit": "ms",\n  "avg": 92.0', "output_token_throughput is in 'ms'"),
        ('"avg": 92.0', '"avg": 192.0', "output_token_throughput is 192"),
        ('"avg": 20.0\n', '"avg": 0.0\n', "no request finished"),
        ('"name": "example/model-8b"', '"name": "a"}, {"name": "b"', "several models"),
    ],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("aiperf", "matched.json").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found


def test_csv_cut_in_a_row() -> None:
    text = golden("aiperf", "short.csv").read_text()
    assert "cells under" in refused(tool, text[: text.index(",30.00,2.00")] + "\nUsage x").found


def test_other_csv_is_left_alone() -> None:
    assert not tool.recognise(raw("Metric,avg,min,max,p99\nTime To First Token (ms),1,1,1,1"))
