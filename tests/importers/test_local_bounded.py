"""Text made to be slow: the importers of local runners answer in time that grows with its size alone."""

from __future__ import annotations

import time

import pytest

from cardbook.importers import importers
from cardbook.importers.base import Refused
from tests.importers.serving_case import golden, raw
from tests.importers.test_local_all_files import TOOLS

MILLION = 250_000
TABLE = golden("llama-bench", "table.md").read_text()
SLOW = {
    "dashes": "| a | b |\n|" + "-" * (4 * MILLION) + "x\n",
    "prompts": ">" * 4_000 + "llama-benchX\n" + (">" * 4_000 + "\n") * 200 + TABLE,
    "banners": ("ggml_vulkan: 0 = " + " (" * 140 + "\n") * (MILLION // 100) + TABLE,
    "pipes": "| model | size | params | backend |" + " |" * (2 * MILLION),
    "cell": TABLE.replace("12.50 ± 13.0", "1" + " " * MILLION + "2"),
    "ftype": TABLE.replace("llama 70B Q4_K - Medium", "Q4 " * MILLION),
    "inserts": "INSERT INTO test (build_commit) VALUES (" + ");   " * MILLION + "x",
    "objects": '{"build_commit": "a", "model_type": "b", "avg_ts": ' + "9" * MILLION,
    "brackets": "[" * (4 * MILLION),
    "console": "ProcessingSpeed: 1T/s\nFlags: a" + " " * (4 * MILLION) + "b",
    "requests": "ContextLimit: 1/2, Processing:1s\n" + "Processing Prompt (1 / 1 tokens)" * (MILLION // 4),
    "slots": "slot launch_slot_: id  0 | task 0 |\n" + "".join(f"slot launch_slot_: id  0 | task {i} |\n" for i in range(MILLION // 5)),
    "responses": "Response generated in " * MILLION,
    "timings": "main: build = 1 (abcdef1)\nsample time = 1 ms / 1 runs\n" + "eval time = 1 ms / 1 runs (" * (MILLION // 4),
    "trials": "Averages: prompt_tps=1, generation_tps=1, peak_memory=1\n" + "Trial 1:  prompt_tps=" * MILLION,
    "verbose": "eval count: 1 token(s)\n" + "eval rate: 1 " * MILLION,
    "events": "data: {}\n" * MILLION + '"predicted_ms" "prompt_ms"',
    "footers": "llama-benchy (" + "llama-benchy (0)\n\n\n" * (MILLION // 4),
    "runs": "= A (prompt=1 chars, max_tokens=1) =\nwall_TPS decode_TPS\n" + "  run-1      wall= " * MILLION,
    "results": '{"schemaVersion": 1, "hardware": {}, "tool": {}, "numRuns": 1, "results": [' + '{"avgTps": 1},' * 9_000 + '{"avgTps": 1}]}',
}


@pytest.mark.parametrize("name", sorted(SLOW))
def test_time_is_bounded(name: str) -> None:
    given = raw(SLOW[name])
    for tool in [one for one in importers() if one.NAME in set(TOOLS.values())]:
        start = time.process_time()
        tool.recognise(given)
        try:
            tool.read(given)
        except Refused as refusal:
            assert len(str(refusal)) < 2_000
        assert time.process_time() - start < 10, f"{tool.NAME} took {time.process_time() - start:.1f} s"
