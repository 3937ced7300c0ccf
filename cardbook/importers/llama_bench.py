"""llama-bench (llama.cpp): JSON, JSON Lines, CSV, SQL, and the Markdown table with its log.

Every row is one test of one stream: n_prompt alone is prefill, n_gen alone is decode; a row
with both (`-pg`) mixes the phases and is left out. `avg_ts` is the mean of the repeats'
rates, not tokens over the mean time; where the repeats are in the file, all are held
against each other. The columns differ from build to build, so they are read by name.
"""

from __future__ import annotations

import re
from typing import Any

from cardbook.importers import llama_bench_tables, text
from cardbook.importers.base import RawOutput, Reading, Refused
from cardbook.importers.llama_bench_rows import Test, readings

NAME = "llama-bench"

_INSERT = re.compile(r"\s*INSERT INTO (?:llama_bench|test) \(([^)]*)\) VALUES \((.*)\);\s*")
_KEYS = ('"build_commit"', '"model_type"', '"avg_ts"')
_USAGE = re.compile(r"usage: \S*llama-bench\b")


def recognise(raw: RawOutput) -> bool:
    """True for the names that llama-bench gives its fields, in any of its five formats."""
    head = raw.text[:200_000]
    if head.strip() == "[" or _USAGE.match(head.lstrip()):
        return True
    if all(key in head for key in _KEYS):
        return True
    if head.startswith("build_commit,") or re.search(r"INSERT INTO (?:llama_bench|test) \(build_commit", head):
        return True
    return head.startswith(("CREATE TABLE IF NOT EXISTS llama_bench (", "CREATE TABLE IF NOT EXISTS test (\n  build_commit")) or (
        llama_bench_tables.HEADER.search(raw.text) is not None
    )


def read(raw: RawOutput) -> list[Reading]:
    """One reading for each configuration (model, build, card and all flags). Raises `Refused`."""
    start = raw.text.lstrip("\ufeff \r\n\t")
    if start.strip() == "[" or _USAGE.match(start):
        raise Refused(
            "only the beginning of an output" if start.startswith("[") else "the help text of llama-bench",
            "the results of a run",
            "The model did not load or an option was wrong: see the message on standard error, and run it again.",
            line=1,
        )
    if start.startswith("["):
        return readings(_array(raw))
    if start.startswith("{"):
        return readings(_lines(raw))
    if start.startswith("build_commit,"):
        return readings(_csv(raw))
    if "INSERT INTO" in start or start.startswith("CREATE TABLE"):
        return readings(_sql(raw))
    return llama_bench_tables.read(raw)


def _test(value: Any, line: int | None) -> Test:
    if not isinstance(value, dict):
        raise Refused("a list entry that is not a test", "an object with named fields", "Give the file as llama-bench wrote it.", line=line)
    return Test(line, value)


def _array(raw: RawOutput) -> list[Test]:
    try:
        found = text.strict_json(raw, NAME)
    except Refused as refusal:
        if raw.text.rstrip().endswith((",", "}")) and '"avg_ts"' in raw.text:
            raise Refused(
                "a JSON array without its end: the run was interrupted, or a later model did not load",
                "the whole output of a run that finished",
                "Run llama-bench again with the models that load (`-o jsonl` keeps every finished test).",
                line=raw.text.rstrip().count("\n") + 1,
            ) from None
        raise refusal
    begins = [raw.text.count("\n", 0, match.start()) + 1 for match in re.finditer(r'"build_commit"', raw.text)]
    same = len(begins) == len(found)
    return [_test(one, begins[i] if same else None) for i, one in enumerate(found)]


def _lines(raw: RawOutput) -> list[Test]:
    return [_test(text.strict_json(raw, NAME, line, line=number), number) for number, line in text.lines(raw.text)]


def _csv(raw: RawOutput) -> list[Test]:
    return [Test(row.line, dict(row.cells)) for row in text.delimited(raw, NAME).rows]


def _sql(raw: RawOutput) -> list[Test]:
    found: list[Test] = []
    for number, line in text.lines(raw.text):
        match = _INSERT.fullmatch(line)
        if match is None:
            if line.startswith("INSERT"):
                raise Refused("an INSERT that does not end", "a whole statement", "Give the whole output of a run that finished.", line=number)
            continue
        names, values = match.group(1).split(", "), _values(match.group(2), number)
        if len(set(names)) != len(names) or len(names) != len(values):
            raise Refused(f"{len(values)} values for {len(names)} columns", "a value for each column", "Give the file as llama-bench wrote it.", line=number)
        found.append(Test(number, dict(zip(names, values, strict=True))))
    return found


def _values(written: str, line: int) -> list[str]:
    if not (written.startswith("'") and written.endswith("'") and len(written) > 1):
        raise Refused("values that are not quoted", "values as llama-bench quotes them", "Give the file as llama-bench wrote it.", line=line)
    return [value.replace("''", "'") for value in written[1:-1].split("', '")]
