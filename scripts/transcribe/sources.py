"""What is peculiar to each source: which tool wrote a row, what else its words say, what it cannot mean.

A handler takes a row and returns a `Plan`; it raises `Skip` with a reason where a row may not go in.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import names
from common import JSON, plain, quantity
from shape import Skip, configuration, measurement, segments


@dataclass
class Plan:
    """`config` is what the measurements of a recipe share; keys with an underscore stay out of the document."""

    config: JSON
    measurement: JSON
    checkpoint: JSON = field(default_factory=dict)
    suffix: str | None = None
    notes: list[str] = field(default_factory=list)
    where: str | None = None


def _file(row: JSON) -> str | None:
    text = row["model_as_written"] or ""
    return text if text.endswith(".gguf") else None


def _bench(row: JSON, tool: str, **config: object) -> Plan:
    """A llama.cpp tool: it cannot speculate, and prints the bytes of the tensors."""
    plan = Plan({**configuration(row, tool), **config}, measurement(row), notes=segments(row))
    if row["file_bytes"]:
        plan.checkpoint = {"tensor_size": row["file_bytes"], "as_printed": _printed(row)}
    plan.checkpoint["file"] = _file(row)
    return plan


def _printed(row: JSON) -> str | None:
    found = re.search(r"\| *(\d+\.\d+ [GM]iB) *\|", row["raw"] or "") if isinstance(row["raw"], str) else None
    return found.group(1) if found else f"{row['file_bytes'] / 2**30:.2f} GiB"


def kyuz0_llamacpp(row: JSON) -> Plan:
    if "mtp-summary" in row["source_url"]:
        prompt = (row["notes"] or "").removeprefix("prompt ")
        plan = Plan(
            configuration(row, None),
            measurement(row),
            suffix=prompt,
            notes=segments(row),
        )
        if row["phase"] == "decode" and row["n_prompt"]:
            plan.measurement["depth"] = quantity(row["n_prompt"], "tokens")
    else:
        profile = re.search(r"profile: (\S+)", row["notes"] or "")
        plan = _bench(row, "llama-bench", _profile=profile.group(1) if profile else None)
    written = row["model_as_written"]
    plan.checkpoint["file"] = written if written.endswith(".gguf") else written + ".gguf"
    return plan


def kyuz0_rpc(row: JSON) -> Plan:
    plan = _bench(row, "llama-bench", _log=row["source_url"].rsplit("/results-rpc/", 1)[-1])
    if plan.config["parallelism"] == "unknown":
        plan.config["parallelism"] = "layer"
    plan.where = row["source_url"].rsplit("/blob/main/", 1)[-1]
    return plan


def kyuz0_r9700(row: JSON) -> Plan:
    if "llama" not in (row["engine"] or "").lower():
        raise Skip("one of a few vLLM rows without a stated shape in an llama.cpp collection")
    plan = _bench(row, "llama-bench", _log=row["source_url"].rsplit("/", 1)[-1])
    plan.where = row["source_url"].rsplit("/blob/main/", 1)[-1]
    return plan


def xiongjiedai(row: JSON) -> Plan:
    return _bench(row, "llama-bench")


def llamacpp_repo(row: JSON) -> Plan:
    notes = row["notes"] or ""
    if row["card"] == "arc-a770-16gb":
        return Plan(configuration(row, None), measurement(row), notes=segments(row))
    if notes.startswith("llama-batched-bench"):
        plan = _bench(row, "llama-batched-bench")
        if row["phase"] == "decode" and row["n_prompt"]:
            plan.measurement["depth"] = quantity((row["depth"] or 0) + row["n_prompt"], "tokens")
        if row["e2e_s"]:
            plan.measurement["e2e"] = None
            plan.measurement["duration"] = quantity(row["e2e_s"], "s")
    elif notes.startswith("llama-bench"):
        plan = _bench(row, "llama-bench")
    else:
        raise Skip("llama.cpp quantize README: card not named")
    plan.checkpoint["repository"] = row["model_as_written"] if "/" in row["model_as_written"] else None
    return plan


def rig(row: JSON) -> Plan:
    command = row["command"] or ""
    tool = "llama-bench" if command.startswith("llama-bench") else None
    if "bench_serve" in command:
        tool = "vllm bench serve"
    config = configuration(row, tool)
    median = "median ttft" in (row["notes"] or "")
    if row["engine"] == "llama.cpp" and row["n_cards"] > 1:
        if "-sm layer" not in command and "--split-mode layer" not in command and tool != "llama-bench":
            config["parallelism"] = "unknown"
        else:
            config["parallelism"] = "layer"
    # exllamav3's tp mode and vLLM's flags agree with the tp column; nothing else names a split.
    m = measurement(row, median=median)
    if row["phase"] == "prefill" and row["concurrency"] not in (None, 1):
        raise Skip("prefill rate at more than one stream: per stream or aggregate not stated")
    if row["n_cards"] == 4:
        m["mean_power"] = quantity(row["power_w"], "W")
        m["power_scope"] = "cards" if row["power_w"] else None
        m["peak_memory"] = quantity(row["memory_used_bytes"], "byte")
    if row["phase"] == "decode" and row["n_prompt"] and tool != "llama-bench":
        m["depth"] = quantity(row["n_prompt"], "tokens")
    context = re.search(r"--max-model-len (\d+)|-c (\d+) |--cache-size (\d+)", command)
    config["context"] = quantity(int(next(g for g in context.groups() if g)), "tokens") if context else None
    if "-fa on" in command or re.search(r"-fa 1\b", command):
        config["flash_attention"] = True
    drafted = re.search(r"--spec-draft-n-max (\d+)|num_speculative_tokens\\?\"?: ?(\d+)", command)
    if config["speculation"] not in (None, "none") and not config["draft_tokens"] and drafted:
        config["draft_tokens"] = quantity(float(next(g for g in drafted.groups() if g)), "token/step")
    notes = [s for s in segments(row) if not s.startswith(("run ", "errors"))]
    if row["quant_as_written"] in ("BF16", "unknown") and row["quant"] == "awq-g128":
        notes.append(f"The source's quant label here is {row['quant_as_written']}; the checkpoint served is an AWQ one")
    if row["quant"] == "bf16" and "AWQ" in row["model_as_written"]:
        raise Skip("labelled BF16 while the model served is an AWQ checkpoint")
    run = re.search(r"run ([^;]+)", row["notes"] or "")
    where = run.group(1).strip() if run else None
    campaign = (where or "").split("/")[0]
    config["_campaign"] = campaign
    written = row["model_as_written"]
    variant = written if "exl3" in written.lower() or "FP8" in written or "AWQ" in written or "autoround" in written.lower() else None
    plan = Plan(config, m, {"file": _file(row), "name": variant or written}, notes=notes)
    plan.where = f"campaign {campaign}" if campaign else None
    extra = re.search(r"(?:short|medium|long|warm|cold|code|prose|prefix)[\w-]*", (where or "").split("/")[-1])
    plan.suffix = extra.group(0) if extra and campaign.startswith(("laguna", "qwen122b")) else None
    return plan


def club3090(row: JSON) -> Plan:
    parts = segments(row)
    head = parts[0] if parts else ""
    logs = row["source"] == "club-3090-logs"
    config = configuration(row, "bench.sh")
    text = row["raw"] or ""
    if not logs:
        compose = next((p for p in parts if p.startswith("compose ")), "")
        if names.VARIANT.search(compose):
            raise Skip("fine-tune or cut-down variant filed under its parent model")
        config["_line"] = " ".join(p for p in parts if p.startswith(("BENCHMARKS", "compose")))
        where = "; ".join(p for p in parts if p.startswith(("BENCHMARKS", "compose")))
    else:
        variant = next((p for p in parts if p.startswith("variant ")), head)
        config["_line"] = row["source_url"] + " " + variant
        where = row["source_url"].rsplit("/blob/master/", 1)[-1]
    if any("MIXED-ARCH" in p or "+ 3090 Ti" in p for p in parts):
        raise Skip("cards of different kinds in one run")
    if any("the source itself doubts" in p for p in parts):
        raise Skip("the source itself doubts the figure")
    m = measurement(row)
    m["peak_memory"] = quantity(row["memory_used_bytes"], "byte")
    hint = None
    for word in ("narrative", "code"):
        if any(p.startswith((word, f"bench.sh {word}", f"{word} prompt")) or f" {word} prompt" in f" {p}" for p in parts):
            hint = word
    run = re.search(r"run-?(\d+)|warm-?(\d+)", " ".join(parts) + " " + str(text))
    suffix = "-".join(x for x in (hint, run.group(0) if run and logs else None) if x) or None
    warm = logs and "warm" in (suffix or "")
    if warm:
        raise Skip("warm-up run of a log")
    if row["phase"] == "decode" and row["n_prompt"]:
        m["depth"] = quantity(row["n_prompt"], "tokens")
    notes = [p for p in parts if not p.startswith(("BENCHMARKS", "compose", "variant"))]
    if row["kv_type"] and config.get("_kv_note"):
        pass
    return Plan(config, m, {"name": row["quant_as_written"]}, suffix, notes, where)


def kyuz0_vllm(row: JSON) -> Plan:
    raw = row["raw"] if isinstance(row["raw"], dict) else {}
    serve = row["phase"] == "serve"
    config = configuration(row, "vllm bench serve" if serve else "vllm bench throughput")
    config["speculation"] = "none"
    name = row["source_url"].rsplit("/", 1)[-1]
    config["_set"] = next((s for s in segments(row) if s.startswith("run set")), None)
    m = measurement(row)
    if serve:
        m["request_rate"] = quantity(raw.get("Request throughput (req/s):"), "request/s")
        m["requests"] = quantity(raw.get("Successful requests:"), "request")
        m["duration"] = quantity(raw.get("Benchmark duration (s):"), "s")
        m["total_rate"] = quantity(raw.get("Total Token throughput (tok/s):"), "tok/s")
        for key, text in (("ttft_p99", "P99 TTFT (ms):"), ("tpot_p99", "P99 TPOT (ms):")):
            value = raw.get(text)
            m[key] = quantity(value / 1000, "s") if value is not None else None
    else:
        m["request_rate"] = quantity(raw.get("requests_per_second"), "request/s")
        m["requests"] = quantity(raw.get("num_requests"), "request")
        m["duration"] = quantity(raw.get("elapsed_time"), "s")
    qps = re.search(r"qps([\d.]+)", name)
    notes = segments(row)
    if serve:
        notes.append("concurrency is the peak of concurrent requests that the tool printed")
    plan = Plan(config, m, {"repository": row["model_as_written"]}, f"qps{qps.group(1)}" if qps else None, notes)
    plan.where = row["source_url"].rsplit("/blob/main/", 1)[-1].rsplit("/", 1)[0]
    return plan


def kyuz0_strix_vllm(row: JSON) -> Plan:
    config = configuration({**row, "backend": None}, "vllm bench throughput")
    config["_attention"] = row["backend"]
    config["backend"] = "ROCm"
    if any("as fast as the BF16" in s for s in segments(row)):
        raise Skip("4-bit row as fast as the BF16 one: the source's label is in doubt")
    return Plan(config, measurement(row), {"repository": row["model_as_written"]}, None, segments(row))


def argonne(row: JSON) -> Plan:
    config = configuration(row, None)
    if row["engine"] == "llama.cpp" and row["n_cards"] > 1:
        config["parallelism"] = "unknown"
    notes = segments(row)
    if "not stated" in (row["quant_as_written"] or ""):
        notes.append("precision not stated by the source; 16-bit weights are meant")
    plan = Plan(config, measurement(row), {"repository": row["model_as_written"]}, None, notes)
    plan.where = row["source_url"].rsplit("/blob/main/", 1)[-1]
    return plan


def mlperf(row: JSON) -> Plan:
    text = row["engine"] or ""
    low = text.lower()
    row = dict(row)
    if low.startswith("tensorrt"):
        row["engine"], row["driver"] = "tensorrt-llm", text
    elif "llmboost" in low:
        row["engine"], row["driver"] = "llmboost", text
    elif low.startswith("vllm"):
        row["engine"], row["driver"] = "vllm", text
    if row["quant"] == "nvfp4-safetensors" and row["quant_as_written"] != "fp4":
        raise Skip("quant not stated or not resolved")
    config = configuration(row, "mlperf loadgen")
    scenario = re.search(r"(\w+) scenario, (\w+), (\w+)", row["notes"] or "")
    system = re.search(r"system ([^;]+)", row["notes"] or "")
    if scenario and scenario.group(2) != "closed":
        raise Skip("MLPerf row outside the closed division")
    config["_system"] = system.group(1) if system else None
    config["_benchmark"] = row["model_as_written"]
    submitter = row["source_url"].split("/closed/")[-1].split("/")[0]
    notes = [s for s in segments(row) if not s.startswith("a# per node")]
    plan = Plan(
        config,
        measurement(row),
        {"name": f"{row['model_as_written']} {row['quant_as_written']}, {submitter}", "label": f"mlperf-{submitter}"},
        f"{scenario.group(1) if scenario else ''} {row['model_as_written']}",
        notes,
    )
    plan.where = row["source_url"].split("/tree/main/")[-1] + " (" + row["model_as_written"] + ")"
    return plan


def localmaxxing(row: JSON) -> Plan:
    notes, command = row["notes"] or "", row["command"] or ""
    if row["n_cards"] == 1 and re.search(
        r"\b(2|two|dual|4|quad) ?[x×]|tensor[- ]split|--tensor-parallel-size [2-8]|-tp [2-8]|dual[- ]gpu", notes + " " + command, re.I
    ):
        raise Skip("one card in the column, more in the notes")
    streams = row["concurrency"]
    if streams not in (None, 1):
        raise Skip("batch column: a token batch or streams, not stated which")
    declared = row["speculation"]
    hint = re.search(r"spec(ulat|-|_)|draft|\bmtp\b|eagle|medusa|n-?gram|dflash|nextn", notes + " " + command, re.I)
    if not declared and hint:
        raise Skip("speculation named in the notes only, not declared")
    if row["phase"] == "prefill" and re.search(r"cache[d]? (prompt|hit|prefix)|prefix[- ]cach|prompt cache|cached", notes + " " + command, re.I):
        raise Skip("prefill that may count cached tokens")
    if row["model"] == "qwen3.6-27b" and row["card"] == "rtx-3090" and row["phase"] == "decode" and not declared and row["tok_s"] > 55:
        raise Skip("RTX 3090 cluster of one 27B model above the plain wall")
    if (
        row["quant"] in ("f16", "bf16")
        and row["params_as_written"]
        and _float(row["params_as_written"]) > 11
        and row["card"] in ("rtx-3090", "rtx-4090", "rtx-3060-12gb", "rtx-4070")
    ):
        raise Skip("16-bit label on weights that do not fit the card")
    tool = "llama-bench" if re.search(r"llama-bench", notes + command) else None
    plan = Plan(
        configuration(row, tool), measurement(row), {"repository": row["model_as_written"] if "/" in row["model_as_written"] else None}, None, segments(row)
    )
    plan.measurement["peak_memory"] = quantity(row["memory_used_bytes"], "byte")
    return plan


def _float(text: str) -> float:
    found = re.search(r"\d+(\.\d+)?", str(text))
    return float(found.group(0)) if found else 0.0


def llmfit(row: JSON) -> Plan:
    config = configuration(row, "llmfit")
    m = measurement(row)
    runs = re.search(r"(\d+) runs, min ([\d.]+), max ([\d.]+) tok/s", row["notes"] or "")
    if runs:
        m["repeats"] = plain(float(runs.group(1)))
        m["rate_min"] = quantity(float(runs.group(2)), "tok/s")
        m["rate_max"] = quantity(float(runs.group(3)), "tok/s")
    notes = [s for s in segments(row) if " runs, min " not in s]
    plan = Plan(config, m, {"file": _file(row)}, None, notes)
    plan.where = row["source_url"].rsplit("/blob/main/", 1)[-1]
    return plan


def exllama(row: JSON) -> Plan:
    bits = re.search(r"(\d+(?:\.\d+)?) ?bpw", row["quant_as_written"] or "")
    config = configuration(row, None)
    config["_bits"] = row["quant_as_written"]
    plan = Plan(config, measurement(row), {"name": row["quant_as_written"], "bits": bits.group(1) if bits else None}, None, segments(row))
    return plan


def geerlingguy(row: JSON) -> Plan:
    config = configuration(row, None)
    return Plan(config, measurement({**row, "depth": None}), {}, None, [s for s in segments(row) if "quant is not stated" not in s])


def ik_llama(row: JSON) -> Plan:
    notes = row["notes"] or ""
    tool = next((t for t in ("llama-sweep-bench", "llama-batched-bench", "llama-bench") if t in notes), None)
    if "odd: named Q8_0 but" in notes or "fallback file type" in notes:
        raise Skip("file type label is the fallback of a custom mix")
    if "cannot fit" in notes:
        raise Skip("weights cannot fit the named cards and host offload was not captured")
    if "cards of different kinds" in notes:
        raise Skip("cards of different kinds in one run")
    if re.search(r"CPUs named: [^;]*,", notes) and not row["card"]:
        raise Skip("which of several named machines ran it is not clear")
    column = re.search(r"column ([^;]+)", notes)
    flags = re.search(r"((?:threads|mla|amb|fmoe|rtr|mmap) \d+(?:, \w+ \d+)*)", notes)
    plan = _bench(row, tool or "llama-bench", _column=column.group(1) if column else None, _flags=flags.group(1) if flags else None)
    plan.where = row["source_url"]
    return plan


def trtllm_perf(row: JSON) -> Plan:
    config = configuration(row, "trtllm-bench throughput")
    config["prompt"] = "random token ids, all requests alike"
    m = measurement(row)
    m["requests"] = quantity(row["raw"]["requests"], "request")
    return Plan(config, m, {"label": "nvidia"}, None, segments(row))


def sglang_cookbook(row: JSON) -> Plan:
    config = configuration(row, "sglang.bench_serving")
    config["prompt"] = "random"
    config["prefix_cache"] = "on-unique-prompts"
    m = measurement(row)
    m["requests"] = quantity(row["raw"]["requests"], "request")
    m["tpot"] = quantity(row["tpot_s"], "s")
    label = "radixark-w4a4" if row["quant"].startswith("nvfp4") else "qwen"
    return Plan(config, m, {"label": label}, None, segments(row))


def llama_benchy(row: JSON) -> Plan:
    raise Skip("card not named")


#: rows file → (handler, id stem of its sources, title, licence or None)
HANDLERS: dict[str, tuple[Callable[[JSON], Plan], str, str]] = {
    "rig_4x3090": (rig, "4x3090-archive", "A benchmark archive of one rig of four RTX 3090: measurements with their commands"),
    "kyuz0_llamacpp": (kyuz0_llamacpp, "kyuz0-strix-llamacpp", "llama.cpp on a Ryzen AI Max+ 395 by backend and depth: collected llama-bench results"),
    "club3090": (club3090, "club-3090", "club-3090: community measurements of 27B-class and larger models on RTX 3090 rigs"),
    "llamacpp_repo": (llamacpp_repo, "llamacpp-benches", "llama.cpp repository: benches of DGX Spark, Mac Studio M2 Ultra and Arc A770"),
    "xiongjiedai": (xiongjiedai, "gpu-benchmarks-on-llm-inference", "GPU Benchmarks on LLM Inference: llama.cpp on Llama 3 8B and 70B"),
    "kyuz0_r9700": (kyuz0_r9700, "kyuz0-r9700-llamacpp", "llama-bench logs of one and two Radeon AI PRO R9700"),
    "kyuz0_llamacpp_rpc": (kyuz0_rpc, "kyuz0-strix-rpc", "llama-bench logs over RPC on two Ryzen AI Max+ 395 machines"),
    "kyuz0_vllm": (kyuz0_vllm, "kyuz0-r9700-vllm", "vLLM serving and throughput benchmarks on six cards"),
    "kyuz0_strix_vllm": (kyuz0_strix_vllm, "kyuz0-strix-vllm", "vLLM throughput on one and two Ryzen AI Max+ 395 machines"),
    "argonne": (argonne, "llm-inference-bench", "LLM-Inference-Bench: batch sweeps of inference engines on accelerators"),
    "mlperf": (mlperf, "mlperf-v5.1", "MLPerf Inference v5.1 results, closed division"),
    "llmfit": (llmfit, "llmfit-community", "llmfit: community measurements of one tool"),
    "localmaxxing": (localmaxxing, "localmaxxing", "localmaxxing: community measurements, as cached by llmfit"),
    "exllama": (exllama, "exllama", "ExLlama performance figures of READMEs and threads"),
    "geerlingguy": (geerlingguy, "ai-benchmarks", "ai-benchmarks: ollama decode rates on many machines"),
    "ik_llama": (ik_llama, "ik-llama-threads", "ik_llama.cpp issues, pull requests and discussions: sweeps and benchmark tables"),
    "trtllm_perf": (trtllm_perf, "trtllm-perf-overview", "TensorRT-LLM performance overview: output throughput under maximum load"),
    "trtllm_perf_v1": (trtllm_perf, "trtllm-perf-overview-v1", "TensorRT-LLM performance overview (v1.0): total output throughput under maximum load"),
    "sglang_cookbook": (sglang_cookbook, "sglang-cookbook", "SGLang cookbook: Qwen3.8-27B on one GB300 GPU in three formats, with and without MTP"),
    "llama_benchy": (llama_benchy, "llama-benchy", "llama-benchy README sample output"),
}  # fmt: skip
