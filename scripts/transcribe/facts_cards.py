"""facts/cards.csv → data/cards: graphics cards, accelerators and unified-memory machines."""

from __future__ import annotations

import re
from typing import Any

from common import number
from facts_sources import Registry

JSON = dict[str, Any]

#: csv column → (arithmetic path, key of the peak, unit). Dense figures only.
PEAKS = {
    "fp32_tflops": ("fp32", "peak", "TFLOP/s"),
    "fp16_vector_tflops": ("fp16_vector", "peak", "TFLOP/s"),
    "fp16_tensor_fp32acc_tflops": ("fp16_fp32acc", "peak", "TFLOP/s"),
    "fp16_tensor_fp16acc_tflops": ("fp16_fp16acc", "peak", "TFLOP/s"),
    "bf16_tensor_tflops": ("bf16", "peak", "TFLOP/s"),
    "int8_tops": ("int8", "peak_operations", "TOPS"),
    "int4_tops": ("int4", "peak_operations", "TOPS"),
    "fp8_fp32acc_tflops": ("fp8_fp32acc", "peak", "TFLOP/s"),
    "fp8_max_tflops": ("fp8", "peak", "TFLOP/s"),
    "fp4_tflops": ("fp4", "peak", "TFLOP/s"),
}

_DATACENTER = re.compile(
    r"^(a100|a10g?|a16|a2|a30|a40|b200|b300|gb200|gb300|gh200|h100|h200|h20|l4|l40|l40s|t4|tesla-|p100|v100|rubin|"
    r"mi\d|gaudi|tpu|rtx-pro-6000-bw-server)(-|$|\d|[a-z])"
)
_WORKSTATION = re.compile(r"^(rtx-a\d|rtx-pro-|rtx-\d\d00-ada|quadro-|radeon-pro|radeon-ai-pro|arc-pro|titan-v|gb10$|dgx-station)")

#: Architectures whose missing paths are known to be absent from the hardware, or never above a listed one.
_COMPLETE = {
    "Pascal": "DP4A from 6.1 on; no matrix unit",
    "Volta": "no bf16, no int8 or fp8 matrix path",
    "Turing": "no bf16 and no fp8",
    "Ampere": "no fp8 and no fp4",
    "Ada": "no fp4",
    "Hopper": "no int4 and no fp4",
    "Blackwell (GB20x)": "no int4",
    "Blackwell (GB100)": "no int4; vector fp16 is never above the tensor rate",
    "Blackwell Ultra (GB110)": "no int4; vector fp16 is never above the tensor rate",
    "Rubin": "vector fp16 is never above the tensor rate",
    "RDNA2": "no matrix unit; bf16 runs as fp32",
    "RDNA3": "no fp8 and no fp4",
    "RDNA3.5": "no fp8 and no fp4",
    "RDNA4": "no fp4",
    "CDNA1": "no fp8 and no fp4; int4 has no matrix path",
    "CDNA2": "no fp8 and no fp4; int4 has no matrix path",
    "CDNA3": "no fp4; int4 has no matrix path",
    "CDNA4": "int4 has no matrix path",
    "Apple M1": "no matrix unit in the GPU; int8 and bf16 run at most at the vector rates",
    "Apple M2": "no matrix unit in the GPU; int8 and bf16 run at most at the vector rates",
    "Apple M3": "no matrix unit in the GPU; int8 and bf16 run at most at the vector rates",
    "Apple M4": "no matrix unit in the GPU; int8 and bf16 run at most at the vector rates",
}
#: Cards of those architectures with a path that is not listed and could be the fastest.
_INCOMPLETE = {
    "jetson-agx-orin-64gb", "jetson-agx-orin-32gb", "jetson-orin-nx-16gb", "jetson-orin-nano-super", "jetson-t4000",
}  # fmt: skip


def whole(text: str | None) -> int | None:
    return int(float(text)) if text else None


def size(text: str | float | None) -> str | None:
    """Bytes in the largest binary unit that divides them, else in bytes."""
    if text in (None, ""):
        return None
    value = int(float(text))
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if value and value % scale == 0:
            return f"{value // scale} {unit}"
    if value and value % 10**9 == 0:
        return f"{value // 10**9} GB"
    return f"{value} byte"


def measure(text: str | None, unit: str) -> str | None:
    return f"{number(float(text))} {unit}" if text else None


def watts(text: str | None) -> str | None:
    """The highest of a range: power rules bound from above."""
    found = re.findall(r"\d+(?:\.\d+)?", text or "")
    return f"{max(found, key=float)} W" if found else None


def safe(text: str | None) -> str | None:
    """Text that a spreadsheet cannot take for a formula."""
    text = (text or "").strip()
    return (f"({text})" if text[:1] in "=+-@" else text) or None


def memory_class(kind: str) -> str:
    low = kind.lower()
    return "hbm" if "hbm" in low else "lpddr" if "lpddr" in low else "gddr" if "gddr" in low else "ddr"


def segment(row: JSON) -> str:
    slug = row["slug"]
    if row["form"] == "laptop" or slug in ("radeon-780m", "radeon-890m"):
        return "laptop"
    if slug.startswith("jetson"):
        return "embedded"
    if _DATACENTER.match(slug):
        return "datacenter"
    return "workstation" if _WORKSTATION.match(slug) else "consumer"


def kind(row: JSON) -> str:
    if row["slug"].startswith(("gaudi", "tpu")):
        return "accelerator"
    if row["form"] == "soc" and row["slug"] != "dgx-station-gb300":
        return "soc"
    return "gpu"


def card(row: JSON, registry: Registry, limits: set[str], unsourced: str) -> JSON:
    source, located = registry.cite(row["source_url"])
    grade = row["evidence_grade"] if source else "D"
    source = source or unsourced
    peaks = []
    for column, (path, key, unit) in PEAKS.items():
        if row[column]:
            peaks.append({"path": path, key: measure(row[column], unit), "basis": row["peak_basis"] or None, "grade": grade, "source": source})
    architecture, slug = row["architecture"], row["slug"]
    complete = architecture in _COMPLETE and slug not in _INCOMPLETE and bool(peaks)
    unified = kind(row) == "soc"
    notes = [safe(row["notes"])]
    if complete and architecture in _COMPLETE:
        notes.append(f"paths not listed: {_COMPLETE[architecture]}")
    return {
        "id": slug,
        "name": row["name"],
        "vendor": row["vendor"],
        "kind": kind(row),
        "segment": segment(row),
        "architecture": architecture or None,
        "form": row["form"] or None,
        "compute_arch": row["compute_capability_or_gfx"] or None,
        "sm_limits": row["compute_capability_or_gfx"] if row["compute_capability_or_gfx"] in limits else None,
        "compute_units": whole(row["sm_or_cu_count"]),
        "memory_type": row["memory_type"] or None,
        "memory_class": memory_class(row["memory_type"]),
        "memory": size(row["vram_bytes"]),
        "memory_visible": size(row["vram_visible_bytes"]),
        "memory_bus": measure(row["memory_bus_bits"], "bit"),
        "memory_bandwidth": measure(row["memory_bandwidth_GBps"], "GB/s"),
        "memory_socketed": False,
        "unified_memory": unified,
        "l2_cache": size(row["l2_cache_bytes"]),
        "last_level_cache": size(row["llc_bytes"]),
        "boost_clock": measure(row["boost_clock_mhz"], "MHz"),
        "max_clock": measure(row["max_clock_mhz"], "MHz"),
        "board_power": watts(row["tdp_w"]),
        "pcie": row["pcie_gen_lanes"] or None,
        "interconnect": row["interconnect"] or None,
        "peaks_complete": True if complete else None,
        "released_on": row["release_date"] or None,
        "grade": grade,
        "source": source,
        "source_note": safe(located),
        "note": "; ".join(n for n in notes if n) or None,
        "peaks": peaks,
    }
