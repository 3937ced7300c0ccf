"""llama-benchy: JSON, CSV and Markdown of a client that measures an OpenAI endpoint.

The prompt rate is tokens over the time to the first response less an estimated latency,
and which tokens it counts depends on the run: with a cold cache a prompt at depth d is
computed whole (d + p tokens), after a `ctx` row only p; and where the server's chat
template adds tokens, the client sends fewer than the row says. The row itself tells:
rate × time is the number of tokens. Where that is none of these, the rate is left out.
`t/s (total)` is over all requests, `(req)` of one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import Section

NAME = "llama-benchy"

_TEST = re.compile(r"(ctx_pp|ctx_tg|pp(\d{1,9})|tg(\d{1,9}))(?: @ d(\d{1,9}))?(?: \(c(\d{1,6})\))?")
_FOOTER = re.compile(r"^llama-benchy \((\S{1,80})\)\s*\ndate: (\d{4}-\d\d-\d\d)[^|\n]*\| latency mode: (\w+)", re.MULTILINE)
_HEADER = re.compile(r"^\|[ ]*model[ ]*\|[ ]*test[ ]*\|[ ]*t/s[^|\n]*\|(?:[^\n]*\|)?[ ]*ttfr \(ms\)", re.MULTILINE)
_CSV = "model,test_name,t_s_mean,t_s_std"
_NEAR = 0.2  # the client takes the server's count of prompt tokens where it is within 20 %


@dataclass
class _Row:
    """One test. Rates in tokens/s (mean, deviation), times in seconds; None where there are none."""

    line: int | None
    phase: str
    context: bool
    prompt: int | None
    generated: int | None
    depth: int
    concurrency: int
    total: tuple[float, float | None]
    one: float | None
    prompt_s: float | None
    ttft_s: float | None
    values: list[float] | None = None
    counts: list[float] | None = None


def recognise(raw: RawOutput) -> bool:
    """True for the JSON report, the CSV's header, the table's columns, or its console log."""
    head = raw.text[:200_000].lstrip("\ufeff \r\n\t")
    if head.startswith("{"):
        return '"pp_throughput"' in head and '"is_context_prefill_phase"' in head
    return head.startswith((_CSV, "llama-benchy (")) or _HEADER.search(head) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading a model. Raises `Refused`."""
    head = raw.text.lstrip("\ufeff \r\n\t")
    if head.startswith("{"):
        return [_json(raw)]
    if head.startswith(_CSV):
        rows = [(row.cells["model"], _csv_row(row)) for row in text.delimited(raw, NAME).rows]
        return _readings(rows, None)
    tables = [one for one in text.md_tables(raw.text, NAME) if {"model", "test"} <= set(one.header)]
    if len(tables) != 1 or not tables[0].rows:
        raise Refused(f"{len(tables)} tables of results", "one", "Give the file that --save-result wrote, or the whole table of one run.")
    return _readings([(row.cells["model"], _md_row(row)) for row in tables[0].rows], _FOOTER.search(raw.text))


def _readings(rows: list[tuple[str, _Row]], footer: re.Match[str] | None) -> list[Reading]:
    if not rows:
        raise Refused("no result", "one row at least", "Run the benchmark to its end.")
    groups: dict[str, list[_Row]] = {}
    for model, row in rows:
        groups.setdefault(model, []).append(row)
    cached = any(row.context for _, row in rows)
    return [_reading(model, group, cached, footer.groups() if footer else (None, None, None), None) for model, group in groups.items()]


def _reading(model: str, rows: list[_Row], cached: bool, about: tuple[str | Any, ...], latency_s: float | None) -> Reading:
    version, date, mode = about
    reading = Reading(NAME, tool_version=version)
    reading.recipe |= serving.known(
        {"model_as_written": model or None, "measured_on": date, "prefix_cache": "on-repeated-prompts" if cached else None, "prompt": "text of a book"}
    )
    note = None
    if mode and mode != "none":
        by = f"{latency_s:.3g} s" if latency_s else "an estimated latency"
        note = f"the client takes {by} (mode {mode}) off the time to the first response"
    for i, row in enumerate(rows):
        one = _prefill(row, cached, note, reading) if row.phase == "prefill" else _decode(row, rows[i - 1] if i else None, cached, reading)
        if one is not None:
            reading.measurements.append(one)
    reading.lost.append(("tok_s", "the peak columns are the best second of a run, not its rate"))
    reading.questions.append(("engine", "Which engine served it? The client does not say."))
    if not reading.measurements:
        raise Refused(
            "results of which none can be told right", "token counts that agree with the rows", "Run it with the tokenizer and chat template of the model."
        )
    return text.finish(reading)


def _tokens(row: _Row, cached: bool) -> tuple[int, int] | None:
    """(tokens computed, depth before them) that the row's own rate and time agree with."""
    if row.prompt is None:
        return None
    counts = row.counts
    if counts is None:
        if row.one is None or row.prompt_s is None:
            return None
        counts = [row.one * row.prompt_s]
    for computed, depth in ((row.prompt, row.depth if cached and not row.context else 0), (row.prompt + row.depth, 0)):
        if depth == 0 and computed == row.prompt and row.depth and not row.context:
            continue  # a cold cache computes the context too
        if all(abs(count - computed) <= _NEAR * computed for count in counts):
            return computed, depth
    return None


def _prefill(row: _Row, cached: bool, note: str | None, reading: Reading) -> Measurement | None:
    told = _tokens(row, cached)
    if told is None:
        reading.lost.append(("tok_s", f"the prompt rate of {_label(row)} counts other tokens than the row says, or does not say which"))
        return None
    values: dict[str, Any] = {"phase": "prefill", "prompt_tokens": told[0], "depth_tokens": told[1], "concurrency": row.concurrency}
    values |= _rates(row) | serving.known({"ttft_s": row.ttft_s, "note": note})
    return Measurement(values, label=_label(row), line=row.line)


def _decode(row: _Row, last: _Row | None, cached: bool, reading: Reading) -> Measurement | None:
    values: dict[str, Any] = {"phase": "decode", "concurrency": row.concurrency} | _rates(row) | serving.known({"generated_tokens": row.generated})
    before = _before(row, last)
    told = None if before is None else _tokens(before, cached)
    if told is not None:
        values["depth_tokens"] = sum(told)
    else:
        reading.lost.append(("depth_tokens", f"the tokens before {_label(row)} are not those that its prompt row says"))
    return Measurement(values, label=_label(row), line=row.line)


def _before(row: _Row, found: _Row | None) -> _Row | None:
    """The prompt row of the same test, which comes just before its generation row."""
    same = found is not None and found.phase == "prefill" and (found.depth, found.concurrency, found.context) == (row.depth, row.concurrency, row.context)
    return found if same else None


def _rates(row: _Row) -> dict[str, Any]:
    if row.values and row.concurrency == 1:
        made = text.sample(row.values)
    else:
        made = {"tok_s": row.total[0], "tok_s_stddev": row.total[1] or None} | ({"repeats": len(row.values)} if row.values else {})
    if row.concurrency > 1:
        made["tok_s_per_stream"] = row.one
    return serving.known(made)


def _label(row: _Row) -> str:
    name = ("ctx_" if row.context else "") + ("pp" if row.phase == "prefill" else "tg") + ("" if row.context else str(row.prompt or row.generated or ""))
    return name + (f" @ d{row.depth}" if row.depth else "") + f" (c{row.concurrency})"


def _named(name: str, line: int) -> tuple[str, bool, int | None, int | None, int, int]:
    match = _TEST.fullmatch(name.strip())
    if match is None:
        raise Refused(f"the test {name[:60]!r}", "pp, tg, ctx_pp or ctx_tg", "Give the file as the tool wrote it.", line=line)
    depth, concurrency = int(match.group(4) or 0), int(match.group(5) or 1)
    context = match.group(1).startswith("ctx")
    prompt = depth if match.group(1) == "ctx_pp" else int(match.group(2)) if match.group(2) else None
    generated = int(match.group(3)) if match.group(3) else None
    if concurrency < 1 or (prompt == 0 and match.group(2)):
        raise Refused("a test of no tokens", "tokens", "Give the file as the tool wrote it.", line=line)
    return ("prefill" if prompt is not None else "decode"), context, prompt, generated, depth, concurrency


def _made(name: str, line: int, total: tuple[float, float | None], one: float | None, prompt_ms: float | None, ttft_ms: float | None) -> _Row:
    text.positive(total[0], "t/s", NAME, line)
    prompt_s, ttft_s = (None if ms is None else ms * serving.MS for ms in (prompt_ms, ttft_ms))
    shape = _named(name, line)
    return _Row(line, *shape, total, one if one is not None else total[0] if shape[5] == 1 else None, prompt_s, ttft_s)


def _csv_row(row: text.Row) -> _Row:
    def number(column: str) -> float | None:
        written = row.cells.get(column, "")
        return text.figure(written, column, NAME, row.line) if written.strip() else None

    mean = number("t_s_mean")
    if mean is None:
        raise Refused("a row without a rate", "t_s_mean", "Give the file as the tool wrote it.", line=row.line)
    return _made(row.cells["test_name"], row.line, (mean, number("t_s_std")), number("t_s_req_mean"), number("est_ppt_mean"), number("e2e_ttft_mean"))


def _md_row(row: text.Row) -> _Row:
    def pair(*columns: str) -> tuple[float, float | None] | None:
        written = next((row.cells[column] for column in columns if row.cells.get(column)), None)
        return None if written is None else text.plus_minus(written, columns[0], NAME, row.line)

    total, one = pair("t/s (total)", "t/s"), pair("t/s (req)")
    if total is None:
        raise Refused("a row without a rate", "t/s", "Give the table as the tool wrote it.", line=row.line)
    prompt, ttft = pair("est_ppt (ms)"), pair("e2e_ttft (ms)")
    return _made(row.cells["test"], row.line, total, one[0] if one else None, prompt[0] if prompt else None, ttft[0] if ttft else None)


def _json(raw: RawOutput) -> Reading:
    box = Section(raw, text.strict_json(raw, NAME), NAME)
    cached = box.value.get("prefix_caching_enabled")
    if not isinstance(cached, bool):
        raise Refused("a report that does not say whether prefixes were cached", "prefix_caching_enabled", "Use a release that writes it.", line=1)
    rows: list[_Row] = []
    for one in box.rows("benchmarks"):
        rows += _json_rows(one)
    about = (box.word("version"), serving.iso_date(box.word("timestamp")), box.word("latency_mode"))
    return _reading(box.word("model") or "", rows, cached, about, box.number("latency_ms", serving.MS))


def _json_rows(one: Section) -> list[_Row]:
    counts = [one.count(key) for key in ("prompt_size", "response_size", "context_size", "concurrency")]
    prompt, generated, depth, concurrency = counts
    if prompt is None or generated is None or depth is None or not concurrency:
        raise Refused(
            f"{one.at} without its sizes",
            "prompt_size, response_size, context_size, concurrency",
            "Give the file as the tool wrote it.",
            line=one.line("benchmarks"),
        )
    context = one.value.get("is_context_prefill_phase") is True
    found: list[_Row] = []
    ppt, ttft = one.maybe("est_ppt"), one.maybe("e2e_ttft")
    for phase, key in (("prefill", "pp"), ("decode", "tg")):
        total, single = one.maybe(f"{key}_throughput"), one.maybe(f"{key}_req_throughput")
        mean = total.number("mean")
        if mean is None:
            continue
        text.positive(mean, f"{key}_throughput", NAME, None)
        counted = _counts(single, ppt) if phase == "prefill" else None
        found.append(
            _Row(
                None, phase, context, (depth if context else prompt) if phase == "prefill" else None, generated if phase == "decode" else None,
                depth, concurrency, (mean, total.number("std")), single.number("mean"), ppt.number("mean", serving.MS), ttft.number("mean", serving.MS),
                _numbers(total) or None, counted,
            )
        )  # fmt: skip
    return found


def _numbers(box: Section) -> list[float]:
    found = box.value.get("values")
    if found is None:
        return []
    if not isinstance(found, list) or len(found) > text.MAX_ROWS:
        raise Refused(f"{box.at}.values is no list", "one figure a run", "Give the file as the tool wrote it.", line=box.line("values"))
    return [text.positive(serving.to_number(one, box.at, NAME, None), box.at, NAME, None) for one in found]


def _counts(rates: Section, times: Section) -> list[float] | None:
    """Tokens of each request: its rate times its time."""
    both = _numbers(rates), _numbers(times)
    if not both[0] or len(both[0]) != len(both[1]):
        return None
    return [rate * ms * serving.MS for rate, ms in zip(*both, strict=True)]
