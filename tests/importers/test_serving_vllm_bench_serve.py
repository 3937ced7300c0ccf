"""`vllm bench serve`: JSON of three layouts, printed text, a wrapper around it."""

from __future__ import annotations

import pytest

from cardbook.importers import vllm_bench_serve as tool
from tests.importers.serving_case import asks, golden, loses, only, public, raw, refused, says
from tests.shared_files import shared_formats


def test_json_of_2025() -> None:
    reading = public(tool, "vllm-bench-serve", "v0.10_1p3d_conc128_in128_out2048_20250914_020816.json")
    assert reading.recipe == {"model_as_written": "openai/gpt-oss-120b", "measured_on": "2025-09-14"}
    (one,) = reading.measurements
    says(
        one.values,
        {
            "phase": "serve",
            "requests": 500.0,
            "concurrency": 128.0,
            "duration_s": 39.1642699719996,
            # 340,981 of the 1,024,000 that the file's name promises: lengths come from the totals
            "generated_tokens": 681.962,
            "prompt_tokens": 127.992,
            "tok_s": 8706.430638022452,
            "total_tok_s": 10340.471054089283,
            "request_rate_per_s": 12.766738671689113,
            "ttft_s": 0.3861210574500001,
            "ttft_p50_s": 0.22745685300014884,
            "ttft_p99_s": 1.0019392820099893,
            "tpot_s": 0.010695648060772799,
            "tpot_p50_s": 0.01074494812354744,
            "tpot_p99_s": 0.013610708657261469,
            "e2e_s": None,
            "tok_s_per_stream": None,
            "cached_prompt_tokens": None,
        },
    )
    assert {"engine", "card", "quant", "cached_prompt_tokens", "speculation"} <= asks(reading)
    assert "concurrency" not in asks(reading)


def test_json_of_2024_with_empty_answers() -> None:
    reading = public(tool, "vllm-bench-serve", "v0.6_mi300x8_405b_16qps.json")
    (one,) = reading.measurements
    says(one.values, {"tok_s": 612.5953273772376, "generated_tokens": 122.774, "tpot_s": 1.568677140713734, "ttft_s": None, "concurrency": None})
    assert "ttft_s" in loses(reading) and "concurrency" in asks(reading)
    assert "returned no token" in one.values["note"]


def test_run_that_produced_nothing() -> None:
    error = refused(tool, shared_formats("vllm-bench-serve", "v0.6_mi300x8_405b_1000qps_failures.json"))
    assert "17 requests completed and 0 tokens" in error.found


def test_text_in_a_wrapper() -> None:
    reading = public(tool, "vllm-bench-serve-stdout", "nvidia-5090_RedHatAI_Qwen3-14B-FP8-dynamic_tp1_qps1.0_latency.json")
    assert reading.recipe["model_as_written"] == "RedHatAI/Qwen3-14B-FP8-dynamic"
    (one,) = reading.measurements
    says(
        one.values,
        {
            "tok_s": 209.81,
            "total_tok_s": 409.54,
            "duration_s": 192.06,
            "requests": 180.0,
            "ttft_s": 0.0514,
            "tpot_s": 0.02306,
            "tpot_p99_s": 0.02412,
            "prompt_tokens": 38358 / 180,
            "generated_tokens": 40296 / 180,
            "concurrency": None,
        },
    )


def test_many_results_in_one_text() -> None:
    reading = public(tool, "vllm-server-log", "tgi_vs_vllm_mi300x_client.txt")
    assert len(reading.measurements) == 23
    says(reading.measurements[0].values, {"tok_s": 18.75, "ttft_s": 0.31458, "tpot_s": 0.05019, "requests": 1.0})
    assert reading.measurements[1].line == 27


@pytest.mark.parametrize("name", ["goodput_h20_CUT.txt", "spec_decode_hybrid_CUT.txt"])
def test_text_that_is_cut_off(name: str) -> None:
    assert "closing line" in refused(tool, shared_formats("vllm-bench-serve-stdout", name)).found


def test_golden_text_with_speculation_goodput_and_failures() -> None:
    reading = only(tool, golden("vllm-bench-serve", "speculating.txt"))
    (one,) = reading.measurements
    says(
        one.values,
        {
            "tok_s": 200.0,
            "total_tok_s": 276.0,
            "concurrency": 2.0,
            "requests": 19.0,
            "ttft_p99_s": 0.12025,
            # TPOT is per token; ITL (28.8 ms) is per step, and the peak of 80 counts steps
            "tpot_s": 0.0096,
            "tpot_p50_s": 0.0095,
            "acceptance_rate": 3320 / 4980,
            "accepted_per_step": 2.0,
            "draft_tokens": 3.0,
        },
    )
    assert "1 of 20 requests failed" in one.values["note"] and "goodput 0.5" in one.values["note"]
    assert "speculation" in asks(reading)


def test_golden_json_of_a_later_layout() -> None:
    (one,) = only(tool, golden("vllm-bench-serve", "later.json")).measurements
    says(
        one.values,
        {
            "e2e_s": 2.6075,
            "e2e_p50_s": 2.5,
            "e2e_p90_s": 3.0,
            "e2e_p99_s": 3.9,
            "ttft_p90_s": 0.19,
            "tpot_p90_s": 0.015,
            "acceptance_rate": 0.75,
            "accepted_per_step": 1.5,
            "draft_tokens": 2.0,
            "tok_s": 380.0,
            "concurrency": 8.0,
        },
    )
    assert "2 of 40 requests failed" in one.values["note"]


def test_another_tokenizer_is_asked_about() -> None:
    text = golden("vllm-bench-serve", "later.json").read_text().replace('"tokenizer_id": "example/model-8b"', '"tokenizer_id": "gpt2"')
    assert "tok_s" in asks(only(tool, text))


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('"output_throughput": 380.0', '"output_throughput": 3800.0', "output_throughput is 3800"),
        ('"total_output_tokens": 7600', '"total_output_tokens": 0', "0 tokens"),
        ('"duration": 20.0', '"duration": "twenty"', "'twenty'"),
        ('"duration": 20.0', '"duration": NaN', "'nan'"),
        ('"completed": 38', '"completed": 38, "completed": 39', "stands twice"),
        ('"label": null', '"label": "rejection_sample_method=synthetic"', "fakes the acceptance"),
        ('"spec_decode_acceptance_length": 2.5', '"spec_decode_acceptance_length": 3.5', "the acceptance length is 3.5"),
    ],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("vllm-bench-serve", "later.json").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after)).found


def test_truncated_json_names_the_line() -> None:
    text = golden("vllm-bench-serve", "later.json").read_text()
    assert refused(tool, text[: text.index('"mean_itl_ms"')]).line is not None


def test_other_tools_are_left_alone() -> None:
    assert not tool.recognise(raw('{"total_output_tokens_retokenized": 1, "num_prompts": 1}'))
    assert not tool.recognise(raw("hello"))
