"""The endpoint script's text: warm-ups stay out, the first token takes no step."""

from __future__ import annotations

import pytest

from cardbook.importers import endpoint_bench_text as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says


def test_public() -> None:
    reading = public(tool, "openai-endpoint-bench-text", "default-48k-bench.txt")
    assert [one.values["phase"] for one in reading.measurements] == ["decode", "serve", "decode", "serve"]
    decode, serve = (one.values for one in reading.measurements[:2])
    # runs of 48.93, 49.50 and 49.19 over 1000 tokens each
    says(decode, {"tok_s": (48.93 + 49.50 + 49.19) / 3 * 0.999, "repeats": 3, "generated_tokens": 1000.0, "ttft_s": (0.159 + 0.160 + 0.156) / 3})
    says(serve, {"tok_s": (48.55 + 49.11 + 48.82) / 3, "e2e_s": (20.60 + 20.36 + 20.49) / 3, "requests": 3})
    says(reading.recipe, {"engine": "vllm", "draft_tokens": 3, "speculation": None})
    assert {"speculation", "prompt_tokens", "depth_tokens", "card"} <= asks(reading)
    assert {"acceptance_rate", "mean_power_w", "peak_memory_bytes"} <= loses(reading)


def test_tokens_differ_from_run_to_run() -> None:
    found = public(tool, "openai-endpoint-bench-text", "dual-bench.txt").measurements
    says(found[2].values, {"generated_tokens": (483 + 800 + 743 + 800 + 800) / 5, "repeats": 5, "tok_s_max": 95.43 * 482 / 483})


def test_golden() -> None:
    reading = only(tool, golden("endpoint-bench-text", "bench.txt"))
    says(reading.measurements[0].values, {"phase": "decode", "tok_s": 50.0 * 489 / 490, "ttft_s": 0.2, "concurrency": 1})
    says(reading.measurements[1].values, {"phase": "serve", "tok_s": 49.0, "e2e_s": 10.0})
    assert "engine" not in reading.recipe


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("  run-2      wall= 10.00s", "  run-3      wall= 10.00s", "2 runs of 2"),
        ("  decode_TPS     mean=  50.00", "  decode_TPS     mean=  55.00", "a mean of decode_TPS"),
        ("toks= 490  wall_TPS= 49.00", "toks= 990  wall_TPS= 49.00", "490 tokens"),
        ("  decode_TPS     mean=", "  decode     mean=", "1 of 2 means"),
        ("ttft=   200ms  toks= 490", "ttft= 20000ms  toks= 490", "first token came last"),
    ],
)
def test_damage(before: str, after: str, found: str) -> None:
    text = golden("endpoint-bench-text", "bench.txt").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
