"""KoboldCpp's benchmark (console block and CSV) and its lines for one request.

The prompt fills the context but for what is generated: MaxCtx - GenAmount tokens. New
versions append to an old CSV, whose header may lack Flags or Output, and Output may hold a
line break: only the eleven columns before Output are read, and they must agree with each
other. Rates over `Total` mix the phases.
"""

from __future__ import annotations

import re

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused

NAME = "koboldcpp"

_FIRST = (
    "Timestamp",
    "Backend",
    "Layers",
    "Model",
    "MaxCtx",
    "GenAmount",
    "ProcessingTime",
    "ProcessingSpeed",
    "GenerationTime",
    "GenerationSpeed",
    "TotalTime",
)
_BACKENDS = (("cublas", "CUDA"), ("hipblas", "ROCm"), ("vulkan", "Vulkan"), ("clblast", "OpenCL"), ("openblas", "CPU"), ("failsafe", "CPU"), ("noavx", "CPU"))
_CONSOLE = re.compile(r"^(" + "|".join(_FIRST) + r"|Flags):(.*)$", re.MULTILINE)
_REQUEST = re.compile(
    r"Processing Prompt(?: \[[^\]\n]{1,20}\])? \((\d{1,9}) / (\d{1,9}) tokens\)[\s\S]{0,2000}?ContextLimit: (\d{1,9})/(\d{1,9}), *"
    r"Processing: ?([\d.]+)s \(([\d.]+)ms/T\)[,\s]*Generation: ?([\d.]+)s \(([\d.]+)ms/T\)"
)
_LIMIT = re.compile(r"^ContextLimit: \d+/\d+, *Processing", re.MULTILINE)


def recognise(raw: RawOutput) -> bool:
    """True for the CSV's header, the console block, or the lines of a request."""
    head = raw.text[:200_000].lstrip("\ufeff \r\n\t")
    return head.startswith(",".join(_FIRST[:6])) or (re.search(r"^ProcessingSpeed: +\S+T/s", head, re.MULTILINE) is not None) or _LIMIT.search(head) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading a CSV row or a console block; one for all requests. Raises `Refused`."""
    head = raw.text.lstrip("\ufeff \r\n\t")
    if head.startswith("Timestamp,"):
        return _csv(raw)
    return [_requests(raw)] if _LIMIT.search(raw.text) else [_console(raw)]


def _csv(raw: RawOutput) -> list[Reading]:
    rows = text.delimited_rows(raw, NAME)
    if tuple(name.strip() for name in rows[0][1][: len(_FIRST)]) != _FIRST:
        raise Refused("a header of an unknown version", ", ".join(_FIRST), "Give the file as the tool wrote it.", line=rows[0][0])
    found: list[Reading] = []
    for line, cells in rows[1:]:
        if not re.match(r"20\d\d-\d\d-\d\d[ T]", cells[0]):
            if not found:
                raise Refused("a row without a time stamp", "a result", "Give the file as the tool wrote it.", line=line)
            continue  # an Output with a line break goes on here
        if len(cells) < len(_FIRST):
            raise Refused(f"a row of {len(cells)} values", f"{len(_FIRST)} at least", "Give the file as the tool wrote it.", line=line)
        found.append(_reading(dict(zip(_FIRST, cells, strict=False)), line))
    if not found:
        raise Refused("a CSV without a result", "a row", "Run the benchmark to its end.", line=1)
    return found


def _console(raw: RawOutput) -> Reading:
    fields: dict[str, str] = {}
    line = 1
    for match in _CONSOLE.finditer(raw.text):
        if match.group(1) in fields:
            raise Refused(f"two lines of {match.group(1)}", "one block", "Give each run in a file of its own.", line=raw.text.count("\n", 0, match.start()) + 1)
        fields[match.group(1)] = re.sub(r"(?<=\d)(?:T/)?s$", "", match.group(2).strip())
        line = raw.text.count("\n", 0, match.start()) + 1
    missing = [key for key in _FIRST[6:] if key not in fields]
    if missing:
        raise Refused(f"a block without {', '.join(missing)}", "the whole block", "Run the benchmark to its end.", line=line)
    return _reading(fields, line)


def _reading(fields: dict[str, str], line: int) -> Reading:
    reading = Reading(NAME, recipe={"engine": "koboldcpp", "prefix_cache": "off"})
    prompt_s, prompt_rate, generate_s, rate, total_s = (text.positive(text.figure(fields[key], key, NAME, line), key, NAME, line) for key in _FIRST[6:])
    if abs(prompt_s + generate_s - total_s) > 0.02 + 1e-3 * total_s:
        raise Refused(
            "phases that do not add up to the total", "columns in their order", "The columns are shifted or edited: give the file as written.", line=line
        )
    prefill = {"phase": "prefill", "depth_tokens": 0, "concurrency": 1, "tok_s": prompt_rate}
    decode = {"phase": "decode", "concurrency": 1, "tok_s": rate}
    if fields.get("MaxCtx") and fields.get("GenAmount"):
        context, generated = (text.whole(fields[key], key, NAME, line) for key in ("MaxCtx", "GenAmount"))
        if not 0 < generated < context:
            raise Refused(f"{generated} generated tokens in a context of {context}", "fewer", "Give the file as the tool wrote it.", line=line)
        text.require_product(context - generated, prompt_rate, prompt_s, (0.01, 0.01), NAME, line)
        text.require_product(generated, rate, generate_s, (0.01, 0.01), NAME, line)
        prefill["prompt_tokens"] = decode["depth_tokens"] = context - generated
        decode["generated_tokens"] = generated
        reading.recipe["context_tokens"] = context
    reading.measurements += [Measurement(prefill, line=line), Measurement(decode, line=line)]
    model, backend = text.base_name(fields.get("Model", "")), fields.get("Backend", "").lower()
    layers = fields.get("Layers", "")
    reading.recipe |= serving.known(
        {
            "model_as_written": model or None,
            "quant_as_written": text.quant_in(model),
            "measured_on": serving.iso_date(fields.get("Timestamp")),
            "backend": next((name for word, name in _BACKENDS if word in backend), None),
            "gpu_layers": int(layers) if re.fullmatch(r"\d{1,5}", layers) else None,
        }
    )
    return text.finish(reading)


def _requests(raw: RawOutput) -> Reading:
    reading = Reading(NAME, recipe={"engine": "koboldcpp"})
    if max(len(_LIMIT.findall(raw.text)), raw.text.count("Processing Prompt")) > 1_000:
        raise Refused("the log of more than 1000 requests", "the log of one run", "Give the lines of the measured requests.")
    for match in _REQUEST.finditer(raw.text):
        _request(match, raw.text.count("\n", 0, match.start()) + 1, reading)
    if len(_LIMIT.findall(raw.text)) != len(reading.measurements) // 2:
        raise Refused("requests whose lines are not all there, or of another version", "each request whole", "Give all lines of each request.")
    reading.lost.append(("tok_s", "the rate over Total mixes prefill and decode"))
    return text.finish(reading)


def _request(match: re.Match[str], line: int, reading: Reading) -> None:
    done, of, used, context = (int(part) for part in match.groups()[:4])
    prompt_s, prompt_ms, generate_s, token_ms = (text.positive(text.figure(part, "a time", NAME, line), "a time", NAME, line) for part in match.groups()[4:])
    generated = round(generate_s / (token_ms * serving.MS))  # what was asked for is printed, not what came
    text.require_product(done, prompt_s, 1 / (prompt_ms * serving.MS), (0.01, 0.1 / prompt_ms / (prompt_ms * serving.MS)), NAME, line)
    if done != of or not done + generated - 2 <= used <= done + generated + 2 or used > context:
        raise Refused(
            f"{done} of {of} prompt tokens processed and {generated} generated, in a context of {used}",
            "a prompt that was processed whole",
            "Part of the prompt came from the cache, or the lines are of two requests.",
            line=line,
        )
    reading.recipe.setdefault("context_tokens", context)
    prefill = {"phase": "prefill", "prompt_tokens": done, "depth_tokens": 0, "cached_prompt_tokens": 0, "tok_s": done / prompt_s}
    decode = {"phase": "decode", "generated_tokens": generated, "depth_tokens": done, "tok_s": 1 / (token_ms * serving.MS)}
    reading.measurements += [Measurement(prefill | {"concurrency": 1}, line=line), Measurement(decode | {"concurrency": 1}, line=line)]
