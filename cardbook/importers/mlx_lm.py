"""MLX LM: `mlx_lm.generate` and `mlx_lm.benchmark`.

One stream: the generation rate counts n tokens over the time after the first one, so it is
(n - 1) / n of what is printed. In a batch each step of the clock gives a token to every
sequence, so there it stands; rates of a batch are over all its sequences. GB is 10^9.
"""

from __future__ import annotations

import math
import re
import statistics
from typing import Any

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused

NAME = "mlx-lm"

_GENERATE = re.compile(
    r"^Prompt: (\d{1,9}) tokens, (\S+) tokens-per-sec\r?\nGeneration: (\d{1,9}) tokens, (\S+) tokens-per-sec\r?\nPeak memory: (\S+) GB[ \r]*$", re.MULTILINE
)
_BEGINS = re.compile(r"^Prompt: \d+ tokens, \S+ tokens-per-sec", re.MULTILINE)
_TIMING = re.compile(r"^Timing with prompt_tokens=(\d{1,9})(?:,| and) generation_tokens=(\d{1,9})(?:, batch_size=(\d{1,6}))?\.[ \r]*$", re.MULTILINE)
_TRIAL = re.compile(r"^Trial (\d{1,6}): +prompt_tps=([^,\s]+), generation_tps=([^,\s]+), peak_memory=([^,\s]+)(?:, total_time=([^,\s]+))?[ \r]*$", re.MULTILINE)
_AVERAGES = re.compile(r"^Averages: prompt_tps=([^,\s]+), generation_tps=([^,\s]+), peak_memory=([^,\s]+)[ \r]*$", re.MULTILINE)
_SERVER = re.compile(r'"system_fingerprint": "\d+\.\d+\.\d+[^"-]*-\d+\.\d+\.\d+[^"-]*-(?:Linux|macOS|Darwin)')
_CONVERT = re.compile(r"^\[INFO\] Quantized model with \S+ bits per weight", re.MULTILINE)
_PERPLEXITY = re.compile(r"^Loading model from .*\nModel loaded: \S+ parameters", re.MULTILINE)
_MEMORY = 1e9
_STEP = 0.001


def recognise(raw: RawOutput) -> bool:
    """True for the lines that MLX LM's tools print, and for its server's fingerprint."""
    source = raw.text
    if any(pattern.search(source) for pattern in (_BEGINS, _TIMING, _AVERAGES, _CONVERT)):
        return True
    head = source[:20_000]
    return _SERVER.search(head) is not None or _PERPLEXITY.match(head.lstrip()) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading with prefill and decode. Raises `Refused`."""
    if _CONVERT.search(raw.text) or _SERVER.search(raw.text[:20_000]) or _PERPLEXITY.match(raw.text.lstrip()):
        raise Refused("output of MLX LM that times nothing", "the output of mlx_lm.generate or mlx_lm.benchmark", "Run mlx_lm.benchmark.", line=1)
    reading = Reading(NAME, recipe={"engine": "mlx-lm"})
    if _BEGINS.search(raw.text):
        _generate(raw, reading)
    else:
        _benchmark(raw, reading)
    return [text.finish(reading)]


def _number(written: str, name: str, line: int) -> float:
    return text.positive(text.figure(written, name, NAME, line), name, NAME, line)


def _line(raw: RawOutput, at: int) -> int:
    return raw.text.count("\n", 0, at) + 1


def _generate(raw: RawOutput, reading: Reading) -> None:
    blocks = list(_GENERATE.finditer(raw.text))
    if len(blocks) != 1 or len(_BEGINS.findall(raw.text)) != 1:
        raise Refused(
            f"{len(blocks)} whole blocks of three lines", "one", "Give the end of one run: Prompt, Generation, Peak memory.", line=raw.text.count("\n") + 1
        )
    block = blocks[0]
    line = _line(raw, block.start())
    prompt, generated = int(block.group(1)), int(block.group(3))
    memory = round(_number(block.group(5), "the peak memory", line) * _MEMORY)
    shape = {"concurrency": 1, "peak_memory_bytes": memory}
    if prompt:
        prefill = {"phase": "prefill", "prompt_tokens": prompt, "depth_tokens": 0, "tok_s": _number(block.group(2), "the prompt rate", line)}
        reading.measurements.append(Measurement(prefill | shape, line=line))
    if generated > 1:
        rate = _number(block.group(4), "the generation rate", line) * (generated - 1) / generated
        decode = {"phase": "decode", "generated_tokens": generated, "depth_tokens": prompt, "tok_s": rate}
        reading.measurements.append(Measurement(decode | shape, line=line + 1))
        reading.lost.append(("tok_s", text.FIRST_TOKEN))
    else:
        reading.lost.append(("tok_s", "one generated token takes no timed step"))
    if not reading.measurements:
        raise Refused("a run of no tokens", "a prompt and an answer", "Run it again.", line=line)


def _benchmark(raw: RawOutput, reading: Reading) -> None:
    timings, averages = list(_TIMING.finditer(raw.text)), list(_AVERAGES.finditer(raw.text))
    if len(averages) != 1 or len(timings) > 1:
        raise Refused(
            f"{len(averages)} lines of averages and {len(timings)} of settings",
            "the whole output of one run",
            "The run was interrupted, or there are several: give each, whole, in a file of its own.",
            line=raw.text.count("\n") + 1,
        )
    trials = list(_TRIAL.finditer(raw.text))
    if len(trials) != len(re.findall(r"^Trial ", raw.text, re.MULTILINE)) or [int(one.group(1)) for one in trials] != list(range(1, len(trials) + 1)):
        raise Refused("trials that are missing or cut off", "every trial, in order", "Give the whole output of one run.", line=_line(raw, averages[0].start()))
    line = _line(raw, averages[0].start())
    prompt, generated, batch = (None if part is None else int(part) for part in timings[0].groups()) if timings else (None, None, None)
    batch = batch or (1 if timings else None)
    memory = round(max(_number(one, "the peak memory", line) for one in [averages[0].group(3), *(trial.group(4) for trial in trials)]) * _MEMORY)
    shape = serving.known({"concurrency": batch, "peak_memory_bytes": memory})
    rates = [_rates(trials, averages[0], group, line) for group in (1, 2)]
    prefill = {"phase": "prefill", "depth_tokens": 0} | serving.known({"prompt_tokens": prompt}) | shape | rates[0]
    reading.measurements.append(Measurement(prefill, label="prompt", line=line))
    scale = _scale(generated, batch, reading)
    if scale is not None:
        decode = {"phase": "decode"} | serving.known({"generated_tokens": generated, "depth_tokens": prompt}) | shape
        decode |= {key: value if key == "repeats" else value * scale for key, value in rates[1].items()}
        reading.measurements.append(Measurement(decode, label="generation", line=line))
    reading.recipe |= {"prompt": "random tokens of mlx_lm.benchmark", "prefix_cache": "off"}


def _scale(generated: int | None, batch: int | None, reading: Reading) -> float | None:
    """What makes the printed rate one of timed steps; None where the counts are missing."""
    if generated is None or batch is None:
        reading.lost.append(("tok_s", "without the number of generated tokens the first one cannot be taken out of the rate"))
        return None
    if batch > 1:
        return 1.0
    if generated < 2:
        reading.lost.append(("tok_s", "one generated token takes no timed step"))
        return None
    reading.lost.append(("tok_s", text.FIRST_TOKEN))
    return (generated - 1) / generated


def _rates(trials: list[re.Match[str]], averages: re.Match[str], group: int, line: int) -> dict[str, Any]:
    name = ("prompt_tps", "generation_tps")[group - 1]
    mean = _number(averages.group(group), name, line)
    values = [_number(trial.group(group + 1), name, line) for trial in trials]
    if not values:
        return {"tok_s": mean}
    if not math.isclose(statistics.fmean(values), mean, rel_tol=1e-4, abs_tol=2 * _STEP):
        raise Refused(f"an average of {mean:g} over trials of {statistics.fmean(values):g}", "the mean of the trials", "Give unedited output.", line=line)
    return text.sample(values)
