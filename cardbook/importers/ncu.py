"""Nsight Compute: the details page as CSV, whole, by section, or cut to chosen metrics.

One row a metric and kernel; figures have thousands commas, and the unit varies by row and by
kernel (byte, Kbyte, Mbyte, ns, us, ms; all decimal). "Memory Throughput" stands twice, in %
and in Gbyte/s, so a metric is told by name and unit. DRAM Frequency is not a data rate.
"""

from __future__ import annotations

import math
import re
from typing import Any

from cardbook.importers.base import Kernel, RawOutput, Reading, Refused
from cardbook.importers.profiles import ask, product, refuse_many, table
from cardbook.importers.serving import PERCENT, from_text, known

NAME = "ncu"

_HEAD = re.compile(r'^"ID","Process ID","Process Name","Host Name","Kernel Name"', re.MULTILINE)
_NEEDED = ("ID", "Kernel Name", "Block Size", "Grid Size", "CC", "Metric Name", "Metric Unit", "Metric Value")
_SHAPE = re.compile(r"\( *(\d{1,10}), *(\d{1,10}), *(\d{1,10})\)|(\d{1,10})")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ABSENT = ("n/a", "nan", "")
_TIME = {"ns": 1e-9, "nsecond": 1e-9, "us": 1e-6, "usecond": 1e-6, "ms": 1e-3, "msecond": 1e-3, "s": 1.0, "second": 1.0}
_BYTES = {"byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12}
_PER_BLOCK = {f"{unit}/block": scale for unit, scale in _BYTES.items()}
_CLOCK = {"hz": 1.0, "Khz": 1e3, "Mhz": 1e6, "Ghz": 1e9, "cycle/second": 1.0, "cycle/usecond": 1e6, "cycle/nsecond": 1e9}
_PLAIN = {"": 1.0, "inst": 1.0, "register/thread": 1.0, "byte/block": 1.0}
_RATIO = {"%": PERCENT}
_FLOP_COUNTERS = re.compile(r"flop_count_(?:hp|sp|dp)\.sum|sm__ops_path_tensor_src_(?:bf16|fp16|tf32|fp64|fp8|fp4|fp6)\w*\.sum")
# The largest unit in which shared memory is allocated to a block.
_SHARED_UNIT = 128

#: Key → (names, units).
_METRICS: dict[str, tuple[tuple[str, ...], dict[str, float]]] = {
    "theoretical_occupancy": (("Theoretical Occupancy", "sm__maximum_warps_per_active_cycle_pct"), _RATIO),
    "achieved_occupancy": (("Achieved Occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"), _RATIO),
    "duration_s": (("gpu__time_duration.sum", "Duration"), _TIME),
    "registers_per_thread": (("Registers Per Thread", "launch__registers_per_thread"), _PLAIN),
    "clock_hz": (("SM Frequency", "smsp__cycles_elapsed.avg.per_second"), _CLOCK),
}

Metrics = dict[tuple[str, str], list[tuple[str, int]]]


def recognise(raw: RawOutput) -> bool:
    """True for a CSV page of ncu, whatever page it is."""
    return _HEAD.search(raw.text[:20_000]) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading with every kernel of the page. Raises `Refused`."""
    head = _HEAD.search(raw.text)
    columns, rows = table(raw, NAME, head.start() if head else 0, last="Metric Value")
    if "Metric Name" not in columns:
        raise Refused("the raw page (a column a metric)", "the details page", "Print it with ncu --import REPORT --page details --csv.", line=1)
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise Refused(f"no column {missing[0]!r}", "the columns of the details page", "Print it with ncu --import REPORT --page details --csv.", line=1)
    launches: dict[str, tuple[dict[str, str], Metrics, int]] = {}
    for line, row in rows:
        first, metrics, _ = launches.setdefault(row["ID"], (row, {}, line))
        if any(first[name] != row[name] for name in ("Kernel Name", "Block Size", "Grid Size", "CC")):
            raise Refused(f"two kernels with the ID {row['ID'][:20]!r}", "one profile", "Keep one report in a file.", line=line)
        if row["Metric Name"]:
            metrics.setdefault((row["Metric Name"], row["Metric Unit"]), []).append((row["Metric Value"], line))
    if not launches:
        raise Refused("a header and no kernel", "a profile of kernels", "Profile the benchmark again.", line=1)
    refuse_many(len(launches))
    reading = Reading(NAME)
    for first, metrics, line in launches.values():
        reading.kernels.append(_kernel(reading, first, metrics, line))
    reading.lost = list(dict.fromkeys(reading.lost))
    if not any("registers_per_thread" in kernel.values for kernel in reading.kernels):
        reading.questions.append(("registers_per_thread", "How many registers had a thread? Add --section LaunchStats."))
    return [ask(reading, arch=True)]


def _kernel(reading: Reading, row: dict[str, str], metrics: Metrics, line: int) -> Kernel:
    values: dict[str, Any] = {"name": row["Kernel Name"][:500] or "unnamed", "arch": row["CC"] if re.fullmatch(r"\d{1,2}\.\d", row["CC"]) else None}
    values["threads_per_block"] = _shape(row["Block Size"], "Block Size", line)
    values["blocks"] = _shape(row["Grid Size"], "Grid Size", line)
    for key, (names, scales) in _METRICS.items():
        found = [made for name in names if (made := _metric(metrics, name, scales)) is not None]
        # The same figure may stand in two sections, once rounded more.
        if found and not all(math.isclose(one, found[0], rel_tol=0.01) for one in found):
            raise Refused(f"{names[0]} says {found[0]:g} and {found[1]:g} for one kernel", "one figure", "Keep one report in a file.", line=line)
        values[key] = found[0] if found else None
    for key in ("theoretical_occupancy", "achieved_occupancy"):
        if values[key] is not None and values[key] > 1:
            raise Refused(f"{key} of {values[key]:.0%}", "at most 100 %", "Give the file as ncu wrote it.", line=line)
    if values["registers_per_thread"] is not None:
        values["registers_per_thread"] = int(values["registers_per_thread"])
    values["shared_memory_bytes"] = _shared(reading, metrics)
    values["memory_bytes_moved"] = _moved(metrics)
    values["flops"] = _flops(reading, metrics)
    return Kernel(known(values))


def _shape(text: str, name: str, line: int) -> int:
    match = _SHAPE.fullmatch(text.strip())
    made = product(int(part) for part in match.groups() if part is not None) if match else 0
    if not made:
        raise Refused(f"{name} is {text[:40]!r}", "sizes such as (32, 4, 1)", "Give the file as ncu wrote it.", line=line)
    return made


def _number(text: str, name: str, line: int) -> float | None:
    text = text.strip()
    if text.lower() in _ABSENT:
        return None
    plain = text.replace(",", "") if _GROUPED.fullmatch(text) else text
    if "," in plain:
        raise Refused(f"{name} is {text[:40]!r}", "a number with thousands commas, as in 13,485.2", "Print the page with LC_ALL=C.", line=line)
    return from_text(plain, name, NAME, line)


def _metric(metrics: Metrics, name: str, scales: dict[str, float]) -> float | None:
    """The figure in base units; None where it is absent. Raises `Refused` where it differs."""
    found: list[float] = []
    for (metric, unit), said in metrics.items():
        if metric != name:
            continue
        for text, line in said:
            number = _number(text, name, line)
            if number is not None and unit not in scales:
                raise Refused(f"{name} in {unit[:20]!r}", f"one of {', '.join(scales)}", "Give the file as ncu wrote it.", line=line)
            if number is not None:
                found.append(number * scales[unit])
    if found and not all(math.isclose(one, found[0], rel_tol=0.01) for one in found):
        raise Refused(f"{name} says {found[0]:g} and {found[-1]:g} for one kernel", "one figure", "Keep one report in a file.")
    return found[0] if found else None


def _moved(metrics: Metrics) -> float | None:
    """Bytes from and to DRAM, where both directions were counted."""
    total = _metric(metrics, "dram__bytes.sum", _BYTES)
    parts = [_metric(metrics, f"dram__bytes_{way}.sum", _BYTES) for way in ("read", "write")]
    if total is not None:
        return total
    return None if parts[0] is None or parts[1] is None else parts[0] + parts[1]


def _flops(reading: Reading, metrics: Metrics) -> float | None:
    """Floating-point operations, where every counter that was asked for was counted."""
    names = sorted({name for name, _ in metrics if _FLOP_COUNTERS.fullmatch(name)})
    said = {name: _metric(metrics, name, _PLAIN) for name in names}
    counted = {name: value for name, value in said.items() if value is not None}
    if names and len(counted) == len(names):
        return sum(counted.values())
    if names:
        known_part = f"; the others count {sum(counted.values()):.0f}" if counted else ""
        reading.lost.append(("flops", f"{', '.join(name for name in names if name not in counted)} were not available{known_part}"))
    return None


def _shared(reading: Reading, metrics: Metrics) -> int | None:
    """Static and dynamic shared memory of a block.

    In Kbyte it is rounded to 10 bytes. Where a multiple of the allocation unit lies within
    the rounding it is taken: every other value there allocates the same, or one unit more.
    """
    parts = []
    for kind in ("Static", "Dynamic"):
        exact = [_metric(metrics, f"launch__shared_mem_per_block_{kind.lower()}", _PER_BLOCK)]
        made = exact[0] if exact[0] is not None else _metric(metrics, f"{kind} Shared Memory Per Block", _PER_BLOCK)
        if made is None:
            return None
        parts.append(made)
    total = sum(parts)
    rounding = 5 * sum(1 for part in parts if part >= 1000)
    below = math.floor((total + rounding) / _SHARED_UNIT) * _SHARED_UNIT
    return int(below if below >= total - rounding else round(total))
