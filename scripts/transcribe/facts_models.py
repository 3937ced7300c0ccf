"""facts/models.csv → data/models: shapes, parameters read per step, groups of layers by what their cache costs."""

from __future__ import annotations

from typing import Any

from common import plain
from facts_cards import safe, whole
from facts_sources import Registry

JSON = dict[str, Any]

#: Routed experts of another shape than 3 × hidden × intermediate, or in other layers than all but the first dense ones.
#: Two matrices without a gate (relu²) for Nemotron; latent widths where the experts work on a narrower stream; biases in gpt-oss.
_EXPERTS = {
    "llama-4-maverick": (24, 3 * 5120 * 8192),
    "gpt-oss-20b": (24, 3 * 2880 * 2880 + 3 * 2880),
    "gpt-oss-120b": (36, 3 * 2880 * 2880 + 3 * 2880),
    "kimi-k3": (92, 3 * 3584 * 3072),
    "nemotron-3-nano-30b-a3b": (23, 2 * 2688 * 1856),
    "nemotron-3-super-120b-a12b": (40, 2 * 1024 * 2688),
    "nemotron-3-ultra-550b-a55b": (48, 2 * 2048 * 5120),
}
#: Per-layer embedding tables and tables of positions, looked up and never streamed.
_LOOKUPS = {"gemma-4-e2b": 2348810496, "gemma-4-e4b": 2818572544, "opt-6.7b": 2050 * 4096}
#: Value dimension of MLA heads; the score dimension is `head_dim`.
_MLA_VALUE = {"glm-4.7-flash": 256, "glm-5": 256, "glm-5.1": 256, "glm-5.2": 256}
#: Head dimension of the full layers where it differs from `head_dim`.
_GLOBAL_HEAD = {"gemma-4-31b": 512, "gemma-4-26b-a4b": 512, "gemma-4-12b": 512, "gemma-4-e2b": 512, "gemma-4-e4b": 512}
#: (score, value) dimension of a head where they differ and there is no MLA.
_UNEQUAL_HEAD = {"mimo-v2-flash": (192, 128)}
#: Sliding windows that llama.cpp ignores (it allocates and reads the whole context).
_IGNORED_WINDOW = {"mistral-7b-v0.1": 4096, "phi-3-mini-4k": 2047, "phi-3-medium-14b": 2047}
#: Layers whose index keys every step reads, for sparse attention; 128 elements a token kept in fp8, counted as 64 of 16 bits.
_INDEXED_LAYERS = {"deepseek-v3.2": 61, "glm-5": 78, "glm-5.1": 78, "glm-5.2": 21}
_TOP_K = 2048

_NATIVE = {
    "bf16": "bf16",
    "fp16": "f16",
    "mxfp4 experts, bf16 rest": "mxfp4-safetensors",
    "fp8 e4m3 (128x128 blocks)": "fp8-block128",
    "fp8 e4m3": "fp8-block128",
    "int4 experts (QAT) + bf16": "int4-w4a16-ct",
}


def parameters(value: int | str | None) -> str | None:
    return f"{int(value)} parameters" if value not in (None, "") else None


def per_token(value: float) -> str:
    return f"{plain(value)} 1/token"


def group(name: str, kind: str, layers: int, elements: float | None = None, width: int | None = None, **more: Any) -> JSON:
    out: JSON = {"name": name, "kind": kind, "layers": layers}
    if elements is not None:
        out["kv_elements_per_token"] = per_token(elements)
    if more.get("window"):
        out["window"] = f"{more['window']} tokens"
    if more.get("ignored_by"):
        out["window_ignored_by"] = more["ignored_by"]
    if width is not None:
        out["score_value_width"] = width
    if more.get("state"):
        out["state_elements"] = plain(more["state"])
        out["state_element_size"] = "2 byte"
    return out


def attention_groups(row: JSON) -> list[JSON]:
    """The layers of one kind. Widths are query heads × (score + value dimension); for MLA in the form that prefill
    takes, the smaller one. Layers that share the cache of another layer are left out: a lower bound."""
    slug, heads, dim = row["slug"], int(row["n_heads"]), int(row["head_dim"])
    score, value = _UNEQUAL_HEAD.get(slug, (dim, dim))
    full, sliding = whole(row["kv_full_layers"]) or 0, whole(row["kv_swa_layers"]) or 0
    full_elements = float(row["kv_full_elems_per_token_layer"] or 0)
    groups = []
    if slug in _IGNORED_WINDOW:
        elements = float(row["kv_swa_elems_per_token_layer"] or full_elements)
        groups.append(group("sliding", "sliding", sliding or full, elements, heads * 2 * dim, window=_IGNORED_WINDOW[slug], ignored_by="llama.cpp"))
    elif "MLA" in row["attention"]:
        width = heads * (dim + _MLA_VALUE.get(slug, 128))
        if "DSA" in row["attention"]:
            groups.append(group("mla", "sparse", full, full_elements, width, window=_TOP_K))
            groups.append(group("indexer", "full", _INDEXED_LAYERS[slug], 64))
        else:
            groups.append(group("mla", "mla", full, full_elements, width))
    elif slug == "minimax-m3":
        groups.append(group("full", "full", 3, full_elements, heads * 2 * dim))
        groups.append(group("sparse", "sparse", 57, full_elements, heads * 2 * dim, window=16 * 128))
    elif slug.startswith("deepseek-v4"):
        # Compressed 128 to 1, read by every step: 4 elements a token and layer. The 4-to-1 layers read only their best.
        layers = {"deepseek-v4-flash": 20, "deepseek-v4-pro": 31}[slug]
        groups.append(group("compressed-128", "full", layers, 4, 0))
        groups.append(group("sliding", "sliding", sliding, float(row["kv_swa_elems_per_token_layer"]), heads * 2 * dim, window=int(row["kv_swa_window"])))
    else:
        if full:
            wide = _GLOBAL_HEAD.get(slug)
            groups.append(group("full", "full", full, full_elements, heads * (2 * wide if wide else score + value)))
        if sliding:
            kind = "chunked" if "chunked" in row["attention"] else "sliding"
            elements = float(row["kv_swa_elems_per_token_layer"])
            groups.append(group(kind, kind, sliding, elements, heads * (score + value), window=int(row["kv_swa_window"])))
    if row["state_layers"]:
        groups.append(group("state", "state", int(row["state_layers"]), state=float(row["state_elems_per_seq_layer"])))
    return groups


def experts(row: JSON) -> tuple[int | None, int | None]:
    """(layers with routed experts, parameters of one expert in one layer)."""
    if not row["n_experts"]:
        return None, None
    if row["slug"] in _EXPERTS:
        return _EXPERTS[row["slug"]]
    layers = int(row["n_layers"]) - (whole(row["first_dense_layers"]) or 0)
    return layers, 3 * int(row["hidden_size"]) * int(row["moe_intermediate_size"])


def consistent(document: JSON) -> None:
    """parameters = read by one stream + experts not routed to + tables that are looked up."""

    def count(key: str) -> int:
        return int(str(document.get(key) or 0).split()[0])

    idle = 0
    if document.get("experts"):
        idle = (document["experts"] - document["experts_per_token"]) * document["moe_layers"] * count("expert_parameters")
    table = 0 if document["tied_embeddings"] else count("embedding_parameters")
    table += _LOOKUPS.get(document["id"], 0)
    left = count("parameters") - count("decode_parameters") - idle - table
    if left:
        raise ValueError(f"{document['id']}: {left} parameters are neither read, idle nor looked up")


def model(row: JSON, registry: Registry, unsourced: str) -> JSON:
    source, located = registry.cite(row["source_url"])
    grade = row["evidence_grade"] if source else "D"
    layers, one_expert = experts(row)
    document = {
        "id": row["slug"],
        "name": row["hf_id"].split("/")[-1] or row["slug"],
        "repository": row["hf_id"] or None,
        "family": row["family"] or None,
        "parameters": parameters(row["params_total_calc"]),
        "parameters_stated": parameters(row["params_total_stated"]),
        "active_parameters_stated": parameters(row["params_active_stated"]),
        "decode_parameters": parameters(row["decode_read_params"]),
        "embedding_parameters": parameters(row["embed_params"]),
        "tied_embeddings": row["tied_embeddings"] == "true",
        "layers": whole(row["n_layers"]),
        "hidden_size": whole(row["hidden_size"]),
        "heads": whole(row["n_heads"]),
        "kv_heads": whole(row["n_kv_heads"]),
        "head_dim": whole(row["head_dim"]),
        "vocabulary": whole(row["vocab_size"]),
        "attention": row["attention"] or None,
        "experts": whole(row["n_experts"]),
        "experts_per_token": whole(row["experts_per_token"]),
        "shared_experts": whole(row["n_shared_experts"]),
        "moe_layers": layers,
        "expert_parameters": parameters(one_expert),
        "mtp_layers": whole(row["mtp_layers"]),
        "native_quant": _NATIVE.get(row["native_dtype"]),
        "native_dtype": row["native_dtype"] or None,
        "max_context": f"{row['max_context']} tokens" if row["max_context"] else None,
        "license": row["licence"] or None,
        "released_on": row["release_date"] or None,
        "grade": grade,
        "source": source or unsourced,
        "source_note": safe(located),
        "note": safe(row["notes"]),
        "attention_groups": attention_groups(row),
    }
    consistent(document)
    return document
