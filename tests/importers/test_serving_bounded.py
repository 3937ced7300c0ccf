"""Text made to be slow: every importer answers in time that grows with its size alone."""

from __future__ import annotations

import time

import pytest

from cardbook.importers import importers
from cardbook.importers.base import Refused
from tests.importers.serving_case import raw
from tests.importers.test_serving_all_files import OURS

MILLION = 250_000
SLOW = {
    "spaces": "Model: x" + " " * (4 * MILLION) + "y",
    "labels": "A b: " * MILLION,
    "no colon": " " * (4 * MILLION) + "x",
    "open brackets": "[" * (4 * MILLION),
    "open objects": '{"a":' * MILLION,
    "engines": "LLM engine (" * MILLION,
    "speculation": "SpecDecoding metrics: Per-position acceptance rate: " + "1, " * MILLION,
    "blocks": "Serving Benchmark Result =" * (MILLION // 4),
    "commas": "Metric,avg,min,max,p99,\n" + "," * (4 * MILLION),
    "run info": "Run Info," * (MILLION // 2),
    "yaml": "version: 0.2.1\nrequest_performance:\n" + "- " * MILLION,
    "summary": "MLPerf Results Summary\n" + "a : b " * MILLION,
    "overview": "= PERFORMANCE OVERVIEW\nRequest Throughput (req/sec)\n" + "[Latency] P50 : 1\n" * (MILLION // 4),
}


@pytest.mark.parametrize("name", sorted(SLOW))
def test_time_is_bounded(name: str) -> None:
    given = raw(SLOW[name])
    for tool in importers():
        if tool.NAME not in OURS:
            continue
        start = time.process_time()
        tool.recognise(given)
        try:
            tool.read(given)
        except Refused as refusal:
            assert len(str(refusal)) < 2_000
        assert time.process_time() - start < 10, f"{tool.NAME} took {time.process_time() - start:.1f} s"
