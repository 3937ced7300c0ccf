"""The figures of cited.py, as printed on the pages."""

from __future__ import annotations

from typing import Any

JSON = dict[str, Any]
Row = dict[str, Any]


def rows(phase: str, columns: str, table: str, **shared: Any) -> list[Row]:
    """A table of strings, one measurement a line; a dash leaves the cell out, a count stays a number."""
    out: list[Row] = []
    for line in table.strip().splitlines():
        cells = {k: v for k, v in zip(columns.split(), line.split(), strict=True) if v != "-"}
        typed = {k: int(v) if k in ("concurrency", "repeats") else float(v) if k == "acceptance_rate" else v for k, v in cells.items()}
        out.append({"phase": phase, **shared, **typed})
    return out


GITHUB = "https://github.com"


def blob(repository: str, path: str, revision: str, title: str, note: str | None = None) -> JSON:
    return {
        "title": title, "kind": "repository", "url": f"{GITHUB}/{repository}/blob/{revision}/{path}", "repository": repository, "path": path,
        "revision": revision, "note": note,
    }  # fmt: skip


SPARK: JSON = {
    "id": "kubesimplify-qwen3.8-27b-spark",
    "source": blob(
        "kubesimplify/website", "content/blog/qwen3-8-27b-on-dgx-spark.md", "7f71bddff2761b7c2f668f1dcb92d1c4cb9dc5f2",
        "Running Qwen3.8-27B on DGX Spark: llama.cpp, Ollama, vLLM and SGLang", "Run on 14 and 15 August 2026, MTP and SGLang later",
    ),
    "checkpoints": [
        {"id": "qwen3.8-27b.fp8-e4m3.qwen-017b9c7a", "model": "qwen3.8-27b", "quant": "fp8-e4m3", "repository": "Qwen/Qwen3.8-27B-FP8", "revision": "017b9c7a"},
        {
            "id": "qwen3.8-27b.nvfp4-safetensors.unsloth-60e813d4", "model": "qwen3.8-27b", "quant": "nvfp4-safetensors",
            "repository": "unsloth/Qwen3.8-27B-NVFP4", "revision": "60e813d4",
        },
        {
            "id": "qwen3.8-27b.nvfp4-safetensors.unsloth-7d6f8d4d", "model": "qwen3.8-27b", "quant": "nvfp4-safetensors",
            "repository": "unsloth/Qwen3.8-27B-NVFP4", "revision": "7d6f8d4d",
        },
    ],
    "shared": {"card": "gb10", "model": "qwen3.8-27b", "backend": "CUDA", "driver": "580.159.03", "os": "DGX OS", "tool": "llama-benchy", "tool_version": "0.4.0"},
    "recipes": [
        {
            "quant": "fp8-e4m3", "checkpoint": "qwen3.8-27b.fp8-e4m3.qwen-017b9c7a", "kv_quant": "fp8-e4m3", "engine": "vllm", "engine_version": "0.27.2rc1",
            "speculation": "none", "prefix_cache": "unknown", "source_note": "table under 'The vLLM path', and 'Measured at 32,768 tokens of context depth'",
            "notes": ["nightly container of spark-arena; gpu_memory_utilization 0.8, max_model_len 131072, FlashInfer"],
            "rows": [
                *rows("prefill", "concurrency rate", "1 1914\n2 1305\n5 540\n10 627", prompt_tokens="2048"),
                *rows("decode", "concurrency rate rate_per_stream", "1 8.2 8.2\n2 16.1 8.2\n5 36.3 7.8\n10 57.9 7.2", generated_tokens="128"),
                *rows("decode", "concurrency rate", "1 7.9\n2 15.1", generated_tokens="128", depth="32768"),
            ],
        },
        {
            "quant": "nvfp4-safetensors", "checkpoint": "qwen3.8-27b.nvfp4-safetensors.unsloth-60e813d4", "kv_quant": "fp8-e4m3", "engine": "vllm",
            "engine_version": "0.27.2rc1", "speculation": "none", "prefix_cache": "unknown", "source_note": "table under 'NVFP4: the best-numbers recipe', and 'Spark Arena'",
            "notes": ["same recipe as FP8 with the model swapped"],
            "rows": [
                *rows("prefill", "concurrency rate", "1 1794\n2 2393\n5 2719\n10 3999", prompt_tokens="2048"),
                *rows("decode", "concurrency rate rate_per_stream", "1 11.5 11.5\n2 21.6 11.0\n5 49.8 10.5\n10 84.3 9.6", generated_tokens="128"),
                *rows("decode", "concurrency rate", "10 63.1", generated_tokens="128", depth="32768"),
            ],
        },
        {
            "quant": "nvfp4-safetensors", "checkpoint": "qwen3.8-27b.nvfp4-safetensors.unsloth-7d6f8d4d", "kv_quant": "fp8-e4m3", "engine": "vllm",
            "engine_version": "0.27.2rc1", "speculation": "mtp", "draft_tokens": "3 token/step", "prefix_cache": "unknown",
            "source_note": "table under 'Three days later: MTP arrives on vLLM'",
            "notes": ["this configuration reset the whole machine at 16K context and two streams, twice"],
            "rows": rows("decode", "concurrency rate", "1 22.0\n10 105.8", generated_tokens="128"),
        },
        {
            "quant": "fp8-e4m3", "checkpoint": "qwen3.8-27b.fp8-e4m3.qwen-017b9c7a", "kv_quant": "fp8-e4m3", "engine": "vllm", "engine_version": "0.27.2rc1",
            "speculation": "mtp", "draft_tokens": "3 token/step", "prefix_cache": "unknown", "source_note": "tables under 'Three days later' and 'SGLang joins the matrix'",
            "rows": [
                *rows("decode", "concurrency rate", "1 13.8\n10 55.8", generated_tokens="128"),
                *rows("decode", "concurrency rate", "1 14.4", generated_tokens="128", depth="16384"),
            ],
        },
        {
            "quant": "fp8-e4m3", "checkpoint": "qwen3.8-27b.fp8-e4m3.qwen-017b9c7a", "engine": "sglang", "speculation": "none", "prefix_cache": "unknown",
            "source_note": "table under 'SGLang joins the matrix'", "notes": ["image lmsysorg/sglang:latest-cu130"],
            "rows": [
                *rows("prefill", "concurrency rate", "1 1225", prompt_tokens="2048"),
                *rows("decode", "concurrency rate", "1 7.7\n10 54.3", generated_tokens="128"),
                *rows("decode", "concurrency rate", "1 7.3", generated_tokens="128", depth="16384"),
            ],
        },
        {
            "quant": "fp8-e4m3", "checkpoint": "qwen3.8-27b.fp8-e4m3.qwen-017b9c7a", "engine": "sglang", "speculation": "mtp", "prefix_cache": "unknown",
            "source_note": "second table under 'SGLang joins the matrix' (NEXTN)", "notes": ["image lmsysorg/sglang:latest-cu130"],
            "rows": [
                *rows("decode", "concurrency rate", "1 13.4\n10 71.0", generated_tokens="128"),
                *rows("decode", "concurrency rate", "1 10.3", generated_tokens="128", depth="16384"),
            ],
        },
        {
            "quant": "fp8-e4m3", "checkpoint": "qwen3.8-27b.fp8-e4m3.qwen-017b9c7a", "engine": "vllm", "engine_version": "0.27.1", "speculation": "draft",
            "draft_tokens": "7 token/step", "prefix_cache": "unknown", "source_note": "table under 'The 75 tok/s post, reproduced'",
            "notes": ["DSpark draft of five layers; free generation, about 30 % of drafts accepted"],
            "rows": rows("decode", "concurrency rate", "1 17.2\n10 65.6"),
        },
    ],
}  # fmt: skip

NINFER: JSON = {
    "id": "ninfer-readme-037bf0b",
    "source": blob("Neroued/ninfer", "README.md", "037bf0b97a84a146fb07de8c516b1a49b82d0342", "NInfer: measurements on one RTX 5090"),
    "checkpoints": [
        {
            "id": "qwen3.6-27b.nvfp4-safetensors.ninfer", "model": "qwen3.6-27b", "quant": "nvfp4-safetensors", "repository": "neroued/Qwen3.6-27B-nvfp4-NInfer",
            "file": "qwen3_6_27b_nvfp4.ninfer", "digest_sha256": "bce5f00d066c0f20f1317bf1fdcb458264cf95837c3b1f3fbec163694627893a", "file_size": "18324064000 bytes",
            "note": "NVFP4 in the engine's own container; W4A4 in prefill, A16 kernels in decode",
        },
        {
            "id": "qwen3.8-27b.nvfp4-safetensors.ninfer", "model": "qwen3.8-27b", "quant": "nvfp4-safetensors", "repository": "neroued/Qwen3.8-27B-nvfp4-NInfer",
            "file": "qwen3_8_27b_nvfp4.ninfer", "digest_sha256": "bb3360522a06e136e0367f5703414d26272b7285c8a6ab6194135c17dbd81b32", "file_size": "21492695040 bytes",
            "note": "NVFP4 in the MLP of layers 0 to 55, row-scaled FP8 elsewhere, in the engine's own container",
        },
    ],
    "shared": {"card": "rtx-5090", "engine": "ninfer", "backend": "CUDA", "quant": "nvfp4-safetensors", "prefix_cache": "on-unique-prompts"},
    "recipes": [
        {
            "model": model, "checkpoint": f"{model}.nvfp4-safetensors.ninfer", "speculation": "none", "source_note": "section 'Single-request serving'",
            "notes": ["KV cache INT8 in groups of 64; CUDA graphs; prefill chunk of 1,024 tokens; five fixed seeds after warm-up"],
            "rows": [
                *rows("prefill", "prompt_tokens rate", prefill, concurrency=1),
                *rows("decode", "prompt_tokens rate", decode, concurrency=1),
            ],
        }
        for model, prefill, decode in (
            ("qwen3.6-27b", "7680 11191.5\n260096 2510.6", "7680 86.4\n260096 59.9"),
            ("qwen3.8-27b", "7680 8340.4\n260096 2203.1", "7680 71.2\n260096 52.9"),
        )
    ]
    + [
        {
            "model": model, "checkpoint": f"{model}.nvfp4-safetensors.ninfer", "speculation": "mtp", "draft_tokens": "3 token/step",
            "source_note": "section 'Concurrent MTP3 decode'",
            "notes": [
                "KV cache INT8 in groups of 64; CUDA graphs",
                "committed tokens over the one-second intervals in which every stream decoded",
            ],
            "rows": rows("decode", "concurrency rate acceptance_rate", table, generated_tokens="8192"),
        }
        for model, table in (
            ("qwen3.6-27b", "1 202.4 0.693\n2 399.7 0.714\n4 699.7 0.693\n8 1146.9 0.686"),
            ("qwen3.8-27b", "1 143.8 0.489\n2 267.6 0.481\n4 461.1 0.458\n8 766.6 0.460"),
        )
    ],
}  # fmt: skip

ATLAS_572: JSON = {
    "id": "atlas-572",
    "source": {
        "title": "Atlas pull request 572: Qwen3.8-27B NVFP4 on one DGX Spark, against vLLM", "kind": "issue-thread",
        "url": f"{GITHUB}/Avarok-Cybersecurity/atlas/pull/572", "repository": "Avarok-Cybersecurity/atlas",
    },
    "recipes": [
        {
            "card": "gb10", "model": "qwen3.8-27b", "quant": "nvfp4-safetensors", "checkpoint": "qwen3.8-27b.nvfp4-safetensors.unsloth", "engine": "vllm",
            "engine_version": "0.27.1", "backend": "CUDA", "speculation": "mtp", "source_note": "the vLLM column; 128 tokens in, 1,024 out, temperature 0, mean of three",
            "rows": rows(
                "serve", "concurrency rate", "1 19.72\n2 38.79\n4 71.61\n8 124.48\n16 197.03\n32 283.48\n64 361.39\n128 358.57",
                prompt_tokens="128", generated_tokens="1024", repeats=3,
            ),
        },
    ],
}  # fmt: skip

MALAIWAH: JSON = {
    "id": "malaiwah-qwen38-27b-exl3",
    "source": blob("malaiwah/qwen38-27b-exl3", "README.md", "00b83f79d8e820f9956a8e3a7e799a5a84730cb5", "Qwen3.8-27B in EXL3 and in FP4 on one RTX 5090"),
    "shared": {"card": "rtx-5090", "model": "qwen3.8-27b", "engine": "vllm-fork", "backend": "CUDA", "speculation": "mtp"},
    "recipes": [
        {
            "quant": quant, "checkpoint": checkpoint, "source_note": f"table of profiles, PROFILE={profile}",
            "notes": ["Gilded Gnosis, a fork of vLLM; three boots", "decode of two texts: 'fox' is repetitive and easy to draft, 'essay' is free prose"],
            "rows": [
                *rows("prefill", "prompt_tokens rate rate_stddev", prefill, concurrency=1, repeats=3),
                *rows("decode", "label rate rate_stddev", decode, concurrency=1, repeats=3),
            ],
        }
        for quant, checkpoint, profile, prefill, decode in (
            ("nvfp4-safetensors", "qwen3.8-27b.nvfp4-safetensors.profile-throughput", "throughput", "2051 7665.6 20.4", "fox 184.8 1.0\nessay 93.3 0.0"),
            ("exl3", "qwen3.8-27b.exl3.profile-fidelity", "fidelity", "2051 1630.0 3.6", "fox 210.2 0.2\nessay 89.8 0.1"),
        )
    ],
}  # fmt: skip

SUDOING: JSON = {
    "id": "qwen38-mtp-01b319c",
    "source": blob("sudoingX/qwen38-mtp", "README.md", "01b319c93001d3ce977e8bb960cdbeb47a305a95", "Qwen3.8-27B with and without MTP on many cards (probe.py)"),
    "checkpoints": [
        {"id": f"qwen3.8-27b.{quant}.unsloth", "model": "qwen3.8-27b", "quant": quant, "repository": "unsloth/Qwen3.8-27B-GGUF"}
        for quant in ("gguf-q6-k", "gguf-ud-q5-k-xl")
    ],
    "shared": {"model": "qwen3.8-27b", "engine": "llama.cpp", "tool": "probe.py", "card": "rtx-5090", "backend": "CUDA"},
    "recipes": [
        {
            "quant": quant, "checkpoint": f"qwen3.8-27b.{quant}.unsloth", "context": f"{context} tokens", "speculation": speculation,
            **({"draft_tokens": f"{drafted} token/step"} if speculation == "mtp" else {}), "source_note": "table of the README, baseline and with MTP",
            "notes": ["median of three prompts"], "rows": rows("decode", "rate", rate, concurrency=1),
        }
        for quant, context, drafted, plain, fast in (
            ("gguf-q6-k", 131072, 2, "61.9", "130.0"),
            ("gguf-q6-k", 262144, 2, "62.0", "121.7"),
            ("gguf-ud-q5-k-xl", 262144, 6, "69.6", "147.5"),
        )
        for speculation, rate in (("none", plain), ("mtp", fast))
    ],
}  # fmt: skip

EXL3_3090: JSON = {
    "id": "r0b0tlab-exl3-dflash2",
    "source": blob("r0b0tlab/qwen38-exl3-dflash2", "notes/RESULTS.md", "3ac4be930ce9812263e1f9b94db0b0e930d46192", "Qwen3.8-27B in EXL3 with DFlash2 on one RTX 3090"),
    "checkpoints": [
        {
            "id": "qwen3.8-27b.exl3.r0b0tlab-4.00bpw", "model": "qwen3.8-27b", "quant": "exl3", "repository": "r0b0tlab/Qwen3.8-27B-EXL3-4.00bpw",
            "note": "4.00 bits per weight, head 6, vision 6, MTP 4",
        },
    ],
    "shared": {
        "card": "rtx-3090", "model": "qwen3.8-27b", "quant": "exl3", "checkpoint": "qwen3.8-27b.exl3.r0b0tlab-4.00bpw", "engine": "exllamav3",
        "engine_commit": "355c6ee", "backend": "CUDA", "measured_on": "2026-09-17",
        "notes": ["branch 'community' of a fork of ExLlamaV3 1.5.0 with DFlash2; PyTorch 2.10.0+cu130"],
    },
    "recipes": [
        {
            "speculation": "none", "context": "8192 tokens", "source_note": "table 'Acceptance', line Autoregressive (GSM8K, greedy, at most 512 tokens)",
            "prompt": "GSM8K", "rows": rows("decode", "rate", "42.8", concurrency=1),
        },
        {
            "speculation": "mtp", "context": "8192 tokens", "source_note": "table 'Acceptance', line MTP head (GSM8K, greedy, at most 512 tokens)",
            "prompt": "GSM8K", "rows": rows("decode", "rate", "116.3", concurrency=1, note="mean acceptance length 4.120"),
        },
        {
            "speculation": "draft", "context": "8192 tokens", "source_note": "table 'Acceptance', line DFlash2 (GSM8K, greedy, at most 512 tokens)",
            "prompt": "GSM8K", "rows": rows("decode", "rate", "162.9", concurrency=1, note="mean acceptance length 5.657"),
        },
        {
            "speculation": "draft", "kv_quant": "exl3-q3", "context": "262144 tokens", "source_note": "sections '262k context' and 'Prefill'",
            "rows": [
                *rows("prefill", "prompt_tokens rate", "2048 960\n8192 700\n150000 594", concurrency=1),
                *rows("decode", "depth generated_tokens rate", "150000 200 25.3", concurrency=1, note="mean acceptance length 1.82"),
            ],
        },
    ],
}  # fmt: skip

INFERENCE_ATLAS = "results/{}/nvidia-gb10-dgx-spark/{}"
ATLAS_SHARED: JSON = {
    "card": "gb10", "model": "qwen3.8-27b", "backend": "CUDA", "driver": "580.173.02", "os": "Ubuntu 24.04.4 LTS", "tool": "atlas-bench",
}  # fmt: skip
ATLAS_VLLM: JSON = {
    "id": "inference-atlas-vllm-a0348a",
    "source": blob(
        "0xBakeer/inference-atlas", INFERENCE_ATLAS.format("vllm/Qwen/Qwen3.8-27B", "828c73f114adfb7e--serve-single-i256-o256-v1--a0348a.json"),
        "a47cfa0e0005347e972181aa6932f111e0cb466c", "Inference Atlas: Qwen3.8-27B NVFP4, vLLM with MTP, one DGX Spark",
    ),
    "shared": ATLAS_SHARED,
    "recipes": [
        {
            "quant": "nvfp4-safetensors", "checkpoint": "qwen3.8-27b.nvfp4-safetensors.unsloth", "kv_quant": "fp8-e4m3", "engine": "vllm", "engine_version": "0.27.1",
            "engine_commit": "6e448d0ea9bf3d88d898b65449ca6dc2aec170ac", "speculation": "mtp", "draft_tokens": "3 token/step", "source_note": "aggregate figures of the run",
            "notes": ["the run printed 11,766 tokens in and 9,498 out over 50 requests", "rate of a stream: mean of the decode rates of the requests"],
            "rows": [
                {
                    "phase": "serve", "concurrency": 1, "rate": "21.364", "rate_per_stream": "21.987", "requests": "50", "duration": "444.582", "ttft": "0.333102",
                    "tpot": "0.046015", "e2e": "8.891563", "ttft_p50": "0.333657", "ttft_p90": "0.356121", "ttft_p95": "0.359983", "ttft_p99": "0.368819",
                    "tpot_p50": "0.045506", "tpot_p90": "0.052158", "tpot_p95": "0.052347", "tpot_p99": "0.055849", "mean_power": "33.46",
                },
            ],
        },
    ],
}  # fmt: skip
ATLAS_EXL3: JSON = {
    "id": "inference-atlas-exl3-3c1c86",
    "source": {
        "title": "Inference Atlas: Qwen3.8-27B EXL3, ExLlamaV3 with DFlash2, one DGX Spark", "kind": "repository",
        "url": f"{GITHUB}/0xBakeer/inference-atlas/tree/1570eacb89b4fd9b260dcdbfe147c5a1f34bbeb1", "repository": "0xBakeer/inference-atlas",
        "revision": "1570eacb89b4fd9b260dcdbfe147c5a1f34bbeb1", "note": "run e21eee66f56a9e1d--serve-single-i256-o256-v1--3c1c86",
    },
    "shared": ATLAS_SHARED,
    "recipes": [
        {
            "quant": "exl3", "checkpoint": "qwen3.8-27b.exl3.r0b0tlab-4.00bpw", "kv_quant": "exl3-q3", "engine": "exllamav3", "engine_version": "1.5.0-dflash2",
            "speculation": "draft", "draft_tokens": "7 token/step", "source_note": "aggregate figures of the run",
            "notes": ["a fork of ExLlamaV3 with DFlash2", "11,790 tokens in and 9,116 out", "rate of a stream: mean of the decode rates of the requests"],
            "rows": [
                {
                    "phase": "serve", "concurrency": 1, "rate": "24.771", "rate_per_stream": "33.436", "duration": "368.018", "ttft": "1.809476", "tpot": "0.031713",
                    "e2e": "7.360325", "mean_power": "47.07",
                },
            ],
        },
    ],
}  # fmt: skip

LOCALAI: JSON = {
    "id": "localai-gb10-nvfp4",
    "source": blob(
        "mudler/LocalAI", "backend/cpp/llama-cpp/patches/paged/final_benchmark.csv", "aaaa90ae4bd133c28c2a568171a813e5349909a1",
        "Qwen3.6-27B NVFP4 on one DGX Spark: vLLM against a paged llama.cpp", "Setup in BENCHMARK_PROGRESS.md of the same folder",
    ),
    "checkpoints": [
        {"id": "qwen3.6-27b.nvfp4-safetensors.unsloth", "model": "qwen3.6-27b", "quant": "nvfp4-safetensors", "quantizer": "unsloth", "note": "W4A4"},
    ],
    "recipes": [
        {
            "card": "gb10", "model": "qwen3.6-27b", "quant": "nvfp4-safetensors", "checkpoint": "qwen3.6-27b.nvfp4-safetensors.unsloth", "engine": "vllm",
            "engine_version": "0.23.0", "backend": "CUDA", "speculation": "none", "prefix_cache": "on-unique-prompts", "measured_on": "2026-06-26", "tool": "h2h_cli.py",
            "context": "4096 tokens", "source_note": "the rows of vLLM with CUDA graphs and the dense model",
            "notes": ["gpu-memory-utilization 0.85, max-num-seqs 256; temperature 0, end of text ignored"],
            "rows": [
                *rows("prefill", "concurrency rate ttft", "8 2096.2 1.8611\n32 2182.6 5.3532\n64 2088.9 9.5124\n128 1929.1 18.4495", prompt_tokens="512"),
                *rows("decode", "concurrency rate rate_per_stream", "8 70.4 8.76\n32 211.8 6.28\n64 309.1 4.38\n128 418.8 2.79", prompt_tokens="512", generated_tokens="256"),
            ],
        },
    ],
}  # fmt: skip

SPEEDHACK: JSON = {
    "id": "qwen3.6-27b-speedhack-gx10",
    "source": blob(
        "phuongncn/qwen3.6-27b-speedhack-gx10-dgx-spark", "README.md", "17a218db6ca7f19481f56fce529046afb3e6f348", "Qwen3.6-27B in GGUF on one DGX Spark, plain and with DFlash",
    ),
    "checkpoints": [
        {"id": f"qwen3.6-27b.{quant}.{label}", "model": "qwen3.6-27b", "quant": quant, "repository": "unsloth/Qwen3.6-27B-GGUF", "native": native}
        for quant, label, native in (("gguf-q8-0", "unsloth-gguf", None), ("gguf-q4-k-m", "unsloth-gguf", None))
    ],
    "shared": {"card": "gb10", "model": "qwen3.6-27b", "backend": "CUDA"},
    "recipes": [
        {
            "quant": "gguf-q4-k-m", "checkpoint": "qwen3.6-27b.gguf-q4-k-m.unsloth-gguf", "kv_quant": "q8-0", "engine": "llama.cpp", "speculation": "none",
            "source_note": "stock llama.cpp, temperature 0", "rows": rows("decode", "generated_tokens rate", "150 11.3\n300 11.4\n400 11.4\n2048 11.4", concurrency=1),
        },
    ]
    + [
        {
            "quant": quant, "checkpoint": f"qwen3.6-27b.{quant}.unsloth-gguf", "kv_quant": "turbo4", "engine": "llama.cpp-fork", "speculation": "draft",
            "draft_tokens": "8 token/step", "source_note": "DFlash, draft of at most 8 tokens, p_min 0.3, temperature 0",
            "notes": ["each length is another prompt"], "rows": rows("decode", "generated_tokens rate", table, concurrency=1),
        }
        for quant, table in (("gguf-q4-k-m", "150 22.4\n300 19.0\n400 26.9\n2048 28.2"), ("gguf-q8-0", "150 21.1\n300 13.5\n400 22.0\n2048 23.5"))
    ],
}  # fmt: skip

STRIX: JSON = {
    "id": "pastebin-zgjeqrbv",
    "source": {"title": "llama-bench of Qwen3.6-27B Q4_K_M on Strix Halo, Vulkan", "kind": "web-page", "url": "https://pastebin.com/raw/zgJeqRbv"},
    "checkpoints": [],
    "recipes": [
        {
            "card": "ryzen-ai-max-395", "model": "qwen3.6-27b", "quant": "gguf-q4-k-m", "checkpoint": "qwen3.6-27b.gguf-q4-k-m.unsloth-gguf", "engine": "llama.cpp",
            "backend": "Vulkan", "flash_attention": True, "speculation": "none", "tool": "llama-bench", "source_note": "llama-bench -fa 1 -r 3, RADV",
            "rows": [
                *rows("prefill", "prompt_tokens rate rate_stddev", "512 339.20 1.18\n8192 315.63 0.90", concurrency=1, repeats=3),
                *rows("decode", "generated_tokens rate rate_stddev", "128 12.55 0.00\n1024 12.50 0.00", concurrency=1, repeats=3),
                *rows(
                    "prefill", "depth prompt_tokens rate rate_stddev", "16384 512 239.20 1.29\n16384 8192 209.30 0.62\n32768 512 131.50 1.19", concurrency=1, repeats=3
                ),
                *rows("decode", "depth generated_tokens rate", "16384 128 11.75\n16384 1024 11.71", concurrency=1, repeats=3),
            ],
        },
    ],
}  # fmt: skip

SKOCKS: JSON = {
    "id": "exl3-serve-comparison",
    "source": blob("skocks/exl3-serve", "COMPARISON.md", "5f20de9606d36073c210f552e163b4867da5475b", "Qwen3.6-27B on one RTX 4090: EXL3 against GGUF"),
    "recipes": [
        {
            "card": "rtx-4090", "model": "qwen3.6-27b", "quant": "gguf-q4-k-m", "checkpoint": "qwen3.6-27b.gguf-q4-k-m", "kv_quant": "q4-0", "engine": "llama.cpp",
            "backend": "CUDA", "source_note": "the llama.cpp column; the EXL3 figures of the page are round", "rows": [
                *rows("prefill", "rate", "3102", concurrency=1),
                *rows("decode", "rate", "48.6", concurrency=1),
            ],
        },
    ],
}  # fmt: skip

PAGES: list[JSON] = [SPARK, NINFER, ATLAS_572, MALAIWAH, SUDOING, EXL3_3090, ATLAS_VLLM, ATLAS_EXL3, LOCALAI, SPEEDHACK, STRIX, SKOCKS]
