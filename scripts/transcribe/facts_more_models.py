"""Models that the rows need and facts/models.csv lacks. The parameters are counted from the shape; `published` checks the sum."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from facts_models import group, parameters

JSON = dict[str, Any]

#: Places that say the shapes.
SOURCES: list[JSON] = [
    {"id": "genz-llm-analyzer-alibaba-13ebfb8", "title": "GenZ LLM analyzer: Qwen configurations, each with its config.json", "kind": "config-mirror", "url": "https://github.com/abhibambhaniya/GenZ-LLM-Analyzer", "repository": "abhibambhaniya/GenZ-LLM-Analyzer", "path": "GenZ/Models/Model_sets/alibaba.py", "revision": "13ebfb842b4248bf0252d089a904181e33ead320"},
    {"id": "genz-llm-analyzer-meta-0a1a340", "title": "GenZ LLM analyzer: OPT and LLaMA configurations, each with its config.json", "kind": "config-mirror", "url": "https://github.com/abhibambhaniya/GenZ-LLM-Analyzer", "repository": "abhibambhaniya/GenZ-LLM-Analyzer", "path": "GenZ/Models/Model_sets/meta.py", "revision": "0a1a3400a0abd7b7d224902c9f9fe4f0fdb5ef07"},
    {"id": "llm-memory-calculator-llama-sizes", "title": "llm-memory-calculator: modules of huggyllama/llama-7b to 65b as printed", "kind": "config-mirror", "url": "https://github.com/scottlogic-alex/llm-memory-calculator", "repository": "scottlogic-alex/llm-memory-calculator", "path": "llama-sizes.md"},
    {"id": "megatron-bridge-mistral-tests", "title": "NVIDIA Megatron-Bridge: provider tests of Ministral 3 (hidden size, FFN, layers)", "kind": "vendor-repository", "url": "https://github.com/NVIDIA-NeMo/Megatron-Bridge", "repository": "NVIDIA-NeMo/Megatron-Bridge"},
    {"id": "megatron-bridge-glm45-tests-64df9ee", "title": "NVIDIA Megatron-Bridge: configurations of GLM-4.5 and GLM-4.5-Air", "kind": "config-mirror", "url": "https://github.com/NVIDIA-NeMo/Megatron-Bridge", "repository": "NVIDIA-NeMo/Megatron-Bridge", "path": "tests/unit_tests/models/glm/test_glm45_bridge.py", "revision": "64df9ee69e5b437663f5c8d781ae2c6571aa3fcb"},
    {"id": "loongforge-pull-176", "title": "LoongForge pull request 176: shape of Qwen3.8-27B", "kind": "issue-thread", "url": "https://github.com/baidu-baige/LoongForge/pull/176", "repository": "baidu-baige/LoongForge"},
    {"id": "aiconfigurator-laguna-1cab08c", "title": "NVIDIA aiconfigurator: mirrored configuration of Laguna-S-2.1-FP8", "kind": "config-mirror", "url": "https://github.com/ai-dynamo/aiconfigurator", "repository": "ai-dynamo/aiconfigurator", "path": "aic-core/src/aiconfigurator_core/model_configs/poolside--Laguna-S-2.1-FP8_config.json", "revision": "1cab08cb527eaf70c4aa270460f04de9e1a6167e"},
    {"id": "mlc-llm-model-preset-01ced33", "title": "MLC LLM: model presets (mirrored configurations)", "kind": "config-mirror", "url": "https://github.com/mlc-ai/mlc-llm", "repository": "mlc-ai/mlc-llm", "path": "python/mlc_llm/model/model_preset.py", "revision": "01ced331a9e155c5ba4e7625b027a51bee611450"},
    {"id": "candle-pull-3910", "title": "candle pull request 3910: LFM2.5-8B-A1B has 24 layers (6 attention, 18 conv), 32 experts (top-4), 2 dense layers", "kind": "issue-thread", "url": "https://github.com/huggingface/candle/pull/3910", "repository": "huggingface/candle"},
    {"id": "keras-hub-0.32.0", "title": "KerasHub 0.32.0: presets with parameter counts", "kind": "package", "url": "https://pypi.org/project/keras-hub/0.32.0/", "repository": None, "path": "keras_hub/src/models", "revision": "0.32.0"},
    {"id": "litgpt-0.5.13", "title": "LitGPT 0.5.13: model configurations", "kind": "package", "url": "https://pypi.org/project/litgpt/0.5.13/", "repository": None, "path": "litgpt/config.py", "revision": "0.5.13"},
    {"id": "transformers-5.24.0", "title": "Transformers 5.24.0: configuration defaults", "kind": "package", "url": "https://pypi.org/project/transformers/5.24.0/", "repository": None, "path": "src/transformers/models", "revision": "5.24.0"},
]  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """A dense decoder of Llama's kind: gated MLP, RMS norms, rotary positions."""

    id: str
    repository: str
    family: str
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    intermediate: int
    vocabulary: int
    source: str
    grade: str
    head_dim: int = 0
    tied: bool = False
    qkv_bias: bool = False
    dtype: str = "bf16"
    context: int | None = None
    published: int | None = None
    license: str | None = None
    released: str | None = None
    where: str | None = None
    note: str | None = None

    def document(self) -> JSON:
        dim = self.head_dim or self.hidden // self.heads
        attention = 2 * self.hidden * self.heads * dim + 2 * self.hidden * self.kv_heads * dim
        if self.qkv_bias:
            attention += (self.heads + 2 * self.kv_heads) * dim
        table = self.vocabulary * self.hidden
        layer = attention + 3 * self.hidden * self.intermediate + 2 * self.hidden
        total = table * (1 if self.tied else 2) + self.layers * layer + self.hidden
        if self.published is not None and abs(total - self.published) > 5e-4 * self.published:
            raise ValueError(f"{self.id}: {total} parameters from the shape, {self.published} published")
        return {
            "id": self.id,
            "name": self.repository.split("/")[-1],
            "repository": self.repository,
            "family": self.family,
            "parameters": parameters(total),
            "parameters_stated": parameters(self.published),
            "decode_parameters": parameters(total - (0 if self.tied else table)),
            "embedding_parameters": parameters(table),
            "tied_embeddings": self.tied,
            "layers": self.layers,
            "hidden_size": self.hidden,
            "heads": self.heads,
            "kv_heads": self.kv_heads,
            "head_dim": dim,
            "vocabulary": self.vocabulary,
            "attention": "full MHA" if self.heads == self.kv_heads else "full GQA",
            "native_quant": {"bf16": "bf16", "fp16": "f16", "fp8": "fp8-e4m3"}[self.dtype],
            "native_dtype": self.dtype,
            "max_context": f"{self.context} tokens" if self.context else None,
            "license": self.license,
            "released_on": self.released,
            "grade": self.grade,
            "source": self.source,
            "source_note": self.where,
            "note": self.note,
            "attention_groups": [group("full", "full", self.layers, 2 * self.kv_heads * dim, 2 * self.heads * dim)],
        }


_ALIBABA, _META = "genz-llm-analyzer-alibaba-13ebfb8", "genz-llm-analyzer-meta-0a1a340"
_PRINTED = "llm-memory-calculator-llama-sizes"

SHAPES = [
    Shape("qwen2-7b", "Qwen/Qwen2-7B", "Qwen2", 3584, 28, 28, 4, 18944, 152064, _ALIBABA, "A", qkv_bias=True, context=131072, published=7615616512, license="Apache-2.0", released="2024-06-07", where="qwen2_7b_config; count as Qwen2.5-7B, the same shape"),
    Shape("qwen2-72b", "Qwen/Qwen2-72B", "Qwen2", 8192, 80, 64, 8, 29568, 152064, _ALIBABA, "A", qkv_bias=True, context=131072, published=72706203648, license="Qwen", released="2024-06-07", where="qwen2_72b_config; count as Qwen2.5-72B, the same shape"),
    Shape("qwen1.5-7b", "Qwen/Qwen1.5-7B", "Qwen1.5", 4096, 32, 32, 32, 11008, 151936, _ALIBABA, "A", qkv_bias=True, context=32768, license="Tongyi Qianwen", where="qwen1_5_7b_config"),
    Shape("llama-1-7b", "huggyllama/llama-7b", "LLaMA", 4096, 32, 32, 32, 11008, 32000, _PRINTED, "B", dtype="fp16", context=2048, published=6738415616, license="LLaMA (non-commercial)", released="2023-02-24", where="count as Llama-2-7B, the same shape"),
    Shape("llama-1-13b", "huggyllama/llama-13b", "LLaMA", 5120, 40, 40, 40, 13824, 32000, _PRINTED, "B", dtype="fp16", context=2048, license="LLaMA (non-commercial)", released="2023-02-24"),
    Shape("llama-1-33b", "huggyllama/llama-30b", "LLaMA", 6656, 60, 52, 52, 17920, 32000, _META, "B", dtype="fp16", context=2048, license="LLaMA (non-commercial)", released="2023-02-24", where="llama_33b_config", note="Named 30B by some and 33B by others"),
    Shape("openllama-3b", "openlm-research/open_llama_3b", "OpenLLaMA", 3200, 26, 32, 32, 8640, 32000, "litgpt-0.5.13", "A", dtype="fp16", context=2048, license="Apache-2.0", where="open_llama_3b"),
    Shape("codellama-34b", "codellama/CodeLlama-34b-hf", "Code Llama", 8192, 48, 64, 8, 22016, 32000, "litgpt-0.5.13", "A", context=16384, license="Llama 2 Community", released="2023-08-24", where="CodeLlama-34b-hf; mlc-llm has a vocabulary of 32016"),
    Shape("ministral-3-3b", "mistralai/Ministral-3-3B-Instruct-2512", "Ministral 3", 3072, 26, 32, 8, 9216, 131072, "mlc-llm-model-preset-01ced33", "A", head_dim=128, tied=True, dtype="fp8", context=262144, license="Apache-2.0", where="ministral3_3b_reasoning_2512", note="Text tower; the reasoning and base releases are bf16, the instruct release fp8"),
    Shape("ministral-3-14b", "mistralai/Ministral-3-14B-Instruct-2512", "Ministral 3", 5120, 40, 32, 8, 16384, 131072, "megatron-bridge-mistral-tests", "B", head_dim=128, dtype="fp8", context=262144, published=13510000000, license="Apache-2.0", where="TestMinistral3ModelProvider14B; heads and vocabulary as the 8B of the family; llama.cpp prints 13.51 B, the sum of this shape", note="Text tower; the publisher offers bf16 weights as well"),
    Shape("deepseek-r1-distill-qwen-7b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "DeepSeek R1", 3584, 28, 28, 4, 18944, 152064, "litgpt-0.5.13", "B", qkv_bias=True, context=131072, published=7615616512, license="MIT", released="2025-01-20", where="Qwen2.5-Math-7B, from which it was distilled"),
    Shape("deepseek-r1-distill-qwen-14b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", "DeepSeek R1", 5120, 48, 40, 8, 13824, 152064, "litgpt-0.5.13", "B", qkv_bias=True, context=131072, published=14770033664, license="MIT", released="2025-01-20", where="Qwen2.5-14B, from which it was distilled"),
    Shape("deepseek-r1-distill-qwen-32b", "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "DeepSeek R1", 5120, 64, 40, 8, 27648, 152064, "litgpt-0.5.13", "B", qkv_bias=True, context=131072, published=32763876352, license="MIT", released="2025-01-20", where="Qwen2.5-32B, from which it was distilled"),
    Shape("deepseek-r1-distill-llama-8b", "deepseek-ai/DeepSeek-R1-Distill-Llama-8B", "DeepSeek R1", 4096, 32, 32, 8, 14336, 128256, "litgpt-0.5.13", "A", context=131072, published=8030261248, license="MIT", released="2025-01-20", where="R1-Distill-Llama-8B"),
    Shape("deepseek-r1-distill-llama-70b", "deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "DeepSeek R1", 8192, 80, 64, 8, 28672, 128256, "litgpt-0.5.13", "A", context=131072, published=70553706496, license="MIT", released="2025-01-20", where="R1-Distill-Llama-70B"),
    Shape("mistral-large-2407", "mistralai/Mistral-Large-Instruct-2407", "Mistral Large", 12288, 88, 96, 8, 28672, 32768, "litgpt-0.5.13", "A", head_dim=128, context=131072, published=122610069504, license="Mistral Research", released="2024-07-24", where="Mistral-Large-Instruct-2407"),
    Shape("aquila-7b", "BAAI/Aquila-7B", "Aquila", 4096, 32, 32, 32, 11008, 100008, "unsourced", "D", dtype="fp16", context=2048, note="Shape recalled"),
]  # fmt: skip


@dataclass(frozen=True)
class Older:
    """Decoders with a plain MLP of four times the hidden size, layer norms and biases; a table of positions is looked up."""

    id: str
    repository: str
    family: str
    hidden: int
    layers: int
    heads: int
    vocabulary: int
    tied: bool
    extra: int
    lookup: int
    per_layer_vectors: int
    source: str
    grade: str
    dtype: str = "fp16"
    note: str | None = None
    where: str | None = None
    published: int | None = None
    context: int = 2048
    license: str | None = None
    more: JSON = field(default_factory=dict)

    def document(self) -> JSON:
        table = self.vocabulary * self.hidden
        total = table * (1 if self.tied else 2) + self.layers * (12 * self.hidden**2 + self.per_layer_vectors * self.hidden) + self.extra + self.lookup
        if self.published is not None and total != self.published:
            raise ValueError(f"{self.id}: {total} parameters from the shape, {self.published} published")
        return {
            "id": self.id, "name": self.repository.split("/")[-1], "repository": self.repository, "family": self.family,
            "parameters": parameters(total), "parameters_stated": parameters(self.published),
            "decode_parameters": parameters(total - self.lookup - (0 if self.tied else table)), "embedding_parameters": parameters(table),
            "tied_embeddings": self.tied, "layers": self.layers, "hidden_size": self.hidden, "heads": self.heads, "kv_heads": self.heads,
            "head_dim": self.hidden // self.heads, "vocabulary": self.vocabulary, "attention": "full MHA",
            "native_quant": "bf16" if self.dtype == "bf16" else "f16", "native_dtype": self.dtype, "max_context": f"{self.context} tokens",
            "license": self.license, "grade": self.grade, "source": self.source, "source_note": self.where, "note": self.note,
            "attention_groups": [group("full", "full", self.layers, 2 * self.hidden, 2 * self.hidden)],
        }  # fmt: skip


#: per_layer_vectors: biases and norms of a layer in hidden sizes. `extra`: final and embedding norms, bias of the head.
OLDER = [
    Older("opt-6.7b", "facebook/opt-6.7b", "OPT", 4096, 32, 32, 50272, True, 2 * 4096, 2050 * 4096, 13, _META, "A", where="opt_7b_config", published=6658473984, license="OPT"),
    Older("gpt-j-6b", "EleutherAI/gpt-j-6B", "GPT-J", 4096, 28, 16, 50400, False, 50400 + 2 * 4096, 0, 7, "transformers-5.24.0", "A", where="models/gptj defaults", published=6050882784, license="Apache-2.0"),
    Older("bloom-7b1", "bigscience/bloom-7b1", "BLOOM", 4096, 30, 32, 250880, True, 4 * 4096, 0, 13, "unsourced", "D", note="Shape recalled; its sum is the published count", published=7069016064, license="BigScience RAIL"),
]  # fmt: skip


def decilm() -> JSON:
    """Variable GQA: 67 KV heads over 32 layers, recalled. vLLM widens every layer to the largest."""
    hidden, layers, kv_heads, dim = 4096, 32, 67, 128
    table = 32000 * hidden
    total = 2 * table + layers * (2 * hidden * hidden + 3 * hidden * 14336 + 2 * hidden) + 2 * hidden * kv_heads * dim + hidden
    return {
        "id": "decilm-7b", "name": "DeciLM-7B", "repository": "Deci/DeciLM-7B", "family": "DeciLM", "parameters": parameters(total), "decode_parameters": parameters(total - table),
        "embedding_parameters": parameters(table), "tied_embeddings": False, "layers": layers, "hidden_size": hidden, "heads": 32, "head_dim": dim, "vocabulary": 32000,
        "attention": "GQA, KV heads differ by layer", "native_quant": "bf16", "native_dtype": "bf16", "max_context": "8192 tokens", "license": "Apache-2.0", "grade": "D",
        "source": "unsourced", "note": "Shape recalled: 67 KV heads over 32 layers; vLLM gives every layer as many as the largest",
        "attention_groups": [group("full", "full", 1, 2 * kv_heads * dim, layers * 2 * 32 * dim)],
    }  # fmt: skip


def laguna_s() -> JSON:
    """118B of 256 experts: 12 full layers of 48 query heads, 36 sliding ones (512) of 72, one gate a head."""
    hidden, dim, kv_heads, vocabulary, one, experts, k = 3072, 128, 8, 100352, 3 * 3072 * 1024, 256, 10
    table = vocabulary * hidden

    def attention(heads: int) -> int:
        return 2 * hidden * heads * dim + 2 * hidden * kv_heads * dim + hidden * heads + 2 * dim

    moe = 47
    rest = 12 * attention(48) + 36 * attention(72) + 3 * hidden * 12288 + moe * (one + hidden * experts + experts) + 48 * 2 * hidden + hidden + table
    total = rest + table + moe * experts * one
    return {
        "id": "laguna-s-2.1", "name": "Laguna-S-2.1", "repository": "poolside/Laguna-S-2.1", "family": "Laguna", "parameters": parameters(total), "parameters_stated": parameters(118 * 10**9),
        "active_parameters_stated": parameters(8 * 10**9), "decode_parameters": parameters(rest + moe * k * one), "embedding_parameters": parameters(table), "tied_embeddings": False,
        "layers": 48, "hidden_size": hidden, "heads": 48, "kv_heads": kv_heads, "head_dim": dim, "vocabulary": vocabulary, "attention": "3:1 sliding 512 : full (48 query heads in full layers, 72 in sliding ones)",
        "experts": experts, "experts_per_token": k, "shared_experts": 1, "moe_layers": moe, "expert_parameters": parameters(one), "native_quant": "bf16", "native_dtype": "bf16",
        "max_context": "262144 tokens", "license": "OpenMDW-1.1", "grade": "A", "source": "aiconfigurator-laguna-1cab08c", "source_note": "poolside--Laguna-S-2.1-FP8_config.json",
        "note": "The publisher states 118B and about 8B active: the sums of this shape",
        "attention_groups": [group("full", "full", 12, 2 * kv_heads * dim, 2 * 48 * dim), group("sliding", "sliding", 36, 2 * kv_heads * dim, 2 * 72 * dim, window=512)],
    }  # fmt: skip


def lfm2_moe(ident: str, name: str, grade: str, note: str) -> JSON:
    """6 attention and 18 short-convolution layers; the first 2 feed-forward blocks are dense, 22 choose 4 of 32 experts."""
    hidden, vocabulary, one, experts, k, moe = 2048, 65536, 3 * 2048 * 1792, 32, 4, 22
    table = vocabulary * hidden
    attention = 6 * (2 * hidden * hidden + 2 * hidden * 8 * 64 + 2 * 64)
    convolution = 18 * (4 * hidden * hidden + 3 * hidden)
    rest = table + attention + convolution + 2 * 3 * hidden * 7168 + moe * (hidden * experts + experts) + 24 * 2 * hidden + hidden
    total = rest + moe * experts * one
    return {
        "id": ident, "name": name, "repository": f"LiquidAI/{name}", "family": "LFM2", "parameters": parameters(total), "parameters_stated": parameters(8_300_000_000),
        "active_parameters_stated": parameters(1_500_000_000), "decode_parameters": parameters(rest + moe * k * one), "embedding_parameters": parameters(table), "tied_embeddings": True,
        "layers": 24, "hidden_size": hidden, "heads": 32, "kv_heads": 8, "head_dim": 64, "vocabulary": vocabulary, "attention": "3:1 short convolution : full GQA", "experts": experts,
        "experts_per_token": k, "shared_experts": 0, "moe_layers": moe, "expert_parameters": parameters(one), "native_quant": "bf16", "native_dtype": "bf16", "license": "LFM Open 1.0",
        "grade": grade, "source": "candle-pull-3910", "source_note": "widths: pip transformers 5.24.0 models/lfm2_moe defaults; sum: 8.34 B as llama.cpp pull request 19848 prints", "note": note,
        "attention_groups": [group("full", "full", 6, 2 * 8 * 64, 2 * 32 * 64), group("convolution", "state", 18, state=2 * hidden)],
    }  # fmt: skip


#: id → (model whose shape it shares, keys that differ)
TWINS: dict[str, tuple[str, JSON]] = {
    "qwen3.8-27b": ("qwen3.6-27b", {"name": "Qwen3.8-27B", "repository": "Qwen/Qwen3.8-27B", "family": "Qwen3.8", "released_on": None, "grade": "A", "source": "keras-hub-0.32.0", "source_note": "qwen3_8_27b 27356728560 incl. vision, as qwen3_6_27b; shape in LoongForge pull request 176: 64 layers, hidden 5120, FFN 17408, 24 heads, 4 KV heads, vocabulary 248320, 16 key and 48 value heads of 128, full attention every fourth layer"}),
    "minimax-m2.7": ("minimax-m2", {"name": "MiniMax-M2.7", "repository": "MiniMaxAI/MiniMax-M2.7", "family": "MiniMax M2", "released_on": None, "grade": "B", "note": "The shape of M2; llama.cpp prints 228.69 B, its sum"}),
    "deepseek-v2.5": ("deepseek-v2", {"name": "DeepSeek-V2.5", "repository": "deepseek-ai/DeepSeek-V2.5", "released_on": None, "grade": "B", "note": "The shape of V2"}),
    "qwen3-coder-next": ("qwen3-next-80b-a3b", {"name": "Qwen3-Coder-Next", "repository": "Qwen/Qwen3-Coder-Next", "released_on": None, "grade": "B", "note": "The architecture of Qwen3-Next-80B-A3B"}),
}  # fmt: skip


def documents(known: dict[str, JSON]) -> list[JSON]:
    out = [s.document() for s in SHAPES] + [o.document() for o in OLDER] + [decilm(), laguna_s()]
    out.append(
        lfm2_moe(
            "lfm2-8b-a1b", "LFM2-8B-A1B", "B", "The layer counts are those that the page gives for LFM2.5-8B-A1B; the sum is the one printed for LFM2-8B-A1B"
        )
    )
    out.append(lfm2_moe("lfm2.5-8b-a1b", "LFM2.5-8B-A1B", "D", "Vocabulary not stated: that of LFM2-8B-A1B"))
    for ident, (parent, change) in TWINS.items():
        out.append({**known[parent], **change, "id": ident})
    return out
