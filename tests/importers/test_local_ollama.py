"""Ollama: nanoseconds and Go durations, the first token, prompts that were timed in part or cached."""

from __future__ import annotations

import pytest

from cardbook.importers import ollama as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


@pytest.mark.parametrize(
    ("name", "prompt", "prefill", "generated", "decode", "depth"),
    [
        ("generate_nostream.json", 26, 26 / 0.325953, 290, 289 / 4.709213, None),
        ("chat_nostream.json", 26, 26 / 0.383809, 298, 297 / 4.799921, None),
        ("generate_2024_runtime_block.json", 42, 42 / 0.558791, 11, 10 / 0.290096, None),
        ("generate_stream.jsonl", 26, 26 / 0.130079, 259, 258 / 4.232710, 26),  # the model was loaded for it: nothing was cached
        ("verbose_seconds.txt", 11, 53.77, 120, 119 / 4.876787, None),
        ("verbose_metal_slow.txt", 1011, 97.31, 47, 46 / 5.992, None),
        ("verbose_2024_library_lines.txt", 42, 70.73, 10, 9 / 0.240374, None),
        ("verbose_after_fix.txt", 32768, 4212.03, 1769, 1768 / 17.148014223, 32768),
    ],
)
def test_requests(name: str, prompt: int, prefill: float, generated: int, decode: float, depth: int | None) -> None:
    reading = public(tool, "ollama", name)
    first, second = reading.measurements
    says(first.values, {"phase": "prefill", "prompt_tokens": prompt, "tok_s": prefill}, 1e-4)
    says(second.values, {"phase": "decode", "generated_tokens": generated, "tok_s": decode, "depth_tokens": depth})
    assert ("depth_tokens" in asks(reading)) == (depth is None) and "tok_s" in loses(reading)


def test_impossible_prompt_rate() -> None:
    reading = public(tool, "ollama", "verbose_impossible_prompt_rate.txt")
    (one,) = reading.measurements  # 139,356.80 t/s: only the last batch was timed
    says(one.values, {"phase": "decode", "tok_s": 1872 / 18.173182374, "depth_tokens": 32768})
    assert any("last batch" in reason for _, reason in reading.lost)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("chat_load_only.json", "load or unload"),
        ("api_ps.json", "list of loaded models"),
        ("ps_gpu.txt", "ollama ps"),
        ("ps_context_column_wrong_size.txt", "ollama ps"),
    ],
)
def test_what_is_refused(name: str, found: str) -> None:
    assert found in refused(tool, shared_formats("ollama", name)).found


def test_golden() -> None:
    answer = only(tool, golden("ollama", "generate.json"))
    says(answer.recipe, {"model_as_written": "example:8b-q4_K_M", "quant_as_written": "Q4_K_M", "measured_on": "2026-02-03"})
    says(answer.measurements[0].values, {"tok_s": 500.0, "prompt_tokens": 500, "cached_prompt_tokens": 0})
    says(answer.measurements[1].values, {"tok_s": 50.0, "depth_tokens": 500})
    text = only(tool, golden("ollama", "verbose.txt")).measurements
    says(text[0].values, {"tok_s": 4000.0})
    says(text[1].values, {"tok_s": 10.0, "generated_tokens": 1001, "depth_tokens": 1000})  # 1m40s


def test_cached_tokens_are_in_the_count() -> None:
    text = golden("ollama", "generate.json").read_text().replace('"prompt_eval_cached_count": 0', '"prompt_eval_cached_count": 499')
    reading = only(tool, text)
    (one,) = reading.measurements
    says(one.values, {"phase": "decode", "depth_tokens": 500})
    assert any("499 of 500" in reason for _, reason in reading.lost)


@pytest.mark.parametrize(
    ("file", "before", "after", "found"),
    [
        ("generate.json", '"done": true', '"done": false', "without its last object"),
        ("generate.json", '"total_duration": 3100000000', '"total_duration": 1000000000', "longer than the total"),
        ("generate.json", '"eval_count": 101', '"eval_count": 10.5', "10.5"),
        ("verbose.txt", "eval rate:            10.01", "eval rate:            99.01", "99.01 tokens/s"),
        ("verbose.txt", "1m40s", "1m40x", "1m40x"),
        ("verbose.txt", "eval rate:            10.01 tokens/s\n", "", "no line of 'eval rate'"),
        ("verbose.txt", "total duration:       1m42.5s\n", "", "no line of 'total duration'"),
    ],
)
def test_damage(file: str, before: str, after: str, found: str) -> None:
    text = golden("ollama", file).read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
