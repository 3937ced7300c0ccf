"""trtllm-bench: two printed layouts and the JSON report."""

from __future__ import annotations

import pytest

from cardbook.importers import trtllm_bench as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


def test_v0_17_token_throughput_is_output_only() -> None:
    reading = public(tool, "trtllm-bench", "v0.17_throughput_engine.txt")
    assert reading.recipe == {
        "engine": "tensorrt-llm",
        "engine_version": "0.17.0",
        "model_as_written": "meta-llama/Llama-3.1-8B",
        "quant_as_written": "FP8",
        "kv_quant_as_written": "FP8",
        "tensor_parallel": 1,
        "n_cards": 1,
        "parallelism": "none",
        "measured_on": "2025-01-18",
    }
    (one,) = reading.measurements
    # 221.8 requests/s × 128 output tokens
    says(
        one.values,
        {
            "tok_s": 28390.4265,
            "request_rate_per_s": 221.8002,
            "requests": 3000.0,
            "duration_s": 13.5256862,
            "prompt_tokens": 128.0,
            "generated_tokens": 128.0,
            "total_tok_s": None,
            "concurrency": None,
        },
    )


def test_v0_17_with_pytorch_has_no_kv_format() -> None:
    reading = public(tool, "trtllm-bench", "v0.17_throughput_pytorch.txt")
    says(reading.measurements[0].values, {"tok_s": 20685.5510, "duration_s": 18.5636825})
    assert "kv_quant" in asks(reading)


def test_later_layout() -> None:
    reading = public(tool, "trtllm-bench", "v0.19_throughput_multimodal.txt")
    (one,) = reading.measurements
    says(
        one.values,
        {
            "tok_s": 185.8351,
            "total_tok_s": 780.1607,
            "e2e_s": 3.6718441,
            "e2e_p50_s": 3.9363022,
            "e2e_p99_s": 5.5144701,
            # 38.2 a user is tokens over the whole request
            "tok_s_per_stream": None,
        },
    )
    assert "tok_s_per_stream" in loses(reading) and "5.302 requests in flight" in one.values["note"]


def test_report_that_is_cut_off() -> None:
    assert "ends before Total Latency" in refused(tool, shared_formats("trtllm-bench", "v1.1.0rc1_deepseek-r1_nvfp4_tp4_CUT.txt")).found


def test_json_report() -> None:
    reading = public(tool, "trtllm-bench", "report_v1.3.0rc12_SELFTEST.json")
    assert reading.recipe["card_as_written"] == "NVIDIA GB10" and reading.recipe["quant_as_written"] == "NVFP4"
    (one,) = reading.measurements
    # 3.37 a user and 71.29 of one stream, 21 times apart in one file
    says(
        one.values,
        {"tok_s": 3.37, "tok_s_per_stream": 71.29, "tpot_s": 0.01403, "ttft_s": 4.5331, "total_tok_s": 16.86, "energy_j": 56.1, "mean_power_w": 11.83},
    )


def test_golden_text() -> None:
    reading = only(tool, golden("trtllm-bench", "new_tp4_ep4.txt"))
    # experts are spread over the four tensor-parallel cards; two stages make eight
    assert (reading.recipe["n_cards"], reading.recipe["parallelism"]) == (8, "mixed")
    says(reading.measurements[0].values, {"tok_s": 1000.0, "total_tok_s": 6000.0, "ttft_s": 0.4, "tpot_s": 0.028, "e2e_p95_s": 6.6})
    assert reading.recipe["measured_on"] == "2026-01-04" and "tok_s_per_stream" in loses(reading)


def test_golden_json() -> None:
    reading = only(tool, golden("trtllm-bench", "report.json"))
    says(reading.measurements[0].values, {"tok_s": 1000.0, "tok_s_per_stream": 36.0, "tpot_p99_s": 0.033, "ttft_p90_s": 0.5, "mean_power_w": None})
    assert "mean_power_w" in loses(reading)


@pytest.mark.parametrize(
    ("name", "before", "after", "found"),
    [
        ("new_tp4_ep4.txt", "1000.0000\nTotal Token", "6000.0000\nTotal Token", "the output throughput is 6000"),
        ("new_tp4_ep4.txt", "= PERFORMANCE OVERVIEW", "= PERFORMANCE OVERVIEW\n= PERFORMANCE OVERVIEW", "several reports"),
        ("new_tp4_ep4.txt", "20000.0000", "twenty", "'twenty'"),
        ("new_tp4_ep4.txt", "[TRT-LLM] [I]", "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS=2", "fakes the acceptance"),
        ("report.json", '"system_output_throughput_tok_s": 1000.0', '"system_output_throughput_tok_s": 6000.0', "the output throughput is 6000"),
        ("report.json", '"num_requests": 100', '"num_requests": 0', "no requests in the report"),
    ],
)
def test_what_is_refused(name: str, before: str, after: str, found: str) -> None:
    text = golden("trtllm-bench", name).read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
