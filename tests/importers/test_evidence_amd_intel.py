"""rocm-smi, amd-smi and xpu-smi: figures read from the files by hand."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from cardbook.importers import amd_smi, rocm_smi, xpu_smi
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats

MIB = 2**20


@pytest.mark.parametrize(
    ("tool", "name", "expected"),
    [
        (
            rocm_smi,
            "rocm-smi/vega-20-WKS-GL-XE.json",
            {"card_as_written": "Radeon Instinct MI50 32GB", "driver": "5.9.17", "power_w": 26.0, "power_limit_w": 225.0},
        ),
        (
            rocm_smi,
            "rocm-smi/vega-20-WKS-GL-XE.json",
            {"memory_total_bytes": 34342961152, "memory_used_bytes": 10850304, "sm_clock_hz": 1725e6, "memory_clock_hz": 1000e6},
        ),
        (rocm_smi, "rocm-smi/rx6700xt_rocm430.json", {"card_as_written": None, "power_w": 6.0, "memory_used_bytes": 1622728704, "sm_clock_hz": 500e6}),
        (rocm_smi, "rocm-smi/rx6700xt_rocm612.json", {"card_as_written": "Navi 22 [Radeon RX 6700/6700 XT / 6800M]", "memory_used_bytes": 1572745216}),
        (
            rocm_smi,
            "rocm-smi/mi100_rocm571.json",
            {"n_cards": 6, "card_as_written": "Arcturus GL-XL [Instinct MI100]", "power_limit_w": 290.0, "memory_used_bytes": 6 * 6782976},
        ),
        (
            amd_smi,
            "amd-smi/metric_text_rdna3_CUT.txt",
            {"power_w": 20.0, "sm_clock_hz": 14e6, "sm_clock_max_hz": 2482e6, "throttle_reasons": [], "card_as_written": None},
        ),
        (
            amd_smi,
            "amd-smi/static_mi300a_text.txt",
            {"n_cards": 4, "card_as_written": "MI300A", "driver": "6.9.0-rc5+", "power_limit_w": 550.0, "memory_total_bytes": None, "mig": False},
        ),
        (xpu_smi, "xpu-smi/discovery.json", {"card_as_written": "Intel(R) Graphics [0x020a]", "n_cards": 1}),
        (xpu_smi, "xpu-smi/discovery_device.txt", {"driver": "16929133", "memory_total_bytes": 32768 * MIB, "sm_clock_max_hz": 1400e6}),
        (xpu_smi, "xpu-smi/discovery_dump.csv", {"n_cards": 2, "card_as_written": "Intel(R) Graphics [0x56c0]", "sm_clock_max_hz": 2050e6}),
        (xpu_smi, "xpu-smi/dump.csv", {"n_cards": 1, "samples": 5, "power_w": (14.61 * 4 + 14.59) / 5, "sm_clock_hz": 0.0}),
    ],
)
def test_public(tool: ModuleType, name: str, expected: dict[str, Any]) -> None:
    says(public(tool, *name.split("/")).sensors, expected)


def test_the_static_page_gives_no_memory() -> None:
    assert "memory_total_bytes" in loses(public(amd_smi, "amd-smi", "static_mi300a_text.txt"))


@pytest.mark.parametrize(
    ("tool", "name", "found"),
    [
        (rocm_smi, "rocm-smi/showmemuse_rx6800_two_forms.json", "several outputs"),
        (amd_smi, "amd-smi/metric_usage_mi300x_dpx_rocm702_CUT.json", "no power, memory or clock"),
        (amd_smi, "amd-smi/metric_usage_w7700_CUT.json", "no power, memory or clock"),
    ],
)
def test_public_files_that_are_refused(tool: ModuleType, name: str, found: str) -> None:
    assert found in refused(tool, shared_formats(*name.split("/"))).found


def test_golden_rocm_smi() -> None:
    reading = only(rocm_smi, golden("rocm-smi", "newer.json"))
    says(reading.sensors, {"power_w": 640.5, "power_limit_w": 750.0, "memory_used_bytes": 103070826496, "temperature_c": 51.0, "sm_clock_hz": 2100e6})
    assert not any(word in repr(reading) for word in ("PCB0123", "1b2c3d4e"))


def test_golden_amd_smi() -> None:
    reading = only(amd_smi, golden("amd-smi", "metric.json"))
    says(reading.sensors, {"power_w": 250.0, "memory_total_bytes": 24560 * MIB, "memory_used_bytes": 20000 * MIB, "temperature_c": 61.0})
    says(reading.sensors, {"sm_clock_hz": 2300e6, "memory_clock_max_hz": 1249e6, "throttle_reasons": ["throttled"]})
    assert reading.recipe["throttled"] is True
    assert {"card", "driver", "power_limit_w"} <= asks(reading)
    static = only(amd_smi, golden("amd-smi", "static.txt"))
    says(static.sensors, {"power_limit_w": 700.0, "mig": True, "mig_profiles": ["DPX"], "memory_total_bytes": None})
    assert "1B2C3D4E" not in repr(static)


def test_a_bare_list_of_older_releases() -> None:
    text = golden("amd-smi", "metric.json").read_text().replace('{\n  "gpu_data": [', "[", 1).rstrip().removesuffix("}").rstrip()
    says(only(amd_smi, text).sensors, {"power_w": 250.0})


def test_golden_xpu_smi() -> None:
    reading = only(xpu_smi, golden("xpu-smi", "dump.csv"))
    says(reading.sensors, {"n_cards": 2, "samples": 2, "power_w": 120.0 + 50.0, "memory_used_bytes": 2560 * MIB, "temperature_c": 65.0})


@pytest.mark.parametrize(
    ("tool", "name", "before", "after", "found"),
    [
        (rocm_smi, "rocm-smi/newer.json", '"640.5"', '"much"', "package power"),
        (rocm_smi, "rocm-smi/newer.json", '"card0": {', '"card0": {}, "card0": {', "twice"),
        (rocm_smi, "rocm-smi/newer.json", "}\n}", "}", "parsed"),
        (amd_smi, "amd-smi/metric.json", '"unit": "W"', '"unit": "kW"', "socket_power"),
        (amd_smi, "amd-smi/metric.json", '"value": 250,', '"value": 1e400,', "inf"),
        (amd_smi, "amd-smi/static.txt", "SOCKET_POWER: 700 W", "SOCKET_POWER: 70", "'70'"),
        (xpu_smi, "xpu-smi/dump.csv", ", 1200, 40.00, 512.00", "", "values under"),
        (xpu_smi, "xpu-smi/dump.csv", "GPU Frequency (MHz)", "TileId", "by tile"),
        (xpu_smi, "xpu-smi/dump.csv", "100.00", "a lot", "'a lot'"),
    ],
)
def test_what_is_refused(tool: ModuleType, name: str, before: str, after: str, found: str) -> None:
    text = golden(*name.split("/")).read_text()
    assert before in text
    assert found.lower() in refused(tool, text.replace(before, after, 1)).found.lower()
