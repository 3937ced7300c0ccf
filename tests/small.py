"""A small package of its own: the schemas, views and rules of the project, and few documents."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from cardbook.package import Package
from tests.shell import ROOT

SOURCE = {"id": "physics", "title": "Worked values", "kind": "arithmetic"}
CARD = {
    "id": "rtx-3090", "name": "GeForce RTX 3090", "vendor": "nvidia", "kind": "gpu", "segment": "consumer", "memory_class": "gddr",
    "memory": "24 GiB", "memory_bandwidth": "936 GB/s", "l2_cache": "6 MiB", "board_power": "350 W", "peaks_complete": True, "grade": "B", "source": "physics",
    "peaks": [
        {"path": "fp16_fp16acc", "peak": "142.3 TFLOP/s", "grade": "B", "source": "physics"},
        {"path": "int8", "peak_operations": "284.7 TOPS", "grade": "B", "source": "physics"},
    ],
}  # fmt: skip
MODEL = {
    "id": "llama-3.1-8b", "name": "Llama 3.1 8B", "parameters": "8030261248 parameters", "decode_parameters": "7504924672 parameters",
    "embedding_parameters": "525336576 parameters", "tied_embeddings": False, "grade": "A", "source": "physics",
    "attention_groups": [{"name": "full", "kind": "full", "layers": 32, "kv_elements_per_token": "2048 1/token", "score_value_width": 8192}],
}  # fmt: skip
QUANT = {
    "id": "gguf-q4-k-m", "name": "Q4_K_M", "family": "gguf-preset", "bits_min": "4.804 bit/parameter", "bits": "4.894 bit/parameter",
    "embedding_bits_max": "8.5 bit/parameter", "grade": "A", "source": "physics",
    "paths": [{"engine": "any", "path": "int8"}, {"engine": "any", "path": "fp16_fp16acc"}],
}  # fmt: skip
KV = {"id": "f16", "name": "f16", "element_size": "2 byte", "grade": "A", "source": "physics"}
ENGINE = {"id": "llama.cpp", "name": "llama.cpp", "source": "physics"}
CHECKPOINT = {"id": "llama-3.1-8b.gguf-q4-k-m", "model": "llama-3.1-8b", "quant": "gguf-q4-k-m", "tensor_size": "4912898304 byte", "source": "physics"}
QUALITY = {
    "id": "llama-q4", "checkpoint": "llama-3.1-8b.gguf-q4-k-m", "tool": "llama-perplexity", "source": "physics",
    "figures": [{"metric": "perplexity", "dataset": "wikitext-2", "value": 6.38, "baseline": 6.23, "delta": 0.15}],
}  # fmt: skip


def recipe(identity: str = "one", **changes: Any) -> dict[str, Any]:
    """A complete reported recipe, with some keys changed (None removes one)."""
    document = {
        "id": identity, "tier": "reported", "card": "rtx-3090", "cards": 1, "parallelism": "none", "model": "llama-3.1-8b", "quant": "gguf-q4-k-m",
        "checkpoint": "llama-3.1-8b.gguf-q4-k-m", "kv_quant": "f16", "engine": "llama.cpp", "engine_version": "9187", "driver": "580.95.05",
        "command": "llama-bench -m x.gguf", "host_offload": "none", "speculation": "none", "source": "physics",
        "measurements": [
            {"name": "pp512", "phase": "prefill", "prompt_tokens": "512 tokens", "depth": "0 tokens", "concurrency": 1, "rate": "4867 tok/s"},
            {"name": "tg128", "phase": "decode", "generated_tokens": "128 tokens", "depth": "0 tokens", "concurrency": 1, "rate": "131.55 tok/s"},
        ],
    }  # fmt: skip
    return {k: v for k, v in (document | changes).items() if v is not None}


def put(package: Package, path: str, document: Any) -> Path:
    """Write a document (or text, or bytes) under data/."""
    target = package.data / path
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(document, bytes):
        target.write_bytes(document)
    else:
        target.write_text(document if isinstance(document, str) else json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return target


def make(folder: Path) -> Package:
    """The small package in `folder`, not yet built."""
    for name in ("schemas", "views", "validators"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.rmtree(folder / "schemas" / "documents", ignore_errors=True)
    (folder / "datapackage.json").write_text('{"version": "0.1.0"}\n')
    package = Package(folder)
    for path, document in {
        "sources/physics.json": SOURCE, "cards/rtx-3090.json": CARD, "models/llama-3.1-8b.json": MODEL, "quants/gguf-q4-k-m.json": QUANT,
        "kv_quants/f16.json": KV, "engines/llama.cpp.json": ENGINE, "checkpoints/llama-3.1-8b.gguf-q4-k-m.json": CHECKPOINT,
        "quality/llama-3.1-8b/llama-q4.json": QUALITY, "recipes/rtx-3090/one/recipe.json": recipe(),
    }.items():  # fmt: skip
        put(package, path, document)
    return package
