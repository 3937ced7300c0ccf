"""llama-cli, llama-completion, the old main, and llama-speculative-simple (llama.cpp).

`runs` counts timed steps, one less than the generated tokens. The prefix of the lines
changed twice. The new llama-cli prints two rates without counts: what they divide cannot
be told. With speculation the `prompt eval` line counts verification batches as prompt and
the `eval` line says inf: there only `decoded N tokens` is read.
"""

from __future__ import annotations

import re

from cardbook.importers import llama_timings, serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused

NAME = "llama-cli"

_RATES = re.compile(r"^\[ Prompt: \S+ t/s \| Generation: \S+ t/s \]\s*$", re.MULTILINE)
_TOOL = re.compile(r"llama_completion: |generate: n_ctx = \d+|\bn_drafted\s+= \d", re.MULTILINE)
_MAIN = re.compile(r"^main: build = \d+ \(", re.MULTILINE)  # other old tools print it too, but no sampling
_PERF = re.compile(r"llama_print_timings:|llama_perf_context_print:|common_perf_print:")
_OTHER = re.compile(r"^perplexity: |kl_divergence|Final estimate: PPL|slot +print_timing", re.MULTILINE)
_SAMPLED = re.compile(r"sample time =\s*[\d.]+ ms /\s*(\d+) runs")
_SAMPLERS = re.compile(r"samplers time =\s*[\d.]+ ms /\s*(\d+) tokens")
_BUILD = re.compile(r"build(?: =|:) (\d{1,9}) \(([0-9a-f]{6,40})\)")
_MODEL = re.compile(r"tensors from (\S[^\n]{0,500}?) \(version GGUF")
_OFFLOADED = re.compile(r"offloaded (\d{1,4})/(\d{1,4}) layers to GPU")
_CONTEXT = re.compile(r"generate: n_ctx = (\d{1,9})")
_ENCODED = re.compile(r"encoded\s+(\d{1,9}) tokens in\s+([\d.]+) seconds")
_DECODED = re.compile(r"decoded\s+(\d{1,9}) tokens in\s+([\d.]+) seconds, speed:\s+(\S+) t/s")
_DRAFT = re.compile(r"loading draft model '([^'\n]{1,500})'")
_BENCH = re.compile(r"n_kv_max = |\| +model +\|")


def recognise(raw: RawOutput) -> bool:
    """True for a run of one of these tools: its own lines, beside the timings or without."""
    if _RATES.search(raw.text):
        return True
    main = _MAIN.search(raw.text) is not None and _SAMPLED.search(raw.text) is not None
    return (main or _TOOL.search(raw.text) is not None) and _OTHER.search(raw.text) is None and _BENCH.search(raw.text) is None


def read(raw: RawOutput) -> list[Reading]:
    """One reading: prefill and decode of one prompt. Raises `Refused`."""
    llama_timings.refuse_synthetic(raw)
    if _RATES.search(raw.text) and not _PERF.search(raw.text):
        raise Refused(
            "two rates without the tokens they count",
            "the timings with their counts",
            "Use llama-bench, or llama-completion, which prints the counts on standard error.",
            line=_line(raw, _RATES),
        )
    reading = Reading(NAME, recipe={"engine": "llama.cpp"})
    _settings(raw.text, reading)
    if _DECODED.search(raw.text):
        _speculative(raw, reading)
    else:
        reading.measurements += llama_timings.measurements(_timings(raw), NAME, reading)
        for one in reading.measurements:
            one.values["concurrency"] = 1
    if not reading.measurements:
        raise Refused("a run in which nothing was timed", "a prompt and two generated tokens at least", "Run it again with more tokens (-n).")
    return [text.finish(reading)]


def _line(raw: RawOutput, pattern: re.Pattern[str]) -> int | None:
    found = pattern.search(raw.text)
    return None if found is None else raw.text.count("\n", 0, found.start()) + 1


def _settings(log: str, reading: Reading) -> None:
    builds, models = set(_BUILD.findall(log)), {text.base_name(name) for name in _MODEL.findall(log)}
    if len(builds) > 1:
        raise Refused("two builds in one log", "the log of one run", "Give each run in a file of its own.")
    for number, commit in builds:
        llama_timings.fingerprint(f"b{number}-{commit}", reading)
    offloaded, context = set(_OFFLOADED.findall(log)), _CONTEXT.search(log)
    if len(models) == 1:
        model = models.pop()
        reading.recipe |= {"model_as_written": model} | serving.known({"quant_as_written": text.quant_in(model)})
    if len(offloaded) == 1:
        layers, of = offloaded.pop()
        reading.recipe["host_offload"] = "none" if layers == of else "layers"
    if context:
        reading.recipe["context_tokens"] = int(context.group(1))


def _timings(raw: RawOutput) -> llama_timings.Timings:
    prompts, steps = list(llama_timings.PROMPT.finditer(raw.text)), list(llama_timings.EVAL.finditer(raw.text))
    if not steps and not prompts:
        raise Refused("no timings: the run ended before them, or had --no-perf", "the timings that end a run", "Run it again without --no-perf, to its end.")
    if len(steps) != 1 or len(prompts) != 1:
        raise Refused(
            f"{len(prompts)} prompt timings and {len(steps)} generation timings",
            "one run",
            "Give each run in a file of its own, whole.",
            line=raw.text.count("\n", 0, (steps or prompts)[-1].start()) + 1,
        )
    line = raw.text.count("\n", 0, steps[0].start()) + 1
    made = llama_timings.printed(prompts[0], steps[0], NAME, line, runs=True)
    made.prompt = made.computed
    _one_turn(raw.text, made)
    return made


def _one_turn(log: str, made: llama_timings.Timings) -> None:
    """In a conversation the counts add up over its turns, and the depth is of none of them."""
    sampled, samplers = _SAMPLED.search(log), _SAMPLERS.search(log)
    turns = (sampled is not None and int(sampled.group(1)[:12]) != made.generated) or (
        samplers is not None and int(samplers.group(1)[:12]) != made.computed + made.generated
    )
    if turns:
        raise Refused(
            "sampled tokens that are not one more than the timed steps",
            "one prompt and its answer",
            "Run it without conversation (-no-cnv), once.",
            line=made.line,
        )


def _speculative(raw: RawOutput, reading: Reading) -> None:
    encoded, decoded = _ENCODED.search(raw.text), _DECODED.search(raw.text)
    counts = {key: int(value) for key, value in re.findall(r"\b(n_draft|n_predict|n_drafted|n_accept)\s+= (\d{1,9})(?!\d)", raw.text)}
    if encoded is None or decoded is None or len(counts) != 4:
        raise Refused("the end of a speculative run without all its counts", "n_draft, n_predict, n_drafted and n_accept", "Give the whole output.")
    line = _line(raw, _DECODED)
    generated, seconds = int(decoded.group(1)), text.positive(text.figure(decoded.group(2), "the decode time", NAME, line), "the decode time", NAME, line)
    rate = text.figure(decoded.group(3), "the decode rate", NAME, line)
    text.require_product(generated, rate, seconds, (0.001, 0.001), NAME, line)
    accepted, drafted = counts["n_accept"], counts["n_drafted"]
    if counts["n_predict"] != generated or accepted > drafted or accepted >= generated:
        raise Refused("counts of drafts that do not fit together", "n_predict tokens, accepted ones below", "Give unedited output.", line=line)
    drafts = {text.base_name(name) for name in _DRAFT.findall(raw.text)}
    reading.recipe |= {"draft_tokens": counts["n_draft"]} | ({"draft_model": drafts.pop(), "speculation": "draft"} if len(drafts) == 1 else {})
    prompt = int(encoded.group(1))
    # Each step gives the accepted drafts and one token of the model itself.
    values = {
        "phase": "decode",
        "generated_tokens": generated,
        "depth_tokens": prompt,
        "concurrency": 1,
        "tok_s": generated / seconds,
        "accepted_per_step": accepted / (generated - accepted),
    }
    if drafted:
        values["acceptance_rate"] = accepted / drafted
    reading.measurements.append(Measurement(values, label="decoded", line=line))
    reading.questions.append(("command", llama_timings.SYNTHETIC_QUESTION))
    reading.lost.append(("tok_s", f"the prompt of {prompt} tokens is too short to time, and the perf lines count verification batches as prompt"))
