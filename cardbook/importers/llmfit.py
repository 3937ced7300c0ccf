"""llmfit's shared results (JSON): one stream, a mean over runs, for each model.

Where avgTps is tokens over the whole time of a request it includes the prompt, and is a
rate of serving; where it is above that it is of the generation alone. No prompt length.
`vramGb` (GiB) and `memTierGb` describe the card and are not a measurement.
"""

from __future__ import annotations

import math
from typing import Any

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section

NAME = "llmfit"

_ENGINES = {"llamacpp": "llama.cpp", "llama.cpp": "llama.cpp", "ollama": "ollama", "vllm": "vllm", "mlx": "mlx-lm", "lmstudio": "lm-studio"}
_SYSTEMS = {"linux": "Linux", "macos": "macOS", "windows": "Windows"}


def recognise(raw: RawOutput) -> bool:
    """True for the keys of a shared result."""
    head = raw.text[:20_000].lstrip("\ufeff \r\n\t")
    return head.startswith("{") and all(key in head for key in ('"schemaVersion"', '"hardware"', '"avgTps"', '"numRuns"'))


def read(raw: RawOutput) -> list[Reading]:
    """One reading a model. Raises `Refused`."""
    box = Section(raw, text.strict_json(raw, NAME), NAME)
    version = box.count("schemaVersion")
    if version != 1:
        raise Refused(
            f"schemaVersion {version}", "1", "This version is not known here: use a release of llmfit that writes version 1.", line=box.line("schemaVersion")
        )
    rows = box.rows("results")
    lines = [number for number, line in text.lines(raw.text) for _ in range(line.count('"avgTps"'))]
    return [_reading(box, row, line) for row, line in zip(rows, lines if len(lines) == len(rows) else [None] * len(rows), strict=True)]


def _reading(box: Section, row: Section, line: int | None) -> Reading:
    hardware, tool = box.section("hardware"), box.section("tool")
    model, cards = row.word("model") or "", hardware.count("gpuCount")
    reading = Reading(NAME, tool_version=tool.word("version"))
    name = hardware.word("hardwareName") or hardware.word("cpu")
    reading.recipe |= serving.known(
        {
            "engine": _ENGINES.get(row.word("provider") or ""),
            "card_as_written": name,
            "n_cards": cards or None,
            "parallelism": "none" if cards == 1 else None,
            "model_as_written": text.base_name(model) or None,
            "quant_as_written": text.quant_in(text.base_name(model)),
            "os": _SYSTEMS.get(hardware.word("os") or ""),
            "measured_on": serving.epoch_date(box.number("submittedAtUnix")),
        }
    )
    reading.measurements.append(_measurement(row, line, reading))
    return text.finish(reading)


def _measurement(row: Section, line: int | None, reading: Reading) -> Measurement:
    rate, low, high = (text.positive(row.needed(key), key, NAME, line) for key in ("avgTps", "minTps", "maxTps"))
    tokens, total = (
        text.positive(row.needed("avgOutputTokens"), "avgOutputTokens", NAME, line),
        text.positive(row.needed("avgTotalMs"), "avgTotalMs", NAME, line),
    )
    if not low * (1 - 1e-3) <= rate <= high * (1 + 1e-3):
        raise Refused(f"a mean of {rate:g} outside {low:g} to {high:g}", "a mean between the extremes", "Give an unedited file.", line=line)
    whole = tokens / (total * serving.MS)
    values: dict[str, Any] = {"generated_tokens": tokens, "concurrency": 1, "tok_s": rate, "repeats": row.count("numRuns")}
    values |= {"tok_s_min": low, "tok_s_max": high, "e2e_s": total * serving.MS, "ttft_s": row.number("avgTtftMs", serving.MS)}
    # The mean of the runs' rates and the rate of the means differ by the spread of the runs.
    if math.isclose(rate, whole, rel_tol=0.1) and row.number("avgTtftMs") is None:
        values["phase"] = "serve"
    elif rate > whole:
        values["phase"] = "decode"
    else:
        raise Refused(f"a rate of {rate:g} below {whole:g} over the whole time", "tokens over a time within it", "Give an unedited file.", line=line)
    return Measurement(serving.known(values), label=reading.recipe.get("model_as_written"), line=line)
