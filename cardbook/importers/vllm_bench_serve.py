"""vLLM's serving client: `vllm bench serve` (before 2025 `benchmark_serving.py`).

Reads its result JSON (layouts of 2024, 2025 and later), its printed block, and a wrapper
that keeps the printed text under `raw_output`. The summary is in milliseconds and tokens a
second over all streams. The client need not have talked to vLLM, so the engine stays open.

TPOT is (e2e - ttft) / (n - 1), without the first token. Inter-token latency is a gap
between chunks: under speculation a chunk is a step, so it is never taken for TPOT. The
peak rate is the busiest second and counts chunks; it is no throughput and is left out.
"""

from __future__ import annotations

import re
from typing import Any

from cardbook.importers import serving
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import MS, Section

NAME = "vllm-bench-serve"
_BLOCK = "Serving Benchmark Result ="
_END = re.compile(r"^={20,}[ \t\r]*$", re.MULTILINE)
_LINE = re.compile(r"^([A-Za-z][^:\n]*?):[ \t]+([^\s]+)[ \t]*$", re.MULTILINE)
_STATISTICS = (
    ("mean_{}_ms", "{}_s"),
    ("median_{}_ms", "{}_p50_s"),
    ("p50_{}_ms", "{}_p50_s"),
    ("p90_{}_ms", "{}_p90_s"),
    ("p95_{}_ms", "{}_p95_s"),
    ("p99_{}_ms", "{}_p99_s"),
)
_METRICS = (("ttft", "ttft"), ("tpot", "tpot"), ("e2el", "e2e"))

# Label in the printed block (lower case: it changed case between versions) to field of the JSON.
_LABELS = {
    "successful requests": "completed",
    "failed requests": "failed",
    "request rate configured (rps)": "request_rate",
    "maximum request concurrency": "max_concurrency",
    "benchmark duration (s)": "duration",
    "total input tokens": "total_input_tokens",
    "total generated tokens": "total_output_tokens",
    "request throughput (req/s)": "request_throughput",
    "request goodput (req/s)": "request_goodput",
    "output token throughput (tok/s)": "output_throughput",
    "total token throughput (tok/s)": "total_token_throughput",
    "acceptance rate (%)": "spec_decode_acceptance_rate",
    "acceptance length": "spec_decode_acceptance_length",
    "drafts": "spec_decode_num_drafts",
    "draft tokens": "spec_decode_draft_tokens",
    "accepted tokens": "spec_decode_accepted_tokens",
}
_LATENCY = re.compile(r"(mean|median|p\d\d) (ttft|tpot|e2el) \(ms\)")


def recognise(raw: RawOutput) -> bool:
    """True for the result JSON, the printed block, or a wrapper around that block."""
    text = raw.text
    if "retokenized" in text:  # SGLang's client prints and writes much of the same
        return False
    if _BLOCK in text:
        return True
    return all(f'"{key}"' in text for key in ("num_prompts", "output_throughput", "total_token_throughput", "mean_tpot_ms"))


def read(raw: RawOutput) -> list[Reading]:
    """One reading; one measurement for each result in the file. Raises `Refused`."""
    text = raw.text
    if not text.lstrip("\ufeff \r\n\t").startswith("{"):
        return [_from_blocks(raw, text)]
    box = Section(raw, serving.parse_json(raw, NAME), NAME)
    wrapped = box.word("raw_output")
    if wrapped is None:
        return [_finish(raw, [_measure(box, exact=True)], box)]
    if box.value.get("success") is False:
        raise Refused("the wrapper says that the benchmark failed", "a finished run", "Run the benchmark again.", line=box.line("success"))
    reading = _from_blocks(raw, wrapped)
    for one in reading.measurements:  # a line inside the wrapped text is no line of the file
        one.line = box.line("raw_output")
    return [reading]


def _from_blocks(raw: RawOutput, text: str) -> Reading:
    serving.refuse_faked_acceptance(raw, text)
    pieces = text.split(_BLOCK)
    if len(pieces) < 2:
        raise serving.truncated(raw, NAME, "no result block in it")
    line = 1 + pieces[0].count("\n")
    found = []
    for piece in pieces[1:]:
        end = _END.search(piece, piece.find("\n"))
        if end is None:
            raise serving.truncated(raw, NAME, "a result without its closing line of equals signs", line + piece.count("\n"))
        one = _measure(Section(raw, _fields(piece[: end.start()], line), NAME), exact=False)
        one.line = line
        found.append(one)
        line += piece.count("\n")
    reading = _finish(raw, found, None)
    _arguments(pieces[0], reading)
    return reading


def _fields(piece: str, first: int) -> dict[str, Any]:
    """The labelled figures of one printed block, under the names that the JSON uses."""
    made: dict[str, Any] = {}
    for match in _LINE.finditer(piece):
        label, value = match.group(1).strip().lower(), match.group(2)
        latency = _LATENCY.fullmatch(label)
        key = f"{latency.group(1)}_{latency.group(2)}_ms" if latency else _LABELS.get(label)
        if key is None or value == "None" or (key == "request_rate" and value == "inf"):
            continue
        if key in made:
            raise Refused(
                f"{label!r} stands twice in one result",
                "one result under each heading",
                "Give the text as it was printed.",
                line=first + piece.count("\n", 0, match.start()),
            )
        made[key] = serving.from_text(value, label, NAME, first + piece.count("\n", 0, match.start()))
    return made


def _measure(box: Section, *, exact: bool) -> Measurement:
    duration, completed = box.needed("duration"), box.needed("completed")
    taken, made = box.needed("total_input_tokens"), box.needed("total_output_tokens")
    serving.refuse_nothing_done(completed, made, box.raw)
    if duration <= 0:
        raise Refused("the duration is 0 s", "the duration of a run", "Give the whole result file.", line=box.line("duration"))
    one = Measurement({"phase": "serve"}, line=None)
    rate, total = box.needed("output_throughput"), box.number("total_token_throughput")
    # A printed figure has two decimals: five thousandths of a slow rate is much of it.
    loose = 1e-6 if exact else 0.002 + 0.006 / min(rate or 1.0, duration)
    serving.require_equal("output_throughput", rate, made / duration, loose, box.raw)
    serving.require_equal("total_token_throughput", total, (taken + made) / duration, loose, box.raw)
    serving.put(
        one,
        requests=completed,
        duration_s=duration,
        prompt_tokens=taken / completed,
        generated_tokens=made / completed,
        tok_s=rate,
        total_tok_s=total,
        request_rate_per_s=box.number("request_throughput"),
        concurrency=box.number("max_concurrency"),
    )
    for written, field in _METRICS:
        for pattern, target in _STATISTICS:
            serving.put(one, **{target.format(field): box.number(pattern.format(written), MS)})
    _failures(box, one, completed)
    _speculation(box, one)
    return one


def _failures(box: Section, one: Measurement, completed: float) -> None:
    asked, failed = box.number("num_prompts"), box.number("failed")
    if failed is None and asked is not None:
        failed = max(asked - completed, 0.0)
    serving.count_failures(one, failed, asked if asked is not None else completed + (failed or 0.0))
    goodput = box.number("request_goodput")
    if goodput is not None:
        serving.note(one, f"goodput {goodput:g} requests/s within the limits that the client was given")


def _speculation(box: Section, one: Measurement) -> None:
    """Acceptance scraped from the server: a percentage, and a length that includes the bonus token."""
    percent, length = box.number("spec_decode_acceptance_rate"), box.number("spec_decode_acceptance_length")
    rate = None if percent is None else percent * serving.PERCENT
    steps, drafted = box.number("spec_decode_num_drafts"), box.number("spec_decode_draft_tokens")
    accepted = box.number("spec_decode_accepted_tokens")
    extra = None if length is None else length - 1.0
    if accepted is not None and drafted:
        serving.require_equal("the acceptance rate", rate, accepted / drafted, 0.01, box.raw)
        rate = accepted / drafted
    if accepted is not None and steps:
        serving.require_equal("the acceptance length", length, 1.0 + accepted / steps, 0.01, box.raw)
        extra = accepted / steps
    if (rate or 0.0) > 1.0 or (extra or 0.0) < 0.0:
        raise Refused(
            "an acceptance rate above 100 % or a length below 1",
            "accepted drafts among the drafted ones",
            "Give the file as the tool wrote it.",
            line=box.line("spec_decode_acceptance_rate"),
        )
    serving.put(one, acceptance_rate=rate, accepted_per_step=extra, draft_tokens=drafted / steps if drafted and steps else None)


def _finish(raw: RawOutput, found: list[Measurement], box: Section | None) -> Reading:
    reading = Reading(NAME, measurements=found)
    if box is not None:
        serving.refuse_faked_acceptance(raw)
        reading.recipe |= serving.known({"model_as_written": box.word("model_id"), "measured_on": serving.iso_date(box.word("date"))})
        _tokenizer(reading, box.word("model_id"), box.word("tokenizer_id"))
        _empty_answers(reading, box)
    if any("acceptance_rate" in one.values for one in found):
        reading.questions.append(("speculation", "The run speculated: with a draft model, MTP, EAGLE, n-grams …?"))
    return serving.finish(reading)


def _tokenizer(reading: Reading, model: str | None, tokenizer: str | None) -> None:
    if model and tokenizer and model != tokenizer:
        reading.questions.append(("tok_s", f"Is {tokenizer} the tokenizer of {model}? The client counted with it where the server gave no usage."))


def _empty_answers(reading: Reading, box: Section) -> None:
    """Old clients count a request that returned nothing as completed, with a TTFT of zero."""
    lengths, times = box.value.get("output_lens"), box.value.get("ttfts")
    if not isinstance(lengths, list) or not isinstance(times, list):
        return
    if any(length == 0 and time == 0 for length, time in zip(lengths, times, strict=False)):
        for one in reading.measurements:
            serving.drop(one, "ttft_s", "e2e_s")
            serving.note(one, "some of the requests counted as completed returned no token")
        reading.lost.append(("ttft_s", "requests that returned no token count as completed with a time of zero, so the statistics are too low"))


def _arguments(head: str, reading: Reading) -> None:
    """What the client's own argument line, printed before the block, says."""
    if "Namespace(" not in head:
        return
    model = re.search(r"[(\s]model='([^']+)'", head)
    if model:
        reading.recipe["model_as_written"] = model.group(1)
    dataset = re.search(r"dataset_name='([^']+)'", head)
    if dataset:
        reading.recipe["prompt"] = f"{dataset.group(1)} dataset of the client"
    tokenizer = re.search(r"[(\s]tokenizer='([^']+)'", head)
    _tokenizer(reading, reading.recipe.get("model_as_written"), tokenizer.group(1) if tokenizer else None)
    reading.questions[:] = [asked for asked in reading.questions if not (asked[0] == "model" and model)]
