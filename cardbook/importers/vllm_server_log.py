"""A vLLM server's log: build, flags, memory for weights and KV cache, speculation.

The log measures no run: its rates are averages over windows of about ten seconds, idle
time included, so they are left out. What it does give is what the client cannot see.

Speculation has had four wordings. In V1 `Mean acceptance length` is 1 + accepted / drafts
(it includes the bonus token), each line counts one window, and windows add up. In V0 one
line counts the whole run and `accepted` counts tokens after a rejection too, so only the
emitted tokens say how many drafts were used; its acceptance rate is left out.
"""

from __future__ import annotations

import re
from typing import Any

from cardbook.importers import serving
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused
from cardbook.importers.serving import GIB

NAME = "vllm-server-log"

_ANSI = re.compile(r"\x1b?\[[0-9;]{1,8}m")
_KNOWN = re.compile(
    r"vLLM API server version|SpecDecoding metrics: |Speculative metrics: |Avg prompt throughput: "
    r"|GPU KV cache size: [\d,]+ tokens|Initializing an? (?:V1 )?LLM engine|kv_cache_utils\.py:\d+\]"
)
_VERSIONS = re.compile(r"vLLM API server version (\S{1,100})|LLM engine \(v?([^)\s]{1,100})\)")
_CONFIG = re.compile(r"LLM engine \([^)\n]{0,100}\) with config: (.*)")
_WINDOW = re.compile(r"Avg (?:prompt|generation) throughput: ")
_HITS = re.compile(r"Prefix cache hit rate: ([\d.]+)%")
_KV = re.compile(r"GPU KV cache size: ([\d,]+) tokens")
_KV_MEMORY = re.compile(r"Available KV cache memory: ([\d.]+) GiB")
_WEIGHTS = re.compile(r"Model loading took ([\d.]+) GiB")
_OLD_WEIGHTS = re.compile(r"Loading model weights took [\d.]+ GB")
_PLATFORM = re.compile(r"\[(cuda|rocm|xpu)\.py:\d+\]")
_SPEC = re.compile(r"(?:SpecDecoding|Speculative) metrics: [^\n]*")
_BACKENDS = {"cuda": "CUDA", "rocm": "ROCm", "xpu": "XPU"}
_METHODS = {"ngram": "ngram", "eagle": "eagle", "eagle3": "eagle", "medusa": "medusa", "mtp": "mtp", "draft_model": "draft"}


def recognise(raw: RawOutput) -> bool:
    """True for text with vLLM's own log lines, and no client's results among them."""
    text = raw.text
    if text.lstrip("\ufeff \r\n\t").startswith("{") or "Serving Benchmark Result" in text or "wall_TPS" in text:
        return False
    return _KNOWN.search(text) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading: flags in `recipe`, memory in `sensors`, speculation in a measurement.

    Sensors: weights_bytes and kv_cache_bytes (of one rank), kv_cache_tokens,
    prefix_cache_hit_rate (highest window). Raises `Refused`.
    """
    text = _ANSI.sub("", raw.text)
    serving.refuse_faked_acceptance(raw, text)
    reading = Reading(NAME, recipe={"engine": "vllm"})
    _build(text, reading)
    _flags(text, reading)
    _memory(text, reading)
    one = _speculation(text)
    if one is not None:
        reading.measurements.append(one)
        if "acceptance_rate" not in one.values:
            reading.lost.append(("acceptance_rate", "this build counts drafts accepted after a rejection, or counted none"))
        if reading.recipe.get("speculation") is None:
            reading.questions.append(("speculation", "The server speculated: with a draft model, MTP, EAGLE, n-grams …?"))
        if reading.recipe.get("speculation") == "none":
            raise _mixed("speculation metrics in the log of a server that was started without speculation")
    if _WINDOW.search(text):
        reading.lost.append(("tok_s", "the rates in the log are averages over windows of about ten seconds, idle time included"))
    if not reading.measurements and not reading.sensors and len(reading.recipe) < 2:
        raise Refused(
            "only throughput windows of a vLLM server",
            "its start-up lines or speculation metrics",
            "Give the log from the start of the server, or the benchmark client's own result.",
        )
    return [serving.finish(reading)]


def _mixed(found: str, line: int | None = None) -> Refused:
    return Refused(found, "the log of one server, started once", "Give the lines of one start of the server.", line=line)


def _one(pattern: re.Pattern[str], text: str, what: str) -> str | None:
    """The value that `pattern` finds, which must be the same wherever it stands."""
    found = {next(part for part in match.groups() if part): match.start() for match in pattern.finditer(text)}
    if len(found) > 1:
        first, second = list(found)[:2]
        raise _mixed(f"two values for {what}: {first} and {second}", text.count("\n", 0, found[second]) + 1)
    return next(iter(found), None)


def _build(text: str, reading: Reading) -> None:
    version = _one(_VERSIONS, text, "the version of vLLM")
    if version:
        reading.tool_version = reading.recipe["engine_version"] = version
        commit = re.search(r"\+g([0-9a-f]{7,40})", version)
        if commit:
            reading.recipe["engine_commit"] = commit.group(1)
    platform = _one(_PLATFORM, text, "the platform")
    if platform:
        reading.recipe["backend"] = _BACKENDS[platform]


def _flags(text: str, reading: Reading) -> None:
    """The engine's own line of configuration, as `key=value` pairs."""
    lines = {match.group(1): match.start() for match in _CONFIG.finditer(text)}
    if not lines:
        return
    if len({_flag(line, "model") for line in lines}) > 1:
        raise _mixed("two models in one log", text.count("\n", 0, list(lines.values())[1]) + 1)
    line = next(iter(lines))
    recipe = reading.recipe
    quant, kv = _flag(line, "quantization"), _flag(line, "kv_cache_dtype")
    recipe |= serving.known(
        {
            "model_as_written": _flag(line, "model"),
            "quant_as_written": quant or _dtype(line),
            "kv_quant_as_written": None if kv == "auto" else kv,
            "context_tokens": _whole(line, "max_seq_len"),
        }
    )
    if _flag(line, "enable_prefix_caching") is None and "enable_prefix_caching=False" in line:
        recipe["prefix_cache"] = "off"
    tensor, pipeline, data = (_whole(line, f"{kind}_parallel_size") for kind in ("tensor", "pipeline", "data"))
    if tensor and pipeline and data:
        recipe |= {"tensor_parallel": tensor, "n_cards": tensor * pipeline * data, "parallelism": _parallelism(tensor, pipeline, data)}
    _method(line, recipe)


def _flag(line: str, key: str) -> str | None:
    """A flag's value; None where the log has none, or says None or False."""
    match = re.search(rf"(?<![\w.]){key}=(?:'([^']*)'|([^,\s)]+))", line)
    value = None if match is None else match.group(1) or match.group(2)
    return None if value in (None, "None", "False") else value


def _dtype(line: str) -> str | None:
    """The weights' own type, for a model that the engine does not quantize."""
    value = _flag(line, "dtype") if "quantization=None" in line else None
    return value.removeprefix("torch.") if value else None


def _whole(line: str, key: str) -> int | None:
    value = _flag(line, key)
    return int(value) if value and re.fullmatch(r"\d{1,9}", value) else None


def _parallelism(tensor: int, pipeline: int, data: int) -> str:
    used = [name for name, degree in (("tensor", tensor), ("pipeline", pipeline), ("data", data)) if degree > 1]
    return "none" if not used else used[0] if len(used) == 1 else "mixed"


def _method(line: str, recipe: dict[str, Any]) -> None:
    if "speculative_config=None" in line:
        recipe["speculation"] = "none"
        return
    config = re.search(r"speculative_config=(?:SpeculativeConfig)?[({]([^)}]*)", line)
    if config is None:
        return
    method = re.search(r"['\"]?method['\"]?[=:]\s*['\"]([\w-]+)", config.group(1))
    if method:
        written = method.group(1)
        recipe["speculation"] = _METHODS.get(written, "mtp" if written.endswith("_mtp") else "other")
    drafted = re.search(r"num_spec(?:ulative)?_tokens['\"]?[=:]\s*(\d{1,3})\b", config.group(1))
    if drafted:
        recipe["draft_tokens"] = int(drafted.group(1))


def _memory(text: str, reading: Reading) -> None:
    for key, pattern, scale in (("weights_bytes", _WEIGHTS, GIB), ("kv_cache_bytes", _KV_MEMORY, GIB), ("kv_cache_tokens", _KV, 1.0)):
        found = [_plain(match.group(1), key) for match in pattern.finditer(text)]
        if found:  # one line a rank; the ranks may differ by a little
            if max(found) > 1.2 * min(found):
                raise _mixed(f"two values for {key}: {min(found):g} and {max(found):g}")
            reading.sensors[key] = min(found) * scale
    if _OLD_WEIGHTS.search(text):
        reading.lost.append(("weights_bytes", "old builds print GB and may mean GiB"))
    hits = [_plain(match.group(1), "hit rate") for match in _HITS.finditer(text)]
    if hits:
        reading.sensors["prefix_cache_hit_rate"] = max(hits) * serving.PERCENT


def _plain(written: str, name: str) -> float:
    return serving.from_text(written.replace(",", ""), name, NAME, None)


def _speculation(text: str) -> Measurement | None:
    """One measurement from all speculation lines, which must be of one wording."""
    lines = [(line, match.group()) for line, words in enumerate(text.splitlines(), 1) if (match := _SPEC.search(words))]
    if not lines:
        return None
    old = [line for _, line in lines if line.startswith("Speculative")]
    positions = {len(_rates(line)) for _, line in lines}
    if (old and len(old) < len(lines)) or len(positions) > 1:
        raise _mixed("speculation metrics of different builds, or of different draft lengths", lines[-1][0])
    one = Measurement({"phase": "serve"}, line=lines[0][0])
    if old:
        _whole_run(lines[-1], one)
    else:
        _windows(lines, positions.pop(), one)
    return one


def _rates(line: str) -> list[str]:
    match = re.search(r"Per-position acceptance rate: ([\d., ]+)", line)
    return [] if match is None else [part for part in re.split(", *", match.group(1)) if part.strip()]


def _figure(line: tuple[int, str], pattern: str) -> float:
    match = re.search(pattern, line[1])
    if match is None:
        raise Refused(
            "a line of speculation metrics in a wording that is not known",
            "one of the wordings of vLLM since 2024",
            "Give the line as it was logged.",
            line=line[0],
        )
    return _plain(match.group(1), "speculation metrics")


def _windows(lines: list[tuple[int, str]], positions: int, one: Measurement) -> None:
    accepted = drafted = steps = 0.0
    for line in lines:
        taken, tried = _figure(line, r"Accepted: (\d+) tokens"), _figure(line, r"Drafted: (\d+) tokens")
        if taken > tried:
            raise Refused(f"{taken:g} drafts accepted of {tried:g}", "no more accepted than drafted", "Give the line as it was logged.", line=line[0])
        accepted, drafted = accepted + taken, drafted + tried
        if positions:
            length = _figure(line, r"Mean acceptance length: ([\d.]+)")
            here = tried / positions
            if here and abs(1.0 + taken / here - length) > 0.02 * length:
                raise Refused(
                    f"an acceptance length of {length:g} for {taken:g} of {tried:g} drafts at {positions} a step",
                    "1 + accepted / steps",
                    "Give the line as it was logged.",
                    line=line[0],
                )
            steps += here
    if drafted <= 0:
        return
    serving.put(
        one, acceptance_rate=accepted / drafted, accepted_per_step=accepted / steps if steps else None, draft_tokens=float(positions) if positions else None
    )


def _whole_run(line: tuple[int, str], one: Measurement) -> None:
    """V0: steps = drafted / γ, and all but one of the tokens emitted in a step were drafts."""
    per_step = _figure(line, r"Number of speculative tokens: (\d+)")
    drafted, emitted = _figure(line, r"Number of draft tokens: (\d+)"), _figure(line, r"Number of emitted tokens: (\d+)")
    if per_step <= 0 or drafted <= 0 or not 1.0 <= emitted * per_step / drafted <= per_step + 1.0:
        raise Refused(
            "counts of drafts and emitted tokens that do not fit together", "1 to γ + 1 emitted tokens a step", "Give the line as it was logged.", line=line[0]
        )
    serving.put(one, accepted_per_step=emitted * per_step / drafted - 1.0, draft_tokens=per_step)
