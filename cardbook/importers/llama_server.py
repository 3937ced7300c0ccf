"""llama-server (llama.cpp): the timings in its answers, streamed or whole, and in its log.

`prompt_n` counts prompt tokens computed now, `cache_n` those from the cache, and a prompt
that was partly cached has no prefill rate. An answer does not say how many other requests
ran beside it. Totals since the start (/metrics) and settings (/props, /slots) are no run.
"""

from __future__ import annotations

import re
from typing import Any

from cardbook.importers import llama_server_log, llama_timings, serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.llama_timings import Timings
from cardbook.importers.serving import Section, Side

NAME = "llama-server"

_SIDES = (
    Side(r"# HELP llamacpp:", "the /metrics of a server, which are totals since its start", "Give the answer to one request."),
    Side(r'\{"default_generation_settings"', "the /props of a server", "Give the answer to one request."),
    Side(r'\[\{"id":\d+,"(?:n_ctx|id_task)":', "the /slots of a server", "Give the answer to one request."),
    Side(r'\{"models":\[\{"name"', "the list of models of a server", "Give the answer to one request."),
    Side(r'\{"error":\{"code":', "an error that the server answered", "See the message in it (a prompt longer than the context, for example), and ask again."),
)
_KINDS = (("draft-mtp", "mtp"), ("eagle", "eagle"), ("medusa", "medusa"), ("ngram", "ngram"), ("draft", "draft"))
_SUITE = ('"predicted_per_second"', '"draft_n"', '"wall_s"', '"spec_flags"')


def recognise(raw: RawOutput) -> bool:
    """True for llama.cpp's timings in JSON or a stream, for its log, and for its other endpoints."""
    start = raw.text[:200_000].lstrip("\ufeff \r\n\t")
    if start.startswith(("{", "data:", ": ")):
        timed = '"predicted_ms"' in raw.text and '"prompt_ms"' in raw.text
        return timed or all(key in start for key in _SUITE) or serving.is_side(raw, _SIDES)
    return serving.is_side(raw, _SIDES) or llama_server_log.recognise(raw)


def read(raw: RawOutput) -> list[Reading]:
    """One reading: the request, the requests of a log, or a suite's. Raises `Refused`."""
    serving.refuse_side(raw, _SIDES, "the timings of a request")
    llama_timings.refuse_synthetic(raw)
    start = raw.text.lstrip("\ufeff \r\n\t")
    if start.startswith(("data:", ": ")):
        return [_answer(_last(raw))]
    if not start.startswith("{"):
        return llama_server_log.read(raw)
    box = Section(raw, text.strict_json(raw, NAME), NAME)
    return [_suite(box) if "results" in box else _answer(box)]


def _last(raw: RawOutput) -> Section:
    """The last event of a stream, which must have ended."""
    last: Section | None = None
    ended = False
    for number, line in text.lines(raw.text):
        if not line.startswith("data:"):
            continue
        body = line[5:].strip()
        if body == "[DONE]":
            ended = True
            continue
        event = text.strict_json(raw, NAME, body, line=number)
        if isinstance(event, dict) and "timings" in event:
            last = Section(raw, event, NAME)
            ended = event.get("stop") is True
    if last is None or not ended:
        raise Refused("a stream that did not end", "the stream to its last event", "Ask again and keep the whole answer.", line=raw.text.count("\n") + 1)
    return last


def _answer(box: Section) -> Reading:
    reading = Reading(NAME, recipe={"engine": "llama.cpp"})
    model = box.word("model")
    if model == "gpt-3.5-turbo":
        reading.lost.append(("model", "gpt-3.5-turbo is what old builds call any model"))
    elif model:
        reading.recipe["model_as_written"] = text.base_name(model)
        reading.recipe |= serving.known({"quant_as_written": text.quant_in(text.base_name(model))})
    llama_timings.fingerprint(box.word("system_fingerprint"), reading)
    reading.recipe |= serving.known({"measured_on": serving.epoch_date(box.number("created"))})
    reading.measurements += llama_timings.measurements(_timings(box), NAME, reading)
    if not reading.measurements:
        raise Refused(
            "an answer in which nothing can be timed (a cached prompt, and one token or none)",
            "a prompt that is not cached, or two generated tokens at least",
            "Ask again with more tokens (n_predict) and cache_prompt off.",
            line=box.line("timings"),
        )
    return text.finish(reading)


def _timings(box: Section) -> Timings:
    times = box.section("timings")
    computed, generated, cached = (times.count(key) for key in ("prompt_n", "predicted_n", "cache_n"))
    whole = box.count("tokens_evaluated")
    if whole is None and "usage" in box:
        whole = box.section("usage").count("prompt_tokens")
    if computed is None or generated is None:
        raise Refused("timings without prompt_n or predicted_n", "the fields that the server writes", "Give the answer as it came.", line=box.line("timings"))
    if cached is not None and whole is not None and cached + computed != whole:
        raise Refused(
            f"{cached} cached and {computed} computed prompt tokens of {whole}",
            "counts that add up",
            "Give the answer of one request.",
            line=times.line("cache_n"),
        )
    return Timings(
        computed,
        times.needed("prompt_ms", serving.MS),
        generated,
        times.needed("predicted_ms", serving.MS),
        prompt=cached + computed if cached is not None else whole,
        prompt_rate=times.number("prompt_per_second"),
        generate_rate=times.number("predicted_per_second"),
        drafted=times.count("draft_n"),
        accepted=times.count("draft_n_accepted"),
        line=box.line("timings"),
    )


def _suite(box: Section) -> Reading:
    """A script's summary of several requests: the build is not in it, so what its
    predicted_per_second divides cannot be told; tokens over the wall time can."""
    reading = Reading(NAME, recipe={"engine": "llama.cpp"})
    flags, model = box.word("spec_flags") or "", text.base_name(box.word("gguf") or box.word("model") or "")
    kind = re.search(r"--spec-type[ =](\S+)", flags)
    drafts = re.search(r"--spec-draft-n-max[ =](\d{1,4})(?!\d)", flags)
    rows = box.rows("results")
    reading.recipe |= serving.known(
        {
            "model_as_written": model or None,
            "quant_as_written": text.quant_in(model),
            "measured_on": serving.iso_date(box.word("timestamp")),
            "speculation": next((value for key, value in _KINDS if kind and key in kind.group(1)), None),
            "draft_tokens": int(drafts.group(1)) if drafts else None,
        }
    )
    reading.measurements += [_request(row, reading, alone="-np 1" in flags) for row in rows]
    if "aggregate" in box:
        total = box.section("aggregate").number("total_predicted")
        serving.require_equal("total_predicted", total, sum(one.values["generated_tokens"] for one in reading.measurements), 1e-9, box.raw)
    reading.lost.append(("tok_s", "predicted_per_second counts the first token or not, by build, and no build is named: tok_s is tokens over the wall time"))
    reading.questions.append(("command", llama_timings.SYNTHETIC_QUESTION))
    return text.finish(reading)


def _request(row: Section, reading: Reading, *, alone: bool) -> Measurement:
    line = row.line("wall_s")
    generated, wall = row.needed("predicted_n"), text.positive(row.needed("wall_s"), "wall_s", NAME, line)
    text.positive(generated, "predicted_n", NAME, line)
    values: dict[str, Any] = {"phase": "serve", "generated_tokens": generated, "e2e_s": wall, "duration_s": wall, "requests": 1}
    rate = row.number("predicted_per_second")
    if rate is not None and rate * 1.01 < generated / wall:
        raise Refused(f"a decode rate of {rate:g} below {generated / wall:g} over the wall time", "a rate above it", "Give an unedited file.", line=line)
    values["tok_s"] = generated / wall
    if alone:
        values["concurrency"] = 1
    drafted, accepted = row.number("draft_n"), row.number("draft_n_accepted")
    if drafted and accepted is not None:
        if accepted > drafted:
            raise Refused(f"{accepted:g} drafts accepted of {drafted:g}", "no more accepted than drafted", "Give an unedited file.", line=line)
        values["acceptance_rate"] = accepted / drafted
    return Measurement(values, label=row.word("name"))
