"""InferenceX: vLLM's names without a unit, in seconds."""

from __future__ import annotations

import pytest

from cardbook.importers import inferencex as tool
from tests.importers.serving_case import asks, golden, only, public, raw, refused, says

FILES = [
    (
        "glm5_fp8_vllm_tp8_isl10240_osl128_conc16.json",
        "zai-org/GLM-5-FP8",
        95.41597717158848,
        16.0,
        10240.0,
        3.1382447043433785,
        0.1410519243694666,
        21.44794770143926,
    ),
    (
        "glm5_fp8_vllm_tp8_isl1024_osl128_conc16.json",
        "zai-org/GLM-5-FP8",
        403.5809313421254,
        16.0,
        1024.0,
        0.29139942955225706,
        0.033614915054966145,
        4.5732344426214695,
    ),
    (
        "minimax_m25_vllm_tep8_isl10240_osl128_conc16.json",
        "MiniMaxAI/MiniMax-M2.5",
        225.58454275924865,
        16.0,
        10240.0,
        3.979031919501722,
        0.02204880448366244,
        7.306716604158282,
    ),
]


@pytest.mark.parametrize(("name", "model", "rate", "streams", "prompt", "ttft", "tpot", "e2e"), FILES)
def test_seconds(name: str, model: str, rate: float, streams: float, prompt: float, ttft: float, tpot: float, e2e: float) -> None:
    reading = public(tool, "inferencex", name)
    assert reading.recipe["model_as_written"] == model
    (one,) = reading.measurements
    says(
        one.values,
        {
            "tok_s": rate,
            "concurrency": streams,
            "prompt_tokens": prompt,
            "generated_tokens": 128.0,
            "ttft_p50_s": ttft,
            "tpot_p50_s": tpot,
            "e2e_p50_s": e2e,
            "ttft_s": None,
            "total_tok_s": None,
        },
    )
    # card, precision and parallelism are in the file's name only
    assert {"card", "n_cards", "quant", "engine", "parallelism"} <= asks(reading)


@pytest.mark.parametrize(("name", "rate"), [("conc4", 71.729265), ("conc8", 86.043691), ("conc32", 98.656257)])
def test_other_concurrencies(name: str, rate: float) -> None:
    (one,) = public(tool, "inferencex", f"glm5_fp8_vllm_tp8_isl10240_osl128_{name}.json").measurements
    says(one.values, {"tok_s": rate, "concurrency": float(name.removeprefix("conc"))}, 1e-6)


def test_last_file() -> None:
    (one,) = public(tool, "inferencex", "glm5_fp8_vllm_tp8_isl1024_osl128_conc32.json").measurements
    says(one.values, {"tok_s": 648.267759, "e2e_p50_s": 6.217536, "requests": 320.0})


def test_golden() -> None:
    (one,) = only(tool, golden("inferencex", "tp8.json")).measurements
    says(one.values, {"tok_s": 128.0, "ttft_p50_s": 0.4, "ttft_p99_s": 1.5, "tpot_p50_s": 0.0275, "e2e_p99_s": 6.0, "requests": 40.0})
    assert "2 of 42 requests failed" in one.values["note"]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('"median_e2el": 3.9', '"median_e2el": 3900.0', "a request of 3900 in a run of 40 s"),
        ('"output_throughput": 128.0', '"output_throughput": 16.0', "output_throughput is 16"),
        ('"input_throughput": 1024.0', '"input_throughput": 1.0', "input_throughput is 1"),
        ('"median_tpot": 0.0275', '"median_tpot": -1', "'-1'"),
    ],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("inferencex", "tp8.json").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found


def test_vllms_own_file_is_left_alone() -> None:
    assert not tool.recognise(raw(golden("vllm-bench-serve", "later.json")))
