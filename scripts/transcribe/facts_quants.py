"""facts/quants.csv and facts/kv_quants.csv → data/quants and data/kv_quants."""

from __future__ import annotations

import re
from typing import Any

from common import number, plain
from facts_cards import measure, safe, whole
from facts_sources import Registry

JSON = dict[str, Any]

_FP16 = ("fp16_fp32acc", "fp16_fp16acc", "bf16", "fp16_vector", "fp32")
_INTEGER = ("int8", *_FP16)
_FP8 = ("fp8", "fp8_fp32acc", *_FP16)
_FP4 = ("fp4", "fp8", "fp8_fp32acc", *_INTEGER)

#: Candidate paths under any engine, by family; a strict bound takes the fastest that the card has.
PATHS: dict[str, tuple[str, ...]] = {
    "gguf-type": _INTEGER, "gguf-preset": _INTEGER, "gguf-dynamic": _INTEGER,
    "gptq": _FP16, "awq": _FP16, "autoround": _FP16, "hqq": _FP16, "aqlm": _FP16, "w4a16": _FP16, "exl2": _FP16, "exl3": _FP16,
    "mlx": _FP16, "bitsandbytes": _FP16, "other": _INTEGER, "fp8": _FP8, "int8": _INTEGER, "nvfp4": _FP4, "mxfp4": _FP4,
    "w4a8": ("fp8", "fp8_fp32acc", *_INTEGER),
}  # fmt: skip
#: 4-bit weights that the Marlin kernels of vLLM multiply with 8-bit activations when they are told to.
_MARLIN = ("gptq", "awq", "autoround", "w4a16")

_EIGHT_BIT = 8.5
_FAMILY = {"float": "float", "int": "int8", "compressed-tensors": "w4a16"}


def family(row: JSON) -> str:
    slug = row["slug"]
    if slug == "gguf-ud-dynamic":
        return "gguf-dynamic"
    if slug.startswith("fp8"):
        return "fp8"
    return _FAMILY.get(row["family"], row["family"])


def paths(slug: str, kind: str) -> list[JSON]:
    """Engine 'any' first, then what single engines add."""
    if kind == "textbook":
        return [{"engine": "any", "path": "fp16_fp16acc"}]
    if kind == "float":
        base = {
            "f32": ("fp32", "bf16", "fp16_fp32acc", "fp16_vector"),
            "f16": ("fp16_fp32acc", "bf16", "fp16_vector", "fp32"),
            "bf16": ("bf16", "fp16_fp32acc", "fp16_vector", "fp32"),
        }[slug]
        out = [{"engine": "any", "path": p} for p in base]
        if slug == "f32":
            for entry in out[1:3]:
                entry["note"] = "TF32 and split 16-bit products run at most at this rate"
        if slug != "bf16":
            out.append({"engine": "llama.cpp", "path": "fp16_fp16acc", "note": "cuBLAS with CUBLAS_COMPUTE_16F, Vulkan f16acc"})
        return out
    low = slug.replace("-", "")
    wanted = PATHS["nvfp4"] if "fp4" in low and kind.startswith("gguf") else PATHS[kind]
    if slug == "bnb-int8":
        wanted = _INTEGER
    out = [{"engine": "any", "path": p} for p in wanted]
    if kind in _MARLIN:
        out += [{"engine": "vllm", "path": p, "note": "Marlin with 8-bit activations (VLLM_MARLIN_INPUT_DTYPE)"} for p in ("int8", "fp8", "fp8_fp32acc")]
    return out


def bits(value: float | None) -> str | None:
    return None if value is None else f"{number(value)} bit/parameter"


def embedding_bits(slug: str, kind: str) -> float:
    """The most that the token embedding takes: 16 bits where only the matrices are quantized, Q8_0 in GGUF presets."""
    if slug == "f32":
        return 32
    if not kind.startswith("gguf") or slug in ("gguf-mxfp4-moe", "gguf-ud-q8-k-xl", "gguf-nvfp4"):
        return 16
    return _EIGHT_BIT


def quant(row: JSON, registry: Registry, unsourced: str, block_bits: dict[str, float]) -> JSON:
    source, located = registry.cite(row["source_url"])
    slug, kind = row["slug"], family(row)
    grade = row["evidence_grade"] if source else "D"
    typical = float(row["typical_bpw"]) if row["typical_bpw"] else None
    low = [float(row[k]) for k in ("avg_bpw_min", "avg_bpw_min_7b_plus", "effective_bpw_block") if row[k]]
    if row["preset_base_type"]:
        low.append(block_bits[row["preset_base_type"]])
    if not low and typical is not None:
        low = [typical]
    high = float(row["avg_bpw_max"]) if row["avg_bpw_max"] else None
    if kind == "float":
        high = typical
    if slug in ("exl2", "exl3"):
        typical = None
    if kind == "gguf-dynamic":
        grade, low, high = "A", [], None
        source, located = registry.add(DYNAMIC_SOURCE), None
    return {
        "id": slug,
        "name": row["name"],
        "family": kind,
        "element_bits": bits(float(row["element_bits"])) if row["element_bits"] else None,
        "block": measure(row["block_elems"], "parameters"),
        "block_size": measure(row["bytes_per_block"], "byte"),
        "bits_min": bits(min(low)) if low else None,
        "bits": bits(typical),
        "bits_max": bits(high),
        "embedding_bits_max": bits(embedding_bits(slug, kind)),
        "recipe": safe(row["recipe"]),
        "activation": row["activation_dtype"] or None,
        "lossless": True if kind == "float" else None,
        "grade": grade,
        "source": source or unsourced,
        "source_note": safe(located),
        "note": safe(row["notes"]),
        "paths": paths(slug, kind),
    }


DYNAMIC_SOURCE: JSON = {
    "id": "unsloth-dynamic-ggufs",
    "title": "Unsloth dynamic GGUFs: the type of each tensor differs from model to model",
    "kind": "web-page",
    "url": "https://docs.unsloth.ai/basics/unsloth-dynamic-2.0-ggufs",
    "repository": None,
    "path": None,
    "revision": None,
}

#: Mixes that the rows name. Their bits differ from model to model: only a file's size bounds them.
DYNAMIC = (
    "q2-k-xl", "q3-k-s", "q3-k-m", "q3-k-xl", "q4-k-s", "q4-k-m", "q4-k-l", "q4-k-xl", "q5-k-s", "q5-k-m", "q5-k-xl", "q6-k", "q6-k-s",
    "q6-k-xl", "q8-k-xl", "iq1-s", "iq1-m", "iq2-xxs", "iq2-m", "iq3-xxs", "iq3-s", "iq4-nl", "iq4-xs", "tq1-0",
)  # fmt: skip


def dynamic(mix: str, registry: Registry) -> JSON:
    slug = f"gguf-ud-{mix}"
    return {
        "id": slug,
        "name": "UD-" + mix.upper().replace("-", "_"),
        "family": "gguf-dynamic",
        "embedding_bits_max": bits(embedding_bits(slug, "gguf-dynamic")),
        "grade": "A",
        "source": registry.add(DYNAMIC_SOURCE),
        "note": "A dynamic mix: take bytes from the file, never from the name",
        "paths": paths(slug, "gguf-dynamic"),
    }


def kv_quant(row: JSON, registry: Registry, unsourced: str) -> JSON:
    source, located = registry.cite(row["source"])
    guess = bool(re.search("approximate|recalled|not sourced", row["notes"])) or not row["bytes_per_element"]
    return {
        "id": re.sub(r"[^a-z0-9.]+", "-", row["slug"].lower()).strip("-"),
        "name": row["slug"],
        "element_size": measure(row["bytes_per_element"], "byte"),
        "block_elements": whole(row["block_elems"]),
        "block_size": measure(row["bytes_per_block"], "byte"),
        "engines": row["engines"] or None,
        "grade": "D" if guess or not source else "A" if "c392e50" in row["source"] else "B",
        "source": source or unsourced,
        "source_note": safe(located),
        "note": safe(row["notes"]),
    }


def link(row: JSON, registry: Registry, unsourced: str) -> JSON:
    source, located = registry.cite(row["source_url"])
    return {
        "id": row["slug"],
        "name": row["name"],
        "kind": row["kind"],
        "generation": row["generation"] or None,
        "lanes": whole(row["lanes"]),
        "encoding": row["encoding"] or None,
        "bandwidth": measure(row["bandwidth_GBps_per_direction"], "GB/s"),
        "bandwidth_both": measure(row["bidirectional_GBps_quoted"], "GB/s"),
        "grade": row["evidence_grade"] if source else "D",
        "source": source or unsourced,
        "source_note": safe(located),
        "note": safe(row["notes"]),
    }


#: key of the document → column of facts/sm_limits.csv; sizes in bytes are written with their unit.
LIMITS = {
    "warp_threads": "warp_size", "max_threads_per_block": "max_threads_per_block", "max_warps_per_sm": "max_warps_per_sm",
    "max_threads_per_sm": "max_threads_per_sm", "max_blocks_per_sm": "max_blocks_per_sm", "registers_per_sm": "regs_per_sm_32bit",
    "registers_per_block": "regs_per_block_32bit", "register_allocation_unit": "reg_alloc_unit_regs",
    "max_registers_per_thread": "max_regs_per_thread", "warp_allocation_granularity": "warp_alloc_granularity", "sub_partitions": "sub_partitions",
}  # fmt: skip
LIMIT_SIZES = {
    "shared_memory_per_sm": "smem_per_sm_max_bytes", "shared_memory_per_block": "smem_per_block_default_bytes",
    "shared_memory_per_block_optin": "smem_per_block_optin_bytes", "shared_memory_reserved": "smem_reserved_per_block_bytes",
    "shared_memory_allocation_unit": "smem_alloc_unit_bytes",
}  # fmt: skip


def sm_limit(row: JSON, registry: Registry) -> JSON:
    source, located = registry.cite(row["source"])
    if source is None:
        raise ValueError(f"{row['arch']} has no source")
    document: JSON = {
        "id": row["arch"],
        "vendor": row["vendor"],
        "example_chips": row["example_chips"] or None,
        "register_allocation_scope": "warp" if row["reg_alloc_scope"] == "warp" else "thread",
        "grade": "A" if row["vendor"] == "nvidia" else "B",
        "source": source,
        "source_note": safe(located),
        "note": safe(row["notes"]),
    }
    document |= {key: whole(row[column]) for key, column in LIMITS.items()}
    document |= {key: f"{plain(float(row[column]))} byte" if row[column] else None for key, column in LIMIT_SIZES.items()}
    return document
