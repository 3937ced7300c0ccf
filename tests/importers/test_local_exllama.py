"""ExLlama: lengths and positions; v1's cold first pass stays out."""

from __future__ import annotations

import pytest

from cardbook.importers import exllama as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says


def test_v2() -> None:
    reading = public(tool, "exllama", "exllamav2_speed.txt")
    assert reading.recipe["engine"] == "exllamav2" and len(reading.measurements) == 26
    says(reading.measurements[15].values, {"phase": "prefill", "prompt_tokens": 2048, "depth_tokens": 0, "tok_s": 556.7499})
    says(reading.measurements[16].values, {"phase": "decode", "depth_tokens": 1, "generated_tokens": 127, "tok_s": 35.9594})
    says(reading.measurements[25].values, {"depth_tokens": 1152, "generated_tokens": 128, "tok_s": 29.8211, "concurrency": 1})


def test_v1() -> None:
    reading = public(tool, "exllama", "exllama_v1_benchmark.txt")
    (one,) = reading.measurements
    says(one.values, {"phase": "decode", "tok_s": 28.56, "generated_tokens": 128, "depth_tokens": 4, "peak_memory_bytes": None})
    assert {"tok_s", "peak_memory_bytes"} <= loses(reading) and reading.recipe["model_as_written"] == "llama-13b-4bit-128g.safetensors"


def test_golden() -> None:
    v2 = only(tool, golden("exllama", "speed-v2.txt")).measurements
    says(v2[1].values, {"prompt_tokens": 256, "tok_s": 2500.25})
    says(v2[3].values, {"depth_tokens": 128, "tok_s": 54.25})
    v3 = only(tool, golden("exllama", "perf-v3.txt"))
    assert v3.recipe["engine"] == "exllamav3" and "generated_tokens" in asks(v3)
    says(v3.measurements[0].values, {"prompt_tokens": 256, "tok_s": 3000.5})
    says(v3.measurements[1].values, {"depth_tokens": 1024, "tok_s": 80.25, "generated_tokens": None})


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("54.2500 t/s", "54.", "cut off"),
        ("54.2500 t/s", "inf t/s", "'inf'"),
        ("Length   256", "Length   128", "two results for one length"),
        (" -- Measuring prompt", " Length   64:   30.5 tokens/s\n --", "two versions"),
    ],
)
def test_damage(before: str, after: str, found: str) -> None:
    text = golden("exllama", "speed-v2.txt").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found


def test_a_rate_that_includes_the_prompt() -> None:
    line = " -- Response generated in 3.44 seconds, 128 tokens, 37.19 tokens/second (includes prompt eval.)\n"
    assert "includes the prompt" in refused(tool, line).found
