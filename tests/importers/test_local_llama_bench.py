"""llama-bench: five formats, every generation of its schema, tables inside logs."""

from __future__ import annotations

import json

import pytest

from cardbook.importers import llama_bench as tool
from tests.importers.serving_case import asks, golden, loses, only, public, raw, refused, says
from tests.shared_files import shared_formats


def many(*parts: str) -> list[tuple[dict[str, object], list[dict[str, object]]]]:
    """(recipe, values) of each reading of a public file."""
    given = raw(shared_formats(*parts))
    assert tool.recognise(given)
    return [(reading.recipe, [one.values for one in reading.measurements]) for reading in tool.read(given)]


# Figures as they stand in the files: prompt, generated, depth, rate, deviation.
@pytest.mark.parametrize(
    ("name", "prefill", "decode"),
    [
        ("cpu_json.stdout", (64, 1616.494858), (16, None)),
        ("cpu_csv.stdout", (64, 312.991073), (16, 84.929223)),
        ("cpu_sql.stdout", (64, 392.458652), (16, None)),
        ("cpu_md.stdout", (64, 420.92), (16, 19.69)),
        ("gemma270m_defaults_quiet_json.stdout", (512, 739.639018), (128, 76.077032)),
        ("old-0.2.11-json.stdout", (64, 716.688477), (16, 37.967909)),
        ("old-0.2.11-csv.stdout", (64, 1205.387102), (16, 53.197874)),
        ("old-0.2.11-md.stdout", (64, 3226.95), (16, 41.27)),
        ("old-0.2.90-json.stdout", (64, 7478.895596), (16, 3406.302966)),
        ("old-0.2.90-sql.stdout", (64, 8254.165512), (16, 4036.915486)),
        ("old-0.3.8-jsonl.stdout", (64, 8737.791037), (16, 3408.748746)),
        ("old-0.3.8-sql.stdout", (64, 8886.112639), (16, 3405.517545)),
        ("old-0.3.16-csv.stdout", (64, 24375.303161), (16, 5694.214040)),
        ("old-0.3.16-md.stdout", (64, 24717.55), (16, 5723.84)),
    ],
)
def test_every_format_and_schema(name: str, prefill: tuple[int, float], decode: tuple[int, float | None]) -> None:
    ((recipe, values),) = many("llama-bench", name)
    assert recipe["engine"] == "llama.cpp" and recipe["backend"] == "CPU" and recipe["kv_quant_as_written"] == "f16"
    says(values[0], {"phase": "prefill", "prompt_tokens": prefill[0], "depth_tokens": 0, "concurrency": 1, "tok_s": prefill[1], "generated_tokens": None})
    says(values[-1], {"phase": "decode", "generated_tokens": decode[0], "depth_tokens": 0, "prompt_tokens": None})
    if decode[1] is not None:
        says(values[-1], {"tok_s": decode[1]})


def test_what_json_says_of_the_run() -> None:
    reading = public(tool, "llama-bench", "gemma270m_defaults_quiet_json.stdout")
    says(
        reading.recipe,
        {
            "engine_commit": "0c1e570",
            "engine_version": None,  # build number 1: a shallow clone
            "model_as_written": "gemma-3-270m-q4_k_m.gguf",
            "quant_as_written": "Q4_K - Medium",
            "checkpoint_bytes": 246587904,
            "parameters": 268098176,
            "card_as_written": "AMD EPYC",
            "flash_attention": None,  # -1 is auto
            "measured_on": "2026-12-01",
            "speculation": "none",
            "prefix_cache": "off",
        },
    )
    says(reading.measurements[0].values, {"repeats": 5, "tok_s_stddev": 6.264198, "tok_s_min": 734.445, "tok_s_max": 750.086, "ubatch_tokens": 512}, 2e-5)
    assert "engine_version" in asks(reading) and "cached_prompt_tokens" not in asks(reading)


def test_public_card() -> None:
    reading = public(tool, "llama-bench", "pub_cuda_rtx4080.json")
    assert reading.tool_version == "b5163"
    says(reading.recipe, {"card_as_written": "NVIDIA GeForce RTX 4080", "n_cards": 1, "parallelism": "none", "backend": "CUDA", "host_offload": "none"})
    says(reading.measurements[1].values, {"tok_s": 118.881588, "tok_s_stddev": 1.041811, "generated_tokens": 128}, 1e-5)


def test_the_mean_is_of_the_repeats() -> None:
    reading = public(tool, "llama-bench", "no_warmup_json.stdout")
    says(reading.measurements[0].values, {"tok_s": 83.154352, "repeats": 5})  # n / avg_ns would be 45.04


def test_one_repeat_has_no_spread() -> None:
    reading = public(tool, "llama-bench", "pub_hip_llama32-1b.lhl-tune-decode.jsonl")
    says(reading.measurements[0].values, {"tok_s": 192.744119, "repeats": 1, "tok_s_stddev": None, "tok_s_min": None})
    says(reading.recipe, {"flash_attention": True, "card_as_written": "Radeon 8060S Graphics", "backend": "ROCm", "engine_version": "b6865"})


def test_the_spread_may_exceed_the_figure() -> None:
    reading = public(tool, "llama-bench", "gemma270m_depths_md.stdout")
    says(reading.measurements[1].values, {"tok_s": 12.76, "tok_s_stddev": 16.88, "depth_tokens": 0})
    says(reading.measurements[5].values, {"tok_s": 18.79, "generated_tokens": 8, "depth_tokens": 1024})


def test_columns_go_by_their_header() -> None:
    found = many("llama-bench", "kv_types_fa_md.stdout")
    assert [recipe["kv_quant_as_written"] for recipe, _ in found] == ["f16", "f16/q8_0", "q8_0/f16", "q8_0"]
    assert all(recipe["flash_attention"] is True for recipe, _ in found)
    says(found[3][1][1], {"tok_s": 2099.80, "generated_tokens": 16})
    assert len(many("llama-bench", "batch_ubatch_md.stdout")) == 4 and len(many("llama-bench", "threads_md.stdout")) == 2


def test_batches_are_not_streams() -> None:
    found = many("llama-bench", "batch_ubatch_jsonl.stdout")
    assert [values[0]["ubatch_tokens"] for _, values in found] == [64, 128, 64, 256]  # never above n_batch
    assert all(one["concurrency"] == 1 for _, values in found for one in values)


def test_mixed_phases_are_left_out() -> None:
    reading = public(tool, "llama-bench", "pg_md.stdout")
    assert [one.label for one in reading.measurements] == ["pp64", "tg16"] and "tok_s" in loses(reading)
    assert "mix prefill and decode" in refused(tool, shared_formats("llama-bench", "pg_jsonl.stdout")).found


def test_log_with_banner() -> None:
    reading = public(tool, "llama-bench", "strixhalo_00_gpt-oss-120b-mxfp4-00001-of-00003__vulkan_radv__fa1__longctx")
    says(reading.recipe, {"card_as_written": "AMD Radeon 8060S Graphics", "n_cards": 1, "backend": "Vulkan", "engine_version": "b9187", "gpu_layers": 99})
    says(reading.measurements[1].values, {"tok_s": 34.97, "tok_s_stddev": 0.10, "generated_tokens": 32, "depth_tokens": 65536})
    assert "checkpoint_bytes" in loses(reading)  # 59.02 GiB is rounded


def test_logs_with_several_tables() -> None:
    found = many("llama-bench", "pub_2024_cuda_8x4090.txt")
    assert [len(values) for _, values in found] == [8, 8, 8, 8]
    says(found[2][0], {"n_cards": 8, "card_as_written": "NVIDIA GeForce RTX 4090", "parallelism": "layer", "engine_version": "b2824"})
    says(found[2][1][4], {"tok_s": 18.94, "tok_s_stddev": None, "generated_tokens": 512})
    assert "70B-v3" in str(found[2][0]["command"])


def test_an_address_is_no_card() -> None:
    reading = public(tool, "llama-bench", "rpc_local_json.stdout")
    says(reading.recipe, {"card_as_written": None, "n_cards": None, "host_offload": None, "backend": None})
    assert "127.0.0.1" not in repr(reading) and {"card", "host_offload"} <= asks(reading)
    found = many("llama-bench", "pub_rpc_strixhalo.txt")
    assert found[0][0]["card_as_written"] == "Radeon 8060S Graphics"  # RPC is in the build, not in the command
    assert "card_as_written" not in found[1][0] and "192.0.2" not in repr(found)


def test_offload() -> None:
    found = many("llama-bench", "pub_2024_opencl_vulkan_rocm_6800xt.md")
    assert [(recipe["backend"], recipe["host_offload"]) for recipe, _ in found[:2]] == [("OpenCL", "layers"), ("OpenCL", "none")]
    says(found[1][1][1], {"tok_s": 21.17, "generated_tokens": 128})


def test_a_table_without_its_build_line_asks() -> None:
    reading = public(tool, "llama-bench", "interrupted_md.stdout")
    assert "did the run finish" in dict(reading.questions)["engine_version"]


@pytest.mark.parametrize(
    ("name", "found", "line"),
    [
        ("interrupted_json.stdout", "without its end", 93),
        ("second_model_broken_json.stdout", "without its end", 93),
        ("cpu_missing_model.stdout", "only the beginning", 1),
        ("old-0.2.11-gemma-json.stdout", "only the beginning", 1),
        ("missing_model_md.stdout", "without a row", 1),
        ("bad_argument.stdout", "help text", 1),
        ("pub_cuda_rtx4080.csv", "41 values under 42 columns", 2),
    ],
)
def test_what_is_refused(name: str, found: str, line: int) -> None:
    refusal = refused(tool, shared_formats("llama-bench", name))
    assert found in refusal.found and refusal.line == line


def test_golden_two_cards() -> None:
    reading = only(tool, golden("llama-bench", "two-cards.json"))
    says(
        reading.recipe,
        {
            "n_cards": 2,
            "card_as_written": "NVIDIA GeForce RTX 3090",
            "parallelism": "layer",
            "kv_quant_as_written": "q8_0/f16",
            "quant_as_written": "UD-Q4_K_XL",  # the type says Q4_K - Medium, which it knows no better
            "model_as_written": "Example-8B-UD-Q4_K_XL.gguf",
            "flash_attention": True,
            "host_offload": "none",
        },
    )
    assert "somebody" not in repr(reading)
    says(reading.measurements[0].values, {"tok_s": 3840.0, "tok_s_stddev": 1810.19336, "tok_s_min": 2560.0, "tok_s_max": 5120.0, "depth_tokens": 4096})
    says(reading.measurements[1].values, {"tok_s": 100.0, "tok_s_stddev": None, "repeats": 1})


def test_golden_others() -> None:
    rpc = only(tool, golden("llama-bench", "rpc.jsonl"))
    assert "192.0.2.7" not in repr(rpc) and "card" in loses(rpc)
    quoted = only(tool, golden("llama-bench", "quoted.csv"))
    says(
        quoted.recipe,
        {"card_as_written": "NVIDIA RTX A6000", "n_cards": 2, "backend": "CUDA", "model_as_written": "model,one.gguf", "kv_quant_as_written": "f16"},
    )
    table = only(tool, golden("llama-bench", "table.md"))
    says(table.recipe, {"host_offload": "experts", "n_cards": 1, "kv_quant_as_written": "q8_0/f16", "card_as_written": "NVIDIA GeForce RTX 4090"})
    assert [one.values["tok_s"] for one in table.measurements] == [12.5, 8.0]
    insert = only(tool, golden("llama-bench", "insert.sql"))
    says(insert.recipe, {"card_as_written": "Example, Inc. Card", "n_cards": None, "model_as_written": "o'clock-Q6_K.gguf", "gpu_layers": 20})
    says(insert.measurements[0].values, {"ubatch_tokens": 128, "tok_s": 500.001})
    assert "host_offload" in asks(insert)


@pytest.mark.parametrize(
    ("file", "before", "after", "found"),
    [
        ("two-cards.json", '"avg_ts": 3840.000000', '"avg_ts": 38400.000000', "avg_ts is 38400"),
        ("two-cards.json", '"samples_ts": [ 5120, 2560 ]', '"samples_ts": [ 5120, 5120 ]', "samples_ts do not follow"),
        ("two-cards.json", '"avg_ts": 100.000000', '"avg_ts": NaN', "NaN"),
        ("two-cards.json", '"n_gen": 128,', '"n_gen": 128, "n_gen": 128,', "stands twice"),
        ("two-cards.json", '"model_size": 4800000000', '"model_size": "many"', "model_size"),
        ("quoted.csv", '"80.000000"', '"8.000000"', "below"),
        ("quoted.csv", ',"0.000000"\n', "\n", "25 values under 26 columns"),
        ("table.md", "|         12.50 ± 13.0 |", "|         12.50 ± ", "'12.50 ±'"),
        ("insert.sql", "'500.001000', ", "", "29 values for 30 columns"),
    ],
)
def test_damage(file: str, before: str, after: str, found: str) -> None:
    text = golden("llama-bench", file).read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found


def test_the_unknown_is_named() -> None:
    (test,) = json.loads("[" + golden("llama-bench", "rpc.jsonl").read_text() + "]")
    reading = only(tool, json.dumps(test | {"new_switch": 1}) + "\n")
    assert any("new_switch" in reason for _, reason in reading.lost)
