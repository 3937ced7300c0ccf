"""llama-perplexity: figures read from the files by hand."""

from __future__ import annotations

from typing import Any

import pytest

from cardbook.importers import llama_perplexity as tool
from cardbook.importers.base import Reading
from tests.importers.serving_case import asks, golden, only, public, raw, refused, says
from tests.shared_files import shared_formats

FOLDER = "llama-perplexity"


def figures(reading: Reading) -> dict[str, dict[str, Any]]:
    """Figures by metric; each metric once."""
    made = {one.values["metric"]: one.values for one in reading.quality}
    assert len(made) == len(reading.quality)
    return made


@pytest.mark.parametrize(
    ("name", "value", "error", "context", "chunks"),
    [
        ("f16.stderr", 1238.5724, 63.49608, 128, 8),
        ("f16_base.stderr", 1238.5724, 63.49608, 128, 8),
        ("gemma270m_q2k_plain.stderr", 3.8914, 0.29922, 256, 8),
        ("gemma270m_q4km_base.stderr", 2.8473, 0.21367, 256, 8),
        ("gemma270m_q4km_plain.stderr", 2.8473, 0.21367, 256, 8),
        ("moe_mxfp4_plain.stderr", 1124.3863, 62.45713, 256, 4),
        ("old-0.3.8-plain.stderr", 2.8316, 0.21179, 256, 8),
        ("old-0.3.8-base.stderr", 2.8316, 0.21179, 256, 8),
    ],
)
def test_final_estimate(name: str, value: float, error: float, context: int, chunks: int) -> None:
    reading = public(tool, FOLDER, name)
    (one,) = reading.quality
    assert one.values == {"metric": "perplexity", "value": value, "standard_error": error, "context_tokens": context, "samples": chunks}
    assert "dataset" in asks(reading)


def test_what_an_older_log_names() -> None:
    reading = public(tool, FOLDER, "old-0.3.8-plain.stderr")
    assert reading.tool_version == "1 (7841fc7)"
    assert reading.recipe["model_as_written"] == "Gemma 3 270m"
    assert reading.recipe["quant_as_written"] == "Q4_K - Medium"
    assert reading.recipe["kv_quant_as_written"] == "f16"
    assert asks(reading) == {"dataset"}


def test_divergence_of_a_public_run() -> None:
    reading = public(tool, FOLDER, "gemma270m_q2k_kld.stdout")
    found = figures(reading)
    says(found["perplexity"], {"value": 3.891402, "standard_error": 0.299215, "baseline": 2.847268, "samples": 8, "context_tokens": None})
    says(found["ln_perplexity_ratio"], {"value": 0.312410, "standard_error": 0.026450})
    says(found["perplexity_ratio"], {"value": 1.366714, "standard_error": 0.036150})
    says(found["kl_divergence"], {"value": 0.359190, "standard_error": 0.016371})
    says(found["kl_divergence_median"], {"value": 0.179507, "standard_error": None})
    says(found["kl_divergence_p99"], {"value": 2.519483})
    says(found["kl_divergence_max"], {"value": 6.152650})
    # percent in the file, ratios here
    says(found["delta_probability_mean"], {"value": -0.15175, "standard_error": 0.00609})
    says(found["delta_probability_rms"], {"value": 0.24628, "standard_error": 0.00766})
    says(found["top1_agreement"], {"value": 0.86319, "standard_error": 0.01079})
    assert {"dataset", "context", "baseline_checkpoint", "model", "quant", "tool_version"} <= asks(reading)


def test_divergence_of_an_older_build() -> None:
    found = figures(public(tool, FOLDER, "old-0.3.8-kld.stdout"))
    # that build prints 99.0% twice, the same
    says(found["kl_divergence_p99"], {"value": 2.708974})
    says(found["kl_divergence"], {"value": 0.364083, "standard_error": 0.016478, "samples": 8})
    says(found["top1_agreement"], {"value": 0.87008})


def test_divergence_of_a_random_model() -> None:
    found = figures(public(tool, FOLDER, "q4_k_m_kld.stdout"))
    says(found["perplexity"], {"value": 1243.442173, "baseline": 1238.572578})
    says(found["kl_divergence"], {"value": 0.190766, "standard_error": 0.002241})


def test_golden() -> None:
    (one,) = only(tool, golden(FOLDER, "final.stderr")).quality
    says(one.values, {"value": 7.2541, "standard_error": 0.04213, "context_tokens": 512, "samples": 564})
    found = figures(only(tool, golden(FOLDER, "divergence.stdout")))
    says(found["ln_perplexity_ratio"], {"value": -0.0002, "samples": 2})
    says(found["top1_agreement"], {"value": 0.925, "standard_error": 0.008})


def test_both_streams_in_one_file() -> None:
    text = golden(FOLDER, "divergence.stdout").read_text() + "0.00.1.1 I kl_divergence: computing over 2 chunks, n_ctx=512, batch_size=2048, n_seq=4\n"
    assert all(one.values["context_tokens"] == 512 for one in only(tool, text).quality)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("f16.stdout", "running values"),
        ("gemma270m_q4km_plain.stdout", "running values"),
        ("moe_mxfp4_plain.stdout", "running values"),
        ("old-0.3.8-base.stdout", "running values"),
        ("gemma270m_stride.stderr", "too short"),
        ("gemma270m_q2k_kld.stderr", "the log of a KL divergence run"),
        ("q4_k_m_kld.stderr", "the log of a KL divergence run"),
        ("pub_docs_quality_tables.md", "a table from a page"),
    ],
)
def test_public_files_that_are_refused(name: str, found: str) -> None:
    assert found in refused(tool, shared_formats(FOLDER, name)).found


def test_imatrix_is_no_quality_result() -> None:
    assert "llama-imatrix" in refused(tool, shared_formats("llama-imatrix", "dense.stderr")).found
    assert "llama-imatrix" in refused(tool, shared_formats("llama-imatrix", "dense.stdout")).found
    both = shared_formats("llama-imatrix", "dense.stderr").read_text() + shared_formats("llama-imatrix", "dense.stdout").read_text()
    assert "llama-imatrix" in refused(tool, both).found


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("7.2541", "nan", "nan"),
        ("7.2541", "inf", "inf"),
        ("7.2541", "0.5", "perplexity of 0.5"),
        (" +/- 0.04213\n\n", " +/- 0.04", "ends in the middle"),
        ("Final estimate", "Estimate", "running values"),
        ("calculating perplexity over", "about", "not what was computed"),
    ],
)
def test_final_estimates_that_are_refused(before: str, after: str, found: str) -> None:
    text = golden(FOLDER, "final.stderr").read_text()
    assert before in text
    given = raw(text.replace(before, after))
    with pytest.raises(tool.Refused, match=found.replace(".", r"\.")):
        tool.read(given)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("Same top p: 92.500", "Same top p: 192.500", "192"),
        ("Same top p: 92.500 ± 0.800 %", "Same top", "'Same top p'"),
        ("====== Token probability statistics ======", "", "Token probability"),
        ("Mean PPL(Q)                   :   7.300000", "Mean PPL(Q)                   :   x", "'x'"),
        ("99.0%   KLD:   0.310000", "99.0%   KLD:   0.310000\n99.0%   KLD:   0.320000", "2 values for '99.0%   KLD'"),
    ],
)
def test_divergences_that_are_refused(before: str, after: str, found: str) -> None:
    text = golden(FOLDER, "divergence.stdout").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after)).found


def test_two_runs_in_one_file() -> None:
    text = golden(FOLDER, "final.stderr").read_text()
    assert "several runs" in refused(tool, text + text).found
    text = golden(FOLDER, "divergence.stdout").read_text()
    assert "not once" in refused(tool, text + text).found
