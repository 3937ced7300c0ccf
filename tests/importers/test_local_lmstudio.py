"""LM Studio: a rate that is not always tokens over its time."""

from __future__ import annotations

import pytest

from cardbook.importers import lmstudio as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says


def test_v0() -> None:
    reading = public(tool, "lmstudio", "v0_completions.json")
    says(reading.recipe, {"quant_as_written": "Q4_K_M", "backend": "Metal", "context_tokens": 4096, "model_as_written": "granite-3.0-2b-instruct"})
    says(reading.measurements[0].values, {"phase": "decode", "tok_s": 57.69230769230769, "generated_tokens": 9.0, "depth_tokens": 5.0, "ttft_s": 0.299})
    odd = public(tool, "lmstudio", "v0_chat_completions.json")  # 53 / 0.954 is 55.6, and 51.4 is printed
    says(odd.measurements[0].values, {"tok_s": None, "ttft_s": 0.111, "generated_tokens": 53.0, "depth_tokens": 24.0})
    assert "tok_s" in loses(odd)


def test_v1() -> None:
    reading = public(tool, "lmstudio", "v1_chat.json")
    says(reading.measurements[0].values, {"tok_s": 43.506416908993025, "generated_tokens": 74.0, "depth_tokens": 159.0, "ttft_s": None})
    assert {"card", "model", "quant", "concurrency"} <= asks(reading)


def test_golden() -> None:
    reading = only(tool, golden("lmstudio", "chat-v0.json"))
    says(reading.measurements[0].values, {"tok_s": 50.0, "ttft_s": 0.25, "depth_tokens": 20.0})
    says(reading.recipe, {"backend": "CUDA", "os": "Linux", "measured_on": "2026-02-02"})


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('"total_tokens": 120', '"total_tokens": 999', "total_tokens is 999"),
        ('"tokens_per_second": 50.0', '"tokens_per_second": 1e999', "inf"),
        ('"generation_time": 2.0, ', "", "no stats.generation_time"),
        ('"supported_formats"', '"supported', "cannot be parsed"),
    ],
)
def test_damage(before: str, after: str, found: str) -> None:
    text = golden("lmstudio", "chat-v0.json").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
