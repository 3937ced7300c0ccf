"""KoboldCpp: columns that shift, prompts that fill the context, requests that stopped early."""

from __future__ import annotations

import pytest

from cardbook.importers import koboldcpp as tool
from tests.importers.serving_case import asks, golden, loses, only, public, raw, refused, says


@pytest.mark.parametrize(
    ("name", "prefill", "decode", "model", "date"),
    [
        ("benchmark_old.csv", 98.96, 6.93, "opus-v1.2-70b.q6_kChatML", "2024-07-14"),
        # Output holds a line break: the record spans two lines and is short of two columns
        ("benchmark_with_flags.csv", 101.50, 6.27, "Llama-3-70B-Instruct-abliterated-v3_q6", "2024-06-19"),
    ],
)
def test_csv(name: str, prefill: float, decode: float, model: str, date: str) -> None:
    reading = public(tool, "koboldcpp", name)
    says(reading.recipe, {"model_as_written": model, "measured_on": date, "backend": "CUDA", "gpu_layers": 81, "context_tokens": 8192})
    says(reading.measurements[0].values, {"prompt_tokens": 8092, "tok_s": prefill})  # MaxCtx - GenAmount
    says(reading.measurements[1].values, {"generated_tokens": 100, "depth_tokens": 8092, "tok_s": decode})


def test_console() -> None:
    reading = public(tool, "koboldcpp", "benchmark_console_3090.txt")
    says(reading.measurements[0].values, {"tok_s": 406.84, "prompt_tokens": None})
    says(reading.measurements[1].values, {"tok_s": 3.76, "generated_tokens": None})
    assert {"prompt_tokens", "generated_tokens", "depth_tokens"} <= asks(reading)


def test_requests() -> None:
    reading = public(tool, "koboldcpp", "request_lines_2024.txt")
    first, second, third, fourth = (one.values for one in reading.measurements)
    says(first, {"prompt_tokens": 1292, "tok_s": 1292 / 47.38})
    says(second, {"generated_tokens": 62, "depth_tokens": 1292, "tok_s": 1 / 0.3039})  # "1025 / 1024" stopped early
    says(third, {"tok_s": 1292 / 28.86})
    says(fourth, {"generated_tokens": 94, "tok_s": 1 / 0.2917})
    assert "tok_s" in loses(reading)


def test_golden() -> None:
    given = raw(golden("koboldcpp", "appended.csv"))
    assert tool.recognise(given)
    one, two = tool.read(given)
    says(one.measurements[0].values, {"prompt_tokens": 4000, "tok_s": 1000.0})
    says(two.measurements[1].values, {"generated_tokens": 96, "tok_s": 24.0})
    assert (one.recipe["backend"], two.recipe["backend"]) == ("CUDA", "Vulkan")
    console = only(tool, golden("koboldcpp", "console.txt"))
    says(console.recipe, {"backend": "ROCm", "quant_as_written": "Q6_K", "measured_on": "2025-01-02"})
    says(console.measurements[1].values, {"depth_tokens": 4000, "tok_s": 48.0})


@pytest.mark.parametrize(
    ("file", "before", "after", "found"),
    [
        ("appended.csv", "4.00,1000.00,2.00,48.00,6.00", "1000.00,4.00,2.00,48.00,6.00", "do not add up"),
        ("appended.csv", ",48.00,6.00", ",96.00,6.00", "96 tokens/s over 2 s"),
        ("appended.csv", "MaxCtx,GenAmount,ProcessingTime", "MaxCtx,GenAmount,Something", "unknown version"),
        ("console.txt", "GenAmount: 96", "GenAmount: 9600", "9600 generated tokens"),
        ("console.txt", "TotalTime: 6.000s\n", "", "without TotalTime"),
        ("console.txt", "1000.00T/s", "nanT/s", "'nan"),
    ],
)
def test_damage(file: str, before: str, after: str, found: str) -> None:
    text = golden("koboldcpp", file).read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found


def test_a_prompt_that_was_cached_in_part() -> None:
    lines = (
        "Processing Prompt [BLAS] (100 / 100 tokens)\nGenerating (50 / 50 tokens)\n"
        "ContextLimit: 1150/4096, Processing:1.00s (10.0ms/T)\nGeneration:1.00s (20.0ms/T), Total:2.00s (25.00T/s)\n"
    )
    assert "from the cache" in refused(tool, lines).fix
