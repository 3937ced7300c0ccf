"""MLPerf Inference: LoadGen's summary, and beside it the system and measurements JSON.

Each file is read by itself, and the caller merges: the summary holds the rates of the whole
system (all its cards), the system JSON the cards and software, the measurements JSON the
weights' type. Latencies are nanoseconds. "Tokens per second" (Offline) and "Completed
tokens per second" (Server, Interactive) count output tokens. In Offline a latency is the
time since the one query that holds every sample, so it is no latency of a request.
"""

from __future__ import annotations

import re

from cardbook.importers import serving
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import NS, Section

NAME = "mlperf"
_HEADING = "MLPerf Results Summary"
_ONLINE = ("Server", "Interactive")
_SYSTEM = ("accelerator_model_name", "accelerators_per_node", "number_of_nodes")
_WEIGHTS = ("weight_data_types", "starting_weights_filename")
_LATENCIES = (
    ("Mean latency (ns)", "{:.2f} percentile latency (ns)", "e2e"),
    ("Mean First Token latency (ns)", "{:.2f} percentile first token latency (ns)", "ttft"),
    ("Mean Time to Output Token (ns)", "{:.2f} percentile time to output token (ns)", "tpot"),
)


def recognise(raw: RawOutput) -> bool:
    """True for the summary, the two JSON files, and the detailed log (which `read` refuses)."""
    text = raw.text
    if _HEADING in text[:2_000] or text.startswith(":::MLLOG "):
        return True
    head = text[:50_000]
    return any(all(f'"{key}"' in head for key in keys) for keys in (_SYSTEM, _WEIGHTS))


def read(raw: RawOutput) -> list[Reading]:
    """One reading. Raises `Refused`, also for a result that is not VALID."""
    if raw.text.startswith(":::MLLOG "):
        raise Refused("LoadGen's detailed log", "mlperf_log_summary.txt", "Give mlperf_log_summary.txt of the same run.", line=1)
    if _HEADING in raw.text[:2_000]:
        return [_summary(raw)]
    box = Section(raw, serving.parse_json(raw, NAME), NAME)
    return [_system(box) if "accelerator_model_name" in box.value else _weights(box)]


def _summary(raw: RawOutput) -> Reading:
    found: dict[str, str] = {}
    for line, words in enumerate(raw.text.splitlines(), 1):
        label, colon, value = (part.strip() for part in words.partition(":"))
        if colon and found.setdefault(label, value) != value:
            raise Refused(f"two values for {label[:60]!r}", "the summary of one run", "Give one run's summary.", line=line)
    if "Test Parameters Used" not in raw.text or not re.search(r"(?m)^(?:No errors|\d+ errors?) encountered", raw.text):
        raise serving.truncated(raw, NAME, "the summary ends before its last line")
    scenario = found.get("Scenario", "")
    if found.get("Result is") != "VALID" or found.get("Mode") != "PerformanceOnly":
        raise Refused(
            f"a result that is {found.get('Result is', 'not stated')!r} in mode {found.get('Mode', 'not stated')!r}",
            "a VALID result of a performance run",
            "Give the summary of a valid performance run.",
            line=serving.line_of(raw, "Result is"),
        )
    online = scenario in _ONLINE
    if not online and scenario != "Offline":
        raise Refused(
            f"the scenario {scenario!r}",
            "Offline, Server or Interactive, which state tokens per second",
            "Give the summary of such a scenario.",
            line=serving.line_of(raw, "Scenario"),
        )
    prefix = "Completed tokens" if online else "Tokens"
    rate = _figure(raw, found, f"{prefix} per second")
    samples = _figure(raw, found, "Completed samples per second" if online else "Samples per second")
    if not rate or not samples:
        raise Refused("no rate of tokens and of samples", "the summary of a language model", "Give the summary of a language model's run.", line=1)
    one = Measurement({"phase": "serve", "tok_s": rate, "request_rate_per_s": samples, "generated_tokens": rate / samples}, label=scenario)
    reading = Reading(NAME, measurements=[one])
    if online:
        _latencies(raw, found, one)
    else:
        reading.lost.append(("e2e_s", "an Offline latency runs from the one query that holds every sample"))
    reading.questions.append(("tok_s", "Give the system description of the same result: the rates are of all its cards."))
    return serving.finish(reading)


def _figure(raw: RawOutput, found: dict[str, str], label: str, scale: float = 1.0) -> float | None:
    written = found.get(label)
    if written is None:
        return None
    return serving.from_text(written, label, NAME, serving.line_of(raw, label)) * scale


def _latencies(raw: RawOutput, found: dict[str, str], one: Measurement) -> None:
    for mean, shares, field in _LATENCIES:
        serving.put(one, **{f"{field}_s": _figure(raw, found, mean, NS)})
        for share in (50, 90, 95, 99):
            serving.put(one, **{f"{field}_p{share}_s": _figure(raw, found, shares.format(share), NS)})


def _system(box: Section) -> Reading:
    reading = Reading(NAME)
    nodes, per_node = _whole(box, "number_of_nodes"), _whole(box, "accelerators_per_node")
    reading.recipe |= serving.known(
        {"card_as_written": box.word("accelerator_model_name"), "os": box.word("operating_system"), "n_cards": nodes * per_node if nodes and per_node else None}
    )
    if not reading.recipe.get("card_as_written"):
        raise Refused(
            "a system description without an accelerator",
            "one with accelerator_model_name",
            "Give the description of the system that ran.",
            line=box.line("accelerator_model_name"),
        )
    told = ", ".join(text for text in (box.word("framework"), box.word("other_software_stack")) if text and text != "N/A")
    if told:
        reading.questions += [
            ("engine", f"Which engine? The description says: {told[:200]}"),
            ("engine_version", f"Which version of it? The description says: {told[:200]}"),
            ("driver", f"Which driver? The description says: {told[:200]}"),
        ]
    notes = box.word("hw_notes")
    if notes and notes != "N/A":
        reading.questions.append(("power_limit_w", f"Which power limit? The description says: {notes[:200]}"))
    return serving.finish(reading)


def _whole(box: Section, key: str) -> int | None:
    """A count, which these files give as a number or as text; None for any other text."""
    value = box.value.get(key)
    if isinstance(value, str):
        return int(value) if re.fullmatch(r"\d{1,6}", value.strip()) else None
    found = box.count(key)
    return found if found is not None and found < 1_000_000 else None


def _weights(box: Section) -> Reading:
    written = box.word("weight_data_types")
    if written is None:
        raise Refused(
            "no weight_data_types", "the weights' type as text", "Give the measurements JSON as it was submitted.", line=box.line("weight_data_types")
        )
    return serving.finish(Reading(NAME, recipe={"quant_as_written": written}))
