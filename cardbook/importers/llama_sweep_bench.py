"""llama-sweep-bench (ik_llama.cpp): prefill and decode of one stream at growing depth.

N_KV is the depth before the step, for both phases. The table names no model, build or card.
"""

from __future__ import annotations

import re

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused

NAME = "llama-sweep-bench"

_HEADER = re.compile(r"^\|[ ]*PP[ ]*\|[ ]*TG[ ]*\|[ ]*N_KV[ ]*\|", re.MULTILINE)
_BANNER = re.compile(r"^main: (n_kv_max = .*)$", re.MULTILINE)
_COLUMNS = {"PP", "TG", "N_KV", "T_PP s", "S_PP t/s", "T_TG s", "S_TG t/s"}


def recognise(raw: RawOutput) -> bool:
    """True for the table's columns, which have no B."""
    return _HEADER.search(raw.text[:100_000]) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading; two measurements a row. Raises `Refused`."""
    tables = [one for one in text.md_tables(raw.text, NAME) if set(one.header) >= _COLUMNS]
    other = re.search(r"prompt eval time =", raw.text)
    if other:
        raise Refused(
            "timings of a server beside the table of a sweep",
            "the output of one tool",
            "Keep the table alone, with its banner.",
            line=raw.text.count("\n", 0, other.start()) + 1,
        )
    banners = _BANNER.findall(raw.text)
    if len(tables) != 1 or len(banners) > 1 or not tables[0].rows:
        raise Refused(f"{len(tables)} tables and {len(banners)} banners", "one table with rows", "Give each run in a file of its own, whole.")
    reading = Reading(NAME, recipe={"engine": "ik_llama.cpp", "speculation": "none", "prefix_cache": "off"})
    ubatch = _banner(banners[0], reading) if banners else None
    for row in tables[0].rows:
        _measure(row, ubatch, reading)
    return [text.finish(reading)]


def _banner(words: str, reading: Reading) -> int | None:
    """The flags; returns the physical batch in tokens."""
    settings = dict(re.findall(r"(\w+) = (\d{1,12})(?!\d)", words))
    numbers = {key: int(value) for key, value in settings.items()}
    reading.recipe |= serving.known(
        {
            "context_tokens": numbers.get("n_kv_max"),
            "gpu_layers": numbers.get("n_gpu_layers"),
            "flash_attention": None if "flash_attn" not in numbers else bool(numbers["flash_attn"]),
        }
    )
    both = [numbers[key] for key in ("n_batch", "n_ubatch") if numbers.get(key)]
    return min(both) if len(both) == 2 else None


def _measure(row: text.Row, ubatch: int | None, reading: Reading) -> None:
    def number(column: str) -> float:
        return text.figure(row.cells[column], column, NAME, row.line)

    prompt, generated, depth = (text.whole(row.cells[column], column, NAME, row.line) for column in ("PP", "TG", "N_KV"))
    for phase, tokens, column in (("prefill", prompt, "PP"), ("decode", generated, "TG")):
        if tokens == 0:
            continue
        rate, seconds = text.positive(number(f"S_{column} t/s"), f"S_{column}", NAME, row.line), number(f"T_{column} s")
        text.require_product(tokens, rate, seconds, (0.01, 0.001), NAME, row.line)
        values = {"phase": phase, "depth_tokens": depth, "concurrency": 1, "tok_s": rate}
        values |= {"prompt_tokens": tokens} | ({"ubatch_tokens": ubatch} if ubatch else {}) if phase == "prefill" else {"generated_tokens": tokens}
        reading.measurements.append(Measurement(values, label=f"{phase} @ d{depth}", line=row.line))
