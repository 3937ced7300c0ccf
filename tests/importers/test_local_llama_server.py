"""llama-server: cached prompts, rates that changed meaning, drafts, faked acceptance, its log."""

from __future__ import annotations

import pytest

from cardbook.importers import llama_server as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


@pytest.mark.parametrize(
    ("name", "prompt", "prefill", "generated", "decode"),
    [
        # (predicted_n - 1) / predicted_ms, whatever the build prints
        ("completion.json", 64, 2801.9788975964275, 24, 23 / 0.018093),
        ("gemma270m.completion.json", 195, 225.0495108923963, 24, 26.132117167323948),
        ("old-0.3.8.completion.json", 195, 508.09830529672945, 24, 23 / 0.320798),  # prints 74.81, which is 24 / 0.320798
        ("old-0.3.8.chat.json", 28, 406.87029556220756, 16, 15 / 0.209091),
        ("gemma270m.chat.json", 28, 77.29383250426496, 16, 21.759186728636827),
        ("gemma270m.oai_completions.json", 48, 120.06753799011945, 8, 16.06613740219739),
        ("draft_loaded_but_unused.completion.json", 205, 1807.983348914328, 64, 794.9827753732003),
    ],
)
def test_answers(name: str, prompt: int, prefill: float, generated: int, decode: float) -> None:
    first, second = public(tool, "llama-server", name).measurements
    says(first.values, {"phase": "prefill", "prompt_tokens": prompt, "depth_tokens": 0, "cached_prompt_tokens": 0, "tok_s": prefill})
    says(
        second.values, {"phase": "decode", "generated_tokens": generated, "depth_tokens": prompt, "tok_s": decode, "acceptance_rate": None, "concurrency": None}
    )


@pytest.mark.parametrize(
    ("name", "depth", "decode"),
    [
        ("completion_prompt_cached.json", 64, 1207.983193277311),  # 63 and 1
        ("gemma270m.completion_again_cached.json", 195, 25.415656486407045),  # 190 and 5
        ("old-0.3.8.completion_again_cached.json", 195, 23 / 0.322312),  # no cache_n: tokens_evaluated 195, prompt_n 1
        ("chat_completions_stream.txt", 65, 1201.923076923077),
        ("gemma270m.chat_stream_usage.txt", 28, 26.611031869371764),
        ("gemma270m.completion_per_token_timings_stream.txt", 195, 15.263167534632128),
    ],
)
def test_a_cached_prompt_has_no_rate(name: str, depth: int, decode: float) -> None:
    reading = public(tool, "llama-server", name)
    (one,) = reading.measurements
    says(one.values, {"phase": "decode", "depth_tokens": depth, "tok_s": decode})
    assert any("came from the cache" in reason for _, reason in reading.lost)


def test_one_token_has_no_decode() -> None:
    reading = public(tool, "llama-server", "gemma270m.completion_one_token.json")
    assert [one.values["phase"] for one in reading.measurements] == ["prefill"] and "tok_s" in loses(reading)


def test_the_default_alias_is_no_model() -> None:
    reading = public(tool, "llama-server", "old-0.3.8.chat.json")
    says(reading.recipe, {"model_as_written": None, "engine_commit": "7841fc7", "engine_version": None})
    assert "model" in loses(reading) and "model" in asks(reading)


def test_drafts() -> None:
    reading = public(tool, "llama-server", "spec_draft_model.completion.json")
    says(reading.measurements[1].values, {"acceptance_rate": 48 / 59, "accepted_per_step": None, "tok_s": 12.756052443168748})
    assert {"speculation", "command"} <= asks(reading) and reading.recipe.get("speculation") is None
    assert "accepted_per_step" in loses(reading)


def test_faked_acceptance() -> None:
    refusal = refused(tool, shared_formats("llama-server", "spec_synthetic_acceptance.stderr"))
    assert "fakes the acceptance" in refusal.found and refusal.line == 11
    # The answer itself looks honest: the command is asked for, and the question says why.
    reading = public(tool, "llama-server", "spec_synthetic_acceptance.completion.json")
    assert "--spec-synth-len" in dict(reading.questions)["command"]
    flagged = golden("llama-server", "suite.json").read_text().replace("-np 1", "-np 1 --spec-synth-len 4.5")
    assert "--spec-synth-len" in refused(tool, flagged).found


def test_log() -> None:
    reading = public(tool, "llama-server", "gemma270m.stderr")
    says(reading.recipe, {"model_as_written": "gemma-3-270m-q4_k_m.gguf", "context_tokens": 4096})
    says(reading.measurements[0].values, {"phase": "prefill", "prompt_tokens": 195, "tok_s": 195 / 0.86648, "concurrency": 1})
    says(reading.measurements[2].values, {"phase": "decode", "depth_tokens": 195, "tok_s": 23 / 0.90495})  # its prompt was cached
    old = public(tool, "llama-server", "old-0.3.8.stderr")
    says(old.measurements[1].values, {"tok_s": 23 / 0.32080, "depth_tokens": 195, "generated_tokens": 24})
    drafts = public(tool, "llama-server", "spec_draft_model.stderr")
    says(drafts.measurements[1].values, {"acceptance_rate": 48 / 59, "depth_tokens": 195})
    assert drafts.recipe["draft_model"] == "gemma-3-270m-q2_k.gguf"
    assert "draft_model" not in public(tool, "llama-server", "draft_loaded_but_unused.stderr").recipe


def test_suite() -> None:
    reading = public(tool, "llama-server", "mtp_Qwen3.6-27B-UD-Q8_K_XL__rocm-7.2.3-mtp__mtp-2.json")
    says(reading.recipe, {"speculation": "mtp", "draft_tokens": 2, "quant_as_written": "UD-Q8_K_XL", "measured_on": "2026-05-15"})
    assert len(reading.measurements) == 9
    says(reading.measurements[0].values, {"phase": "serve", "generated_tokens": 192.0, "e2e_s": 15.461, "tok_s": 192 / 15.461, "acceptance_rate": 120 / 140})
    assert "tok_s" in loses(reading)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("gemma270m.error_prompt_too_long.json", "an error"),
        ("gemma270m.metrics_after.txt", "totals since its start"),
        ("gemma270m.props.json", "/props"),
        ("gemma270m.slots.json", "/slots"),
        ("old-0.3.8.slots.json", "/slots"),
        ("gemma270m.models.json", "list of models"),
        ("server.log", "589 requests"),
    ],
)
def test_what_is_refused(name: str, found: str) -> None:
    assert found in refused(tool, shared_formats("llama-server", name)).found


def test_golden() -> None:
    chat = only(tool, golden("llama-server", "chat.json"))
    says(chat.recipe, {"engine_version": "b7100", "engine_commit": "a1b2c3d4", "model_as_written": "Example-8B-Q6_K.gguf", "measured_on": "2026-02-02"})
    says(chat.measurements[0].values, {"prompt_tokens": 500, "tok_s": 2000.0})
    says(chat.measurements[1].values, {"tok_s": 50.0, "acceptance_rate": 0.75, "depth_tokens": 500})  # prints 101 / 2 s
    (cached,) = only(tool, golden("llama-server", "cached.txt")).measurements
    says(cached.values, {"phase": "decode", "tok_s": 100.0, "depth_tokens": 300})
    log = only(tool, golden("llama-server", "server.log"))
    assert [one.label for one in log.measurements] == ["task 0", "task 0"] and "somebody" not in repr(log)
    says(log.measurements[1].values, {"tok_s": 50.0, "generated_tokens": 51, "depth_tokens": 200})
    assert any("2 requests ran beside others" in reason for _, reason in log.lost)
    (suite,) = only(tool, golden("llama-server", "suite.json")).measurements
    says(suite.values, {"tok_s": 10.0, "acceptance_rate": 0.75, "concurrency": 1})


@pytest.mark.parametrize(
    ("file", "before", "after", "found"),
    [
        ("chat.json", '"predicted_per_second":50.5', '"predicted_per_second":70.5', "decode rate is 70.5"),
        ("chat.json", '"prompt_n":500', '"prompt_n":400', "0 cached and 400 computed prompt tokens of 500"),
        ("chat.json", '"draft_n_accepted":60', '"draft_n_accepted":90', "90 drafts accepted of 80"),
        ("chat.json", '"predicted_ms":2000.0', '"predicted_ms":"2000"', "'2000'"),
        ("cached.txt", "data: [DONE]\n", "", "did not end"),
        ("suite.json", '"total_predicted": 100', '"total_predicted": 900', "total_predicted is 900"),
    ],
)
def test_damage(file: str, before: str, after: str, found: str) -> None:
    text = golden("llama-server", file).read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
