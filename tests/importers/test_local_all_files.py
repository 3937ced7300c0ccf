"""Every public file of the local runners is read, or refused for a stated reason, by one importer."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardbook import importers
from cardbook.importers.base import RawOutput, Refused
from tests.importers.serving_case import GOLDEN
from tests.shared_files import shared_formats

TOOLS = {
    "llama-bench": "llama-bench",
    "llama-batched-bench": "llama-batched-bench",
    "llama-sweep-bench": "llama-sweep-bench",
    "llama-server": "llama-server",
    "llama-cli": "llama-cli",
    "ollama": "ollama",
    "exllama": "exllama",
    "koboldcpp": "koboldcpp",
    "lmstudio": "lmstudio",
    "mlx-lm": "mlx-lm",
    "localscore": "localscore",
    "llmfit": "llmfit",
    "llama-benchy": "llama-benchy",
    "openai-endpoint-bench-text": "endpoint-bench-text",
}
# The debug log of llama-cli is that of the server it carries.
ALSO = {"cli_verbose.stderr": "llama-server"}
# Output of the tools that is no result, and that nothing in it gives to one tool.
NOT_RESULTS = (".command.txt", ".stderr", "completion.stdout", "speculative_simple.stdout", "list_devices.stdout", "rpc_local_server.stdout")
SHAPE = {"phase", "tok_s", "prompt_tokens", "generated_tokens", "depth_tokens", "concurrency"}


def _one(path: Path, tool: str) -> None:
    try:
        given = importers.load(path)
    except Refused as refusal:  # empty, or bytes that are no text
        assert refusal.found and refusal.fix
        return
    found = [module.NAME for module in importers.recognise(given)]
    if not found:
        assert path.name.endswith(NOT_RESULTS), f"{path.name} is of no tool"
        return
    assert found == [ALSO.get(path.name, tool)], path.name
    _read(path, given)


def _read(path: Path, given: RawOutput) -> None:
    (module,) = importers.recognise(given)
    try:
        readings = module.read(given)
    except Refused as refusal:
        assert refusal.found and refusal.wanted and refusal.fix
        return
    assert readings
    for reading in readings:
        assert reading.tool == module.NAME
        for one in reading.measurements:
            assert one.values["phase"] in ("prefill", "decode", "serve")
            assert all(value is not None for value in one.values.values()), path.name
        asked = [field for field, _ in reading.questions]
        assert len(set(asked)) == len(asked), f"{path.name}: a field is asked for twice"


@pytest.mark.parametrize("folder", sorted(TOOLS))
def test_public_files(folder: str) -> None:
    for path in sorted(shared_formats(folder).iterdir()):
        _one(path, TOOLS[folder])


@pytest.mark.parametrize("tool", sorted(set(TOOLS.values())))
def test_golden_files(tool: str) -> None:
    paths = sorted((GOLDEN / tool).iterdir())
    assert paths
    for path in paths:
        _one(path, tool)


def test_reports_of_llama_bench_beside_models() -> None:
    for path in sorted(shared_formats("gguf").glob("*.llama-bench.jsonl")):
        _one(path, "llama-bench")


def test_files_of_other_tools_are_left_alone() -> None:
    root = shared_formats()
    ours = set(TOOLS.values())
    for path in sorted(path for path in root.rglob("*") if path.is_file() and path.relative_to(root).parts[0] not in {*TOOLS, "gguf"}):
        try:
            given = importers.load(path)
        except Refused:
            continue
        claimed = [module.NAME for module in importers.importers() if module.NAME in ours and module.recognise(given)]
        assert claimed == [], path.relative_to(root)
