"""LocalScore: means over a mix of lengths, a unit in a column."""

from __future__ import annotations

import pytest

from cardbook.importers import localscore as tool
from tests.importers.serving_case import asks, golden, loses, only, raw, refused, says
from tests.shared_files import shared_formats


def test_site() -> None:
    found = tool.read(raw(shared_formats("localscore", "results_site_table.tsv")))
    assert len(found) == 119
    says(found[0].recipe, {"card_as_written": "NVIDIA GeForce RTX 3090", "model_as_written": "Meta Llama 3.1 8B Instruct", "quant_as_written": "Q4_K - Medium"})
    says(found[0].measurements[0].values, {"phase": "prefill", "tok_s": 3552.0, "ttft_s": 0.358, "prompt_tokens": None})
    says(found[0].measurements[1].values, {"phase": "decode", "tok_s": 103.0, "generated_tokens": None, "depth_tokens": None})
    says(found[3].measurements[0].values, {"tok_s": 1204.0, "ttft_s": 1.0})
    assert {"prompt_tokens", "generated_tokens", "depth_tokens", "engine_version"} <= asks(found[0]) and "prompt_tokens" in loses(found[0])


def test_golden() -> None:
    reading = only(tool, golden("localscore", "table.tsv"))
    says(reading.measurements[0].values, {"tok_s": 900.0, "ttft_s": 1.5})
    says(reading.measurements[1].values, {"tok_s": 40.5, "concurrency": 1})
    says(reading.recipe, {"measured_on": "2025-04-05", "os": "Linux", "parameters": None})


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("\ts\t900", "\tminutes\t900", "minutes"),
        ("\tLinux", "", "19 values under 20 columns"),
        ("\t40.5\t", "\t-40.5\t", "-40.5"),
        ("\tmodel_quant\t", "\tmodel_format\t", "without model_quant"),
    ],
)
def test_damage(before: str, after: str, found: str) -> None:
    text = golden("localscore", "table.tsv").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
