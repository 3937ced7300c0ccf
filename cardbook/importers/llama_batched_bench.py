"""llama-batched-bench (llama.cpp): Markdown or JSON Lines; B sequences side by side.

S_PP and S_TG are over all B sequences. A shared prompt (`-pps`) is computed once, so its
prefill is of one sequence. Sequences that generate one after the other (`-tgs`) make S_TG
the rate of one stream; only the banner above the table says so, the JSON does not. S is
over both phases and is left out. Neither format names model, build or card.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused

NAME = "llama-batched-bench"

_HEADER = re.compile(r"^\|[ ]*PP[ ]*\|[ ]*TG[ ]*\|[ ]*B[ ]*\|[ ]*N_KV[ ]*\|", re.MULTILINE)
_BANNER = re.compile(r"^(?:main|llama_batched_bench): (n_kv_max = .*)$", re.MULTILINE)
_KEYS = ('"n_kv_max"', '"is_pp_shared"', '"speed_pp"', '"speed_tg"', '"pl"')
_CRASH = re.compile(r"^#\d+ .* in |^Thread debugging|ggml_abort|^\[New LWP|failed to|llama_decode\(\) failed|CUDA error", re.MULTILINE)
_COLUMNS = {"PP", "TG", "B", "N_KV", "T_PP s", "S_PP t/s", "T_TG s", "S_TG t/s"}
_SEPARATE = "With -tgs the sequences generate one after the other and the rate is of one stream. Was it given? If not, the concurrency is B."


@dataclass(frozen=True)
class _Step:
    """One row. Rates in tokens/s over all sequences, times in seconds; step is their rounding."""

    line: int
    prompt: int
    generated: int
    sequences: int
    shared: bool | None
    separate: bool | None
    prefill: tuple[float, float]
    decode: tuple[float, float]
    step: tuple[float, float]


def recognise(raw: RawOutput) -> bool:
    """True for the table's columns, or for the keys of one JSON line."""
    head = raw.text[:100_000]
    return _HEADER.search(head) is not None or all(key in head for key in _KEYS)


def read(raw: RawOutput) -> list[Reading]:
    """One reading; two measurements a row. Raises `Refused`."""
    crash = _CRASH.search(raw.text)
    if crash:
        raise Refused(
            "a run that crashed after some rows",
            "the whole output of a run that finished",
            "Give it more context (-c at least B · (PP + TG)) and run it again.",
            line=raw.text.count("\n", 0, crash.start()) + 1,
        )
    reading = Reading(NAME, recipe={"engine": "llama.cpp", "speculation": "none", "prefix_cache": "off"})
    steps = _lines(raw, reading) if raw.text.lstrip("\ufeff \r\n\t").startswith("{") else _table(raw, reading)
    if not steps:
        raise Refused("no row in the output of llama-batched-bench", "at least one", "Run it again to its end.")
    for step in steps:
        reading.measurements += _measurements(step, reading)
    reading.lost.append(("total_tok_s", "the column S is over both phases, one after the other"))
    return [text.finish(reading)]


def _flags(settings: dict[str, str], reading: Reading, line: int) -> None:
    layers, attention = settings.get("n_gpu_layers"), settings.get("flash_attn")
    reading.recipe |= serving.known(
        {
            "gpu_layers": None if layers is None or layers.startswith("-") else text.whole(layers, "n_gpu_layers", NAME, line),
            "flash_attention": {"0": False, "1": True}.get(attention or ""),
            "context_tokens": text.whole(settings["n_kv_max"], "n_kv_max", NAME, line) if "n_kv_max" in settings else None,
        }
    )


def _table(raw: RawOutput, reading: Reading) -> list[_Step]:
    tables = [one for one in text.md_tables(raw.text, NAME) if set(one.header) >= _COLUMNS]
    banners = _BANNER.findall(raw.text)
    if len(tables) != 1 or len(banners) > 1:
        raise Refused(f"{len(tables)} tables and {len(banners)} banners", "the output of one run", "Give each run in a file of its own.")
    settings = dict(re.findall(r"(\w+) = (-?\w+)", banners[0])) if banners else {}
    _flags(settings, reading, 1)
    if not banners:
        reading.questions.append(("command", "The banner is missing: what was the exact command (-npp, -ntg, -npl, -pps, -tgs)?"))
    # Before there was a -tgs, the banner had no word for it.
    separate = None if not banners else settings.get("is_tg_separate", "0") == "1"
    shared = None if not banners else settings.get("is_pp_shared") == "1"
    return [_row(row, shared, separate) for row in tables[0].rows]


def _row(row: text.Row, shared: bool | None, separate: bool | None) -> _Step:
    def number(column: str) -> float:
        return text.positive(text.figure(row.cells[column], column, NAME, row.line), column, NAME, row.line)

    return _Step(
        row.line,
        text.whole(row.cells["PP"], "PP", NAME, row.line),
        text.whole(row.cells["TG"], "TG", NAME, row.line),
        text.whole(row.cells["B"], "B", NAME, row.line),
        shared,
        separate,
        (number("S_PP t/s"), number("T_PP s")),
        (number("S_TG t/s"), number("T_TG s")),
        (0.01, 0.001),
    )


def _lines(raw: RawOutput, reading: Reading) -> list[_Step]:
    steps = []
    settings: dict[str, Any] | None = None
    for number, line in text.lines(raw.text):
        box = serving.Section(raw, text.strict_json(raw, NAME, line, line=number), NAME)
        here = {key: box.value.get(key) for key in ("n_kv_max", "n_batch", "n_ubatch", "flash_attn", "is_pp_shared", "n_gpu_layers", "n_threads")}
        if settings is not None and here != settings:
            raise Refused("rows of two runs with other settings", "the rows of one run", "Give each run in a file of its own.", line=number)
        settings = here
        counts = [box.count(key) for key in ("pp", "tg", "pl", "is_pp_shared")]
        rates = [text.positive(box.needed(key), key, NAME, number) for key in ("speed_pp", "t_pp", "speed_tg", "t_tg")]
        prompt, generated, sequences, shared = counts
        if prompt is None or generated is None or sequences is None or shared is None:
            raise Refused("a row without pp, tg, pl or is_pp_shared", "the fields that the tool writes", "Give the file as it was written.", line=number)
        steps.append(_Step(number, prompt, generated, sequences, shared == 1, None, (rates[0], rates[1]), (rates[2], rates[3]), (1e-4, 1e-6)))
    _flags({key: str(value) for key, value in (settings or {}).items() if isinstance(value, int) and not isinstance(value, bool)}, reading, 1)
    return steps


def _measurements(step: _Step, reading: Reading) -> list[Measurement]:
    if min(step.prompt, step.generated, step.sequences) < 1:
        raise Refused("a row of no tokens or no sequence", "PP, TG and B above 0", "Give the output as the tool wrote it.", line=step.line)
    shared = step.shared
    if shared is None and step.sequences > 1:
        # Without the banner the row itself tells whether the prompt was computed B times.
        shared = step.prefill[0] * step.prefill[1] < step.prompt * (step.sequences + 1) / 2
    computed = 1 if shared else step.sequences
    text.require_product(step.prompt * computed, *step.prefill, step.step, NAME, step.line)
    text.require_product(step.generated * step.sequences, *step.decode, step.step, NAME, step.line)
    prefill = {"phase": "prefill", "prompt_tokens": step.prompt, "depth_tokens": 0, "concurrency": computed, "tok_s": step.prefill[0]}
    decode: dict[str, Any] = {"phase": "decode", "generated_tokens": step.generated, "depth_tokens": step.prompt, "tok_s": step.decode[0]}
    if step.sequences == 1 or step.separate:
        decode["concurrency"] = 1
    elif step.separate is False:
        decode["concurrency"] = step.sequences
    elif all(asked[0] != "concurrency" for asked in reading.questions):
        reading.questions.append(("concurrency", _SEPARATE))
    label = f"PP {step.prompt}, TG {step.generated}, B {step.sequences}"
    return [Measurement(prefill, label=label, line=step.line), Measurement(decode, label=label, line=step.line)]
