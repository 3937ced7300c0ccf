"""llama-batched-bench: rates over all sequences, a shared prompt, one sequence after the other."""

from __future__ import annotations

import pytest

from cardbook.importers import llama_batched_bench as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


@pytest.mark.parametrize(
    ("name", "row", "prefill", "decode"),
    [
        # prompt, sequences of prefill, rate; generated, depth, sequences of decode, rate
        ("gemma270m_md.stdout", 2, (64, 4, 823.17), (16, 64, 4, 137.48)),
        ("gemma270m_jsonl.stdout", 0, (64, 1, 721.110474), (16, 64, 1, 89.258820)),
        ("gemma270m_shared_prompt_md.stdout", 1, (256, 1, 813.42), (16, 256, 4, 136.76)),
        ("old-0.3.8-md.stdout", 2, (64, 4, 532.15), (16, 64, 4, 126.43)),
        ("moe_md.stdout", 4, (128, 16, 7342.66), (32, 128, 16, 3531.74)),
        ("pub_metal.txt", 5, (4096, 4, 1532.06), (32, 4096, 4, 195.49)),
        ("pub_docs.md", 0, (128, 1, 1186.64), (128, 128, 1, 41.57)),
    ],
)
def test_rows(name: str, row: int, prefill: tuple[int, int, float], decode: tuple[int, int, int, float]) -> None:
    found = public(tool, "llama-batched-bench", name).measurements
    says(found[2 * row].values, dict(zip(("prompt_tokens", "concurrency", "tok_s"), prefill, strict=True)) | {"phase": "prefill", "depth_tokens": 0})
    says(found[2 * row + 1].values, dict(zip(("generated_tokens", "depth_tokens", "concurrency", "tok_s"), decode, strict=True)) | {"phase": "decode"})


def test_json_does_not_say_whether_sequences_took_turns() -> None:
    reading = public(tool, "llama-batched-bench", "gemma270m_separate_tg_jsonl.stdout")
    says(reading.measurements[3].values, {"tok_s": 85.508911, "concurrency": None})  # -tgs: of one stream
    assert "-tgs" in dict(reading.questions)["concurrency"] and "total_tok_s" in loses(reading)
    assert "concurrency" not in asks(public(tool, "llama-batched-bench", "gemma270m_md.stdout"))


def test_a_crash_after_valid_rows() -> None:
    refusal = refused(tool, shared_formats("llama-batched-bench", "too_small_context_md.stdout"))
    assert "crashed" in refusal.found and refusal.line == 8


def test_golden() -> None:
    shared = only(tool, golden("llama-batched-bench", "shared.md"))
    says(shared.recipe, {"flash_attention": True, "context_tokens": 8192, "gpu_layers": 99})
    says(shared.measurements[0].values, {"prompt_tokens": 1000, "concurrency": 1, "tok_s": 2000.0})
    says(shared.measurements[1].values, {"depth_tokens": 1000, "concurrency": 1, "tok_s": 100.0})
    batches = only(tool, golden("llama-batched-bench", "batches.jsonl")).measurements
    says(batches[2].values, {"concurrency": 4, "tok_s": 1000.0})
    says(batches[3].values, {"concurrency": None, "tok_s": 100.0})


@pytest.mark.parametrize(
    ("file", "before", "after", "found"),
    [
        ("shared.md", "|  2000.00 |", "|  4000.00 |", "4000 tokens/s over 0.5 s"),
        ("shared.md", "is_pp_shared = 1", "is_pp_shared = 0", "and it says 4000"),
        ("batches.jsonl", '"n_batch": 2048', '"n_batch": 4096', "two runs"),
        ("batches.jsonl", '"speed_tg": 50.000000', '"speed_tg": 0', "more than 0"),
        ("batches.jsonl", ', "t": 0.800000, "speed": 550.000000}', "", "cannot be parsed"),
    ],
)
def test_damage(file: str, before: str, after: str, found: str) -> None:
    text = golden("llama-batched-bench", file).read_text()
    assert before in text
    refusal = refused(tool, text.replace(before, after, 1))
    assert found in f"{refusal.found} {refusal.wanted}"
