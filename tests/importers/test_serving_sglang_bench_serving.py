"""SGLang's serving client: files of 2024 and the newer fields."""

from __future__ import annotations

import pytest

from cardbook.importers import sglang_bench_serving as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says


def test_online_run() -> None:
    reading = public(tool, "sglang-bench-serving", "v0.4_llama_3_3_70b_online_output.jsonl")
    assert len(reading.measurements) == 7 and reading.recipe == {}
    one = reading.measurements[0]
    # random_input_len says 1024; a ratio of 0 means lengths from 1 to it, and the mean is 509
    says(
        one.values,
        {
            "tok_s": 537.4142851849319,
            "duration_s": 298.3675805060193,
            "prompt_tokens": 152612 / 300,
            "generated_tokens": 160347 / 300,
            "e2e_s": 7.840616212638561,
            "e2e_p50_s": 7.819046192569658,
            "ttft_p50_s": 0.08574514742940664,
            "ttft_s": None,
            "tpot_s": None,
            "tpot_p50_s": None,
            "concurrency": None,
            "requests": 300.0,
        },
    )
    assert one.line == 1 and one.label == "random, 1 requests/s"
    assert {"model", "engine", "card", "concurrency"} <= asks(reading)


def test_bare_infinity_is_read() -> None:
    reading = public(tool, "sglang-bench-serving", "v0.4_llama_3_3_70b_offline_output.jsonl")
    assert reading.measurements[0].label == "random, all at once"
    says(reading.measurements[5].values, {"tok_s": 6648.4389207099675, "requests": 6000.0, "ttft_p50_s": 33.22392286949955})


def test_a_larger_model() -> None:
    one = public(tool, "sglang-bench-serving", "v0.4_llama_405b_online_output.jsonl").measurements[3]
    says(one.values, {"tok_s": 1820.6538850305435, "ttft_p50_s": 123.71862683666404, "generated_tokens": 1218922 / 2400})


def test_golden_of_the_newer_form() -> None:
    reading = only(tool, golden("sglang-bench-serving", "newer.jsonl"))
    first, second = reading.measurements
    says(
        first.values,
        {
            "tok_s": 1024.0,
            "total_tok_s": 3072.0,
            "concurrency": 16.0,
            "request_rate_per_s": 2.0,
            "ttft_s": 0.3,
            "tpot_s": 0.013,
            "tpot_p99_s": 0.016,
            "accepted_per_step": 2.1,
        },
    )
    assert "1 of 101 requests failed" in first.values["note"]
    # the client's tokenizer counts a fifth more than the server in the second line
    says(second.values, {"tok_s": None, "tpot_s": None, "generated_tokens": None, "ttft_p50_s": 0.25})
    assert "tok_s" in loses(reading)
    assert reading.recipe == {
        "model_as_written": "example/model-8b-FP8",
        "engine": "sglang",
        "engine_version": "0.5.6",
        "quant_as_written": "fp8",
        "tensor_parallel": 2,
    }
    assert "speculation" in asks(reading)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('"output_throughput": 1024.0', '"output_throughput": 3072.0', "output_throughput in line 1 is 3072"),
        ('"accept_length": 3.1', '"accept_length": 0.2', "accept_length of 0.2"),
        ('"duration": 50.0', '"duration": Infinity', "'inf'"),
        ('"host": "0.0.0.0"', '"env": "SGLANG_SIMULATE_ACC_LEN=3.0"', "fakes the acceptance"),
        ('"total_output_tokens": 51200', '"total_output_tokens": 0', "0 tokens"),
        ('"completed": 100}', '"completed": 100', "parsed"),
    ],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("sglang-bench-serving", "newer.jsonl").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found


def test_two_configurations_are_not_one() -> None:
    line = golden("sglang-bench-serving", "newer.jsonl").read_text().splitlines()[0]
    error = refused(tool, line + "\n" + line.replace('"tp_size": 2', '"tp_size": 4'))
    assert "line 2 was measured with tensor_parallel 4" in error.found and error.line == 2


def test_printed_text_is_refused() -> None:
    text = "============ Serving Benchmark Result ============\nTotal generated tokens (retokenized): 10\n"
    assert "prints" in refused(tool, text).found
