"""LM Studio's REST API: /api/v0 with times, /api/v1 with one rate.

`tokens_per_second` is not always tokens over `generation_time`: where the two disagree it
cannot be told what it divides, and it is left out.
"""

from __future__ import annotations

import math
from typing import Any

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section

NAME = "lmstudio"

_BACKENDS = (("metal", "Metal"), ("cuda", "CUDA"), ("rocm", "ROCm"), ("vulkan", "Vulkan"), ("mlx", "MLX"))


def recognise(raw: RawOutput) -> bool:
    """True for the `stats` object beside LM Studio's other fields."""
    head = raw.text[:200_000].lstrip("\ufeff \r\n\t")
    if not head.startswith("{") or '"stats"' not in head or '"tokens_per_second"' not in head:
        return False
    return '"model_instance_id"' in head or ('"model_info"' in head and '"usage"' in head)


def read(raw: RawOutput) -> list[Reading]:
    """One reading: the decode of one request, with its TTFT. Raises `Refused`."""
    box = Section(raw, text.strict_json(raw, NAME), NAME)
    stats = box.section("stats")
    reading = Reading(NAME, recipe={"engine": "lm-studio"})
    old = "model_info" in box
    one = _v0(box, stats, reading) if old else _v1(box, stats)
    one.line = box.line("stats")
    if "draft_model" in stats.value or "accepted_draft_tokens_count" in stats.value:
        reading.questions.append(("speculation", "The server drafted tokens: with which draft model?"))
    reading.measurements.append(one)
    return [text.finish(reading)]


def _v0(box: Section, stats: Section, reading: Reading) -> Measurement:
    usage, info = box.section("usage"), box.section("model_info")
    prompt, generated = usage.needed("prompt_tokens"), usage.needed("completion_tokens")
    serving.require_equal("total_tokens", usage.number("total_tokens"), prompt + generated, 1e-9, box.raw)
    rate, seconds = stats.needed("tokens_per_second"), stats.needed("generation_time")
    values: dict[str, Any] = {"phase": "decode", "prompt_tokens": prompt, "generated_tokens": generated, "depth_tokens": prompt}
    values |= serving.known({"ttft_s": stats.number("time_to_first_token")})
    if seconds > 0 and math.isclose(rate, generated / seconds, rel_tol=0.01):
        values["tok_s"] = text.positive(rate, "tokens_per_second", NAME, stats.line("tokens_per_second"))
    else:
        reading.lost.append(
            ("tok_s", f"tokens_per_second is {rate:.4g}, and {generated:g} tokens over generation_time are not: what it divides cannot be told")
        )
    runtime = box.maybe("runtime")
    name = runtime.word("name") or ""
    reading.recipe |= serving.known(
        {
            "model_as_written": box.word("model"),
            "quant_as_written": info.word("quant"),
            "context_tokens": info.count("context_length"),
            "backend": next((backend for key, backend in _BACKENDS if key in name), None),
            "os": next((system for key, system in (("-mac-", "macOS"), ("-linux-", "Linux"), ("-win-", "Windows")) if key in name), None),
            "engine_version": f"runtime {name} {runtime.word('version')}" if name and runtime.word("version") else None,
            "measured_on": serving.epoch_date(box.number("created")),
        }
    )
    return Measurement(values)


def _v1(box: Section, stats: Section) -> Measurement:
    prompt, generated = stats.needed("input_tokens"), stats.needed("total_output_tokens")
    rate = text.positive(stats.needed("tokens_per_second"), "tokens_per_second", NAME, stats.line("tokens_per_second"))
    if generated < 2:
        raise Refused(
            "fewer than two generated tokens", "an answer long enough to time", "Ask again for a longer answer.", line=stats.line("total_output_tokens")
        )
    values = {"phase": "decode", "prompt_tokens": prompt, "generated_tokens": generated, "depth_tokens": prompt, "tok_s": rate}
    return Measurement(values | serving.known({"ttft_s": stats.number("time_to_first_token_seconds")}))
