"""llama.cpp's own timings, as its server and its command-line tools print them.

The first token comes out of the prompt pass, so n generated tokens take n - 1 timed steps.
Builds of 2025 print n over that time, newer ones (n - 1); the rate here is always (n - 1)
over the time, computed from the counts, and what is printed must be one of the two.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused

PROMPT = re.compile(r"prompt eval time =\s*([\d.]+) ms /\s*(\d+) tokens \(\s*\S+ ms per token,\s*(\S+) tokens per second\)")
EVAL = re.compile(r"(?<!prompt )eval time =\s*([\d.]+) ms /\s*(\d+) (?:tokens|runs)\s*\(\s*\S+ ms per token,\s*(\S+) tokens per second\)")
DRAFTS = re.compile(r"draft acceptance(?: rate)? =\s*[\d.]+ \(\s*(\d+) accepted /\s*(\d+) generated\)")
_SYNTHETIC = re.compile(r"synthetic acceptance: |LLAMA_ARG_SPEC_SYNTH")
_FINGERPRINT = re.compile(r"b(\d{1,9})-([0-9a-f]{6,40})")

SYNTHETIC_QUESTION = (
    "What was the exact command of the server? Timings of a run with --spec-synth-len or --spec-synth-rates "
    "(or LLAMA_ARG_SPEC_SYNTH_* in the environment) look like those of an honest one, and such a run is no measurement."
)
KIND_QUESTION = "The server drafted tokens: by a draft model, MTP, EAGLE, n-grams …?"


@dataclass
class Timings:
    """One request. Times in seconds; None where the output does not say.

    `prompt` is the whole prompt, `computed` the part of it that was not in the cache.
    """

    computed: int
    prompt_s: float
    generated: int
    generate_s: float
    prompt: int | None = None
    prompt_rate: float | None = None
    generate_rate: float | None = None
    drafted: int | None = None
    accepted: int | None = None
    line: int | None = None
    label: str | None = None


def refuse_synthetic(raw: RawOutput) -> None:
    """Refuses output that shows a faked acceptance of drafts."""
    serving.refuse_faked_acceptance(raw)
    found = _SYNTHETIC.search(raw.text)
    if found:
        raise Refused(
            f"the output shows {found.group().strip(': ')!r}, which fakes the acceptance of drafts",
            "a run in which the model decided which drafts to accept",
            "Run it again without --spec-synth-len and --spec-synth-rates.",
            line=raw.text.count("\n", 0, found.start()) + 1,
        )


def fingerprint(words: str | None, reading: Reading) -> None:
    """The build in `b6111-7ad67ba9`; a number of 0 or 1 tells nothing, the commit does."""
    match = _FINGERPRINT.fullmatch(words or "")
    if match:
        reading.recipe["engine_commit"] = reading.tool_version = match.group(2)
        if int(match.group(1)) > 1:
            reading.recipe["engine_version"] = reading.tool_version = f"b{match.group(1)}"


def measurements(found: Timings, tool: str, reading: Reading) -> list[Measurement]:
    """Prefill (unless part of the prompt was cached) and decode. Raises `Refused`."""
    if found.prompt is not None and found.prompt < found.computed:
        raise _disagree(found, tool, f"{found.computed} prompt tokens were computed of {found.prompt}")
    made = [one for one in (_prefill(found, tool, reading), _decode(found, tool, reading)) if one is not None]
    return made


def _prefill(found: Timings, tool: str, reading: Reading) -> Measurement | None:
    if found.computed < 1 or found.prompt_s <= 0:
        reading.lost.append(("tok_s", "no prompt token was computed, or its time is 0"))
        return None
    rate = found.computed / found.prompt_s
    if found.prompt_rate is not None and not math.isclose(rate, found.prompt_rate, rel_tol=0.01):
        raise _disagree(found, tool, f"the prompt rate is {found.prompt_rate:g} and its counts make it {rate:g}")
    if found.prompt is None:
        reading.lost.append(("tok_s", "whether part of the prompt was cached cannot be told, so its rate may be of a few tokens"))
        return None
    if found.prompt > found.computed:
        cached = found.prompt - found.computed
        reading.lost.append(("tok_s", f"{cached} of {found.prompt} prompt tokens came from the cache: the prompt rate is of the other {found.computed} only"))
        return None
    values = {"phase": "prefill", "prompt_tokens": found.prompt, "depth_tokens": 0, "cached_prompt_tokens": 0, "tok_s": rate}
    return Measurement(values, label=found.label, line=found.line)


def _decode(found: Timings, tool: str, reading: Reading) -> Measurement | None:
    if found.generated < 2 or found.generate_s <= 0:
        reading.lost.append(("tok_s", "one generated token takes no timed step"))
        return None
    rate = (found.generated - 1) / found.generate_s
    if found.generate_rate is not None:
        old = math.isclose(found.generated / found.generate_s, found.generate_rate, rel_tol=2e-3)
        if old:
            reading.lost.append(("tok_s", text.FIRST_TOKEN))
        elif not math.isclose(rate, found.generate_rate, rel_tol=0.01):
            raise _disagree(found, tool, f"the decode rate is {found.generate_rate:g} and its counts make it {rate:g}")
    one = Measurement({"phase": "decode", "generated_tokens": found.generated, "tok_s": rate}, label=found.label, line=found.line)
    if found.prompt is not None:
        one.values |= {"depth_tokens": found.prompt}
    _drafts(found, tool, one, reading)
    return one


def _drafts(found: Timings, tool: str, one: Measurement, reading: Reading) -> None:
    if not found.drafted:
        return
    accepted = found.accepted or 0
    if accepted > found.drafted or accepted >= found.generated:
        raise _disagree(found, tool, f"{accepted} drafts accepted of {found.drafted}, with {found.generated} tokens generated")
    one.values["acceptance_rate"] = accepted / found.drafted
    asked = {field for field, _ in reading.questions}
    if reading.recipe.get("speculation") is None and "speculation" not in asked:
        reading.questions.append(("speculation", KIND_QUESTION))
    if "command" not in asked:
        reading.questions.append(("command", SYNTHETIC_QUESTION))
    if all(field != "accepted_per_step" for field, _ in reading.lost):
        reading.lost.append(("accepted_per_step", "the number of steps is not given; the log's mean length counts only steps that drafted"))


def _disagree(found: Timings, tool: str, what: str) -> Refused:
    return Refused(f"{what} in the output of {tool}", "figures that follow from each other", "Give unedited output.", line=found.line)


def printed(prompt: re.Match[str] | None, generated: re.Match[str], tool: str, line: int | None, runs: bool) -> Timings:
    """The timings of two printed lines. `runs` counts timed steps, else generated tokens."""

    def rate(words: str) -> float | None:
        # `inf` stands where no time was measured; it is no rate.
        return None if words == "inf" else text.figure(words, "a rate", tool, line)

    made = Timings(
        computed=0,
        prompt_s=0.0,
        generated=text.whole(generated.group(2), "the generated tokens", tool, line) + (1 if runs else 0),
        generate_s=text.figure(generated.group(1), "the eval time", tool, line) * serving.MS,
        generate_rate=rate(generated.group(3)),
        line=line,
    )
    if prompt is not None:
        made.computed = text.whole(prompt.group(2), "the prompt tokens", tool, line)
        made.prompt_s = text.figure(prompt.group(1), "the prompt time", tool, line) * serving.MS
        made.prompt_rate = rate(prompt.group(3))
    return made
