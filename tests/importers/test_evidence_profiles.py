"""Nsight Compute, Nsight Systems and rocprof: figures read from the files by hand."""

from __future__ import annotations

import pytest

from cardbook.importers import ncu, nsys, rocprof
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats


def test_k1() -> None:
    reading = public(ncu, "ncu", "k1_details.csv")
    (kernel,) = reading.kernels
    says(kernel.values, {"arch": "12.0", "threads_per_block": 32 * 4, "blocks": 224, "theoretical_occupancy": 0.1667, "achieved_occupancy": 0.1132})
    # 2.33 Mbyte in 6.75 us are the 345.1 Gbyte/s that the page prints
    says(kernel.values, {"duration_s": 6.75e-6, "memory_bytes_moved": 2.33e6, "clock_hz": 1.99e9, "registers_per_thread": None, "shared_memory_bytes": None})
    assert kernel.values["memory_bytes_moved"] / kernel.values["duration_s"] == pytest.approx(345.14e9, rel=1e-3)
    assert "flops" in loses(reading) and "flops" not in kernel.values
    assert {"card", "driver", "model", "engine", "registers_per_thread"} <= asks(reading)
    assert "127.0.0.1" not in repr(reading) and "1740670" not in repr(reading)


def test_k3_says_what_the_tensor_counter_counted() -> None:
    reading = public(ncu, "ncu", "k3_details.csv")
    says(reading.kernels[0].values, {"blocks": 152 * 4, "achieved_occupancy": 0.1518, "duration_s": 23.42e-6, "memory_bytes_moved": 3.35e6, "flops": None})
    (reason,) = [reason for field, reason in reading.lost if field == "flops"]
    assert "1275068416" in reason


def test_k4_units_vary_by_kernel() -> None:
    says(
        public(ncu, "ncu", "k4_details.csv").kernels[0].values, {"blocks": 2, "duration_s": 4.70e-6, "theoretical_occupancy": 1.0, "achieved_occupancy": 0.0831}
    )


@pytest.mark.parametrize("kernel", ["k1", "k3", "k4"])
def test_pages_cut_to_metrics_or_a_section(kernel: str) -> None:
    cut = public(ncu, "ncu", f"{kernel}_metrics.csv").kernels[0].values
    assert {"duration_s", "memory_bytes_moved", "threads_per_block", "blocks"} <= set(cut)
    assert "achieved_occupancy" not in cut
    assert "achieved_occupancy" in public(ncu, "ncu", f"{kernel}_section_Occupancy.csv").kernels[0].values
    assert public(ncu, "ncu", f"{kernel}_section_SpeedOfLight_RooflineChart.csv").kernels[0].values["arch"] == "12.0"


@pytest.mark.parametrize("section", ["MemoryWorkloadAnalysis", "SchedulerStats", "SpeedOfLight"])
def test_other_sections(section: str) -> None:
    assert public(ncu, "ncu", f"k1_section_{section}.csv").kernels[0].values["blocks"] == 224


def test_golden_ncu() -> None:
    reading = only(ncu, golden("ncu", "details.csv"))
    first, second = (kernel.values for kernel in reading.kernels)
    says(first, {"name": "attention(float *, int)", "arch": "8.6", "threads_per_block": 256, "blocks": 8000, "registers_per_thread": 64, "clock_hz": 1.4e9})
    says(
        first, {"theoretical_occupancy": 0.6667, "achieved_occupancy": 0.601, "duration_s": 1.25e-3, "memory_bytes_moved": 1.5e9 + 2.5e6, "flops": 1275068416.0}
    )
    # 17.41 Kbyte is 17,408 bytes, rounded
    assert first["shared_memory_bytes"] == 17408
    says(second, {"threads_per_block": 64, "blocks": 2, "duration_s": 8e-7, "achieved_occupancy": None})
    assert "rack7" not in repr(reading) and "4242" not in repr(reading)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('"Gbyte","1.50"', '"Gbyte","1,5"', "1,5"),
        ('"Gbyte","1.50"', '"bushel","1.50"', "bushel"),
        ('"%","60.10"', '"%","160.10"', "160%"),
        (
            '"(128, 2, 1)","(1000, 4, 2)","0","8.6","Occupancy","Achieved',
            '"(64, 2, 1)","(1000, 4, 2)","0","8.6","Occupancy","Achieved',
            "two kernels with the ID",
        ),
        ('"ms","1.25"', '"ms","nonsense"', "nonsense"),
        ('"Metric Name","Metric Unit","Metric Value"', '"gpu__time_duration.sum"', "values"),
        ('"(2, 1, 1)"', '"(0, 1, 1)"', "Grid Size"),
        ('"800"\n', '"8', "parsed"),
    ],
)
def test_ncu_refuses(before: str, after: str, found: str) -> None:
    text = golden("ncu", "details.csv").read_text()
    assert before in text
    assert found in refused(ncu, text.replace(before, after)).found


def test_the_raw_page_is_refused() -> None:
    text = '"ID","Process ID","Process Name","Host Name","Kernel Name","Block Size","gpu__time_duration.sum"\n"","","","","","","us"\n'
    assert "raw page" in refused(ncu, text).found


@pytest.mark.parametrize("path", ["decode_cuda_gpu_kern_sum.csv", "prefill_cuda_gpu_kern_sum.csv"])
def test_sums_by_name_are_no_profile(path: str) -> None:
    assert "summary by kernel name" in refused(nsys, shared_formats("nsys", path)).found


def test_golden_nsys() -> None:
    assert "ncu" in refused(nsys, golden("nsys", "kern_sum.csv")).fix


@pytest.mark.parametrize("page", ["pmc_perf", "SQ_LEVEL_WAVES", "timestamps"])
def test_rocprof_compute(page: str) -> None:
    reading = public(rocprof, "rocprof", f"compute_MI200_{page}.csv")
    assert len(reading.kernels) == 3
    first = {"threads_per_block": 256, "blocks": 4096, "registers_per_thread": 8, "shared_memory_bytes": 0, "duration_s": 20640e-9}
    says(reading.kernels[0].values, first)
    says(reading.kernels[1].values, {"duration_s": 15520e-9})
    assert {"arch", "card"} <= asks(reading)


@pytest.mark.parametrize("page", ["pmc_perf", "SQ_LEVEL_WAVES", "timestamps"])
def test_accumulation_registers_leave_no_sum(page: str) -> None:
    reading = public(rocprof, "rocprof", f"compute_MI300X_A1_{page}.csv")
    says(reading.kernels[0].values, {"registers_per_thread": None, "blocks": 4096, "duration_s": 16119e-9})
    assert "registers_per_thread" in loses(reading)


def test_the_machine_of_a_workload() -> None:
    reading = public(rocprof, "rocprof", "compute_MI200_sysinfo.csv")
    says(reading.sensors, {"card_as_written": "MI200", "driver": "ROCm 6.0.2-115", "sm_clock_max_hz": 1700e6, "memory_clock_max_hz": 1600e6})
    assert "hpcfund" not in repr(reading)
    says(public(rocprof, "rocprof", "compute_MI300X_A1_sysinfo.csv").sensors, {"card_as_written": "MI300X_A1", "mig": False})


def test_rocprofv3() -> None:
    trace = public(rocprof, "rocprof", "rocprofv3_kernel_trace.csv")
    says(trace.kernels[0].values, {"threads_per_block": 64, "blocks": 1024 * 1024 // 64, "duration_s": 48744e-9, "shared_memory_bytes": 0})
    counters = public(rocprof, "rocprof", "rocprofv3_counter_collection.csv")
    says(counters.kernels[0].values, {"threads_per_block": 64, "blocks": 16384, "registers_per_thread": 8, "duration_s": None})


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("compute_MI200_roofline.csv", "micro-benchmark"),
        ("rocprofv3_hip_api_stats.csv", "sums over calls"),
        ("rocprofv3_hip_runtime_trace.csv", "calls of the host"),
        ("rocprofv3_marker_api_trace.csv", "calls of the host"),
        ("rocprofv3_memory_copy_trace.csv", "copies of memory"),
    ],
)
def test_rocprof_files_without_kernels(name: str, found: str) -> None:
    assert found in refused(rocprof, shared_formats("rocprof", name)).found


def test_golden_rocprof() -> None:
    first, second = (kernel.values for kernel in only(rocprof, golden("rocprof", "pmc_perf.csv")).kernels)
    # 1,000 work-items need 4 groups of 256
    says(first, {"blocks": 4, "threads_per_block": 256, "registers_per_thread": 96, "shared_memory_bytes": 16384, "duration_s": 2e-6})
    says(second, {"registers_per_thread": None, "duration_s": 1.5e-6})


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("1412702536510356", "1412702536508356", "ends before it begins"),
        ("1000,256", "100,256", "a grid of 100"),
        ("\n1,", "\n0,", "two dispatches"),
        (",1412702536521500", "", "values"),
        ("16384", "-1", "LDS_Per_Workgroup"),
    ],
)
def test_rocprof_refuses(before: str, after: str, found: str) -> None:
    text = golden("rocprof", "pmc_perf.csv").read_text()
    assert before in text
    assert found in refused(rocprof, text.replace(before, after, 1)).found
