"""Every public file of these tools is read or refused, by one importer, for a stated reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardbook.importers import importers
from cardbook.importers.base import Refused
from tests.importers.serving_case import GOLDEN, raw
from tests.shared_files import shared_formats

FOLDERS = {
    "aiperf",
    "genai-perf",
    "guidellm",
    "inference-perf",
    "inferencex",
    "llm-d-benchmark",
    "llmperf",
    "mlperf",
    "sglang-bench-one-batch",
    "sglang-bench-serving",
    "trtllm-bench",
    "vllm-bench-latency",
    "vllm-bench-serve",
    "vllm-bench-serve-stdout",
    "vllm-bench-throughput",
    "vllm-server-log",
}
OURS = {
    "aiperf",
    "genai-perf",
    "guidellm",
    "inference-perf",
    "inferencex",
    "llm-d-benchmark",
    "llmperf",
    "mlperf",
    "sglang-bench-one-batch",
    "sglang-bench-serving",
    "trtllm-bench",
    "vllm-bench-latency",
    "vllm-bench-serve",
    "vllm-bench-throughput",
    "vllm-server-log",
}
FIELDS = {
    "phase",
    "prompt_tokens",
    "generated_tokens",
    "depth_tokens",
    "concurrency",
    "tok_s",
    "tok_s_per_stream",
    "total_tok_s",
    "request_rate_per_s",
    "requests",
    "duration_s",
    "ttft_s",
    "tpot_s",
    "e2e_s",
    "cached_prompt_tokens",
    "draft_tokens",
    "acceptance_rate",
    "accepted_per_step",
    "mean_power_w",
    "energy_j",
    "repeats",
    "note",
    *(f"{latency}_p{share}_s" for latency in ("ttft", "tpot", "e2e") for share in (50, 90, 95, 99)),
}


def _files(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in shared_formats(folder).rglob("*") if path.is_file())


def _check(path: Path) -> None:
    given = raw(path)
    found = [tool for tool in importers() if tool.recognise(given)]
    assert [tool.NAME for tool in found] == [found[0].NAME] if found else False, f"{path.name}: {[tool.NAME for tool in found]}"
    try:
        readings = found[0].read(given)
    except Refused as refusal:
        assert refusal.found and refusal.wanted and refusal.fix
        return
    assert readings
    for reading in readings:
        assert reading.tool == found[0].NAME
        for one in reading.measurements:
            assert set(one.values) <= FIELDS
            assert all(value is not None for value in one.values.values())
        asked = [field for field, _ in reading.questions]
        assert len(set(asked)) == len(asked), f"{path.name}: a field is asked for twice"


@pytest.mark.parametrize("folder", sorted(FOLDERS))
def test_public_files(folder: str) -> None:
    for path in _files(folder):
        _check(path)


def test_golden_files() -> None:
    folders = [folder for folder in GOLDEN.iterdir() if folder.name in OURS or folder.name == "sglang-one-batch"]
    assert len(folders) == len(OURS)
    for path in sorted(path for folder in folders for path in folder.iterdir()):
        _check(path)


def test_files_of_other_tools_are_left_alone() -> None:
    root = shared_formats()
    others = [path for path in root.rglob("*") if path.is_file() and path.relative_to(root).parts[0] not in FOLDERS]
    for path in others:
        try:
            given = raw(path)
        except UnicodeDecodeError:
            continue
        claimed = [tool.NAME for tool in importers() if tool.NAME in OURS and tool.recognise(given)]
        assert claimed == [], f"{path.relative_to(root)}: {claimed}"
