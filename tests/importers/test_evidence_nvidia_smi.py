"""nvidia-smi in all its forms: figures read from the files by hand."""

from __future__ import annotations

from typing import Any

import pytest

from cardbook.importers import nvidia_smi as tool
from tests.importers.serving_case import asks, golden, only, public, raw, refused, says
from tests.shared_files import shared_formats

MIB = 2**20
H200 = {
    "card_as_written": "NVIDIA H200",
    "driver": "590.48.01",
    "n_cards": 1,
    "samples": 1,
    "memory_total_bytes": 143771 * MIB,
    "power_limit_w": 700.0,
    "mig": False,
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "h200_load_query-gpu.csv",
            H200 | {"memory_used_bytes": 32363 * MIB - MIB, "power_w": 627.4, "sm_clock_hz": 1980e6, "memory_clock_hz": 3201e6, "temperature_c": 52.0},
        ),
        ("h200_idle_query-gpu.csv", H200 | {"memory_used_bytes": 0, "power_w": 77.71, "sm_clock_hz": 345e6, "throttle_reasons": ["gpu_idle"]}),
        ("h200_load_q.txt", H200 | {"power_w": 627.32, "sm_clock_max_hz": 1980e6, "memory_clock_max_hz": 3201e6, "throttle_reasons": []}),
        ("h200_load_table.txt", H200 | {"memory_used_bytes": 32362 * MIB, "power_w": 628.0, "temperature_c": 52.0, "sm_clock_hz": None}),
        ("h200_L.txt", {"card_as_written": "NVIDIA H200", "n_cards": 1, "power_w": None, "memory_total_bytes": None}),
        ("h200_version.txt", {"driver": "590.48.01", "card_as_written": None}),
        ("h200_idle_dmon.txt", {"n_cards": 1, "samples": 5, "power_w": 77.0, "memory_clock_hz": 3201e6, "sm_clock_hz": 345e6, "temperature_c": 28.0}),
        ("h100_load_q.txt", {"card_as_written": "NVIDIA H100 80GB HBM3", "power_w": 629.45, "memory_used_bytes": 19818 * MIB, "mig": False}),
        ("h100-mig_load_dmon.txt", {"samples": 5, "power_w": (438 + 440 + 437 + 439 + 439) / 5, "temperature_c": 56.0, "card_as_written": None}),
        ("h100-mig_load_table.txt", {"memory_used_bytes": 11125 * MIB, "memory_total_bytes": 81559 * MIB, "mig": True, "power_w": 432.0}),
        (
            "rtx4080s_load_table.txt",
            {"card_as_written": None, "driver": "595.71.05", "power_w": 83.0, "power_limit_w": 320.0, "memory_total_bytes": 16376 * MIB},
        ),
        ("win-rtx2080s_load_table.txt", {"card_as_written": None, "driver": "610.62", "power_w": 97.0, "memory_used_bytes": 1366 * MIB, "mig": None}),
        ("win-rtx2080s_load_q.txt", {"driver": "610.62", "power_w": 97.99, "power_limit_w": 250.0, "memory_used_bytes": 1366 * MIB, "sm_clock_max_hz": 2145e6}),
        ("win-rtx2080s_version.txt", {"driver": "610.62"}),
        ("win-rtx2080s_load_dmon.txt", {"power_w": 97.2, "memory_clock_hz": 7500e6, "sm_clock_hz": 2040e6}),
        (
            "xml_rtx-3060-v12.xml",
            {"driver": "570.124.04", "power_w": 11.6, "power_limit_w": 170.0, "memory_total_bytes": 12288 * MIB, "throttle_reasons": ["gpu_idle"]},
        ),
        (
            "xml_rtx-3080-v13.xml",
            {"driver": "595.58.03", "power_w": 139.62, "memory_used_bytes": 9184 * MIB, "memory_clock_hz": 9251e6, "memory_clock_max_hz": 9501e6},
        ),
        ("xml_a10g.xml", {"card_as_written": "NVIDIA A10G", "power_w": 25.58, "power_limit_w": 300.0, "sm_clock_max_hz": 1710e6}),
        ("xml_tesla-t4.xml", {"card_as_written": "Tesla T4", "power_limit_w": 70.0}),
    ],
)
def test_public(name: str, expected: dict[str, Any]) -> None:
    reading = public(tool, "nvidia-smi", name)
    says(reading.sensors, expected)


def test_the_parts_of_a_split_card() -> None:
    reading = public(tool, "nvidia-smi", "h100-mig_load_q.txt")
    says(reading.sensors, {"mig": True, "memory_used_bytes": 11125 * MIB, "power_w": 432.21})
    assert [one["memory_total_bytes"] // MIB for one in reading.sensors["mig_instances"]] == [40448, 20096, 9984, 9984]
    assert [one["memory_used_bytes"] // MIB for one in reading.sensors["mig_instances"]] == [11091, 17, 9, 9]
    assert "card" in asks(reading)
    assert public(tool, "nvidia-smi", "h100-mig_L.txt").sensors["mig_profiles"] == ["3g.40gb", "2g.20gb", "1g.10gb", "1g.10gb"]
    assert public(tool, "nvidia-smi", "h100-mig_load_query-gpu.csv").sensors["mig"] is True


def test_a_report_on_one_of_four_cards() -> None:
    reading = public(tool, "nvidia-smi", "xml_a100-sxm4-v12.xml")
    says(reading.sensors, {"card_as_written": "NVIDIA A100-SXM4-80GB", "power_w": 67.03, "memory_used_bytes": 50 * MIB, "mig": True})
    assert [one["memory_total_bytes"] // MIB for one in reading.sensors["mig_instances"]] == [19968] * 4
    assert "n_cards" in asks(reading)


def test_somebodys_own_loop_over_two_cards() -> None:
    reading = public(tool, "nvidia-smi", "query-gpu_loop_2x3090_gpu_monitor.csv")
    says(reading.sensors, {"n_cards": 2, "samples": 172, "power_limit_w": 230.0, "memory_total_bytes": 24576 * MIB, "memory_used_bytes": 1701 * MIB})
    assert reading.sensors["cards"][1]["memory_used_bytes"] == MIB
    assert {"card", "driver", "n_cards"} <= asks(reading)


@pytest.mark.parametrize("name", ["h200_idle_pmon.txt", "h200_load_pmon.txt", "h200_load_query-compute-apps.csv", "rtx4080s_idle_query-compute-apps.csv"])
def test_processes_are_no_card(name: str) -> None:
    assert "single processes" in refused(tool, shared_formats("nvidia-smi", name)).found


def test_golden_loop() -> None:
    reading = only(tool, golden("nvidia-smi", "loop.csv"))
    # power: (100 + 300 + 200) / 3 and (110 + 310 + 240) / 3; memory together: 3000, 10000, 11000
    says(reading.sensors, {"n_cards": 2, "samples": 3, "power_w": 420.0, "memory_used_bytes": 11000 * MIB, "memory_total_bytes": 24576 * MIB})
    says(reading.sensors, {"sm_clock_hz": 1725e6, "temperature_c": 61.0, "throttle_reasons": ["sw_power_cap"]})
    assert reading.recipe == {"card_as_written": "NVIDIA Made-up 9000", "driver": "600.10", "power_limit_w": 350.0, "throttled": True}
    assert "1320123456789" not in repr(reading)
    assert asks(reading) == {"n_cards"}


def test_golden_dmon() -> None:
    says(only(tool, golden("nvidia-smi", "dmon_fb.txt")).sensors, {"n_cards": 2, "samples": 2, "power_w": 305.0, "memory_used_bytes": 5120 * MIB})


def test_nothing_that_names_a_device_is_kept() -> None:
    for path in sorted(shared_formats("nvidia-smi").iterdir()):
        given = raw(path)
        if tool.recognise(given) and "mon" not in path.name and "apps" not in path.name:
            said = repr(tool.read(given))
            assert not any(word in said for word in ("UUID", "GPU-0", "0000:", "0x"))


def test_one_moment_is_no_mean() -> None:
    assert "mean_power_w" in asks(public(tool, "nvidia-smi", "h200_load_query-gpu.csv"))


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("100.00 W", "100.00 kW", "power.draw"),
        ("1000 MiB", "much", "memory.used"),
        ("100.00 W", "1e999 W", "inf"),
        (", Not Active, 50", "", "11 values under 13"),
        ("index, ", "", "values"),
        ("350.00 W, 1600", "300.00 W, 1600", "power_limit_w"),
        ("24576 MiB, 9000", "24000 MiB, 9000", "memory_total_bytes"),
    ],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("nvidia-smi", "loop.csv").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found


def test_rows_that_name_no_card() -> None:
    text = "name, power.draw [W]\nX, 100.00 W\nX, 110.00 W\n"
    assert "which card" in refused(tool, text).found


def test_two_outputs_in_one_file() -> None:
    text = golden("nvidia-smi", "loop.csv").read_text()
    assert "second header" in refused(tool, text + text).found


def test_without_units_in_the_values() -> None:
    text = golden("nvidia-smi", "loop.csv").read_text()
    for unit in (" MiB", " W", " MHz"):
        head, _, body = text.partition("\n")
        text = head + "\n" + body.replace(unit + ",", ",")
    says(only(tool, text).sensors, {"power_w": 420.0, "memory_used_bytes": 11000 * MIB})


def test_entities_are_refused() -> None:
    text = '<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "x.dtd">\n<nvidia_smi_log><!ENTITY a "b"></nvidia_smi_log>'
    assert "entities" in refused(tool, text).found


@pytest.mark.parametrize("name", ["h200_load_q.txt", "h200_load_table.txt", "xml_rtx-3060-v12.xml"])
def test_cut_off(name: str) -> None:
    text = shared_formats("nvidia-smi", name).read_text()
    assert refused(tool, text[: len(text) // 2 if "table" not in name else 900]).found
