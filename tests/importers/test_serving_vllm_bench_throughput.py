"""`vllm bench throughput`: input + output tokens, never an output rate."""

from __future__ import annotations

import pytest

from cardbook.importers import vllm_bench_throughput as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says


@pytest.mark.parametrize(
    ("name", "total", "requests", "duration"),
    [
        ("v0.6_h100x8_405b_in128_out2048_n128.json", 1297.4433362063426, 128.0, 214.67450040199947),
        ("nvidia-5090_RedHatAI_Qwen3-14B-FP8-dynamic_tp1_throughput.json", 3251.0147985872827, 1000.0, 228.03156735002995),
        ("04-05-2026_aiter_Qwen_Qwen3.5-9B_tp2_throughput.json", 2074.6042589604594, 1000.0, 361.11224430600123),
    ],
)
def test_total_rate(name: str, total: float, requests: float, duration: float) -> None:
    reading = public(tool, "vllm-bench-throughput", name)
    (one,) = reading.measurements
    says(one.values, {"total_tok_s": total, "tok_s": None, "requests": requests, "duration_s": duration, "prompt_tokens": None})
    assert "tok_s" in loses(reading) and {"prompt_tokens", "generated_tokens"} <= asks(reading)


def test_golden() -> None:
    says(only(tool, golden("vllm-bench-throughput", "total.json")).measurements[0].values, {"total_tok_s": 1200.0, "request_rate_per_s": 2.0, "tok_s": None})


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [("1200.0", "1300.0", "tokens_per_second is 1300"), ("60000", "0", "0 tokens"), ("50.0", "0", "elapsed_time is 0"), ("}", "", "parsed")],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("vllm-bench-throughput", "total.json").read_text()
    assert found in refused(tool, text.replace(before, after, 1)).found
