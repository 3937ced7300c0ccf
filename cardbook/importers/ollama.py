"""Ollama: the last answer of /api/generate and /api/chat, and `ollama run --verbose`.

All durations in JSON are nanoseconds; the text prints Go durations. The clock of
generation starts when the first token is sampled, so n tokens take n - 1 timed steps.
Before PR 12742 only the last batch of a prompt was timed: then the times do not add up
to the total, and the prompt rate is left out. Cached prompt tokens may or may not be in
the count, so the depth is taken only from answers that say, or that loaded the model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section, Side

NAME = "ollama"

_VERBOSE = re.compile(r"^eval count:\s+\d+ token\(s\)", re.MULTILINE)
_LINE = re.compile(
    r"^(total duration|load duration|prompt eval count|prompt eval duration|prompt eval rate|eval count|eval duration|eval rate):\s+(\S+)(?: (\S+))?\s*$"
)
_LOADED = 0.25  # s; a model that is in memory already takes some milliseconds
_SIDES = (
    Side(r"NAME\s+ID\s+SIZE\s+PROCESSOR", "the list of `ollama ps`, which measures nothing", "Give the answer to a request, or `ollama run --verbose`."),
    Side(r'\{\s*"models":\s*\[\s*\{\s*"name":.*\s*"model":', "the list of loaded models, which measures nothing", "Give the answer to a request."),
)


@dataclass
class _Run:
    """One request. Counts in tokens, times in seconds, None where the output has none."""

    total: float | None = None
    load: float | None = None
    prompt: int | None = None
    cached: int | None = None
    prompt_s: float | None = None
    generated: int | None = None
    generate_s: float | None = None
    line: int | None = None


def recognise(raw: RawOutput) -> bool:
    """True for Ollama's names of counters, for the text of --verbose, and for its lists of models."""
    head = raw.text[:50_000].lstrip("\ufeff \r\n\t")
    if head.startswith("{"):
        answer = '"created_at"' in head and '"done"' in head and '"model"' in head and ('"message"' in head or '"response"' in head)
        return answer or (serving.is_side(raw, _SIDES) and '"size_vram"' in head)
    return _VERBOSE.search(raw.text[:2_000_000]) is not None or serving.is_side(raw, _SIDES[:1])


def read(raw: RawOutput) -> list[Reading]:
    """One reading: prefill and decode of one request. Raises `Refused`."""
    serving.refuse_side(raw, _SIDES, "the counters of a request")
    reading = Reading(NAME, recipe={"engine": "ollama"})
    run = _answer(raw, reading) if raw.text.lstrip("\ufeff \r\n\t").startswith("{") else _verbose(raw)
    reading.measurements += [one for one in (_prefill(run, reading), _decode(run, reading)) if one is not None]
    if not reading.measurements:
        raise Refused("a request in which nothing can be timed", "two generated tokens at least", "Ask again for a longer answer.", line=run.line)
    return [text.finish(reading)]


def _events(raw: RawOutput) -> list[tuple[int, Any]]:
    """(line, object): one that fills the file, or one a line."""
    body = raw.text.removeprefix("\ufeff")
    first = body.lstrip().split("\n", 1)[0].rstrip()
    if first.endswith("}") and first != body.strip():
        return [(number, text.strict_json(raw, NAME, line, line=number)) for number, line in text.lines(body)]
    return [(1, text.strict_json(raw, NAME))]


def _answer(raw: RawOutput, reading: Reading) -> _Run:
    events = _events(raw)
    ends = [(line, event) for line, event in events if isinstance(event, dict) and event.get("done") is True]
    if not ends or ends[-1][1] is not events[-1][1]:
        raise Refused("a stream without its last object", "the object with done: true", "Ask again and keep the whole answer.", line=events[-1][0])
    if len(ends) > 1:
        raise Refused(f"{len(ends)} answers in one file", "one answer", "Give each answer in a file of its own.", line=ends[-1][0])
    line, event = ends[0]
    box = Section(raw, event, NAME)
    if "eval_count" not in box:
        what = "the answer to a load or unload" if event.get("done_reason") in ("load", "unload") else "an answer without counters"
        raise Refused(f"{what}: no tokens were generated", "eval_count and eval_duration", "Give the answer to a prompt.", line=line)
    model = box.word("model")
    reading.recipe |= serving.known(
        {"model_as_written": model, "quant_as_written": text.quant_in(model or ""), "measured_on": serving.iso_date(box.word("created_at"))}
    )
    if "runtime" in box:
        reading.recipe |= serving.known({"backend": {"metal": "Metal", "cuda": "CUDA", "rocm": "ROCm"}.get(str(box.section("runtime").word("library")))})
    return _Run(
        box.number("total_duration", serving.NS),
        box.number("load_duration", serving.NS),
        box.count("prompt_eval_count"),
        box.count("prompt_eval_cached_count"),
        box.number("prompt_eval_duration", serving.NS),
        box.count("eval_count"),
        box.number("eval_duration", serving.NS),
        line,
    )


def _verbose(raw: RawOutput) -> _Run:
    found: dict[str, tuple[int, str]] = {}
    for number, line in text.lines(raw.text):
        match = _LINE.match(line) if len(line) < 200 else None
        if match is None:
            continue
        if match.group(1) in found:
            raise Refused(f"two lines of {match.group(1)!r}", "one request", "Give each request in a file of its own.", line=number)
        found[match.group(1)] = (number, match.group(2))
    for key in ("total duration", "eval count", "eval duration", "eval rate"):
        if key not in found:
            raise Refused(f"no line of {key!r}", "the whole block that --verbose prints", "Give all its lines.", line=raw.text.count("\n") + 1)

    def seconds(key: str) -> float | None:
        if key not in found:
            return None
        number, words = found[key]
        made = text.go_duration(words)
        if made is None:
            raise Refused(f"the {key} {words[:40]!r}", "a duration such as 1m40s or 204.563ms", "Give the text as it was printed.", line=number)
        return made

    def count(key: str) -> int | None:
        return None if key not in found else text.whole(found[key][1], key, NAME, found[key][0])

    run = _Run(
        seconds("total duration"), seconds("load duration"), count("prompt eval count"), None,
        seconds("prompt eval duration"), count("eval count"), seconds("eval duration"), found["eval count"][0],
    )  # fmt: skip
    _check_rate(found, "eval rate", run.generated, run.generate_s)
    _check_rate(found, "prompt eval rate", run.prompt, run.prompt_s)
    return run


def _check_rate(found: dict[str, tuple[int, str]], key: str, tokens: int | None, seconds: float | None) -> None:
    if key in found and tokens and seconds:
        number, words = found[key]
        text.require_product(tokens, text.figure(words, key, NAME, number), seconds, (0.01, 1e-3 * seconds), NAME, number)


def _gap(run: _Run) -> float | None:
    """Seconds of the total that no phase accounts for."""
    parts = (run.load, run.prompt_s, run.generate_s)
    return None if run.total is None or None in parts else run.total - sum(part for part in parts if part is not None)


def _prefill(run: _Run, reading: Reading) -> Measurement | None:
    if not run.prompt or not run.prompt_s:
        reading.lost.append(("tok_s", "the prompt was not evaluated, or came from the cache"))
        return None
    gap = _gap(run)
    if gap is None or gap > 0.25 * run.prompt_s:
        reading.lost.append(("tok_s", "the times do not add up to the total: this build timed only the last batch of the prompt, or waited"))
        return None
    if run.cached:
        reading.lost.append(("tok_s", f"{run.cached} of {run.prompt} prompt tokens came from the cache and are in the count"))
        return None
    values: dict[str, Any] = {"phase": "prefill", "prompt_tokens": run.prompt, "tok_s": run.prompt / run.prompt_s}
    if _depth(run) is not None:
        values |= {"depth_tokens": 0, "cached_prompt_tokens": 0}
    return Measurement(values, line=run.line)


def _depth(run: _Run) -> int | None:
    """Tokens of the whole prompt, None where a part may have come from the cache unseen."""
    return run.prompt if run.cached is not None or (run.load or 0.0) > _LOADED else None


def _decode(run: _Run, reading: Reading) -> Measurement | None:
    if run.generated is None or run.generate_s is None or run.generated < 2 or run.generate_s <= 0:
        reading.lost.append(("tok_s", "fewer than two tokens were generated"))
        return None
    gap = _gap(run)
    if gap is not None and gap < -0.01 * (run.total or 0.0) - 1e-3:
        raise Refused("phases that take longer than the total", "times that add up", "Give unedited output.", line=run.line)
    values: dict[str, Any] = {"phase": "decode", "generated_tokens": run.generated, "tok_s": (run.generated - 1) / run.generate_s}
    reading.lost.append(("tok_s", text.FIRST_TOKEN))
    return Measurement(values | serving.known({"depth_tokens": _depth(run)}), line=run.line)
