"""Weight and KV formats that the rows name and the facts lack."""

from __future__ import annotations

from typing import Any

from common import plain
from facts_quants import bits, embedding_bits, paths

JSON = dict[str, Any]

_IK = "ik-llama.cpp-gguf-00ded08"
SOURCES: list[JSON] = [
    {"id": _IK, "title": "ik_llama.cpp: block sizes of its GGML types", "kind": "repository", "url": "https://github.com/ikawrakow/ik_llama.cpp", "repository": "ikawrakow/ik_llama.cpp", "path": "gguf-py/gguf/constants.py", "revision": "00ded085bab7e3f5de1175b8dcb2be2d55782fbc"},
    {"id": "aqlm-readme", "title": "AQLM README: schemes and their bits", "kind": "repository", "url": "https://github.com/Vahe1994/AQLM", "repository": "Vahe1994/AQLM", "path": "README.md"},
    {"id": "modelopt-windows-benchmark", "title": "NVIDIA Model Optimizer for Windows: benchmark page", "kind": "vendor-repository", "url": "https://github.com/NVIDIA/Model-Optimizer", "repository": "NVIDIA/Model-Optimizer", "path": "examples/windows/Benchmark.md"},
    {"id": "club-3090-hardware", "title": "club-3090: hardware profiles and KV cache formats", "kind": "repository", "url": "https://github.com/noonghunna/club-3090", "repository": "noonghunna/club-3090", "path": None, "revision": None},
    {"id": "exllamav3-readme", "title": "ExLlamaV3 README", "kind": "repository", "url": "https://github.com/turboderp-org/exllamav3", "repository": "turboderp-org/exllamav3", "path": "README.md", "revision": None},
    {"id": "vllm-flashmla-sparse", "title": "vLLM: cache shape of the sparse FlashMLA backend (656 bytes a token)", "kind": "repository", "url": "https://github.com/vllm-project/vllm", "repository": "vllm-project/vllm", "path": "vllm/v1/attention/backends/mla/flashmla_sparse.py"},
    {"id": "arithmetic-blocks", "title": "Bits of a block: elements, scales and zero points over the number of weights", "kind": "arithmetic", "url": None, "repository": None, "path": None, "revision": None},
]  # fmt: skip

#: Types of ik_llama.cpp: name → (weights, bytes) of a block. The R4 and R8 forms are the same bits in another order.
IK_TYPES = {
    "IQ1_BN": (64, 13), "IQ2_BN": (64, 16), "IQ1_KT": (256, 56), "IQ2_K": (256, 76), "IQ2_KS": (256, 70), "IQ2_KL": (256, 86), "IQ2_KT": (256, 68),
    "IQ3_K": (256, 110), "IQ3_KS": (256, 102), "IQ3_KT": (256, 100), "IQ4_K": (256, 144), "IQ4_KS": (256, 136), "IQ4_KSS": (256, 128), "IQ4_KT": (256, 128),
    "IQ5_K": (256, 176), "IQ5_KS": (256, 168), "IQ6_K": (256, 212), "Q6_0": (32, 26), "Q8_K_R8": (256, 258), "IQ1_S_R4": (32, 6), "IQ1_M_R4": (32, 7),
}  # fmt: skip


def ik(name: str, weights: int, size: int) -> JSON:
    slug = name.lower().replace("_", "-")
    per_weight = 8 * size / weights
    return {
        "id": slug, "name": f"{name} (ik_llama.cpp)", "family": "gguf-preset", "block": f"{weights} parameters", "block_size": f"{size} byte", "bits_min": bits(per_weight),
        "bits": None, "embedding_bits_max": bits(embedding_bits(slug, "gguf-preset")), "recipe": "Tensors of this type; output and some others wider", "grade": "A", "source": _IK,
        "note": "bits_min is the block's: row scales and wider tensors come on top; R4 and R8 names hold the same bits in another order", "paths": paths(slug, "gguf-preset"),
    }  # fmt: skip


def other(slug: str, name: str, family: str, low: float | None, source: str, grade: str, note: str | None = None, element: float | None = None) -> JSON:
    return {
        "id": slug, "name": name, "family": family, "element_bits": bits(element), "bits_min": bits(low), "embedding_bits_max": bits(16), "grade": grade, "source": source,
        "note": note, "paths": paths(slug, family),
    }  # fmt: skip


def quants() -> list[JSON]:
    out = [ik(name, *block) for name, block in IK_TYPES.items()]
    for slug, name, low in (("aqlm-1x16", "AQLM 1x16", 2), ("aqlm-2x8", "AQLM 2x8", 2), ("aqlm-8x8", "AQLM 8x8", 8)):
        out.append(other(slug, name, "aqlm", low, "aqlm-readme", "B", "Codes of 8 weights: codebooks and scales come on top; embeddings stay in 16 bits", low))
    for slug, name, low in (
        ("onnx-int4-awq", "ONNX INT4 AWQ", 4), ("onnx-pure-int4-awq", "ONNX pure INT4 AWQ", 4), ("onnx-pure-int4-rtn", "ONNX pure INT4 RTN", 4), ("onnx-mixed-awq", "ONNX mixed INT4 and INT8 AWQ", 4),
        ("onnx-mixed-rtn", "ONNX mixed INT4 and INT8 RTN", 4), ("onnx-pure-int8-awq", "ONNX pure INT8 AWQ", 8), ("onnx-pure-int8-rtn", "ONNX pure INT8 RTN", 8),
    ):  # fmt: skip
        out.append(other(slug, name, "other", low, "modelopt-windows-benchmark", "B", "Bits of the narrower weights without scales: a lower bound", low))
    out.append(other("w8a16-int8", "W8A16 INT8 (weights only)", "int8", 8, "club-3090-hardware", "B", "Scales come on top", 8))
    out.append(
        {
            **other("gguf-nvfp4", "GGUF NVFP4", "gguf-preset", 4.5, "gguf-0.19.0", "A", "Tensors of GGUF type NVFP4, the rest as stored"),
            "embedding_bits_max": bits(16),
        }
    )
    return out


def kv_quants() -> list[JSON]:
    out = []
    for slug, name, engines in (
        ("turboquant-4bit", "turboquant_4bit_nc", "vLLM forks"), ("turboquant-k3v4", "turboquant_k3v4_nc", "vLLM forks"), ("turbo3", "turbo3", "llama.cpp forks"), ("turbo4", "turbo4", "llama.cpp forks"),
    ):  # fmt: skip
        out.append({"id": slug, "name": name, "engines": engines, "grade": "D", "source": "club-3090-hardware", "note": "Size not sourced"})
    for width in range(2, 9):
        out.append(
            {
                "id": f"exl3-q{width}", "name": f"EXL3 cache, {width} bits", "element_size": f"{plain(width / 8)} byte", "engines": "ExLlamaV3", "grade": "B", "source": "exllamav3-readme",
                "source_note": "2 to 8 bit cache", "note": "Without scales: a lower bound",
            }
        )  # fmt: skip
    out.append(
        {
            "id": "q8-kv",
            "name": "q8_KV",
            "element_size": "1 byte",
            "block_elements": 32,
            "block_size": "32 byte",
            "engines": "ik_llama.cpp",
            "grade": "A",
            "source": _IK,
            "note": "Row scales come on top",
        }
    )
    return out
