"""llama-cli and its kin: runs are generated tokens less one; speculation and its perf lines."""

from __future__ import annotations

import pytest

from cardbook.importers import llama_cli as tool
from tests.importers.serving_case import asks, golden, loses, only, public, raw, refused, says
from tests.shared_files import shared_formats


@pytest.mark.parametrize(
    ("name", "prompt", "prefill", "generated", "decode"),
    [
        ("completion.stderr", 8, 8 / 0.04495, 32, 31 / 0.97615),
        ("pub_2024_main_cuda_4090.txt", 258, 258 / 0.06328, 321, 320 / 2.46410),
        ("pub_2024_main_metal_m1_8gb.txt", 258, 258 / 2.94676, 261, 260 / 27.02442),
    ],
)
def test_timings(name: str, prompt: int, prefill: float, generated: int, decode: float) -> None:
    first, second = public(tool, "llama-cli", name).measurements
    says(first.values, {"phase": "prefill", "prompt_tokens": prompt, "tok_s": prefill, "concurrency": 1})
    says(second.values, {"phase": "decode", "generated_tokens": generated, "depth_tokens": prompt, "tok_s": decode})


def test_build_and_model() -> None:
    reading = public(tool, "llama-cli", "pub_2024_main_cuda_4090.txt")
    says(reading.recipe, {"engine_version": "b2824", "engine_commit": "4426e298", "quant_as_written": "Q4_K_M", "model_as_written": "ggml-model-Q4_K_M.gguf"})


def test_speculation() -> None:
    reading = public(tool, "llama-cli", "speculative_simple.stderr")
    (one,) = reading.measurements
    # decoded 50 tokens in 6.036 s; the perf lines give 18.51 t/s for a prompt of 81 and inf
    says(one.values, {"phase": "decode", "tok_s": 50 / 6.036, "depth_tokens": 5, "acceptance_rate": 35 / 60, "accepted_per_step": 35 / 15})
    says(reading.recipe, {"speculation": "draft", "draft_model": "gemma-3-270m-q2_k.gguf", "draft_tokens": 4})
    assert "tok_s" in loses(reading) and "command" in asks(reading)


@pytest.mark.parametrize(
    ("name", "found"),
    [("cli_single_turn.stdout", "two rates without the tokens"), ("cli_verbose.stdout", "two rates"), ("completion_no_perf.stderr", "--no-perf")],
)
def test_what_is_refused(name: str, found: str) -> None:
    assert found in refused(tool, shared_formats("llama-cli", name)).found


@pytest.mark.parametrize(
    "parts", [("llama-batched-bench", "old-0.3.8-md.stderr"), ("llama-perplexity", "old-0.3.8-plain.stderr"), ("llama-bench", "progress_verbose.stderr")]
)
def test_perf_lines_of_other_tools(parts: tuple[str, str]) -> None:
    assert not tool.recognise(raw(shared_formats(*parts)))


def test_golden() -> None:
    main = only(tool, golden("llama-cli", "main.txt"))
    says(main.recipe, {"host_offload": "layers", "quant_as_written": "Q5_K_M", "engine_version": "b2824"})
    says(main.measurements[0].values, {"prompt_tokens": 250, "tok_s": 2500.0})
    says(main.measurements[1].values, {"generated_tokens": 101, "depth_tokens": 250, "tok_s": 50.0})
    (one,) = only(tool, golden("llama-cli", "speculative.txt")).measurements
    says(one.values, {"tok_s": 20.0, "accepted_per_step": 2.0, "acceptance_rate": 0.5})


@pytest.mark.parametrize(
    ("file", "before", "after", "found"),
    [
        ("main.txt", "/   101 runs", "/   202 runs", "sampled tokens"),
        ("main.txt", "50.00 tokens per second", "90.00 tokens per second", "decode rate is 90"),
        (
            "main.txt",
            "Log end",
            "llama_print_timings: prompt eval time =     100.00 ms /   250 tokens (    0.40 ms per token,  2500.00 tokens per second)",
            "2 prompt timings",
        ),
        ("speculative.txt", "n_accept  = 40", "n_accept  = 90", "do not fit together"),
        ("speculative.txt", "speed:   20.000 t/s", "speed:   30.000 t/s", "30 tokens/s over 3 s"),
        ("speculative.txt", "n_predict = 60", "n_predicted", "without all its counts"),
    ],
)
def test_damage(file: str, before: str, after: str, found: str) -> None:
    text = golden("llama-cli", file).read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
