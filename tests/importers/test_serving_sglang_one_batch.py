"""SGLang's static batch: prefill and decode apart, compilation left out."""

from __future__ import annotations

import pytest

from cardbook.importers import sglang_one_batch as tool
from tests.importers.serving_case import golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


def test_eight_cards() -> None:
    reading = public(tool, "sglang-bench-one-batch", "qwen2.5-32b_tp8.jsonl")
    assert [one.values["phase"] for one in reading.measurements] == ["prefill", "prefill", "decode", "prefill", "prefill", "decode"]
    says(reading.measurements[0].values, {"tok_s": 1096.2361793108923, "concurrency": 4.0, "prompt_tokens": 1024.0, "cached_prompt_tokens": 0.0})
    # 4 tokens in a step of 18.9 ms: the rate is of the batch, the step of one stream
    says(
        reading.measurements[2].values,
        {"tok_s": 211.77738225975435, "tpot_p50_s": 0.018887758255004883, "tpot_s": None, "depth_tokens": 1024.0, "generated_tokens": 1024.0},
    )
    says(reading.measurements[5].values, {"tok_s": 346.2611010783757, "concurrency": 8.0})


def test_compilation_is_left_out() -> None:
    reading = public(tool, "sglang-bench-one-batch", "tp4_bs1_128.jsonl")
    slow = [one for one in reading.measurements if one.line == 4]
    assert [one.values["phase"] for one in slow] == ["decode"]
    says(slow[0].values, {"tok_s": 3712.800221300138, "concurrency": 16.0})
    assert loses(reading) == {"tok_s"} and "0.352 s" in reading.lost[0][1]
    assert len(reading.measurements) == 17


def test_lines_under_labels_are_mixed() -> None:
    error = refused(tool, shared_formats("sglang-bench-one-batch", "tp4_labelled_lines.txt"))
    assert "'torch:'" in error.found and error.line == 1


@pytest.mark.parametrize("name", ["qwen2.5-32b_tp8.stdout.txt", "qwen2.5-32b_tp8.command.txt"])
def test_side_files(name: str) -> None:
    assert "JSON Lines" in refused(tool, shared_formats("sglang-bench-one-batch", name)).wanted


def test_golden() -> None:
    reading = only(tool, golden("sglang-one-batch", "two.jsonl"))
    decode, prefill = reading.measurements
    says(decode.values, {"phase": "decode", "tok_s": 200.0, "tpot_p50_s": 0.02})
    says(prefill.values, {"phase": "prefill", "tok_s": 4000.0, "duration_s": 0.1})


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('"prefill_throughput": 400.0', '"prefill_throughput": 100.0', "prefill_throughput in line 1"),
        ('"median_decode_throughput": 200.0', '"median_decode_throughput": 50.0', "median_decode_throughput in line 1"),
        ('"overall_throughput": 352.0', '"overall_throughput": 32.0', "overall_throughput in line 1"),
        ('"batch_size": 4', '"batch_size": 0', "a batch or a prompt of nothing"),
        ("4040.0}", "4040.0", "parsed"),
    ],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("sglang-one-batch", "two.jsonl").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
