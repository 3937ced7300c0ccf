"""lm-evaluation-harness: its results JSON, or the table that it prints.

A key joins metric and filter ("acc,none", "exact_match,strict-match"). acc and acc_norm are
two metrics; word and byte perplexity are not the perplexity of tokens: what tells them apart
goes into `split`. Scores are ratios. A run on part of a task says so in its note.
"""

from __future__ import annotations

import re
from typing import Any

from cardbook.importers.base import Quality, RawOutput, Reading, Refused
from cardbook.importers.serving import Section, epoch_date, from_text, known, parse_json, to_number, truncated

NAME = "lm-eval"

_JSON_BEGINS = re.compile(r'\s*\{\s*"results"\s*:\s*\{')
_SAMPLES_BEGIN = re.compile(r'\s*\{"doc_id"\s*:\s*\d')
_TABLE_HEAD = re.compile(r"^\| *(?:Tasks|Groups) *\|Version\| *Filter *\|n-shot\| *Metric *\|.*$", re.MULTILINE)
_RUN_LINE = re.compile(r"^(\S{1,60}) \(.{0,5000}\), gen_kwargs: \(.*\), limit: (\S{1,20}), num_fewshot: .*$", re.MULTILINE)
_MAX_TASKS = 20_000
#: Metric of the harness → (metric, what must stand in `split`); all are ratios but perplexities.
_METRICS = {
    "acc": ("accuracy", None),
    "acc_norm": ("accuracy", "acc_norm"),
    "exact_match": ("exact_match", None),
    "em": ("exact_match", None),
    "pass@1": ("pass_at_1", None),
    "pass_at_1": ("pass_at_1", None),
    "f1": ("f1", None),
    "prompt_level_strict_acc": ("accuracy", "prompt_level_strict_acc"),
    "prompt_level_loose_acc": ("accuracy", "prompt_level_loose_acc"),
    "inst_level_strict_acc": ("accuracy", "inst_level_strict_acc"),
    "inst_level_loose_acc": ("accuracy", "inst_level_loose_acc"),
    "perplexity": ("perplexity", None),
    "word_perplexity": ("perplexity", "word_perplexity"),
    "byte_perplexity": ("perplexity", "byte_perplexity"),
    "bits_per_byte": ("bits_per_byte", None),
}
_UNBOUNDED = ("perplexity", "bits_per_byte")
#: Model type of the harness → engine, where it is one.
_ENGINES = {"vllm": "vllm", "sglang": "sglang", "hf": "transformers", "gguf": "llama.cpp"}
_NO_MODEL = ("dummy",)


def recognise(raw: RawOutput) -> bool:
    """True for its results, its samples, or its table."""
    head = raw.text[:200_000]
    if _JSON_BEGINS.match(head):
        return '"lm_eval_version"' in raw.text or '"n-shot"' in raw.text or '"higher_is_better"' in raw.text
    if _SAMPLES_BEGIN.match(head):
        return '"filtered_resps"' in head or '"resps"' in head
    return _TABLE_HEAD.search(head) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading of all tasks. Raises `Refused`."""
    if _SAMPLES_BEGIN.match(raw.text[:200]):
        raise Refused("the answers to single questions", "the results of the run", "Give results_….json: the scores and the settings stand there.", line=1)
    reading = _results(raw) if _JSON_BEGINS.match(raw.text) else _table(raw)
    if not reading.quality:
        raise Refused("no score that is known here", "one of " + ", ".join(_METRICS), "Give the results of a finished run.")
    if reading.lost:
        # A metric a line, not a line for each of a hundred subtasks.
        reading.lost = sorted(set(reading.lost))
    for key, field, question in (
        ("model_as_written", "model", "Which model was scored?"),
        ("quant_as_written", "quant", "Which weight format was scored? The harness does not say."),
        ("engine", "engine", "Which engine ran the model?"),
    ):
        if key not in reading.recipe:
            reading.questions.append((field, question))
    return [reading]


def _refuse_random(model: str | None) -> None:
    if model in _NO_MODEL:
        raise Refused(f"the model {model!r}, which answers at random", "the scores of a model", "Run the harness on the checkpoint.")


def _results(raw: RawOutput) -> Reading:
    top = Section(raw, parse_json(raw, NAME), NAME)
    results, config = top.section("results"), top.maybe("config")
    kind = config.word("model") or top.word("model_source")
    _refuse_random(kind)
    if len(results.value) > _MAX_TASKS:
        raise truncated(raw, NAME, f"more than {_MAX_TASKS} tasks", 1)
    reading = Reading(NAME, top.word("lm_eval_version"))
    reading.recipe = known(
        {
            "engine": _ENGINES.get(kind or ""),
            "model_as_written": _model(config.value.get("model_args"), top.word("model_name")),
            "measured_on": epoch_date(top.number("date")),
        }
    )
    for task in results.value:
        _task(reading, top, task)
    return reading


def _model(args: Any, name: str | None) -> str | None:
    """The model without the folders of the machine."""
    if isinstance(args, str):
        args = dict(pair.split("=", 1) for pair in args.split(",") if "=" in pair)
    said = next((args[key] for key in ("pretrained", "model", "path") if isinstance(args.get(key), str)), None) if isinstance(args, dict) else None
    written = (said or name or "").strip()
    if re.match(r"[/~.\\]|[A-Za-z]:[/\\]", written):
        written = re.split(r"[/\\]", written.rstrip("/\\"))[-1]
    return written[:200] or None


def _task(reading: Reading, top: Section, task: str) -> None:
    said = top.section("results").section(task)
    samples, note = _samples(top, task, said)
    version = top.maybe("versions").value.get(task)
    shots = top.maybe("n-shot").count(task)
    for key, value in said.value.items():
        metric, comma, variant = key.partition(",")
        if not comma or metric.endswith("_stderr"):
            continue
        error = said.value.get(f"{metric}_stderr,{variant}")
        notes = [f"version {version} of the task"] if isinstance(version, str | int | float) else []
        one = _quality(reading, task, metric, variant, value, error, said.line(key))
        if one:
            one.values |= known({"samples": samples, "shots": shots, "note": "; ".join([*notes, *note]) or None})
            reading.quality.append(one)


def _samples(top: Section, task: str, said: Section) -> tuple[int | None, list[str]]:
    """(samples scored, what a reader should know of them)."""
    counts = top.maybe("n-samples").maybe(task)
    original, effective = counts.count("original"), counts.count("effective")
    if effective is not None and original is not None and effective < original:
        return effective, [f"only {effective} of {original} samples were scored (--limit)"]
    limit = top.maybe("config").value.get("limit")
    if effective is None and limit is not None:
        return said.count("sample_len"), [f"the run was limited (--limit {str(limit)[:20]})"]
    return effective if effective is not None else said.count("sample_len"), []


def _quality(reading: Reading, task: str, metric: str, variant: str, value: Any, error: Any, line: int | None) -> Quality | None:
    """The figure, or None where it is no metric of the table (`reading.lost` then says so)."""
    if metric not in _METRICS:
        reading.lost.append((metric[:60], "no metric of the table quality"))
        return None
    name, told_apart = _METRICS[metric]
    score = to_number(value, f"{task} {metric}", NAME, line)
    if name not in _UNBOUNDED and score > 1:
        reading.lost.append((metric, f"{score:g} is no ratio"))
        return None
    if name == "perplexity" and score < 1:
        raise Refused(f"{metric} of {task} is {score:g}", "at least 1", "Give the file as the tool wrote it.", line=line)
    split = [part for part in (told_apart, variant if variant not in ("none", "") else None) if part]
    return Quality(
        known(
            {
                "metric": name,
                "dataset": task,
                "split": ", ".join(split) or None,
                "value": score,
                # "N/A" where the harness has no estimate.
                "standard_error": to_number(error, f"{task} {metric}_stderr", NAME, line) if isinstance(error, int | float) else None,
            }
        )
    )


def _table(raw: RawOutput) -> Reading:
    heads = list(_TABLE_HEAD.finditer(raw.text))
    runs = list(_RUN_LINE.finditer(raw.text))
    if not heads:
        raise Refused("no results of the harness", "its results JSON or its table", "Give results_….json of a finished run.", line=1)
    if len(runs) > 1 or sum("Tasks" in head.group() for head in heads) > 1:
        raise Refused("several runs in one file", "one run", "Keep one run in a file.")
    reading = Reading(NAME)
    limit = None
    if runs:
        kind, limit = runs[0].group(1), runs[0].group(2)
        _refuse_random(kind)
        reading.recipe = known({"engine": _ENGINES.get(kind)})
    # A table of groups repeats rows of the table of tasks.
    lines = raw.text[heads[0].start() :].splitlines()
    first = raw.text.count("\n", 0, heads[0].start()) + 1
    task, version, shots = "", "", ""
    for number, line in enumerate(lines[2:], first + 2):
        if not line.startswith("|"):
            break
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) != 9:
            raise truncated(raw, NAME, f"{len(cells)} cells where the head has 9", number)
        if cells[0]:
            task, version = cells[0].lstrip("- ").strip(), cells[1]
        shots = cells[3] or shots
        value = from_text(cells[6], f"{task} {cells[4]}", NAME, number)
        error = None if cells[8] in ("N/A", "") else from_text(cells[8], f"{task} stderr", NAME, number)
        one = _quality(reading, task, cells[4], cells[2], value, error, number)
        if one:
            notes = [f"version {version} of the task"] if version else []
            notes += [f"the run was limited (--limit {limit})"] if limit not in (None, "None") else []
            one.values |= known({"shots": int(shots[:4]) if shots.isascii() and shots.isdigit() else None, "note": "; ".join(notes) or None})
            reading.quality.append(one)
    if limit is None:
        reading.questions.append(("samples", "Was the run limited to part of the task (--limit)? The table does not say."))
    reading.questions.append(("tool_version", "Which version of the harness? The table does not say."))
    return reading
