"""llmfit: a rate over the whole request or over the generation; vramGb measures nothing."""

from __future__ import annotations

import pytest

from cardbook.importers import llmfit as tool
from tests.importers.serving_case import asks, golden, raw, refused, says
from tests.shared_files import shared_formats


def test_llama_cpp_counts_the_whole_request() -> None:
    (reading,) = tool.read(raw(shared_formats("llmfit", "amd-radeon-rx-7900-xt_1786562074-7e61b3fb.json")))
    says(
        reading.recipe,
        {"card_as_written": "AMD Radeon RX 7900 XT", "n_cards": 1, "engine": "llama.cpp", "quant_as_written": "Q4_K_M", "measured_on": "2026-08-12"},
    )
    # 300 tokens / 8.52958 s = 35.17: the prompt is in it
    says(reading.measurements[0].values, {"phase": "serve", "tok_s": 35.17, "tok_s_min": 35.09, "tok_s_max": 35.28, "repeats": 3, "e2e_s": 8.52958})
    assert reading.tool_version == "1.1.9" and {"prompt_tokens", "driver"} <= asks(reading)
    assert "peak_memory_bytes" not in reading.measurements[0].values and "19.98" not in repr(reading)  # vramGb, in GiB


def test_ollama_counts_the_generation() -> None:
    (reading,) = tool.read(raw(shared_formats("llmfit", "apple-m1-max_1786995154-7cbcebe0.json")))
    says(reading.measurements[0].values, {"phase": "decode", "tok_s": 9.74, "ttft_s": 0.48902, "generated_tokens": 300.0})
    says(reading.recipe, {"engine": "ollama", "os": "macOS", "quant_as_written": None})


def test_many_models() -> None:
    found = tool.read(raw(shared_formats("llmfit", "amd-radeon-rx-7900-xt_1785258762-ee642f2d.json")))
    assert len(found) == 40
    says(found[0].measurements[0].values, {"tok_s": 375.97, "generated_tokens": 185.33, "e2e_s": 0.46944})


def test_golden() -> None:
    given = raw(golden("llmfit", "result.json"))
    assert tool.recognise(given)
    one, two = tool.read(given)
    says(one.recipe, {"n_cards": 2, "parallelism": None, "model_as_written": "Example-8B-Q5_K_M.gguf"})
    says(one.measurements[0].values, {"phase": "serve", "tok_s": 50.0, "e2e_s": 4.0})
    says(two.measurements[0].values, {"phase": "decode", "tok_s": 60.0, "ttft_s": 0.2})


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('"schemaVersion": 1', '"schemaVersion": 2', "schemaVersion 2"),
        ('"avgTps": 50.0', '"avgTps": 52.0', "outside 49 to 51"),
        ('"avgTotalMs": 4000.0', '"avgTotalMs": 400.0', "below 500"),
        ('"avgTps": 50.0', '"avgTps": "50"', "'50'"),
        ("]\n}", "", "cannot be parsed"),
    ],
)
def test_damage(before: str, after: str, found: str) -> None:
    text = golden("llmfit", "result.json").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
