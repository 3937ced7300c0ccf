"""llama-benchy: which tokens a prompt rate counts, totals against one request."""

from __future__ import annotations

import pytest

from cardbook.importers import llama_benchy as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


def test_a_cold_cache_computes_the_context_too() -> None:
    reading = public(tool, "llama-benchy", "pub_gpt-oss-120b.md")
    says(reading.recipe, {"model_as_written": "openai/gpt-oss-120b", "measured_on": "2026-02-06"})
    found = [one.values for one in reading.measurements]
    says(found[0], {"phase": "prefill", "prompt_tokens": 2048, "depth_tokens": 0, "tok_s": 8521.08, "tok_s_stddev": 69.61, "ttft_s": 0.34065})
    # 9450.36 t/s over 650.14 ms are 6144 tokens: 4096 + 2048
    says(found[2], {"prompt_tokens": 6144, "depth_tokens": 0, "tok_s": 9450.36})
    says(found[3], {"phase": "decode", "generated_tokens": 32, "depth_tokens": 6144, "tok_s": 72.22, "concurrency": 1})
    assert reading.tool_version == "0.2.2.dev1+g52d2b0d55.d20260206" and "takes an estimated latency" in found[0]["note"]


def test_a_warm_cache() -> None:
    reading = public(tool, "llama-benchy", "pub_gpt-oss-120b_prefix_caching.md")
    found = [one.values for one in reading.measurements]
    assert reading.recipe["prefix_cache"] == "on-repeated-prompts"
    says(found[2], {"prompt_tokens": 4096, "depth_tokens": 0, "tok_s": 9259.71})  # ctx_pp: the prefix itself
    says(found[3], {"phase": "decode", "depth_tokens": 4096, "tok_s": 73.28, "generated_tokens": None})
    says(found[4], {"prompt_tokens": 2048, "depth_tokens": 4096, "tok_s": 7467.44})
    says(found[5], {"depth_tokens": 6144, "tok_s": 72.25})


def test_two_requests() -> None:
    found = [one.values for one in public(tool, "llama-benchy", "pub_sample.json").measurements]
    says(found[2], {"concurrency": 2, "tok_s": 1968.4985947536325, "tok_s_per_stream": 986.6583921999744, "prompt_tokens": 2048, "repeats": 2})
    says(found[3], {"phase": "decode", "tok_s": 98.70484912562281, "tok_s_per_stream": 49.922734796997744, "depth_tokens": 2048})


@pytest.mark.parametrize(("name", "decode"), [("result.json", 1354.8660385814778), ("result.md", 1077.40), ("result.csv", 1155.0227928374698)])
def test_a_template_that_eats_the_prompt(name: str, decode: float) -> None:
    # pp32 at 69.57 t/s over 14.37 ms is one token: the server's template took the other 31
    reading = public(tool, "llama-benchy", name)
    assert {one.values["phase"] for one in reading.measurements} == {"decode"}
    says(reading.measurements[0].values, {"tok_s": decode, "generated_tokens": 16, "depth_tokens": None, "concurrency": 1})
    assert {"tok_s", "depth_tokens"} <= loses(reading) and {"depth_tokens", "engine"} <= asks(reading)


@pytest.mark.parametrize("name", ["md.stdout", "csv.stdout", "json.stdout"])
def test_the_console_has_no_result(name: str) -> None:
    assert "0 tables" in refused(tool, shared_formats("llama-benchy", name)).found


def test_golden() -> None:
    cold = only(tool, golden("llama-benchy", "cold.md"))
    assert [one.label for one in cold.measurements] == ["pp1000 @ d3000 (c1)", "tg100 @ d3000 (c1)", "tg100 (c1)"]
    says(cold.measurements[0].values, {"prompt_tokens": 4000, "tok_s": 4000.0, "ttft_s": 1.01})
    says(cold.measurements[1].values, {"depth_tokens": 4000, "tok_s": 50.0, "tok_s_stddev": None})
    report = only(tool, golden("llama-benchy", "report.json")).measurements
    says(report[0].values, {"concurrency": 2, "tok_s": 1800.0, "tok_s_per_stream": 1000.0, "prompt_tokens": 1000})
    says(report[1].values, {"tok_s": 90.0, "tok_s_per_stream": 50.0, "depth_tokens": 1000})


@pytest.mark.parametrize(
    ("file", "before", "after", "found"),
    [
        ("report.json", '"prefix_caching_enabled": false, ', "", "whether prefixes were cached"),
        ("report.json", '"concurrency": 2, "context_size"', '"concurrency": 2.5, "context_size"', "2.5"),
        ("report.json", '"mean": 90.0', '"mean": "90"', "'90'"),
        ("cold.md", "tg100 @ d3000 (c1)", "tgx", "the test 'tgx'"),
        ("cold.md", "|     50.00 ± 0.00 |     50.00", "|     50.00 ± no |     50.00", "the spread of"),
    ],
)
def test_damage(file: str, before: str, after: str, found: str) -> None:
    text = golden("llama-benchy", file).read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
