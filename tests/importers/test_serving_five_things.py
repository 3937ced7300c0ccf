"""The five things that would put a wrong number in the corpus, across tools.

1 who counts the tokens · 2 cached prompts in prompt rates · 3 what TPOT means ·
4 seconds or milliseconds · 5 a mean over requests is not the aggregate.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from cardbook.importers import (
    aiperf,
    genai_perf,
    guidellm,
    inference_perf,
    inferencex,
    llmperf,
    mlperf,
    sglang_bench_serving,
    sglang_one_batch,
    trtllm_bench,
    vllm_bench_latency,
    vllm_bench_serve,
    vllm_bench_throughput,
    vllm_server_log,
)
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says


def values(tool: ModuleType, *parts: str) -> dict[str, Any]:
    return public(tool, *parts).measurements[0].values


# 1. The same 24 requests of 32 tokens: 1,825 or 651, 2,171 or 692, 480 or 163 tokens a second.
MISMATCHED = [
    (aiperf, "aiperf", "mismatched_profile_export_aiperf.json"),
    (aiperf, "aiperf", "mismatched_profile_export_aiperf.csv"),
    (genai_perf, "genai-perf", "mismatched_profile_export_genai_perf.json"),
    (genai_perf, "genai-perf", "mismatched_profile_export_genai_perf.csv"),
    (inference_perf, "inference-perf", "mismatched_stage_0_lifecycle_metrics.json"),
    (inference_perf, "inference-perf", "mismatched_stage_1_lifecycle_metrics.json"),
]


@pytest.mark.parametrize(("tool", "folder", "name"), MISMATCHED)
def test_1_a_client_that_counts_otherwise_gives_no_rate(tool: ModuleType, folder: str, name: str) -> None:
    reading = public(tool, folder, name)
    says(reading.measurements[0].values, {"tok_s": None, "total_tok_s": None, "tok_s_per_stream": None, "tpot_s": None})
    assert {"tok_s", "tpot_s"} <= loses(reading)
    assert reading.measurements[0].values["ttft_s"] > 0  # what holds no count stays


def test_1_guidellm_takes_the_servers_usage() -> None:
    says(values(guidellm, "guidellm", "v0.8.1_concurrent4.json"), {"tok_s": 650.5118655075535})


# 2. Half of every prompt was cached, and every prompt rate counts all of it.
def test_2_cached_prompts_are_told_and_no_total_rate_is() -> None:
    for tool, folder, name in (
        (aiperf, "aiperf", "matched_profile_export_aiperf.json"),
        (inference_perf, "inference-perf", "matched_stage_0_lifecycle_metrics.json"),
    ):
        says(values(tool, folder, name), {"cached_prompt_tokens": 32.0, "prompt_tokens": 64.0, "total_tok_s": None})


@pytest.mark.parametrize(
    ("tool", "parts"),
    [
        (guidellm, ("guidellm", "v0.8.1_concurrent4.json")),
        (genai_perf, ("genai-perf", "matched_profile_export_genai_perf.json")),
        (vllm_bench_serve, ("vllm-bench-serve", "v0.10_3p1d_conc32_in128_out2048_20250923_040856.json")),
        (sglang_bench_serving, ("sglang-bench-serving", "v0.4_llama_405b_online_output.jsonl")),
        (llmperf, ("llmperf", "groq_70b_summary.json")),
    ],
)
def test_2_a_client_that_cannot_see_the_cache_leads_to_a_question(tool: ModuleType, parts: tuple[str, ...]) -> None:
    reading = public(tool, *parts)
    assert "cached_prompt_tokens" in asks(reading)
    # a serving client gives no prefill rate, whatever it calls its input throughput
    assert all(one.values["phase"] == "serve" and one.values.get("cached_prompt_tokens") is None for one in reading.measurements)


def test_2_the_servers_log_shows_that_the_same_prompts_came_again() -> None:
    reading = public(vllm_server_log, "vllm-server-log", "amd-r9700_RedHatAI_Qwen3-14B-FP8-dynamic_tp1_server.log")
    says(reading.sensors, {"prefix_cache_hit_rate": 0.356})


# 3. TPOT leaves the first token out; everything else under that name is another figure.
@pytest.mark.parametrize(
    ("tool", "parts", "tpot", "not_this"),
    [
        (vllm_bench_serve, ("vllm-bench-serve", "v0.10_1p3d_conc128_in128_out2048_20250914_020816.json"), 0.010695648060772799, 0.009891000222520555),
        (guidellm, ("guidellm", "v0.3.1_concurrent4.json"), 0.0048604735764124065, 0.004708583777149519),
        (guidellm, ("guidellm", "v0.8.1_concurrent4.json"), 0.004796186762471353, 0.005875856305162111),
        (aiperf, ("aiperf", "matched_profile_export_aiperf.json"), 0.00472627323655914, None),
        (genai_perf, ("genai-perf", "matched_profile_export_genai_perf.json"), 0.004692842541666667, None),
        (inference_perf, ("inference-perf", "matched_stage_0_lifecycle_metrics.json"), 0.004745621631053793, 0.0058085637578138005),
        (trtllm_bench, ("trtllm-bench", "report_v1.3.0rc12_SELFTEST.json"), 0.01403, None),
        (llmperf, ("llmperf", "bedrock_70b_summary.json"), None, 0.04707488939073093),
        (sglang_bench_serving, ("sglang-bench-serving", "v0.4_llama_3_3_70b_online_output.jsonl"), None, 0.013638956006616354),
    ],
)
def test_3_tpot(tool: ModuleType, parts: tuple[str, ...], tpot: float | None, not_this: float | None) -> None:
    got = values(tool, *parts)
    says(got, {"tpot_s": tpot})
    assert not_this is None or not_this not in [got.get(key) for key in ("tpot_s", "tpot_p50_s")]


def test_3_a_step_of_several_tokens_is_no_token() -> None:
    # ITL 28.8 ms a step of three tokens, TPOT 9.6 ms
    says(only(vllm_bench_serve, golden("vllm-bench-serve", "speculating.txt")).measurements[0].values, {"tpot_s": 0.0096})


# 4. Seconds or milliseconds by tool, not by name.
@pytest.mark.parametrize(
    ("tool", "parts", "field", "seconds"),
    [
        (vllm_bench_serve, ("vllm-bench-serve", "v0.10_1p3d_conc128_in128_out2048_20250914_020816.json"), "ttft_s", 0.3861210574500001),
        (sglang_bench_serving, ("sglang-bench-serving", "v0.4_llama_3_3_70b_online_output.jsonl"), "e2e_s", 7.840616212638561),
        (aiperf, ("aiperf", "matched_profile_export_aiperf.json"), "ttft_s", 0.0413366875),
        (genai_perf, ("genai-perf", "matched_profile_export_genai_perf.json"), "e2e_s", 0.18350120587499998),
        (trtllm_bench, ("trtllm-bench", "v0.19_throughput_multimodal.txt"), "e2e_s", 3.6718441),
        (inferencex, ("inferencex", "glm5_fp8_vllm_tp8_isl10240_osl128_conc16.json"), "ttft_p50_s", 3.1382447043433785),
        (llmperf, ("llmperf", "bedrock_70b_summary.json"), "ttft_s", 0.40837363779203295),
        (inference_perf, ("inference-perf", "matched_stage_0_lifecycle_metrics.json"), "ttft_s", 0.038234718750004504),
        (vllm_bench_latency, ("vllm-bench-latency", "h100x8_405b_in2048_out2048_bs4.json"), "e2e_s", 73.0387226099997),
        (vllm_bench_throughput, ("vllm-bench-throughput", "v0.6_h100x8_405b_in128_out2048_n128.json"), "duration_s", 214.67450040199947),
        (sglang_one_batch, ("sglang-bench-one-batch", "qwen2.5-32b_tp8.jsonl"), "duration_s", 3.7364211082458496),
        (guidellm, ("guidellm", "v0.8.1_concurrent4.json"), "e2e_s", 0.18871344129244483),
        (guidellm, ("guidellm", "v0.8.1_concurrent4.json"), "ttft_s", 0.03934561212857564),
        (mlperf, ("mlperf", "MiTAC_results_8xMI325X_2xEPYC_9755_mixtral-8x7b_Server__mlperf_log_summary.txt"), "ttft_s", 0.805828),
    ],
)
def test_4_base_unit(tool: ModuleType, parts: tuple[str, ...], field: str, seconds: float) -> None:
    says(values(tool, *parts), {field: seconds}, 1e-5)


def test_4_milliseconds_under_the_names_of_seconds_are_refused() -> None:
    text = golden("inferencex", "tp8.json").read_text().replace("3.9", "3900.0").replace("6.0", "6000.0").replace("0.4,", "400.0,")
    assert "a request of 6000" in refused(inferencex, text).found


# 5. A mean over requests is not the aggregate.
def test_5_guidellm_takes_the_mean_of_a_rate_and_never_its_median() -> None:
    says(values(guidellm, "guidellm", "v0.8.1_concurrent4.json"), {"tok_s": 650.5118655075535, "request_rate_per_s": 20.328495797111053})


def test_5_llmperf_takes_the_rate_over_all_streams() -> None:
    says(values(llmperf, "llmperf", "bedrock_70b_summary.json"), {"tok_s": 62.867056292903534, "tok_s_per_stream": None})


def test_5_one_stream_is_never_taken_for_all() -> None:
    says(values(trtllm_bench, "trtllm-bench", "report_v1.3.0rc12_SELFTEST.json"), {"tok_s": 3.37, "tok_s_per_stream": 71.29})
    says(values(aiperf, "aiperf", "matched_profile_export_aiperf.json"), {"tok_s": 650.6864182528927, "tok_s_per_stream": 211.6761052496613})


def test_5_input_and_output_together_are_never_an_output_rate() -> None:
    says(
        values(vllm_bench_throughput, "vllm-bench-throughput", "amd-r9700_RedHatAI_gemma-3-12b-it-FP8-dynamic_tp1_throughput.json"),
        {"tok_s": None, "total_tok_s": 859.7532189051877},
    )
