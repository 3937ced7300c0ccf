"""Sample power, memory and clocks while a benchmark runs, and say what it came to.

NVML where nvidia-ml-py and a driver are there, else the files of amdgpu under /sys, else
rocm-smi; beside them the energy counters of the processor (RAPL), where they may be read.
What cannot be measured is said in plain words, never estimated.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from cardbook.record.devices import RATES, AmdFiles, Nvml, Rapl, RocmSmi, Source


def open_sources() -> tuple[list[Any], list[str]]:
    """(sources that answer, what cannot be measured and why)."""
    found: list[Any] = []
    reasons = []
    for kind in (Nvml, AmdFiles, RocmSmi):
        try:
            found.append(kind())
            break
        except OSError as error:
            reasons.append(f"{kind.name}: {error}")
    unmeasured = [] if found else [f"power, memory and clocks of a card ({'; '.join(reasons)})"]
    try:
        found.append(Rapl())
    except OSError as error:
        unmeasured.append(f"power of the processor ({error})")
    return found, unmeasured


class Sampler:
    """Reads sources in a thread between `start` and `stop`."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self._sources = list(sources)
        self._series: dict[str, list[tuple[float, dict[str, Any]]]] = {source.name: [] for source in self._sources}
        self._done = threading.Event()
        self._threads = [threading.Thread(target=self._watch, args=(source,), daemon=True) for source in self._sources]
        self.failed: list[str] = []
        #: The newest sample of a card, for a line of progress.
        self.last: dict[str, Any] = {}

    def start(self) -> None:
        """Begins to sample."""
        for thread in self._threads:
            thread.start()

    def _watch(self, source: Source) -> None:
        series = self._series[source.name]
        while True:
            last = self._done.is_set()
            try:
                said = source.read()
            except (OSError, ValueError) as error:
                self.failed.append(f"{source.name} stopped answering: {error}")
                return
            series.append((time.monotonic(), said))
            if "cpu_energy_j" not in said:
                self.last = said
            if last:
                return
            self._done.wait(source.interval_s)

    def stop(self) -> tuple[dict[str, Any], list[str]]:
        """(summary, what was not measured). The summary holds what was seen of: mean_power_w,
        energy_j, peak_memory_bytes, memory_before_bytes, sm_clock_hz, sm_clock_min_hz,
        memory_clock_hz, temperature_c, throttle_reasons, samples, power_of; cpu_power_w and
        cpu_energy_j. Means and energy are of the whole command, the loading included."""
        self._done.set()
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(timeout=15)
        unmeasured = list(self.failed)
        summary: dict[str, Any] = {}
        for source in self._sources:
            summary |= summarise(self._series[source.name], source.name, unmeasured)
            source.close()
        return {key: value for key, value in summary.items() if value is not None}, unmeasured


def summarise(series: list[tuple[float, dict[str, Any]]], name: str, unmeasured: list[str]) -> dict[str, Any]:
    """The summary of one source: (seconds, figures) in order of time. Adds to `unmeasured`."""
    if len(series) < 2:
        unmeasured.append(f"{name}: the run was shorter than two samples")
        return {}
    if "cpu_energy_j" in series[0][1]:
        energy = series[-1][1]["cpu_energy_j"] - series[0][1]["cpu_energy_j"]
        return {"cpu_energy_j": energy, "cpu_power_w": energy / (series[-1][0] - series[0][0])}
    made: dict[str, Any] = {"samples": len(series), "throttle_reasons": sorted({r for _, said in series for r in said.get("throttle_reasons") or ()})}
    power = [(at, said["power_w"]) for at, said in series if said.get("power_w") is not None]
    if len(power) >= 2:
        energy = sum((b[1] + a[1]) / 2 * (b[0] - a[0]) for a, b in pairwise(power))
        made |= {"energy_j": energy, "mean_power_w": energy / (power[-1][0] - power[0][0]), "power_of": f"cards ({name})"}
    else:
        unmeasured.append(f"power: {name} does not say it for every card")
    memory = [said["memory_used_bytes"] for _, said in series if said.get("memory_used_bytes") is not None]
    if memory:
        made |= {"peak_memory_bytes": max(memory), "memory_before_bytes": memory[0]}
    else:
        unmeasured.append(f"memory: {name} does not say it for every card")
    for key in RATES:
        seen = [said[key] for _, said in series if said.get(key) is not None]
        made[key] = sum(seen) / len(seen) if seen else None
        if key == "sm_clock_hz" and seen:
            made["sm_clock_min_hz"] = min(seen)
    made["temperature_c"] = max((said["temperature_c"] for _, said in series if said.get("temperature_c") is not None), default=None)
    return made
