"""MLX LM: the first token, batches, decimal gigabytes."""

from __future__ import annotations

import pytest

from cardbook.importers import mlx_lm as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


def test_generate() -> None:
    reading = public(tool, "mlx-lm", "generate.stdout")
    says(reading.measurements[0].values, {"phase": "prefill", "prompt_tokens": 24, "tok_s": 539.455, "peak_memory_bytes": 5_000_000})
    says(reading.measurements[1].values, {"phase": "decode", "generated_tokens": 32, "depth_tokens": 24, "tok_s": 169.049 * 31 / 32})
    small = public(tool, "mlx-lm", "pub_generate_small.txt")
    says(small.measurements[1].values, {"tok_s": 12.996 * 255 / 256, "depth_tokens": 26, "peak_memory_bytes": 7_753_000_000})
    assert "tok_s" in loses(small)


def test_benchmark() -> None:
    found = public(tool, "mlx-lm", "benchmark.stdout").measurements
    says(found[0].values, {"tok_s": 804.761, "repeats": 3, "tok_s_min": 789.2, "tok_s_max": 825.759, "concurrency": 1, "prompt_tokens": 128})
    says(found[1].values, {"tok_s": 150.516 * 31 / 32, "generated_tokens": 32, "depth_tokens": 128})
    old = public(tool, "mlx-lm", "pub_benchmark.txt").measurements  # other words in line 2, no total_time
    says(old[1].values, {"tok_s": 205.099 * 127 / 128, "concurrency": 1, "peak_memory_bytes": 3_286_000_000}, 1e-5)


def test_a_batch_gives_every_sequence_a_token_a_step() -> None:
    found = public(tool, "mlx-lm", "benchmark_batch4.stdout").measurements
    says(found[0].values, {"tok_s": 912.656, "concurrency": 4})
    says(found[1].values, {"tok_s": 333.094, "concurrency": 4, "generated_tokens": 32})


def test_averages_alone() -> None:
    reading = public(tool, "mlx-lm", "pub_averages_only.txt")
    (one,) = reading.measurements
    says(one.values, {"phase": "prefill", "tok_s": 500.388, "prompt_tokens": None, "peak_memory_bytes": 23_501_000_000})
    assert "tok_s" in loses(reading) and {"prompt_tokens", "concurrency"} <= asks(reading)


@pytest.mark.parametrize("name", ["convert_q4.stdout", "perplexity.stdout", "server.chat.json", "server.chat_stream.txt", "server.completion.json"])
def test_what_is_refused(name: str) -> None:
    assert "times nothing" in refused(tool, shared_formats("mlx-lm", name)).found


def test_golden() -> None:
    one = only(tool, golden("mlx-lm", "one-token.txt"))  # prints 8843 tokens a second
    assert [m.values["phase"] for m in one.measurements] == ["prefill"] and "tok_s" in loses(one)
    batch = only(tool, golden("mlx-lm", "batch.txt")).measurements
    says(batch[1].values, {"tok_s": 305.0, "concurrency": 8, "peak_memory_bytes": 9_600_000_000, "depth_tokens": 1024})


@pytest.mark.parametrize(
    ("file", "before", "after", "found"),
    [
        ("batch.txt", "Averages: prompt_tps=4100.000, generation_tps=305.000, peak_memory=9.550\n", "", "0 lines of averages"),
        ("batch.txt", "prompt_tps=4100.000", "prompt_tps=4900.000", "an average of 4900"),
        ("batch.txt", "Trial 2:  prompt_tps=4200.000", "Trial 2:  prompt", "missing or cut off"),
        ("one-token.txt", "Peak memory: 5.197 GB\n", "Peak mem", "0 whole blocks"),
        ("one-token.txt", "500.000 tokens", "inf tokens", "'inf'"),
    ],
)
def test_damage(file: str, before: str, after: str, found: str) -> None:
    text = golden("mlx-lm", file).read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
