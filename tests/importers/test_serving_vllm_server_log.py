"""A vLLM server's log: flags, memory, and speculation in the wordings of four builds."""

from __future__ import annotations

import pytest

from cardbook.importers import vllm_server_log as tool
from tests.importers.serving_case import asks, golden, loses, only, public, raw, refused, says
from tests.shared_files import shared_formats

GIB = 2.0**30


def test_log_on_an_nvidia_card() -> None:
    reading = public(tool, "vllm-server-log", "nvidia-5090_RedHatAI_Qwen3-14B-FP8-dynamic_tp1_server.log")
    assert reading.recipe == {
        "engine": "vllm",
        "engine_version": "0.12.0",
        "backend": "CUDA",
        "model_as_written": "RedHatAI/Qwen3-14B-FP8-dynamic",
        "quant_as_written": "compressed-tensors",
        "context_tokens": 32768,
        "tensor_parallel": 1,
        "n_cards": 1,
        "parallelism": "none",
        "speculation": "none",
    }
    says(reading.sensors, {"weights_bytes": 15.3388 * GIB, "kv_cache_bytes": 12.32 * GIB, "kv_cache_tokens": 80704.0, "prefix_cache_hit_rate": 0.472})
    assert reading.measurements == [] and "tok_s" in loses(reading)


def test_log_on_an_amd_card_says_device_cuda() -> None:
    reading = public(tool, "vllm-server-log", "amd-r9700_RedHatAI_Qwen3-14B-FP8-dynamic_tp1_server.log")
    assert reading.recipe["backend"] == "ROCm"
    assert reading.recipe["engine_commit"] == "67475a6e8"
    says(reading.sensors, {"weights_bytes": 15.4180 * GIB, "kv_cache_tokens": 77312.0})


def test_three_windows_add_up() -> None:
    (one,) = public(tool, "vllm-server-log", "club3090_dual-bench_lines.log").measurements
    # 644 + 666 + 632 of 792 + 795 + 762, three drafts a step; the lengths printed include the bonus token
    says(one.values, {"acceptance_rate": 1942 / 2349, "accepted_per_step": 1942 / (2349 / 3), "draft_tokens": 3.0, "tok_s": None})
    assert one.values["accepted_per_step"] == pytest.approx(3.48 - 1, rel=0.01)


def test_lines_of_many_builds_are_mixed() -> None:
    assert "different builds" in refused(tool, shared_formats("vllm-server-log", "spec_and_kv_lines_by_version.txt")).found


def _wordings() -> list[str]:
    return shared_formats("vllm-server-log", "spec_and_kv_lines_by_version.txt").read_text().splitlines()


def test_v0_counts_drafts_accepted_after_a_rejection() -> None:
    reading = only(tool, _wordings()[1])
    # 53,716 drafts at 4 a step are 13,429 steps; 34,244 tokens came out of them: 2.55 a step, 1.55 of them drafts
    says(reading.measurements[0].values, {"accepted_per_step": 34244 / 13429 - 1, "draft_tokens": 4.0, "acceptance_rate": None})
    assert "acceptance_rate" in loses(reading)


def test_early_v1_without_a_length() -> None:
    says(only(tool, _wordings()[2]).measurements[0].values, {"acceptance_rate": 1.0, "accepted_per_step": None, "draft_tokens": None})


@pytest.mark.parametrize(("line", "rate", "per_step", "drafts"), [(3, 262 / 295, 4.44, 5.0), (4, 987 / 1584, 3.74, 6.0), (6, 0.0, 0.0, 5.0)])
def test_later_wordings(line: int, rate: float, per_step: float, drafts: float) -> None:
    (one,) = only(tool, _wordings()[line]).measurements
    says(one.values, {"acceptance_rate": rate, "draft_tokens": drafts})
    assert one.values["accepted_per_step"] == pytest.approx(per_step, abs=0.005)


def test_golden_log_of_two_cards_with_eagle() -> None:
    reading = only(tool, golden("vllm-server-log", "eagle_tp2.log"))
    assert reading.recipe == {
        "engine": "vllm",
        "engine_version": "0.13.1",
        "backend": "CUDA",
        "model_as_written": "example/model-8b-FP8",
        "quant_as_written": "fp8",
        "kv_quant_as_written": "fp8",
        "context_tokens": 16384,
        "tensor_parallel": 2,
        "n_cards": 2,
        "parallelism": "tensor",
        "speculation": "eagle",
        "draft_tokens": 3,
        "prefix_cache": "off",
    }
    says(reading.measurements[0].values, {"acceptance_rate": 0.7, "accepted_per_step": 2.1, "draft_tokens": 3.0})
    says(reading.sensors, {"kv_cache_tokens": 163840.0, "weights_bytes": 4.5 * GIB, "prefix_cache_hit_rate": 0.0})
    assert "speculation" not in asks(reading) and "card" in asks(reading)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("(v0.13.1) with", "(v0.12.0) with", "two values for the version"),
        ("num_spec_tokens=3", "num_spec_tokens=3, rejection_sample_method='synthetic'", "fakes the acceptance"),
        ("Accepted: 150 tokens", "Accepted: 450 tokens", "450 drafts accepted of 300"),
        ("length: 2.50", "length: 3.50", "an acceptance length of 3.5"),
        ("0.700, 0.500, 0.300", "0.700, 0.500", "different draft lengths"),
        (
            "speculative_config=SpeculativeConfig(method='eagle3', model='example/model-8b-eagle3', num_spec_tokens=3)",
            "speculative_config=None",
            "without speculation",
        ),
    ],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("vllm-server-log", "eagle_tp2.log").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found


def test_windows_alone_are_no_measurement() -> None:
    line = "INFO [loggers.py:271] Engine 000: Avg prompt throughput: 5.0 tokens/s, Avg generation throughput: 124.5 tokens/s, Running: 1 reqs"
    assert "only throughput windows" in refused(tool, line).found


def test_a_client_is_left_alone() -> None:
    assert not tool.recognise(raw("============ Serving Benchmark Result ============\nGPU KV cache size: 1 tokens"))
    assert not tool.recognise(raw("wall_TPS\nSpecDecoding metrics: x"))
