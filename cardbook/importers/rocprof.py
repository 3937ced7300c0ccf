"""rocprof-compute (Omniperf) workloads and rocprofv3 traces: launch shapes and durations.

One dispatch a row, times in ns, grid sizes in work-items (not groups). VGPRs are those of a
work-item; where accumulation VGPRs are in use the sum depends on the architecture, which
these files do not name, and is left out. Counters come from several passes and need the
formulas of the tool, so neither bytes, nor operations, nor occupancy are derived from them.
"""

from __future__ import annotations

import re
from typing import Any

from cardbook.importers.base import Kernel, RawOutput, Reading, Refused
from cardbook.importers.profiles import ask, count, product, refuse_many, table
from cardbook.importers.serving import from_text, known

NAME = "rocprof"

_NS = 1e-9
_MHZ = 1e6
_AXES = "XYZ"
_HEADS = {
    "compute": {"Dispatch_ID", "Kernel_Name", "Grid_Size", "Workgroup_Size"},
    "counters": {"Dispatch_Id", "Kernel_Name", "Grid_Size", "Workgroup_Size", "Counter_Name"},
    "trace": {"Kind", "Dispatch_Id", "Kernel_Name", "Workgroup_Size_X", "Grid_Size_X"},
    "sysinfo": {"workload_name", "gpu_model", "gpu_arch", "hbm_bw"},
    "roofline": {"device", "HBMBw", "L2Bw"},
    "api": {"Domain", "Function", "Start_Timestamp"},
    "stats": {"Name", "Calls", "TotalDurationNs"},
    "copies": {"Kind", "Direction", "Start_Timestamp"},
}
_NO_KERNELS = {
    "roofline": "peaks that a micro-benchmark measured, of no kernel",
    "api": "calls of the host, no kernel",
    "stats": "sums over calls, no kernel",
    "copies": "copies of memory, no kernel",
}


def recognise(raw: RawOutput) -> bool:
    """True for a CSV of rocprof-compute or rocprofv3."""
    return _form(raw) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading with every dispatch of the file, or with what the machine is. Raises `Refused`."""
    form = _form(raw)
    if form is None:
        raise Refused("no file of rocprof that is known here", "dispatches of kernels", "Give pmc_perf.csv of the workload, or the kernel trace.", line=1)
    if form in _NO_KERNELS:
        raise Refused(_NO_KERNELS[form], "dispatches of kernels", "Give pmc_perf.csv or timestamps.csv of the workload, or the kernel trace.", line=1)
    _, rows = table(raw, NAME)
    if form == "sysinfo":
        return [_machine(raw, rows)]
    if not rows:
        raise Refused("a header and no dispatch", "dispatches of kernels", "Profile the benchmark again.", line=1)
    return [_dispatches(rows)]


def _form(raw: RawOutput) -> str | None:
    first = raw.text[:200_000].split("\n", 1)[0]
    names = {name.strip().strip('"') for name in first.split(",")}
    return next((form for form, needed in _HEADS.items() if needed <= names), None)


def _machine(raw: RawOutput, rows: list[tuple[int, dict[str, str]]]) -> Reading:
    """What sysinfo.csv says of the card; the name of the host is left where it is."""
    if len(rows) != 1:
        raise Refused(f"{len(rows)} machines", "one", "Give the sysinfo.csv of one workload.", line=1)
    line, row = rows[0]

    def clock(column: str) -> float | None:
        text = row.get(column, "").strip()
        return from_text(text, column, NAME, line) * _MHZ if text and text != "NA" else None

    version = row.get("rocm_version", "").strip()
    driver = f"ROCm {version}" if re.fullmatch(r"[\w.+-]{1,40}", version) else None
    card = row["gpu_model"].strip()[:100] or None
    sensors = {"card_as_written": card, "driver": driver, "sm_clock_max_hz": clock("max_sclk"), "memory_clock_max_hz": clock("max_mclk")}
    partition = row.get("compute_partition", "").strip()
    if partition not in ("", "NA"):
        sensors["mig"] = partition != "SPX"
    reading = Reading(NAME, recipe=known({"card_as_written": card, "driver": driver}), sensors=known(sensors))
    reading.questions.append(("kernels", "Which kernels ran? Import pmc_perf.csv or timestamps.csv of the same workload."))
    return reading


def _dispatches(rows: list[tuple[int, dict[str, str]]]) -> Reading:
    reading = Reading(NAME)
    seen: dict[str, dict[str, Any]] = {}
    for line, row in rows:
        identity = row.get("Dispatch_ID", row.get("Dispatch_Id", ""))
        values = _kernel(reading, row, line)
        # A counter a row: the launch is told again in each.
        if seen.setdefault(identity, values) != values or ("Counter_Name" not in row and seen[identity] is not values):
            raise Refused(f"two dispatches with the number {identity[:20]!r}", "one profile", "Keep one run in a file.", line=line)
    refuse_many(len(seen))
    reading.kernels = [Kernel(values) for values in seen.values()]
    reading.lost = list(dict.fromkeys(reading.lost))
    return ask(reading, arch=False)


def _kernel(reading: Reading, row: dict[str, str], line: int) -> dict[str, Any]:
    if "Workgroup_Size_X" in row:
        threads = product(count(row, f"Workgroup_Size_{axis}", NAME, line) or 1 for axis in _AXES)
        items = product(count(row, f"Grid_Size_{axis}", NAME, line) or 1 for axis in _AXES)
    else:
        threads, items = count(row, "Workgroup_Size", NAME, line) or 0, count(row, "Grid_Size", NAME, line) or 0
    if threads < 1 or items < threads:
        raise Refused(f"a grid of {items} work-items in groups of {threads}", "at least one group", "Give the file as the tool wrote it.", line=line)
    values: dict[str, Any] = {
        "name": row["Kernel_Name"][:500] or "unnamed",
        "threads_per_block": threads,
        "blocks": -(-items // threads),
        "registers_per_thread": _registers(reading, row, line),
    }
    for column in ("LDS_Per_Workgroup", "LDS_Block_Size", "Group_Segment_Size"):
        if column in row:
            values["shared_memory_bytes"] = count(row, column, NAME, line)
    begun, ended = (count(row, f"{end}_Timestamp", NAME, line) for end in ("Start", "End"))
    if begun is not None and ended is not None:
        if ended <= begun:
            raise Refused("a dispatch that ends before it begins", "rising time stamps", "Give the file as the tool wrote it.", line=line)
        values["duration_s"] = (ended - begun) * _NS
    return known(values)


def _registers(reading: Reading, row: dict[str, str], line: int) -> int | None:
    if "Arch_VGPR" in row:
        accumulating = count(row, "Accum_VGPR", NAME, line)
        if accumulating:
            reading.lost.append(("registers_per_thread", "accumulation VGPRs are in use: the sum depends on the architecture"))
            return None
        return count(row, "Arch_VGPR", NAME, line)
    return count(row, "VGPR_Count", NAME, line)
