"""`python -m sglang.bench_one_batch` (JSON Lines): one static batch, no server, no cache.

Latencies are seconds (no suffix says so), rates over the whole batch. Prefill is one step
of batch × input_len tokens. `median_decode_latency` is one step of the whole batch: one
token for each stream. `overall_throughput` counts prompt and output. The first row at a
new batch size may carry compilation: a row much slower than another of the same shape is
marked and its prefill left out.
"""

from __future__ import annotations

import re

from cardbook.importers import serving
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section, Side

NAME = "sglang-bench-one-batch"
_SIDES = (
    Side(r"(?:\S*python3? -m )?sglang\.bench_one_batch ", "the command alone", "Give the file that --result-filename names."),
    Side(r"(?s)[^{]*?Prefill\. latency: +[\d.]+ s, throughput:", "the text that the benchmark prints", "Give the file that --result-filename names."),
)
# Same batch and prompt, this many times slower: not the same code ran.
_WARM = 2.0


def recognise(raw: RawOutput) -> bool:
    """True for the JSON Lines, with or without pasted labels, and for the printed text."""
    text = raw.text
    if all(f'"{key}"' in text for key in ("prefill_latency", "prefill_throughput", "overall_throughput")):
        return True
    return serving.is_side(raw, _SIDES)


def read(raw: RawOutput) -> list[Reading]:
    """One reading; a prefill and, where there is one, a decode measurement for each line.

    Raises `Refused`, also for lines of several runs under labels and for the printed text.
    """
    serving.refuse_side(raw, _SIDES, "its JSON Lines file, which names batch and lengths")
    for number, text in enumerate(raw.text.splitlines(), 1):
        if len(text) < 80 and re.fullmatch(r"\s*[\w .-]{1,40}:\s*", text):
            raise Refused(
                f"runs of several set-ups under labels ({text.strip()!r})",
                "the lines of one set-up",
                "Put the lines under each label in a file of their own.",
                line=number,
            )
    rows = list(serving.json_lines(raw, NAME))
    if not rows:
        raise serving.truncated(raw, NAME, "no run in it")
    reading = Reading(NAME, recipe={"engine": "sglang"})
    fastest = _fastest(rows)
    for line, box in rows:
        _prefill(line, box, fastest, reading)
        _decode(line, box, reading)
    return [serving.finish(reading)]


def _shape(box: Section) -> tuple[float, float, float]:
    batch, prompt, output = box.needed("batch_size"), box.needed("input_len"), box.needed("output_len")
    if min(batch, prompt) < 1:
        raise Refused("a batch or a prompt of nothing", "at least one stream of one token", "Give the file as the tool wrote it.")
    return batch, prompt, output


def _fastest(rows: list[tuple[int, Section]]) -> dict[tuple[float, float], float]:
    """Shortest prefill of each (batch, prompt)."""
    best: dict[tuple[float, float], float] = {}
    for _, box in rows:
        batch, prompt, _ = _shape(box)
        time = box.needed("prefill_latency")
        best[batch, prompt] = min(time, best.get((batch, prompt), time))
    return best


def _prefill(line: int, box: Section, fastest: dict[tuple[float, float], float], reading: Reading) -> None:
    batch, prompt, output = _shape(box)
    time, rate = box.needed("prefill_latency"), box.needed("prefill_throughput")
    if time <= 0:
        raise Refused("a prefill of 0 s", "the time of a prefill", "Give the file as the tool wrote it.", line=line)
    serving.require_equal(f"prefill_throughput in line {line}", rate, batch * prompt / time, 1e-6, box.raw)
    total = box.number("total_latency")
    if total:
        serving.require_equal(f"overall_throughput in line {line}", box.needed("overall_throughput"), batch * (prompt + output) / total, 1e-6, box.raw)
    if time > _WARM * fastest[batch, prompt]:
        reading.lost.append(("tok_s", f"line {line}: this prefill took {time:.3g} s and another of the same shape {fastest[batch, prompt]:.3g} s: compilation"))
        return
    reading.measurements.append(
        Measurement(
            {
                "phase": "prefill",
                "concurrency": batch,
                "prompt_tokens": prompt,
                "cached_prompt_tokens": 0.0,
                "tok_s": rate,
                "duration_s": time,
                "generated_tokens": 0.0,
                "depth_tokens": 0.0,
            },
            label=box.word("run_name"),
            line=line,
        )
    )


def _decode(line: int, box: Section, reading: Reading) -> None:
    step = box.number("median_decode_latency")
    if step is None:  # output_len 1: the prefill makes the only token
        return
    batch, prompt, output = _shape(box)
    rate = box.needed("median_decode_throughput")
    if step <= 0:
        raise Refused("a decode step of 0 s", "the time of a step", "Give the file as the tool wrote it.", line=line)
    serving.require_equal(f"median_decode_throughput in line {line}", rate, batch / step, 1e-6, box.raw)
    reading.measurements.append(
        Measurement(
            {
                "phase": "decode",
                "concurrency": batch,
                "generated_tokens": output,
                "tok_s": rate,
                "tpot_p50_s": step,
                "depth_tokens": prompt,
                "note": "rate of the median step",
            },
            label=box.word("run_name"),
            line=line,
        )
    )
