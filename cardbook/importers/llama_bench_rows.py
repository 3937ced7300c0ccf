"""The rows of llama-bench as readings: one for each configuration, one measurement a test."""

from __future__ import annotations

import json
import math
import re
import statistics
from dataclasses import dataclass
from typing import Any

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, Reading, Refused

NAME_OF_TOOL = "llama-bench"

# What differs from one test of a configuration to the next.
_OF_TEST = {"n_prompt", "n_gen", "n_depth", "test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts", "samples_ns", "samples_ts"}
_NEEDED = ("build_commit", "model_filename", "model_type", "model_size", "model_n_params", "n_batch", "n_gpu_layers", "n_prompt", "n_gen", "avg_ns", "avg_ts")
# Every key from 2023-09 to 2026-10. A key that is not here is named, for it may change what was measured.
_KNOWN = {
    *_NEEDED,
    *_OF_TEST,
    "build_number",
    "cpu_info",
    "gpu_info",
    "backends",
    "n_ubatch",
    "n_threads",
    "cpu_mask",
    "cpu_strict",
    "poll",
    "type_k",
    "type_v",
    "n_cpu_moe",
    "split_mode",
    "main_gpu",
    "no_kv_offload",
    "flash_attn",
    "devices",
    "tensor_split",
    "tensor_buft_overrides",
    "load_mode",
    "lazy_mode",
    "embeddings",
    "no_op_offload",
    "no_host",
    "repack",
    "fit_target",
    "fit_min_ctx",
    "use_mmap",
    "use_direct_io",
    "defrag_thold",
    "cuda",
    "opencl",
    "vulkan",
    "kompute",
    "metal",
    "sycl",
    "rpc",
    "gpu_blas",
    "blas",
    "f16_kv",
    "mul_mat_q",
}
_FTYPE = re.compile(r"(?:^|\s)(?:all |mostly )?((?:I?Q\d|TQ\d|BF16|F16|F32|MXFP4|NVFP4)\S*(?:[ ].*)?)$")
_SAMPLE_DIGITS = 2e-5  # samples_ts have six digits


@dataclass(frozen=True)
class Test:
    """One row: its line in the file, and its fields as the format wrote them."""

    line: int | None
    fields: dict[str, Any]

    def number(self, key: str) -> float:
        """A figure, quoted (CSV, SQL) or not. Raises `Refused`."""
        value = self.fields.get(key)
        if isinstance(value, str):
            return text.figure(value, key, NAME_OF_TOOL, self.line)
        return serving.to_number(value, key, NAME_OF_TOOL, self.line)

    def whole(self, key: str) -> int:
        """A whole number, a negative one as -1 (auto). Raises `Refused`."""
        value = self.fields.get(key)
        if (isinstance(value, str) and re.fullmatch(r"-\d{1,9}", value)) or (isinstance(value, int) and not isinstance(value, bool) and value < 0):
            return -1
        found = self.number(key)
        if found != int(found):
            raise Refused(f"{key} is {found}", "a whole number", "Give the file as llama-bench wrote it.", line=self.line)
        return int(found)

    def word(self, key: str) -> str:
        """A text, '' where there is none. Raises `Refused` for anything else."""
        value = self.fields.get(key, "")
        if not isinstance(value, str):
            raise Refused(f"{key} is {str(value)[:60]}", "a text", "Give the file as llama-bench wrote it.", line=self.line)
        return value.strip()

    def flag(self, key: str) -> bool | None:
        """true/false, or 0/1 in CSV and SQL; None for auto (-1) and where there is none."""
        value = self.fields.get(key)
        if isinstance(value, bool):
            return value
        return {"1": True, "0": False, "on": True, "off": False}.get(str(value)) if value is not None else None


def ftype(model_type: str) -> str | None:
    """The weight format in llama.cpp's name of a model: `llama 8B Q4_K - Medium` → `Q4_K - Medium`."""
    match = _FTYPE.search(model_type.removesuffix(" (guessed)")) if len(model_type) < 200 else None
    return match.group(1).strip() if match else None


def short(words: str) -> str:
    """llama.cpp's words for a format as files write it: `Q4_K - Medium` → `Q4_K_M`."""
    return re.sub(r" - (Small|Medium|Large)\b.*", lambda m: "_" + m.group(1)[0], words).upper()


def quant(model_type: str, filename: str | None) -> str | None:
    """The weight format. A file name that says otherwise goes first: the type knows no UD mixes."""
    words, named = ftype(model_type), text.quant_in(filename or "")
    return named if named and (words is None or named.replace("FP16", "F16") != short(words)) else words


def base_questions() -> dict[str, Any]:
    """What holds for every llama-bench run: random tokens, an emptied cache, no drafts, one stream."""
    return {"engine": "llama.cpp", "speculation": "none", "prefix_cache": "off", "prompt": "synthetic tokens made by llama-bench"}


def readings(tests: list[Test]) -> list[Reading]:
    """The readings of all rows, in the order of the file. Raises `Refused`."""
    groups: dict[str, list[Test]] = {}
    for test in tests:
        missing = [key for key in _NEEDED if key not in test.fields]
        if missing:
            raise Refused(
                f"a test without {', '.join(missing)}", "the fields that llama-bench writes", "Give the file as llama-bench wrote it.", line=test.line
            )
        key = json.dumps({k: v for k, v in test.fields.items() if k not in _OF_TEST}, sort_keys=True, default=str)
        groups.setdefault(key, []).append(test)
    if not groups:
        raise Refused("no test in the llama-bench file", "at least one", "The run was interrupted before its first result: run it again.")
    return require_measurements([_reading(group) for group in groups.values()])


def require_measurements(found: list[Reading]) -> list[Reading]:
    """`found`, at least one of which must have a measurement. Raises `Refused`."""
    if not any(reading.measurements for reading in found):
        raise Refused("only tests that mix prefill and decode (-pg)", "tests of one phase", "Run llama-bench with -p and -n.")
    return found


def _reading(tests: list[Test]) -> Reading:
    first = tests[0]
    reading = Reading(NAME_OF_TOOL, recipe=base_questions())
    recipe = reading.recipe
    _build(first, reading)
    filename = text.base_name(first.word("model_filename"))
    recipe |= serving.known(
        {
            "model_as_written": filename or first.word("model_type") or None,
            "quant_as_written": quant(first.word("model_type"), filename),
            "checkpoint_bytes": int(text.positive(first.number("model_size"), "model_size", NAME_OF_TOOL, first.line)),
            "parameters": int(text.positive(first.number("model_n_params"), "model_n_params", NAME_OF_TOOL, first.line)),
            "gpu_layers": first.whole("n_gpu_layers") if first.whole("n_gpu_layers") >= 0 else None,
            "flash_attention": first.flag("flash_attn"),
            "kv_quant_as_written": _kv(first),
            "measured_on": serving.iso_date(first.word("test_time")),
        }
    )
    _hardware(first, reading)
    unknown = sorted(set(first.fields) - _KNOWN)
    if unknown:
        reading.lost.append(("command", f"this build has fields that are not known here: {', '.join(unknown)[:200]}"))
    for test in tests:
        one = _measurement(test, reading)
        if one is not None:
            reading.measurements.append(one)
    return text.finish(reading)


def _build(first: Test, reading: Reading) -> None:
    commit, number = first.word("build_commit"), first.whole("build_number") if "build_number" in first.fields else 0
    build(reading, commit, number)


def build(reading: Reading, commit: str, number: int) -> None:
    """The build. A number of 0 or 1 comes from a shallow clone or none: only the commit tells."""
    if commit and commit != "unknown":
        reading.recipe["engine_commit"] = commit
    if number > 1:
        reading.recipe["engine_version"] = reading.tool_version = f"b{number}"
    elif commit and commit != "unknown":
        reading.tool_version = commit


def _kv(first: Test) -> str | None:
    k, v = first.word("type_k"), first.word("type_v")
    if k and v:
        return k if k == v else f"{k}/{v}"
    if "f16_kv" in first.fields:
        return {True: "f16", False: "f32"}.get(bool(first.flag("f16_kv")))
    return None


def _backend(first: Test) -> str:
    """The backend's name as newer builds write it; the old ones have one boolean for each."""
    if "backends" in first.fields:
        return first.word("backends")
    info = first.word("gpu_info").lower()
    names = [
        name for key, name in (("vulkan", "Vulkan"), ("kompute", "Kompute"), ("metal", "Metal"), ("sycl", "SYCL"), ("opencl", "OpenCL")) if first.flag(key)
    ]
    if first.flag("cuda"):  # the same boolean in a build for ROCm
        names.insert(0, "ROCm" if re.search(r"amd|radeon|instinct|gfx\d", info) else "CUDA" if "nvidia" in info else "")
    if first.flag("rpc"):
        names.append("RPC")
    return ",".join(name for name in names if name) or ("" if first.flag("cuda") else "CPU")


def backend_of(words: str) -> str | None:
    """The compute backend in a list such as `Vulkan,RPC`; None where it names none or several."""
    named = [name for name in re.split(r",\s*", words) if name and name not in ("RPC", "BLAS")]
    return named[0] if len(named) == 1 else "CPU" if words == "BLAS" else None


def _hardware(first: Test, reading: Reading) -> None:
    recipe, info = reading.recipe, first.word("gpu_info")
    backend = backend_of(_backend(first))
    if backend:
        recipe["backend"] = backend
    if "RPC" in _backend(first) and (not info or text.is_address(info)):
        reading.lost.append(("card", "gpu_info is the address of an RPC server: it names no card, and is left out"))
        reading.questions += [
            ("card", "The run went over RPC: which card had each machine, by its full name?"),
            ("host_offload", "Which layers ran on which machine? The file says RPC even where all ran locally."),
        ]
        return
    if backend == "CPU":
        # Nothing is offloaded away from the processor that does the work.
        recipe |= serving.known({"card_as_written": first.word("cpu_info") or None, "host_offload": "none"})
        recipe.pop("gpu_layers", None)
        return
    if info and not text.is_address(info):
        cards(reading, [part.strip() for part in re.split(r",\s+", info)], info)
    split = first.word("split_mode")
    if recipe.get("n_cards", 1) > 1 and (_chosen(first) or split == "none"):
        del recipe["n_cards"]
        reading.questions.append(("n_cards", "How many of the cards took part (--device, --split-mode, --tensor-split)?"))
    if recipe.get("n_cards"):
        recipe["parallelism"] = "none" if recipe["n_cards"] == 1 else {"layer": "layer", "row": "tensor", "tensor": "tensor"}.get(split, "unknown")
    offload(reading, first.whole("n_gpu_layers"), first.whole("n_cpu_moe") if "n_cpu_moe" in first.fields else 0, first.word("tensor_buft_overrides"))
    if first.flag("no_kv_offload") and recipe.get("host_offload") == "none":
        recipe["host_offload"] = "kv"


def _chosen(first: Test) -> bool:
    """True where devices or shares were chosen by hand, so that the list of cards is too long."""
    shares = {float(part) for part in re.findall(r"\d+(?:\.\d+)?", first.word("tensor_split"))}
    return first.word("devices") not in ("", "auto") or bool(shares - {0.0})


def cards(reading: Reading, parts: list[str], info: str) -> None:
    """card_as_written and n_cards from the names of all devices; a mix of cards has no count."""
    if len(parts) == 1 and "/" in info and len(set(info.split("/"))) == 1:
        parts = info.split("/")  # builds before 2025
    reading.recipe["card_as_written"] = parts[0] if len(set(parts)) == 1 else info
    if len(set(parts)) == 1:
        reading.recipe["n_cards"] = len(parts)


def offload(reading: Reading, layers: int, moe: int, overrides: str) -> None:
    """host_offload from the flags. -1 and 99 are the defaults that mean all layers."""
    if moe > 0 or re.search(r"exps[^,;]*=CPU", overrides):
        reading.recipe["host_offload"] = "experts"
    elif overrides not in ("", "none"):
        reading.questions.append(("host_offload", f"What do the overrides {overrides[:80]!r} leave in host memory?"))
    elif layers == -1 or layers >= 99:
        reading.recipe["host_offload"] = "none"
    elif layers == 0:
        reading.recipe["host_offload"] = "layers"
    else:
        reading.questions.append(("host_offload", f"{layers} layers are on the card: is that all of them (none) or not (layers)?"))


def _measurement(test: Test, reading: Reading) -> Measurement | None:
    prompt, generated = test.whole("n_prompt"), test.whole("n_gen")
    depth = test.whole("n_depth") if "n_depth" in test.fields else 0
    if min(prompt, generated, depth) < 0 or prompt + generated == 0:
        raise Refused("a test of no tokens", "n_prompt or n_gen above 0", "Give the file as llama-bench wrote it.", line=test.line)
    values = _rates(test, prompt + generated)
    if prompt and generated:
        mixed(reading, f"pp{prompt}+tg{generated}")
        return None
    ubatch = test.whole("n_ubatch") if "n_ubatch" in test.fields else None
    return measurement(prompt, generated, depth, values, None if ubatch is None else min(ubatch, test.whole("n_batch")), test.line)


def mixed(reading: Reading, label: str) -> None:
    """Notes a test left out because its rate is over both phases."""
    reading.lost.append(("tok_s", f"{label} mixes prefill and decode in one rate"))


def measurement(prompt: int, generated: int, depth: int, values: dict[str, Any], ubatch: int | None, line: int | None) -> Measurement:
    """One test of one phase; `values` holds its rates in tokens/s."""
    shape: dict[str, Any] = {"phase": "prefill", "prompt_tokens": prompt} if prompt else {"phase": "decode", "generated_tokens": generated}
    shape |= {"depth_tokens": depth, "concurrency": 1} | ({"ubatch_tokens": ubatch} if ubatch and ubatch > 0 and prompt else {})
    label = (f"pp{prompt}" if prompt else f"tg{generated}") + (f" @ d{depth}" if depth else "")
    return Measurement(shape | serving.known(values), label=label, line=line)


def _rates(test: Test, tokens: int) -> dict[str, Any]:
    average = text.positive(test.number("avg_ts"), "avg_ts", NAME_OF_TOOL, test.line)
    mean_s = text.positive(test.number("avg_ns"), "avg_ns", NAME_OF_TOOL, test.line) * serving.NS
    spread = test.number("stddev_ts") if "stddev_ts" in test.fields else 0.0
    times = _samples(test, "samples_ns")
    # The mean of n/t is never below n over the mean t; equal without spread.
    if average < tokens / mean_s * (1 - 1e-4):
        raise _edited(test, f"avg_ts {average:g} is below {tokens} tokens over avg_ns, {tokens / mean_s:g}")
    if times is None:
        return {"tok_s": average, "tok_s_stddev": spread or None}  # 0: one repeat, or nothing to tell
    rates = [tokens / (one * serving.NS) for one in times]
    _agree(test, average, rates)
    return text.sample(rates) | {"tok_s": average}


def _agree(test: Test, average: float, rates: list[float]) -> None:
    mean = statistics.fmean(rates)
    if not math.isclose(average, mean, rel_tol=1e-4):
        raise _edited(test, f"avg_ts is {average:g} and the samples make it {mean:g}")
    printed = _samples(test, "samples_ts")
    if printed is not None and (len(printed) != len(rates) or not all(math.isclose(a, b, rel_tol=_SAMPLE_DIGITS) for a, b in zip(printed, rates, strict=True))):
        raise _edited(test, "samples_ts do not follow from samples_ns")


def _samples(test: Test, key: str) -> list[float] | None:
    found = test.fields.get(key)
    if found is None:
        return None
    if not isinstance(found, list) or not 0 < len(found) <= text.MAX_ROWS:
        raise Refused(f"{key} is no list of repeats", "one figure a repeat", "Give the file as llama-bench wrote it.", line=test.line)
    return [text.positive(serving.to_number(one, key, NAME_OF_TOOL, test.line), key, NAME_OF_TOOL, test.line) for one in found]


def _edited(test: Test, found: str) -> Refused:
    return Refused(found, "figures that follow from each other", "Give an unedited file of one run.", line=test.line)
