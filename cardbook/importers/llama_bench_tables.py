"""llama-bench's Markdown table, alone or in a log with commands and device banners.

The table drops columns that equal the build's default and adds one for each parameter that
is varied; it rounds, and has no repeats, date or card. The build line comes last: without
it the run may have died.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from cardbook.importers import llama_bench_rows as rows
from cardbook.importers import serving, text
from cardbook.importers.base import RawOutput, Reading, Refused

HEADER = re.compile(r"^\|[ ]*model[ ]*\|[ ]*size[ ]*\|[ ]*params[ ]*\|[ ]*backend[ ]*\|[^\n]*\|[ ]*test[ ]*\|[ ]*t/s[ ]*\|?[ \t\r]*$", re.MULTILINE)
_TEST = re.compile(r"(?:pp ?(\d{1,9}))?(?:\+?tg ?(\d{1,9}))?(?: @ d(\d{1,9}))?")
_BUILD = re.compile(r"build: ([0-9a-f]{6,40}|unknown) \((\d{1,9})\)\s*")
_CUDA = re.compile(r"\s*Device \d{1,4}: (.{1,200}?), (?:compute capability|gfx|VMM)")
_VULKAN = re.compile(r"ggml_vulkan: \d{1,4} = ([^|]{1,300}) \|")
_FOUND = re.compile(r"found (\d{1,4}) (?:\S+ )?devices|Found (\d{1,4}) Vulkan devices", re.IGNORECASE)
_TOOL = rows.NAME_OF_TOOL


@dataclass
class _Context:
    """What a log says around one table."""

    command: str | None
    devices: list[str]
    build: tuple[str, int] | None


def read(raw: RawOutput) -> list[Reading]:
    """One reading for each configuration of each table. Raises `Refused`."""
    source = raw.text.removeprefix("\ufeff")
    tables = [one for one in text.md_tables(source, _TOOL) if {"model", "backend", "test", "t/s"} <= set(one.header)]
    lines = source.split("\n")
    ends = [table.line + 1 + len(table.rows) for table in tables]
    found: list[Reading] = []
    for i, table in enumerate(tables):
        if not table.rows:
            raise Refused(
                "a table without a row",
                "the results of a run",
                "The model did not load, or the run was interrupted: see the message on standard error, and run it again.",
                line=table.line,
            )
        before = lines[(ends[i - 1] if i else 0) : table.line - 1]
        after = lines[ends[i] : (tables[i + 1].line - 1 if i + 1 < len(tables) else len(lines))]
        found += _readings(table, _context(before, after, table))
    if not found:
        raise Refused("a header of llama-bench without its table", "the whole table", "Give the output as llama-bench wrote it.")
    return rows.require_measurements(found)


def _context(before: list[str], after: list[str], table: text.Table) -> _Context:
    builds = [match for line in after if (match := _BUILD.fullmatch(line))]
    start = max((i for i, line in enumerate(before) if _BUILD.fullmatch(line)), default=-1) + 1
    commands = [found for line in before[start:] if (found := _command(line))]
    devices = [found for line in before[start:] if (found := _device(line))]
    counts = [int(match.group(1) or match.group(2)) for line in before[start:] if len(line) < 5_000 and (match := _FOUND.search(line))]
    if counts and devices and sum(counts) != len(devices):
        raise Refused(
            f"a banner of {sum(counts)} devices with {len(devices)} names", "one banner before a table", "Give the log of one run, whole.", line=table.line
        )
    command = re.sub(r"\s+\(base\)$", "", commands[-1]).strip() if commands else None
    return _Context(command, devices, (builds[0].group(1), int(builds[0].group(2))) if builds else None)


def _command(line: str) -> str | None:
    """The command that a line of a log shows after a prompt, or alone."""
    at = line.find("llama-bench") if len(line) < 5_000 else -1
    if at < 0 or line[at + 11 : at + 12] not in ("", " ", "\r"):
        return None
    start = line.rfind(" ", 0, at) + 1
    shown = line[:start].strip()
    return line[start:].strip() if not shown or shown.endswith(("$", "❯", ">", "#", "time")) else None


def _device(line: str) -> str | None:
    """The name of a card in a line of a banner, without the driver in brackets."""
    match = _CUDA.match(line)
    if match:
        return match.group(1)
    match = _VULKAN.match(line)
    return match.group(1).split(" (")[0].strip() if match else None


def _readings(table: text.Table, context: _Context) -> list[Reading]:
    groups: dict[str, list[text.Row]] = {}
    for row in table.rows:
        key = json.dumps({k: v for k, v in row.cells.items() if k not in ("test", "t/s")})
        groups.setdefault(key, []).append(row)
    return [_reading(group, context) for group in groups.values()]


def _reading(group: list[text.Row], context: _Context) -> Reading:
    cells = group[0].cells
    reading = Reading(_TOOL, recipe=rows.base_questions())
    named = _filename(context.command)
    words = rows.ftype(cells["model"])
    model = re.sub(r"\s+(?:mostly|all)$", "", cells["model"].removesuffix(" (guessed)").removesuffix(words or "").strip())
    reading.recipe |= serving.known(
        {
            "model_as_written": named or model or None,
            "quant_as_written": rows.quant(cells["model"], named),
            "kv_quant_as_written": _kv(cells),
            "flash_attention": {"0": False, "1": True, "on": True, "off": False}.get(cells.get("fa", "")),
            "command": text.scrubbed(context.command) if context.command else None,
        }
    )
    reading.lost.append(("checkpoint_bytes", "the table rounds size and params; `-o json` has them whole"))
    if context.build:
        rows.build(reading, *context.build)
    else:
        reading.questions.append(("engine_version", "The build line is missing: did the run finish, and of which build was it?"))
    _hardware(cells, context, reading, group[0].line)
    for row in group:
        _measure(row, reading)
    return text.finish(reading)


def _filename(command: str | None) -> str | None:
    """The one model file of a command, None where it names none or several."""
    found = set(re.findall(r"(?:^|\s)(?:-m|--model)[ =](\S+)", command or ""))
    name = found.pop() if len(found) == 1 else ""
    return text.base_name(name) if name and "," not in name else None


def _kv(cells: dict[str, str]) -> str:
    k, v = cells.get("type_k", "f16"), cells.get("type_v", "f16")  # f16 is the default of every build
    return k if k == v else f"{k}/{v}"


def _hardware(cells: dict[str, str], context: _Context, reading: Reading, line: int) -> None:
    recipe, words = reading.recipe, cells["backend"]
    backend = rows.backend_of(words)
    if backend:
        recipe["backend"] = backend
    if backend == "CPU":
        recipe["host_offload"] = "none"
        return
    if "RPC" in words and not (context.command and "--rpc" not in context.command):
        # RPC in the build alone changes nothing; only a command without --rpc proves that.
        reading.questions += [
            ("card", "The build can use RPC: which cards, on how many machines, took part?"),
            ("host_offload", "Which layers ran on which machine?"),
        ]
        reading.lost.append(("card", "with RPC the banner names the cards of one machine only"))
        return
    if context.devices:
        rows.cards(reading, context.devices, ", ".join(sorted(set(context.devices))))
    if recipe.get("n_cards", 1) > 1 and {"dev", "ts"} & set(cells):
        del recipe["n_cards"]
        reading.questions.append(("n_cards", "How many of the cards took part?"))
    if recipe.get("n_cards"):
        split = cells.get("sm", "layer")
        recipe["parallelism"] = "none" if recipe["n_cards"] == 1 else {"layer": "layer", "row": "tensor", "tensor": "tensor"}.get(split, "unknown")
    layers = _count(cells.get("ngl", "-1"), line)
    if layers >= 0:
        recipe["gpu_layers"] = layers
    rows.offload(reading, layers, _count(cells.get("n_cpu_moe", "0"), line), cells.get("ot", ""))
    if cells.get("nkvo") == "1" and recipe.get("host_offload") == "none":
        recipe["host_offload"] = "kv"


def _count(written: str, line: int) -> int:
    return -1 if re.fullmatch(r"-\d{1,9}", written) else text.whole(written, "a column of the table", _TOOL, line)


def _measure(row: text.Row, reading: Reading) -> None:
    match = _TEST.fullmatch(row.cells["test"])
    if match is None or not (match.group(1) or match.group(2)):
        raise Refused(f"the test {row.cells['test'][:60]!r}", "pp, tg or both, with a depth", "Give the table as llama-bench wrote it.", line=row.line)
    prompt, generated, depth = (int(part or 0) for part in match.groups())
    rate, spread = text.plus_minus(row.cells["t/s"], "t/s", _TOOL, row.line)
    text.positive(rate, "t/s", _TOOL, row.line)
    if prompt and generated:
        rows.mixed(reading, row.cells["test"])
    elif prompt + generated == 0:
        raise Refused("a test of no tokens", "tokens", "Give the table as llama-bench wrote it.", line=row.line)
    else:
        ubatch = _count(row.cells["n_ubatch"], row.line) if "n_ubatch" in row.cells else None
        # 0.00 is what one repeat, or a spread below the rounding, prints.
        values = {"tok_s": rate, "tok_s_stddev": spread or None}
        reading.measurements.append(rows.measurement(prompt, generated, depth, values, ubatch, row.line))
