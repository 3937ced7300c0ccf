"""The text of a script that benchmarks an OpenAI endpoint with two prompts.

Each run prints wall time, time to first token, tokens, and two rates: over the wall time
and over the time after the first token. The second counts the first token too, so the
rate of decode is (tokens - 1) over that time. Prompts are given in characters.
"""

from __future__ import annotations

import math
import re
import statistics
from typing import Any

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused

NAME = "endpoint-bench-text"

_SECTION = re.compile(r"^=+ ([A-Z]\w*) \(prompt=(\d{1,9}) chars, max_tokens=(\d{1,9})\) =+[ \r]*$")
_MEASURED = re.compile(r"^=== measured \((\d{1,6})\) ===")
_RUN = re.compile(r"^\s+run-(\d{1,6})\s+wall=\s*(\S+)s\s+ttft=\s*(\S+)ms\s+toks=\s*(\d{1,9})\s+wall_TPS=\s*(\S+)\s+decode_TPS=\s*(\S+)\s*$")
_MEAN = re.compile(r"^\s+(wall_TPS|decode_TPS)\s+mean=\s*(\S+)\s+std=")
_SPEC = re.compile(r"\[metrics\.py:\d+\] SpecDecoding metrics: ")
_POSITIONS = re.compile(r"Per-position acceptance rate: ([\d., ]+?), Avg")


def recognise(raw: RawOutput) -> bool:
    """True for the heading of a section and the two names of its rates."""
    head = raw.text[:100_000]
    return "wall_TPS" in head and "decode_TPS" in head and re.search(r"^=+ \w+ \(prompt=\d+ chars, max_tokens=", head, re.MULTILINE) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading; decode and serve measurements of each prompt. Raises `Refused`."""
    serving.refuse_faked_acceptance(raw)
    reading = Reading(NAME)
    for name, section in _sections(raw.text).items():
        reading.measurements += _measurements(name, section)
    if not reading.measurements:
        raise Refused("no section with measured runs", "one at least", "Run the script to its end.")
    _server(raw.text, reading)
    reading.lost += [
        ("tok_s", text.FIRST_TOKEN),
        ("prompt_tokens", "the prompts are given in characters"),
        ("mean_power_w", "the state of the cards is one moment's, not a mean over the run"),
        ("peak_memory_bytes", "the state of the cards is one moment's, not the peak"),
    ]
    return [text.finish(reading)]


def _sections(log: str) -> dict[str, list[tuple[int, str]]]:
    found: dict[str, list[tuple[int, str]]] = {}
    name = None
    for number, line in text.lines(log):
        heading = _SECTION.match(line) if len(line) < 500 else None
        if heading:
            name = heading.group(1).lower()
            if name in found:
                raise Refused(f"two sections {name}", "one run of the script", "Give each run in a file of its own.", line=number)
            found[name] = []
        elif name is not None and len(line) < 2_000:
            found[name].append((number, line))
    return found


def _measurements(name: str, section: list[tuple[int, str]]) -> list[Measurement]:
    said = next((int(match.group(1)) for _, line in section if (match := _MEASURED.match(line))), None)
    runs = [(number, match) for number, line in section if (match := _RUN.match(line))]
    means = {match.group(1): (number, match.group(2)) for number, line in section if (match := _MEAN.match(line))}
    if said is None or said != len(runs) or not runs or len(means) != 2 or [int(run.group(1)) for _, run in runs] != list(range(1, said + 1)):
        raise Refused(
            f"{len(runs)} runs of {said or 'an unknown number'} in the section {name}, and {len(means)} of 2 means",
            "every measured run and the summary",
            "The output is cut off: give it whole.",
            line=section[-1][0] if section else None,
        )
    line = runs[0][0]
    decoded = [_run(run, number) for number, run in runs]
    walls, firsts, tokens, serves, printed, rates = (list(column) for column in zip(*decoded, strict=True))
    for key, values in (("wall_TPS", serves), ("decode_TPS", printed)):
        number, written = means[key]
        if not math.isclose(text.figure(written, key, NAME, number), statistics.fmean(values), rel_tol=1e-3, abs_tol=0.011):
            raise Refused(f"a mean of {key} that is not that of the runs", "the mean of the runs", "Give unedited output.", line=number)
    shape: dict[str, Any] = {"generated_tokens": statistics.fmean(tokens), "concurrency": 1, "ttft_s": statistics.fmean(firsts)}
    shape["e2e_s"] = statistics.fmean(walls)
    return [
        Measurement({"phase": "decode"} | shape | serving.known(text.sample(rates)), label=name, line=line),
        Measurement({"phase": "serve", "requests": len(runs)} | shape | serving.known(text.sample(serves)), label=name, line=line),
    ]


def _run(run: re.Match[str], line: int) -> tuple[float, float, float, float, float, float]:
    """(wall s, ttft s, tokens, rate over the wall, printed decode rate, rate of decode)."""
    wall, first, tokens, over_wall, printed = (
        text.positive(text.figure(part, "a figure of a run", NAME, line), "a figure of a run", NAME, line) for part in run.groups()[1:]
    )
    first *= serving.MS
    if first >= wall or tokens < 2:
        raise Refused("a run whose first token came last", "a time to first token within the wall time", "Give unedited output.", line=line)
    text.require_product(tokens, over_wall, wall, (0.01, 0.01), NAME, line)
    text.require_product(tokens, printed, wall - first, (0.01, 0.0105), NAME, line)
    return wall, first, tokens, over_wall, printed, printed * (tokens - 1) / tokens


def _server(log: str, reading: Reading) -> None:
    """The server's own lines at the end: vLLM's, and only its last windows."""
    if _SPEC.search(log) is None:
        return
    reading.recipe["engine"] = "vllm"
    drafts = {len(match.split(",")) for match in _POSITIONS.findall(log)}
    if len(drafts) == 1:
        reading.recipe["draft_tokens"] = drafts.pop()
    reading.questions.append(("speculation", "The server speculated: with a draft model, MTP, EAGLE, n-grams …?"))
    reading.lost.append(("acceptance_rate", "the server's last windows are not the measured runs"))
