"""ExLlama's speed tests: v2 `-s`, v3 eval/perf.py, and v1's benchmark.

Lengths and positions are in tokens, one stream. v1's first pass is a cold start and its MB
may be of either kind: both are left out. None of them names a card.
"""

from __future__ import annotations

import re

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused

NAME = "exllama"

_ANSI = re.compile(r"\x1b?\[[0-9;]{1,8}m")
_V2_PROMPT = re.compile(r" ?\*\* Length +(\d+) tokens: +(\S+) t/s")
_V2_TOKEN = re.compile(r" ?\*\* Position +(\d+) \+ +(\d+) tokens: +(\S+) t/s")
_V3_PROMPT = re.compile(r" *(?:-- )?Length +(\d+): +(\S+) tokens/s")
_V3_TOKEN = re.compile(r" *(?:-- )?Context +(\d+): +(\S+) tokens/s")
_V1_SPEED = re.compile(r" ?\*\* Speed: (\S+) tokens/second")
_V1_COUNT = re.compile(r" ?-- Generating (\d+) tokens")
_V1_LENGTH = re.compile(r" ?-- Sequence length: (\d+)")
_V1_MODEL = re.compile(r" ?-- Model: (\S.*)")
_MIXED = re.compile(r"Response generated in [^\n]{1,100} tokens/second \(includes prompt eval")
_KNOWN = re.compile(r"\*\* (?:Length +\d+ tokens:|Position +\d+ \+|Speed: \S+ tokens/second)|-- Inference, first pass|(?:Length|Context) +\d+: +\S+ tokens/s")


def recognise(raw: RawOutput) -> bool:
    """True for the lines of the speed tests."""
    head = _ANSI.sub("", raw.text[:200_000])
    return _KNOWN.search(head) is not None or _MIXED.search(head) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading with prefill and decode at each length. Raises `Refused`."""
    source = _ANSI.sub("", raw.text)
    mixed = _MIXED.search(source)
    if mixed:
        raise Refused("a rate that includes the prompt", "prefill and decode apart", "Run the speed test (-s).", line=source.count("\n", 0, mixed.start()) + 1)
    reading = _first(source) if "first pass" in source else _speeds(source)
    if not reading.measurements:
        raise Refused("a speed test without a result", "one length or position at least", "Run it again to its end.")
    return [text.finish(reading)]


def _speeds(source: str) -> Reading:
    reading = Reading(NAME, recipe={"speculation": "none", "prefix_cache": "off"})
    versions = set()
    for number, line in text.lines(source):
        for version, pattern, prompt in ((2, _V2_PROMPT, True), (2, _V2_TOKEN, False), (3, _V3_PROMPT, True), (3, _V3_TOKEN, False)):
            match = pattern.fullmatch(line.rstrip()) if len(line) < 200 else None
            if match:
                versions.add(version)
                reading.measurements.append(_one(match, number, prompt))
        if re.search(r"\*\* (?:Length|Position)", line) and not (_V2_PROMPT.fullmatch(line.rstrip()) or _V2_TOKEN.fullmatch(line.rstrip())):
            raise Refused("a line that is cut off or of another version", "a length or position with its rate", "Give the whole output.", line=number)
    if len(versions) > 1:
        raise Refused("the output of two versions", "one run", "Give each run in a file of its own.")
    shapes = [(one.values["phase"], one.values.get("prompt_tokens"), one.values.get("depth_tokens")) for one in reading.measurements]
    if len(set(shapes)) != len(shapes):
        raise Refused("two results for one length", "one run", "Give each run in a file of its own.")
    reading.recipe["engine"] = "exllamav3" if versions == {3} else "exllamav2"
    return reading


def _one(match: re.Match[str], line: int, prompt: bool) -> Measurement:
    numbers = [text.whole(part, "a length", NAME, line) for part in match.groups()[:-1]]
    rate = text.positive(text.figure(match.groups()[-1], "a rate", NAME, line), "a rate", NAME, line)
    if prompt:
        values = {"phase": "prefill", "prompt_tokens": numbers[0], "depth_tokens": 0, "concurrency": 1, "tok_s": rate}
    else:
        values = {"phase": "decode", "depth_tokens": numbers[0], "concurrency": 1, "tok_s": rate}
        values |= {"generated_tokens": numbers[1]} if len(numbers) > 1 else {}
    return Measurement(values, label=" ".join(match.group().split(":")[0].strip(" *-").split()), line=line)


def _first(source: str) -> Reading:
    """v1: the generation that follows its first pass."""
    reading = Reading(NAME, recipe={"engine": "exllamav1", "speculation": "none"})
    count, length = _V1_COUNT.search(source), _V1_LENGTH.search(source)
    after = source[count.end() :] if count else ""
    speed = _V1_SPEED.search(after)
    if count is None or speed is None or len(_V1_COUNT.findall(source)) > 1:
        raise Refused("a benchmark without one generation and its speed", "the whole output of one run", "Run it again to its end.")
    line = source.count("\n", 0, count.end() + speed.start()) + 1
    generated = text.whole(count.group(1), "the generated tokens", NAME, line)
    rate = text.positive(text.figure(speed.group(1), "the speed", NAME, line), "the speed", NAME, line)
    values = {"phase": "decode", "generated_tokens": generated, "concurrency": 1, "tok_s": rate}
    if length:
        depth = text.whole(length.group(1), "the sequence length", NAME, line) - generated
        if depth < 0:
            raise Refused("more tokens generated than the sequence is long", "a sequence of prompt and answer", "Give unedited output.", line=line)
        values["depth_tokens"] = depth
    reading.measurements.append(Measurement(values, label="generation", line=line))
    model = _V1_MODEL.search(source)
    reading.recipe |= serving.known({"model_as_written": text.base_name(model.group(1)) if model else None})
    reading.lost += [("tok_s", "the first pass includes the cold start"), ("peak_memory_bytes", "MB may be 10^6 or 2^20 bytes")]
    return reading
