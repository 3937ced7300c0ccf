"""The ways to read what a machine draws and holds: NVML, amdgpu's files, rocm-smi, RAPL.

Each raises OSError where it is absent, with the reason in plain words. Figures are of all
cards, as the driver sees them: memory is what every process holds.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any, Protocol

INTERVAL_S = 0.2
_SLOW_INTERVAL_S = 1.0
_MHZ = 1e6
_MICRO = 1e-6
_MILLI = 1e-3
SYS = Path("/sys")
RATES = ("sm_clock_hz", "memory_clock_hz")


class Source(Protocol):
    """One way to read sensors. `read` gives figures of all cards in base units."""

    name: str
    interval_s: float

    def read(self) -> dict[str, Any]:
        """power_w, memory_used_bytes, sm_clock_hz, memory_clock_hz, temperature_c,
        throttle_reasons; or cpu_energy_j, a counter. Raises OSError when the device is gone."""
        ...

    def close(self) -> None:
        """Lets the device go."""
        ...


class Nvml:
    """NVIDIA cards. Raises OSError where there is no driver, library or card."""

    name = "NVML"
    interval_s = INTERVAL_S
    # Bits of nvmlClocksEventReasons that mean less speed than the card could give.
    _REASONS = (
        (0x4, "sw_power_cap"),
        (0x8, "hw_slowdown"),
        (0x20, "sw_thermal_slowdown"),
        (0x40, "hw_thermal_slowdown"),
        (0x80, "hw_power_brake_slowdown"),
    )

    def __init__(self) -> None:
        try:
            import pynvml
        except ImportError as error:
            raise OSError("nvidia-ml-py is not installed") from error
        self._nvml = pynvml
        try:
            pynvml.nvmlInit()
            self._cards = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
        except pynvml.NVMLError as error:
            raise OSError(str(error)) from error
        if not self._cards:
            self.close()
            raise OSError("no NVIDIA card")

    def _ask(self, call: str, *args: Any) -> Any:
        """What NVML says, None where this card does not support the question."""
        try:
            return getattr(self._nvml, call)(*args)
        except (AttributeError, self._nvml.NVMLError):
            return None

    def _memory(self, card: Any) -> int | None:
        # The second version leaves out what the driver reserves, as nvidia-smi does.
        version = getattr(self._nvml, "nvmlMemory_v2", None)
        said = self._ask("nvmlDeviceGetMemoryInfo", card, version) if version else None
        said = said or self._ask("nvmlDeviceGetMemoryInfo", card)
        return None if said is None else int(said.used)

    def read(self) -> dict[str, Any]:
        nvml = self._nvml
        power = [self._ask("nvmlDeviceGetPowerUsage", card) for card in self._cards]
        memory = [self._memory(card) for card in self._cards]
        sm = [self._ask("nvmlDeviceGetClockInfo", card, nvml.NVML_CLOCK_SM) for card in self._cards]
        mem = [self._ask("nvmlDeviceGetClockInfo", card, nvml.NVML_CLOCK_MEM) for card in self._cards]
        heat = [self._ask("nvmlDeviceGetTemperature", card, nvml.NVML_TEMPERATURE_GPU) for card in self._cards]
        masks = [self._ask("nvmlDeviceGetCurrentClocksThrottleReasons", card) for card in self._cards]
        return {
            "power_w": _sum(power, _MILLI),
            "memory_used_bytes": _whole(_sum(memory, 1)),
            "sm_clock_hz": _mean(sm, _MHZ),
            "memory_clock_hz": _mean(mem, _MHZ),
            "temperature_c": max((value for value in heat if value is not None), default=None),
            "throttle_reasons": [name for bit, name in self._REASONS if any(mask and mask & bit for mask in masks)],
        }

    def facts(self) -> dict[str, Any]:
        """Names of the cards, driver with CUDA version, power limits in watts."""
        names = [self._ask("nvmlDeviceGetName", card) for card in self._cards]
        limits = [self._ask("nvmlDeviceGetEnforcedPowerLimit", card) for card in self._cards]
        cuda = self._ask("nvmlSystemGetCudaDriverVersion_v2")
        driver = self._ask("nvmlSystemGetDriverVersion")
        mig = [self._ask("nvmlDeviceGetMigMode", card) for card in self._cards]
        return {
            "names": [name.decode() if isinstance(name, bytes) else name for name in names],
            "driver": None if driver is None else f"{_text(driver)}, CUDA {cuda // 1000}.{cuda % 1000 // 10}" if cuda else _text(driver),
            "power_limits_w": [None if limit is None else limit * _MILLI for limit in limits],
            "mig": any(mode is not None and mode[0] for mode in mig),
        }

    def close(self) -> None:
        self._ask("nvmlShutdown")


class AmdFiles:
    """AMD cards by the files of amdgpu. Raises OSError where there is none."""

    name = "amdgpu in /sys"
    interval_s = INTERVAL_S

    def __init__(self, root: Path = SYS) -> None:
        self.cards = [
            card for card in sorted(root.glob("class/drm/card[0-9]*/device")) if _file(card / "vendor") == "0x1002" and (card / "mem_info_vram_used").exists()
        ]
        if not self.cards:
            raise OSError("no amdgpu card")

    def _hwmon(self, card: Path, *names: str) -> int | None:
        for monitor in sorted(card.glob("hwmon/hwmon*")):
            for name in names:
                value = _integer(monitor / name)
                if value is not None:
                    return value
        return None

    def read(self) -> dict[str, Any]:
        return {
            "power_w": _sum([self._hwmon(card, "power1_average", "power1_input") for card in self.cards], _MICRO),
            "memory_used_bytes": _whole(_sum([_integer(card / "mem_info_vram_used") for card in self.cards], 1)),
            "sm_clock_hz": _mean([self._hwmon(card, "freq1_input") for card in self.cards], 1.0),
            "memory_clock_hz": _mean([self._hwmon(card, "freq2_input") for card in self.cards], 1.0),
            "temperature_c": _mean([self._hwmon(card, "temp1_input") for card in self.cards], _MILLI),
        }

    def facts(self) -> dict[str, Any]:
        """Names where amdgpu knows one, and power limits in watts."""
        limits = [self._hwmon(card, "power1_cap") for card in self.cards]
        return {
            "names": [_file(card / "product_name") or None for card in self.cards],
            "driver": None,
            "power_limits_w": [None if limit is None else limit * _MICRO for limit in limits],
            "mig": False,
        }

    def close(self) -> None:
        """Nothing to let go."""


class RocmSmi:
    """AMD cards by the command rocm-smi. Raises OSError where there is none."""

    name = "rocm-smi"
    interval_s = _SLOW_INTERVAL_S

    def __init__(self) -> None:
        self._command = shutil.which("rocm-smi") or ""
        if not self._command:
            raise OSError("no rocm-smi")
        self._sensors()

    def _sensors(self) -> dict[str, Any]:
        from cardbook.importers import rocm_smi
        from cardbook.importers.base import RawOutput, Refused

        text = output_of(self._command, "-a", "--showmeminfo", "vram", "--json") or ""
        try:
            return rocm_smi.read(RawOutput(Path("rocm-smi"), text.encode(), text))[0].sensors
        except Refused as refused:
            raise OSError(str(refused)) from refused

    def read(self) -> dict[str, Any]:
        return {key: value for key, value in self._sensors().items() if key in ("power_w", "memory_used_bytes", "temperature_c", *RATES)}

    def facts(self) -> dict[str, Any]:
        """Names of the cards, version of the kernel module, power limits in watts."""
        said = self._sensors()
        each = said.get("cards", [said])
        return {
            "names": [card.get("card_as_written") for card in each],
            "driver": said.get("driver"),
            "power_limits_w": [card.get("power_limit_w") for card in each],
            "mig": False,
        }

    def close(self) -> None:
        """Nothing to let go."""


class Rapl:
    """Energy of the processor packages. Raises OSError where it may not be read."""

    name = "RAPL"
    interval_s = _SLOW_INTERVAL_S

    def __init__(self, root: Path = SYS) -> None:
        zones = [zone for zone in sorted(root.glob("class/powercap/intel-rapl:*")) if zone.name.count(":") == 1]
        packages = [zone for zone in zones if (_file(zone / "name") or "").startswith("package")]
        self._zones = [(zone, _integer(zone / "max_energy_range_uj") or 0) for zone in packages]
        self._before: dict[Path, int] = {}
        self._total = 0
        if not self._zones:
            raise OSError("the processor shows no energy counter")
        if any(_integer(zone / "energy_uj") is None for zone, _ in self._zones):
            raise OSError("the energy counter of the processor may only be read by the administrator")

    def read(self) -> dict[str, Any]:
        for zone, span in self._zones:
            now = _integer(zone / "energy_uj")
            if now is None:
                raise OSError("the energy counter is gone")
            before = self._before.get(zone, now)
            # The counter starts again from 0 at the end of its span.
            self._total += now - before if now >= before else now - before + span
            self._before[zone] = now
        return {"cpu_energy_j": self._total * _MICRO}

    def close(self) -> None:
        """Nothing to let go."""


def output_of(*argv: str, timeout_s: float = 10.0) -> str | None:
    """Standard output of a command of the system, None where it fails."""
    try:
        done = subprocess.run(argv, capture_output=True, timeout=timeout_s, stdin=subprocess.DEVNULL, check=False)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _file(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def _integer(path: Path) -> int | None:
    text = _file(path) or ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _sum(values: list[Any], scale: float) -> float | None:
    """The sum; None where one card does not say, for a part is no sum."""
    return None if not values or None in values else sum(values) * scale


def _mean(values: list[Any], scale: float) -> float | None:
    return None if not values or None in values else sum(values) / len(values) * scale


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
