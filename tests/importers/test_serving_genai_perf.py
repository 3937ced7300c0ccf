"""GenAI-Perf: the client's count can only be checked against the length asked for."""

from __future__ import annotations

import pytest

from cardbook.importers import genai_perf as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


def test_matched() -> None:
    reading = public(tool, "genai-perf", "matched_profile_export_genai_perf.json")
    (one,) = reading.measurements
    says(
        one.values,
        {
            "tok_s": 691.8425236299377,
            "tok_s_per_stream": 213.18804011156135,
            "tpot_s": 0.004692842541666667,
            "ttft_s": 0.03802308704166666,
            "e2e_p99_s": 0.18801150502000002,
            "concurrency": 4.0,
            "requests": 24.0,
            "generated_tokens": 32.0,
            "duration_s": None,
        },
    )
    assert reading.recipe == {"model_as_written": "tiny-llama"}
    assert {"cached_prompt_tokens", "tool_version"} <= asks(reading) and loses(reading) == set()


def test_mismatched() -> None:
    reading = public(tool, "genai-perf", "mismatched_profile_export_genai_perf.json")
    says(reading.measurements[0].values, {"tok_s": None, "tpot_s": None, "generated_tokens": None, "ttft_s": 0.03827965591666666})
    assert "99.04" in reading.lost[0][1] and "asked for 32" in reading.lost[0][1]


def test_csv_has_nothing_to_compare_with() -> None:
    reading = public(tool, "genai-perf", "mismatched_profile_export_genai_perf.csv")
    says(reading.measurements[0].values, {"tok_s": None, "tpot_s": None, "ttft_s": 0.03828, "e2e_s": 0.18186, "requests": 24.0})
    assert loses(reading) == {"tok_s", "tpot_s"}


@pytest.mark.parametrize("name", ["matched.stdout.txt", "mismatched.stdout.txt", "matched.command.txt", "mismatched.command.txt"])
def test_side_files(name: str) -> None:
    assert refused(tool, shared_formats("genai-perf", name)).line == 1


def test_golden() -> None:
    (one,) = only(tool, golden("genai-perf", "matched.json")).measurements
    says(one.values, {"tok_s": 92.0, "tpot_s": 0.02, "concurrency": 2.0, "generated_tokens": 46.0})
    assert "goodput 1.5" in one.values["note"]
    says(only(tool, golden("genai-perf", "short.csv")).measurements[0].values, {"tok_s": None, "ttft_s": 0.1, "e2e_p99_s": 1.5})


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('"avg": 92.0', '"avg": 9.0', "output_token_throughput is 9"),
        ('"unit": "count"', '"unit": "ms"', "request_count is in 'ms'"),
        ('"example/model-8b"', '"a", "b"', "several models"),
        ('"concurrency": 2', '"concurrency": "many"', "'many'"),
    ],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("genai-perf", "matched.json").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
