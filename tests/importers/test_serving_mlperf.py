"""MLPerf: summaries of whole systems, and the two descriptions beside them."""

from __future__ import annotations

import pytest

from cardbook.importers import mlperf as tool
from tests.importers.serving_case import asks, golden, loses, only, public, refused, says
from tests.shared_files import shared_formats

OFFLINE = [
    ("Cisco_results_C885A_M8_H200_SXM_141GBx16_TRT_llama2-70b-99.9_Offline__mlperf_log_summary.txt", 68894.8, 235.675),
    ("Dell_MangoBoost_results_16xMI300X_4xXeon_8460Y_llama2-70b-99_Offline__mlperf_log_summary.txt", 53572.2, 177.496),
    ("HPE_results_HPE_Cray_XD670_H200_SXM_141GBx8_TRT_llama2-70b-99.9_Offline__mlperf_log_summary.txt", 34797.0, 119.282),
    ("Intel_results_1-node-4x-BMG-Pro-B60-Dual_llama2-70b-99.9_Offline__mlperf_log_summary.txt", 3009.38, 10.7662),
    ("MiTAC_results_8xMI325X_2xEPYC_9755_llama2-70b-99.9_Offline__mlperf_log_summary.txt", 33703.0, 111.994),
    ("Vultr_results_8xMI325X_2xEPYC_9554_llama2-70b-99.9_Offline__mlperf_log_summary.txt", 33762.5, 112.148),
]
SYSTEMS = [
    ("1-node-4x-BMG-Pro-B60-Dual__system.json", "[MAXSUN] MS-Intel Arc Pro B60 Dual 48G Turbo", 4),
    ("16xMI300X_4xXeon_8460Y__system.json", "AMD Instinct MI300X 192GB HBM3", 16),
    ("8xMI325X_2xEPYC_9554__system.json", "AMD Instinct MI325X 256GB HBM3e", 8),
    ("8xMI325X_2xEPYC_9755__system.json", "AMD Instinct MI325X 256GB HBM3e", 8),
    ("C885A_M8_H200_SXM_141GBx16_TRT__system.json", "NVIDIA H200-SXM-141GB", 16),
    ("HPE_Cray_XD670_H200_SXM_141GBx8_TRT__system.json", "NVIDIA H200-SXM-141GB", 8),
    ("vSYS-422GA-NBRT-B200-SXM-180GBx8_TRT__system.json", "NVIDIA B200-SXM-180GB", 8),
]


@pytest.mark.parametrize(("name", "rate", "samples"), OFFLINE)
def test_offline(name: str, rate: float, samples: float) -> None:
    reading = public(tool, "mlperf", name)
    (one,) = reading.measurements
    says(one.values, {"tok_s": rate, "request_rate_per_s": samples, "generated_tokens": rate / samples, "e2e_s": None, "total_tok_s": None})
    assert one.label == "Offline" and "e2e_s" in loses(reading) and {"model", "card", "n_cards"} <= asks(reading)


def test_server() -> None:
    name = "Broadcom_Supermicro_results_vSYS-422GA-NBRT-B200-SXM-180GBx8_TRT_llama3.1-405b_Server__mlperf_log_summary.txt"
    (one,) = public(tool, "mlperf", name).measurements
    says(
        one.values,
        {
            "tok_s": 1243.86,
            "request_rate_per_s": 1.90,
            "ttft_s": 1.633821704,
            "ttft_p99_s": 4.807764040,
            "tpot_s": 0.104282943,
            "tpot_p99_s": 0.140451241,
            "e2e_s": 69.652048931,
            "e2e_p90_s": 101.266909284,
        },
    )
    # TPOT leaves the first token out: (69.65 - 1.63) / (n - 1) with n = 1243.86 / 1.90
    assert pytest.approx(0.104282943, rel=0.005) == (69.652048931 - 1.633821704) / (1243.86 / 1.90 - 1)


def test_another_server() -> None:
    (one,) = public(tool, "mlperf", "MiTAC_results_8xMI325X_2xEPYC_9755_mixtral-8x7b_Server__mlperf_log_summary.txt").measurements
    # completed, not scheduled (399.89)
    says(one.values, {"tok_s": 57087.13, "request_rate_per_s": 397.31})


@pytest.mark.parametrize(("name", "card", "cards"), SYSTEMS)
def test_system(name: str, card: str, cards: int) -> None:
    reading = public(tool, "mlperf", name)
    assert (reading.recipe["card_as_written"], reading.recipe["n_cards"]) == (card, cards)
    assert reading.measurements == [] and "engine" in asks(reading)


@pytest.mark.parametrize("scenario", ["Interactive", "Offline", "Server"])
def test_weights(scenario: str) -> None:
    assert public(tool, "mlperf", f"8xMI300X_2xEPYC_9575F_llama2-70b-99.9_{scenario}_8xMI300X_2xEPYC_9575F.json").recipe == {"quant_as_written": "fp8"}


def test_detailed_log() -> None:
    assert refused(tool, shared_formats("mlperf", "mlperf_log_detail.txt")).wanted == "mlperf_log_summary.txt"


def test_golden() -> None:
    (one,) = only(tool, golden("mlperf", "interactive.txt")).measurements
    says(one.values, {"tok_s": 5000.0, "generated_tokens": 250.0, "ttft_p99_s": 0.4, "tpot_s": 0.033, "e2e_p95_s": 11.0})
    system = only(tool, golden("mlperf", "system.json"))
    assert system.recipe == {"card_as_written": "Example 96GB", "n_cards": 8, "os": "Linux 1"}
    assert ("power_limit_w", "Which power limit? The description says: TGP 600W") in system.questions
    assert only(tool, golden("mlperf", "weights.json")).recipe == {"quant_as_written": "fp4"}


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("Result is : VALID", "Result is : INVALID", "'INVALID'"),
        ("PerformanceOnly", "AccuracyOnly", "'AccuracyOnly'"),
        ("Scenario : Interactive", "Scenario : SingleStream", "'SingleStream'"),
        ("Completed tokens per second: 5000.00", "Completed tokens per second: 6000.00", "two values for 'Completed tokens per second'"),
        ("No errors encountered during test.\n", "", "ends before its last line"),
        ("250000000", "soon", "'soon'"),
    ],
)
def test_what_is_refused(before: str, after: str, found: str) -> None:
    text = golden("mlperf", "interactive.txt").read_text()
    assert before in text
    assert found in refused(tool, text.replace(before, after, 1)).found
