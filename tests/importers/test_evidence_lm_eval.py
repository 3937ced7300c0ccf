"""lm-evaluation-harness: figures read from the files by hand."""

from __future__ import annotations

import pytest

from cardbook.importers import lm_eval as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


def test_a_limited_run_says_so() -> None:
    reading = public(tool, "lm-eval", "gen_results.json")
    assert reading.tool_version == "0.4.13"
    strict, flexible = (one.values for one in reading.quality)
    says(
        strict,
        {"metric": "exact_match", "dataset": "cardbook_toy_gen", "split": "strict-match", "value": 0.0, "standard_error": 0.0, "shots": 0, "samples": 20},
    )
    assert flexible["split"] == "flexible-extract"
    assert all("only 20 of 40 samples" in one.values["note"] for one in reading.quality)
    assert reading.recipe["model_as_written"] == "tiny-llama"
    assert {"quant", "engine"} <= asks(reading)


def test_the_table_of_a_limited_run() -> None:
    reading = public(tool, "lm-eval", "gen.stdout.txt")
    assert [one.values["split"] for one in reading.quality] == ["flexible-extract", "strict-match"]
    assert all("--limit 20.0" in one.values["note"] for one in reading.quality)
    assert {"tool_version", "model", "quant"} <= asks(reading)


@pytest.mark.parametrize("name", ["dummy_results.json", "dummy.stdout.txt"])
def test_answers_at_random_are_no_scores(name: str) -> None:
    assert "at random" in refused(tool, shared_formats("lm-eval", name)).found


@pytest.mark.parametrize("name", ["dummy_samples_cardbook_toy_mc.jsonl", "dummy_samples_cardbook_toy_ppl.jsonl"])
def test_single_answers_are_no_scores(name: str) -> None:
    assert "single questions" in refused(tool, shared_formats("lm-eval", name)).found


def test_the_public_figures_of_another_model() -> None:
    text = shared_formats("lm-eval", "dummy_results.json").read_text().replace('"dummy"', '"hf"')
    by_split = {(one.values["metric"], one.values.get("split")): one.values for one in only(tool, text).quality}
    says(by_split["accuracy", None], {"value": 0.425, "standard_error": 0.07915823166939516, "samples": 40, "dataset": "cardbook_toy_mc"})
    says(by_split["accuracy", "acc_norm"], {"value": 0.425})
    says(by_split["perplexity", "word_perplexity"], {"value": 1.0673879381897968, "standard_error": None})
    says(by_split["perplexity", "byte_perplexity"], {"value": 1.019510704033308})
    says(by_split["bits_per_byte", None], {"value": 0.027876922558730095})


def test_golden_results() -> None:
    reading = only(tool, golden("lm-eval", "results.json"))
    assert (reading.tool, reading.tool_version) == ("lm-eval", "0.4.9")
    assert reading.recipe == {"engine": "vllm", "model_as_written": "Some-8B-AWQ", "measured_on": "2026-01-01"}
    by_split = {(one.values["dataset"], one.values["metric"], one.values.get("split")): one.values for one in reading.quality}
    assert len(by_split) == 6
    says(
        by_split["gsm8k", "exact_match", "strict-match"],
        {"value": 0.7513, "standard_error": 0.0119, "shots": 5, "samples": 1319, "note": "version 3.0 of the task"},
    )
    says(by_split["hellaswag", "accuracy", None], {"value": 0.5917, "samples": 1000})
    assert "only 1000 of 10042" in by_split["hellaswag", "accuracy", None]["note"]
    says(by_split["wikitext", "perplexity", "word_perplexity"], {"value": 9.4123, "standard_error": None})
    assert loses(reading) == {"mystery"}


def test_golden_table() -> None:
    reading = only(tool, golden("lm-eval", "table.txt"))
    assert reading.recipe == {"engine": "vllm"}
    values = [(one.values["dataset"], one.values["metric"], one.values.get("split"), one.values["value"], one.values["shots"]) for one in reading.quality]
    assert values == [
        ("gsm8k", "exact_match", "flexible-extract", 0.7604, 5),
        ("gsm8k", "exact_match", "strict-match", 0.7513, 5),
        ("hellaswag", "accuracy", None, 0.5917, 0),
        ("hellaswag", "accuracy", "acc_norm", 0.7871, 0),
    ]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("0.5917", '"high"', "'high'"),
        ("0.5917", "NaN", "nan"),
        ("9.4123", "0.4", "word_perplexity of wikitext is 0.4"),
        ("}\n", "", "parsed"),
        ('"results": {', '"results": {"gsm8k": {}, ', "twice"),
    ],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("lm-eval", "results.json").read_text()
    assert before in text
    changed = text[: text.rindex(before)] + after if after == "" else text.replace(before, after, 1)
    assert found in refused(tool, changed).found


def test_percent_is_no_ratio() -> None:
    reading = only(tool, golden("lm-eval", "results.json").read_text().replace("0.5917", "59.17"))
    assert "acc" in loses(reading)
    assert not any(one.values["value"] == 59.17 for one in reading.quality)


def test_a_table_that_was_cut_off() -> None:
    text = golden("lm-eval", "table.txt").read_text()
    assert "cells" in refused(tool, text[: text.rindex("±")]).found
