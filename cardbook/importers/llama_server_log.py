"""The log of llama-server: the timings of requests that ran alone.

A request beside others shares the card with them, so its rate is not of one stream; only
requests during which no other was in flight are read. The tokens in the slot at its end
tell how long the whole prompt was, cached part included.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from cardbook.importers import llama_timings, serving, text
from cardbook.importers.base import RawOutput, Reading, Refused

_TOOL = "llama-server"
_MAX_REQUESTS = 100
_SLOT = re.compile(r"slot +(launch_slot_|print_timing|release): id +\d+ \| task (\d+) \|(.*)$")
_MARK = re.compile(r"slot +(?:launch_slot_|print_timing): id +\d+ \| task \d+ \|")
_TOKENS = re.compile(r"n_(?:tokens|past) = (\d{1,9}), truncated = (\d)")
_MODEL = re.compile(r"loading (draft )?model '([^'\n]{1,500})'")
_SLOTS = re.compile(r"n_slots = (\d{1,4}), n_ctx_slot = (\d{1,9})")
_BUILD = re.compile(r"^build: (\d{1,9}) \(([0-9a-f]{6,40})\)", re.MULTILINE)


@dataclass
class _Task:
    line: int
    alone: bool = True
    prompt: re.Match[str] | None = None
    generated: re.Match[str] | None = None
    drafts: re.Match[str] | None = None
    tokens: int | None = None
    done: bool = field(default=False)


def recognise(raw: RawOutput) -> bool:
    """True for the lines that a slot of the server logs."""
    return _MARK.search(raw.text[:500_000]) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading of all requests that ran alone. Raises `Refused`."""
    requests = raw.text.count("launch_slot_:")
    if requests > _MAX_REQUESTS:
        raise Refused(
            f"the log of a server with {requests} requests",
            f"at most {_MAX_REQUESTS}",
            "Give the answer to the measured request, the benchmark client's result, or the log of that run alone.",
        )
    tasks = _tasks(raw.text)
    reading = Reading(_TOOL, recipe={"engine": "llama.cpp"})
    _settings(raw.text, reading)
    beside = [number for number, task in tasks.items() if not task.alone]
    if beside:
        reading.lost.append(("tok_s", f"{len(beside)} requests ran beside others: their rates are not of one stream"))
    for number, task in tasks.items():
        if task.alone and task.done and task.generated is not None:
            reading.measurements += llama_timings.measurements(_timings(number, task), _TOOL, reading)
    for one in reading.measurements:
        one.values["concurrency"] = 1
    if not reading.measurements:
        raise Refused("no request that ran alone and to its end", "one at least", "Log a run of one request at a time.")
    return [text.finish(reading)]


def _tasks(log: str) -> dict[str, _Task]:
    tasks: dict[str, _Task] = {}
    flying: set[str] = set()
    current: _Task | None = None
    for line, words in text.lines(log):
        match = _SLOT.search(words) if len(words) < 2_000 else None
        if match is not None:
            kind, number, words = match.groups()
            task = tasks.get(number)
            if kind == "launch_slot_":
                task = tasks[number] = _Task(line)
                flying.add(number)
            if task is not None and len(flying) > 1:
                for other in flying:
                    tasks[other].alone = False
            if kind == "release":
                flying.discard(number)
                _release(task, words)
            current = task
        if current is not None:
            _timing(current, words)
    return tasks


def _release(task: _Task | None, words: str) -> None:
    found = _TOKENS.search(words)
    if task is not None:
        task.done = True
        if found and found.group(2) == "0":
            task.tokens = int(found.group(1))


def _timing(task: _Task, words: str) -> None:
    if len(words) > 500:
        return
    task.prompt = llama_timings.PROMPT.search(words) or task.prompt
    task.generated = llama_timings.EVAL.search(words) or task.generated
    task.drafts = llama_timings.DRAFTS.search(words) or task.drafts


def _timings(number: str, task: _Task) -> llama_timings.Timings:
    assert task.generated is not None
    made = llama_timings.printed(task.prompt, task.generated, _TOOL, task.line, runs=False)
    made.label = f"task {number}"
    if task.tokens is not None:
        # The last generated token is not in the slot; a count below that is of another wording.
        made.prompt = max(task.tokens - made.generated + 1, 0) or None
        if made.prompt is not None and made.prompt < made.computed:
            made.prompt = None
    if task.drafts is not None:
        made.accepted, made.drafted = int(task.drafts.group(1)), int(task.drafts.group(2))
    return made


def _settings(log: str, reading: Reading) -> None:
    models = {text.base_name(name) for draft, name in _MODEL.findall(log) if not draft}
    drafts = {text.base_name(name) for draft, name in _MODEL.findall(log) if draft}
    if len(models) > 1:
        raise Refused(f"{len(models)} models in one log", "the log of one server", "Give the lines of one start of the server.")
    slots = {(int(a), int(b)) for a, b in _SLOTS.findall(log)}
    model = models.pop() if models else None
    reading.recipe |= serving.known(
        {
            "model_as_written": model,
            "quant_as_written": text.quant_in(model or ""),
            "context_tokens": None if len(slots) != 1 else next(a * b for a, b in slots),
        }
    )
    if len(drafts) == 1 and llama_timings.DRAFTS.search(log):
        # A draft model that is loaded and never drafts is no speculation.
        reading.recipe["draft_model"] = drafts.pop()
    build = _BUILD.search(log)
    if build:
        llama_timings.fingerprint(f"b{build.group(1)}-{build.group(2)}", reading)
