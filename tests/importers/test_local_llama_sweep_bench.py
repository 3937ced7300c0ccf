"""llama-sweep-bench: both phases at the depth N_KV, one stream."""

from __future__ import annotations

import pytest

from cardbook.importers import llama_sweep_bench as tool
from tests.importers.serving_case import golden, only, public, refused, says
from tests.shared_files import shared_formats


def test_public() -> None:
    reading = public(tool, "llama-sweep-bench", "pub_sweep_2048.txt")
    says(reading.recipe, {"engine": "ik_llama.cpp", "flash_attention": True, "context_tokens": 67584, "gpu_layers": 150})
    says(reading.measurements[10].values, {"phase": "prefill", "prompt_tokens": 2048, "depth_tokens": 10240, "tok_s": 3330.09, "ubatch_tokens": 2048})
    says(reading.measurements[11].values, {"phase": "decode", "generated_tokens": 128, "depth_tokens": 10240, "tok_s": 99.84, "concurrency": 1})
    slow = public(tool, "llama-sweep-bench", "pub_sweep_deepseek_cpu.md")
    says(slow.measurements[9].values, {"tok_s": 2.46, "generated_tokens": 128, "depth_tokens": 2048})


def test_mixed_with_a_server() -> None:
    refusal = refused(tool, shared_formats("llama-sweep-bench", "pub_server_vs_sweep.txt"))
    assert "timings of a server" in refusal.found and refusal.line == 1


def test_golden() -> None:
    found = only(tool, golden("llama-sweep-bench", "sweep.txt")).measurements
    says(found[2].values, {"tok_s": 1600.0, "depth_tokens": 512, "prompt_tokens": 512, "ubatch_tokens": 512})
    says(found[3].values, {"tok_s": 80.0, "depth_tokens": 512})


@pytest.mark.parametrize(
    ("before", "after"), [("|  1600.00 |", "|  160.00 |"), ("|    80.00 |", "| "), ("|  1600.00 |", "| fast |"), ("|    0.320 |", "| inf |")]
)
def test_damage(before: str, after: str) -> None:
    text = golden("llama-sweep-bench", "sweep.txt").read_text()
    assert before in text
    assert refused(tool, text.replace(before, after, 1)).line == 6
