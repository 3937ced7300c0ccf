"""facts/cpus.csv → data/cards: hosts, and chips whose CPU runs the model."""

from __future__ import annotations

import re
from typing import Any

from common import number
from facts_cards import measure, memory_class, safe, size, watts, whole
from facts_sources import Registry

JSON = dict[str, Any]

_SEGMENT = {"server": "datacenter", "workstation": "workstation", "laptop": "laptop", "desktop": "consumer", "sbc": "embedded", "phone": "embedded"}
#: Arm cores with half-precision arithmetic (ARMv8.2 and later).
_FP16 = re.compile(r"Neoverse|AmpereOne|Oryon|Cortex-A76|Cortex-X")


def soldered(memory: str) -> bool:
    """LPDDR and HBM alone; a part that takes modules as well depends on what was fitted."""
    first = memory.upper()
    return ("LPDDR" in first or first.startswith("HBM")) and not re.search(r"(?<!LP)DDR\d", first)


def official_bandwidth(row: JSON) -> str | None:
    """Channels × width × rate. Vendors' pages round it down (memory_headroom.md)."""
    if row["memory_channels"] and row["channel_bits"] and row["max_mts_official"]:
        value = float(row["memory_channels"]) * float(row["channel_bits"]) / 8 * float(row["max_mts_official"]) / 1000
        return f"{number(value)} GB/s"
    return measure(row["memory_bandwidth_max_GBps"], "GB/s")


def peaks(row: JSON, grade: str, source: str) -> tuple[list[JSON], bool]:
    """Peaks by instruction set: cores × operations per cycle × highest single-core clock, an upper bound."""
    cores, clock = float(row["cores"] or 0), float(row["boost_clock_mhz"] or 0)
    per_cycle = {
        p: float(row[c])
        for p, c in (("fp32", "fp32_flops_per_cycle_per_core"), ("int8", "int8_ops_per_cycle_per_core"), ("bf16", "bf16_flops_per_cycle_per_core"))
        if row[c]
    }
    simd = row["simd"]
    arm = "NEON" in simd
    if "fp32" in per_cycle and arm and _FP16.search(row["architecture"]):
        per_cycle["fp16_vector"] = 2 * per_cycle["fp32"]
    if "fp32" in per_cycle and "AMX" in simd:
        per_cycle["fp16_vector"] = 2 * per_cycle["fp32"]
    if "AMX-FP16" in simd and "bf16" in per_cycle:
        per_cycle["fp16_fp32acc"] = per_cycle["bf16"]
    out: list[JSON] = []
    if "fp32" not in per_cycle or not cores or not clock:
        return out, False
    # Hybrid parts: the fp32 figure counts each kind of core; the other paths keep their ratio to it.
    single = cores * per_cycle["fp32"] * clock / 1e6
    stated = float(row["fp32_peak_tflops"] or single)
    hybrid = "+" in row["peak_basis"]
    if not hybrid and abs(stated - single) > 1e-3 * single:
        raise ValueError(f"{row['slug']}: fp32 peak {stated} is not cores x per cycle x clock")
    for path in ("fp32", "fp16_vector", "fp16_fp32acc", "bf16", "int8"):
        if path not in per_cycle:
            continue
        value = stated * per_cycle[path] / per_cycle["fp32"]
        basis = f"{number(cores)} cores x {number(per_cycle[path])} per cycle x {number(clock / 1000)} GHz, the highest single-core clock"
        if hybrid:
            basis = row["peak_basis"] if path == "fp32" else f"fp32 ({row['peak_basis']}) x {number(per_cycle[path] / per_cycle['fp32'])}"
        peak: JSON = {"path": path, "basis": basis, "grade": grade, "source": source}
        if path == "int8":
            peak["peak_operations"] = f"{number(value)} TOPS"
        else:
            peak["peak"] = f"{number(value)} TFLOP/s"
        if path == "fp16_vector":
            peak["note"] = "Twice the lanes of fp32 in the same registers: an upper bound"
        if path == "fp16_fp32acc":
            peak["note"] = "AMX-FP16 at the tile rate of AMX-BF16"
        out.append(peak)
    # x86 without AVX512-FP16 computes 16-bit floats as fp32; Arm before 8.2 likewise. int8 has to be known.
    complete = "int8" in per_cycle and "fp32" in per_cycle and ("AVX2" in simd or "fp16_vector" in per_cycle)
    return out, complete


def host(row: JSON, registry: Registry, taken: set[str], unsourced: str) -> JSON:
    source, located = registry.cite(row["source_url"])
    grade = row["evidence_grade"] if source else "D"
    source = source or unsourced
    phone = row["segment"] == "phone"
    listed, complete = peaks(row, grade, source)
    memory = row["memory_type_max"]
    slug = row["slug"]
    l3 = size(row["l3_total_bytes"])
    hbm = re.search(r"(\d+) GB", memory) if memory.startswith("HBM") else None
    return {
        "id": f"{slug}-cpu" if slug in taken else slug,
        "name": row["name"],
        "vendor": row["vendor"],
        "kind": "soc" if phone else "cpu",
        "segment": _SEGMENT[row["segment"]],
        "architecture": row["architecture"] or None,
        "form": "socket" if row["segment"] in ("server", "workstation", "desktop") else row["segment"],
        "compute_arch": row["simd"].replace(";", ", ") or None,
        "compute_units": whole(row["cores"]),
        "memory_type": memory or None,
        "memory_class": memory_class(memory),
        "memory": f"{hbm.group(1)} GiB" if hbm else None,
        "memory_channels": whole(row["memory_channels"]),
        "memory_channel_width": measure(row["channel_bits"], "bit"),
        "memory_transfer_rate": measure(row["max_mts_official"], "MT/s"),
        "memory_bandwidth": official_bandwidth(row),
        "memory_socketed": not soldered(memory),
        "unified_memory": phone,
        "l2_cache": size(row["l2_total_bytes"]),
        "last_level_cache": l3,
        "boost_clock": measure(row["boost_clock_mhz"], "MHz"),
        "board_power": watts(row["tdp_w"]),
        "peaks_complete": True if complete else None,
        "released_on": row["release_date"] or None,
        "grade": grade,
        "source": source,
        "source_note": safe(located),
        "note": safe(row["notes"]),
        "peaks": listed,
    }
