"""llama-perplexity: the perplexity of a run, or its KL divergence from a base run.

`Final estimate: PPL` stands on standard error, glued to the ETA; the KL statistics are on
standard output. Perplexity and divergence depend on the text, n_ctx and the chunks: the text
is named in neither, n_ctx and the chunks only beside the final estimate. Running values
(`[1]1.88,[2]2.23,`) are no result, for an interrupted run looks the same, and neither is the
estimate that llama-imatrix prints.
"""

from __future__ import annotations

import re

from cardbook.importers.base import Quality, RawOutput, Reading, Refused
from cardbook.importers.serving import PERCENT, from_text, known, line_of

NAME = "llama-perplexity"

_CALCULATING = re.compile(r"perplexity(?:_v2)?: calculating perplexity over (\d{1,9}) chunks, n_ctx=(\d{1,9}),")
_FINAL = re.compile(r"Final estimate: PPL(?: over (\d{1,9}) chunks for n_ctx=(\d{1,9}))? = (\S{1,40})(?: \+/- (\S{1,40}))?")
_TOO_SHORT = re.compile(r"perplexity(?:_v2)?: (?:you need at least \d+ tokens|the data file you provided tokenizes to only \d+ tokens)")
_RUNNING = re.compile(r"(?:[\d.]+ (?:minutes|hours[\w. ]*)\s*)?(?:\s*\[1\]-?[\d.]+,)")
_KL_TABLE = re.compile(r"^chunk +PPL +ln\(PPL\(Q\)/PPL\(base\)\) +KL Divergence", re.MULTILINE)
_KL_PARTS = ("====== Perplexity statistics ======", "====== KL divergence statistics ======", "====== Token probability statistics ======")
_KL_ROW = re.compile(r"^ {0,9}(\d{1,9}) +\S+ ±", re.MULTILINE)
_STATISTIC = re.compile(r"^ {0,2}(\S[^:\n]{2,40}?) *: +(\S{1,30}?)%?(?: ± +(\S{1,30}))?(?: %)?$", re.MULTILINE)
_IMATRIX = re.compile(r"compute_imatrix: |save_imatrix: ")
_PAGE = re.compile(r"^\|[^\n]{0,300}\| PPL[^\n]{0,300}\| KLD ", re.MULTILINE)
_BUILD = re.compile(r"^build: (\d{1,9}) \(([0-9a-f]{6,40})\)", re.MULTILINE)
_SAYS = {
    "model_as_written": re.compile(r"^print_info: general\.name += *(\S.{0,199})$", re.MULTILINE),
    "quant_as_written": re.compile(r"^print_info: file type += *(\S.{0,99})$", re.MULTILINE),
    "kv": re.compile(r"type_k = '(\w+)', type_v = '(\w+)'"),
}
#: Statistic as printed → (metric, scale to ratios or nats).
_METRICS = {
    "Mean PPL(Q)": ("perplexity", 1.0),
    "Mean ln(PPL(Q)/PPL(base))": ("ln_perplexity_ratio", 1.0),
    "Mean PPL(Q)/PPL(base)": ("perplexity_ratio", 1.0),
    "Mean    KLD": ("kl_divergence", 1.0),
    "Median  KLD": ("kl_divergence_median", 1.0),
    "99.0%   KLD": ("kl_divergence_p99", 1.0),
    "Maximum KLD": ("kl_divergence_max", 1.0),
    "Mean    Δp": ("delta_probability_mean", PERCENT),
    "RMS Δp": ("delta_probability_rms", PERCENT),
    "Same top p": ("top1_agreement", PERCENT),
}
_SIGNED = ("ln_perplexity_ratio", "delta_probability_mean", "kl_divergence", "kl_divergence_median", "kl_divergence_p99")
_RATIOS = ("top1_agreement", "delta_probability_rms")


def recognise(raw: RawOutput) -> bool:
    """True for its standard output or error, and for what only looks like a result of it."""
    text = raw.text[:200_000]
    marks = (_CALCULATING, _KL_TABLE, _TOO_SHORT, _IMATRIX, _PAGE)
    return any(mark.search(text) for mark in marks) or "kl_divergence: computing over" in text or _RUNNING.match(text[:400].lstrip()) is not None


def read(raw: RawOutput) -> list[Reading]:
    """One reading of the run. Raises `Refused` for all that is no finished run."""
    _refuse_others(raw)
    divergence = _KL_TABLE.search(raw.text) is not None
    reading = Reading(NAME, recipe=_recipe(raw), quality=_divergence(raw) if divergence else [_final(raw)])
    build = _BUILD.search(raw.text)
    if build:
        reading.tool_version = f"{build.group(1)} ({build.group(2)})"
    reading.questions.append(("dataset", "Which text was scored? The output does not name the file."))
    if not all("context_tokens" in one.values for one in reading.quality):
        reading.questions.append(("context", "Which n_ctx had the run (-c)?"))
    if divergence:
        reading.questions.append(("baseline_checkpoint", "Which checkpoint wrote the base logits?"))
    for key, field, question in (("model_as_written", "model", "Which model was scored?"), ("quant_as_written", "quant", "Which weight format was scored?")):
        if key not in reading.recipe:
            reading.questions.append((field, question))
    if build is None:
        reading.questions.append(("tool_version", "Which build of llama.cpp? Builds differ in the third digit."))
    return [reading]


def _refuse_others(raw: RawOutput) -> None:
    short = _TOO_SHORT.search(raw.text)
    if short:
        line = raw.text.count("\n", 0, short.start()) + 1
        raise Refused(
            "a text too short for the context; the run scored nothing, and ends with status 0",
            "a text of at least two contexts",
            "Score a longer text.",
            line=line,
        )
    if _IMATRIX.search(raw.text):
        raise Refused(
            "a run of llama-imatrix, whose estimate is no quality result", "the output of llama-perplexity", "Run llama-perplexity on the checkpoint."
        )
    if _PAGE.search(raw.text) and not _CALCULATING.search(raw.text) and not _KL_TABLE.search(raw.text):
        raise Refused("a table from a page", "the output of llama-perplexity", "Write the row as a reported quality document, with its source.")
    for mark in (_CALCULATING, _KL_TABLE):
        heads = list(mark.finditer(raw.text))
        # Older builds repeat the head of the KL table before every row.
        if mark is _CALCULATING and len(heads) > 1:
            raise Refused("several runs in one file", "one run", "Keep one run in a file.", line=raw.text.count("\n", 0, heads[1].start()) + 1)


def _recipe(raw: RawOutput) -> dict[str, object]:
    found = {key: pattern.search(raw.text) for key, pattern in _SAYS.items()}
    build, kv = _BUILD.search(raw.text), found.pop("kv")
    made: dict[str, object] = {key: match.group(1).strip() for key, match in found.items() if match}
    if kv and kv.group(1) == kv.group(2):
        made["kv_quant_as_written"] = kv.group(1)
    if build:
        made |= {"engine_version": build.group(1), "engine_commit": build.group(2)}
    return made | {"engine": "llama.cpp"}


def _figure(raw: RawOutput, written: str, name: str, scale: float, *, signed: bool = False) -> float:
    line = line_of(raw, written)
    negative = signed and written.startswith("-")
    made = from_text(written.removeprefix("-") if negative else written, name, NAME, line) * scale
    return -made if negative else made


def _final(raw: RawOutput) -> Quality:
    calculating, finals = _CALCULATING.search(raw.text), list(_FINAL.finditer(raw.text))
    if len(finals) != 1 or calculating is None:
        if len(finals) > 1:
            found = "several final estimates"
        elif finals:
            found = "a final estimate, and not what was computed (llama-imatrix prints such)"
        elif "kl_divergence: computing over" in raw.text:
            found = "the log of a KL divergence run, whose statistics stand on standard output"
        else:
            found = "running values, and no final estimate"
        raise Refused(
            found,
            "the line `calculating perplexity over … chunks` and one final estimate",
            "Give the standard error of a finished run of llama-perplexity, or the standard output of one with --kl-divergence.",
        )
    _, _, value, error = finals[0].groups()
    if finals[0].end() == len(raw.text):
        raise Refused("a file that ends in the middle of its last line", "a whole file", "Copy the file again.", line=raw.text.count("\n") + 1)
    return Quality(
        known(
            {
                "metric": "perplexity",
                "value": _at_least_one(_figure(raw, value, "PPL", 1.0)),
                "standard_error": None if error is None else _figure(raw, error, "the error of PPL", 1.0),
                "context_tokens": int(calculating.group(2)),
                "samples": int(calculating.group(1)),
            }
        )
    )


def _at_least_one(perplexity: float) -> float:
    if perplexity < 1:
        raise Refused(f"a perplexity of {perplexity:g}", "at least 1", "Give the file as the tool wrote it.")
    return perplexity


def _divergence(raw: RawOutput) -> list[Quality]:
    missing = [part for part in _KL_PARTS if raw.text.count(part) != 1]
    if missing:
        raise Refused(f"{missing[0]!r} not once in the output", "the three statistics of one finished run", "Give the standard output of a finished run.")
    begins = raw.text.index(_KL_PARTS[0])
    rows = _KL_ROW.findall(raw.text[:begins])
    statistics: dict[str, set[tuple[str, str]]] = {}
    for name, value, error in _STATISTIC.findall(raw.text[begins:]):
        statistics.setdefault(name, set()).add((value, error))
    made: list[Quality] = []
    for name, (metric, scale) in _METRICS.items():
        said = statistics.get(name, set())
        if len(said) != 1:
            raise Refused(
                f"{len(said)} values for {name!r}", "one", "Give the standard output of a finished run of a build that prints it.", line=line_of(raw, name)
            )
        ((value, error),) = said
        number = _figure(raw, value, name, scale, signed=metric in _SIGNED)
        if metric in _RATIOS and number > 1:
            raise Refused(f"{name} of {number:.0%}", "at most 100 %", "Give the file as the tool wrote it.", line=line_of(raw, name))
        values = {"metric": metric, "value": number, "samples": int(rows[-1]) if rows else None}
        values["standard_error"] = _figure(raw, error, f"the error of {name}", scale) if error else None
        made.append(Quality(known(values)))
    _at_least_one(made[0].values["value"])
    base = statistics.get("Mean PPL(base)", set())
    if len(base) == 1:
        made[0].values["baseline"] = _at_least_one(_figure(raw, next(iter(base))[0], "Mean PPL(base)", 1.0))
    context = re.search(r"kl_divergence: computing over \d+ chunks, n_ctx=(\d{1,9}),", raw.text)
    if context:
        for one in made:
            one.values["context_tokens"] = int(context.group(1))
    return made
