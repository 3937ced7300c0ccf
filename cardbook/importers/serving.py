"""What the importers of serving benchmarks share: strict reading, checks, questions.

A serving client states many figures that look alike. The checks here are the ones that
more than one tool needs: a figure must be a finite number, a rate must equal tokens over
time, and drafts accepted by a benchmark switch are no measurement.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from cardbook.importers.base import Measurement, RawOutput, Reading, Refused

MS = 1e-3
NS = 1e-9
PERCENT = 1e-2
GIB = 2.0**30

# Beyond it a figure is not one: no run has 10^15 tokens, seconds or tokens a second.
_LARGEST = 1e15
_MAX_ROWS = 10_000
_MAX_YAML = 500_000

# vLLM speculative_config, SGLang environment, TensorRT-LLM environment, llama.cpp and ATOM flags.
_FAKED = re.compile(
    r"rejection_sample_method\W{1,8}synthetic|synthetic_acceptance_(?:rate|length)"
    r"|SIMULATE_ACC_(?:LEN|METHOD|TOKEN_MODE)|simulate[-_]acc[-_]len"
    r"|SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS|--spec-synth-(?:len|rates)"
    r"|--spec-decode-acceptance-length",
    re.IGNORECASE,
)
_UNSET = re.compile(r"\W{0,4}(?:none|null|false|0|0\.0|-1|-1\.0)(?![\w.])", re.IGNORECASE)

# Decimal digits, as a tool prints a figure.
PLAIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_TIME = re.compile(r"(?:ttft|tpot|e2e)(?:_p\d\d)?_s")

_PROVENANCE = (
    ("card", "card_as_written", "Which card was it, by its full name?"),
    ("n_cards", "n_cards", "How many cards served the model?"),
    ("model", "model_as_written", "Which model was served?"),
    ("quant", "quant_as_written", "Which weight format was served?"),
    ("engine", "engine", "Which engine served it? The client does not say."),
    ("engine_version", "engine_version", "Which version or build of the engine?"),
    ("driver", "driver", "Which driver and compute stack?"),
    ("command", "command", "What were the exact commands of the server and the client?"),
    ("parallelism", "parallelism", "How did the cards share the model?"),
    ("kv_quant", "kv_quant_as_written", "Which format has the KV cache?"),
    ("speculation", "speculation", "Was there speculative decoding? Say none if there was not."),
    ("host_offload", "host_offload", "Did anything lie in host memory? Say none if not."),
    ("prefix_cache", "prefix_cache", "Were prompts repeated, with a prefix cache on?"),
    ("power_limit_w", "power_limit_w", "Which power limit had the card?"),
)
# Field, the phases that need it, and the question.
_SHAPE = (
    ("concurrency", ("prefill", "decode", "serve"), "How many requests were in flight at most?"),
    ("prompt_tokens", ("prefill", "serve"), "How many tokens had a prompt?"),
    ("generated_tokens", ("decode", "serve"), "How many tokens did a request generate?"),
    ("cached_prompt_tokens", ("prefill", "serve"), "How many prompt tokens of a request came from a prefix cache? Say 0 if none."),
)


@dataclass(frozen=True)
class Side:
    """A file that a tool writes beside its results: how it begins, and what to give instead."""

    begins: str
    found: str
    fix: str


def line_of(raw: RawOutput, needle: str) -> int | None:
    """Line (from 1) of the first `needle` in the file, or None."""
    at = raw.text.find(needle)
    return None if at < 0 else raw.text.count("\n", 0, at) + 1


def truncated(raw: RawOutput, tool: str, reason: str, line: int | None = None) -> Refused:
    """The refusal of a file that ends, or breaks, in the middle."""
    last = raw.text.count("\n") + 1
    return Refused(
        f"the {tool} file cannot be parsed ({reason})",
        "a whole file as the tool wrote it",
        "Copy the file again, or run the benchmark again if it was interrupted.",
        line=line if line is not None else last,
    )


def _pairs(raw: RawOutput, tool: str) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) != len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise Refused(
                f"the key {twice!r} stands twice in one object of the {tool} file",
                "every key once",
                "Keep one run in a file.",
                line=line_of(raw, f'"{twice}"'),
            )
        return made

    return build


def parse_json(raw: RawOutput, tool: str, text: str | None = None, *, line: int = 1) -> Any:
    """The JSON value of the file (or of `text`, which begins at `line`).

    Bare `Infinity` and `NaN` come out as floats: SGLang writes them, and `Section.number`
    refuses them wherever a figure is wanted. Raises `Refused`.
    """
    source = raw.text.removeprefix("\ufeff") if text is None else text
    try:
        return json.loads(source, object_pairs_hook=_pairs(raw, tool))
    except json.JSONDecodeError as error:
        raise truncated(raw, tool, error.msg, line + error.lineno - 1) from None
    except (ValueError, RecursionError) as error:
        raise truncated(raw, tool, str(error).split(";")[0], line) from None


def parse_yaml(raw: RawOutput, tool: str) -> Any:
    """The YAML value of the file, by the safe loader. Raises `Refused`.

    An alias can double a document at each step and a repeated key hides the first value,
    so neither is allowed; the loader is slow, so the size is capped lower than for JSON.
    """
    import yaml

    if len(raw.text) > _MAX_YAML:
        raise truncated(raw, tool, f"YAML of more than {_MAX_YAML:,} characters", 1)
    try:
        loader = yaml.SafeLoader(raw.text.removeprefix("\ufeff"))
        node = loader.get_single_node()
        if node is None:
            raise truncated(raw, tool, "an empty YAML document", 1)
        _check_nodes(node, raw, tool)
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else int(mark.line) + 1
        raise truncated(raw, tool, str(getattr(error, "problem", "not YAML")), line) from None
    except (ValueError, RecursionError, TypeError, AttributeError, OverflowError) as error:
        raise truncated(raw, tool, str(error)) from None


def _check_nodes(root: Any, raw: RawOutput, tool: str) -> None:
    import yaml

    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        line = int(node.start_mark.line) + 1
        if id(node) in seen:
            raise truncated(raw, tool, "a YAML alias", line)
        seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
            if len(set(keys)) != len(keys):
                raise truncated(raw, tool, "a key stands twice in one object", line)
            waiting.extend(part for pair in node.value for part in pair)
        elif isinstance(node, yaml.SequenceNode):
            waiting.extend(node.value)


def to_number(value: Any, name: str, tool: str, line: int | None) -> float:
    """`value` as a finite float, not negative. Raises `Refused` for anything else."""
    made = math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            made = float(value)
        except OverflowError:
            made = math.inf
    if not 0.0 <= made <= _LARGEST:
        raise Refused(
            f"{name} in the {tool} file is {str(value)[:60]!r}",
            "a finite number, not negative",
            "Give the file as the tool wrote it; a figure it could not compute leaves no row.",
            line=line,
        )
    return made


def from_text(written: str, name: str, tool: str, line: int | None) -> float:
    """A number written in decimal digits, as `to_number` takes it. Raises `Refused`.

    Python's own float() would also take underscores, digits of other scripts and "nan".
    """
    value: Any = float(written) if PLAIN.fullmatch(written) else written
    return to_number(value, name, tool, line)


class Section:
    """One object of a file, read field by field; each reading names the field it refuses."""

    def __init__(self, raw: RawOutput, value: Any, tool: str, at: str = "") -> None:
        if not isinstance(value, dict):
            raise Refused(
                f"{at or 'the document'} in the {tool} file is not an object",
                "an object with named fields",
                "Give the file as the tool wrote it.",
                line=line_of(raw, f'"{at.rpartition(".")[2]}"') if at else 1,
            )
        self.raw, self.value, self.tool, self.at = raw, value, tool, at

    def __contains__(self, key: str) -> bool:
        return self.value.get(key) is not None

    def line(self, key: str) -> int | None:
        """Line of the first use of `key` as a key in the file."""
        found = line_of(self.raw, f'"{key}"')
        return found if found is not None else line_of(self.raw, f"{key}:")

    def number(self, key: str, scale: float = 1.0) -> float | None:
        """The figure times `scale`, None where the file has none. Raises `Refused`."""
        value = self.value.get(key)
        if value is None:
            return None
        name = f"{self.at}.{key}" if self.at else key
        return to_number(value, name, self.tool, self.line(key)) * scale

    def needed(self, key: str, scale: float = 1.0) -> float:
        """The figure times `scale`. Raises `Refused` where the file has none."""
        found = self.number(key, scale)
        if found is None:
            name = f"{self.at}.{key}" if self.at else key
            raise Refused(
                f"the {self.tool} file has no {name}",
                "the fields that this tool writes for a finished run",
                "Give the whole result file of a version that this importer knows.",
            )
        return found

    def count(self, key: str) -> int | None:
        """A whole number, None where the file has none. Raises `Refused`."""
        found = self.number(key)
        if found is not None and found != int(found):
            raise Refused(
                f"{key} in the {self.tool} file is {found}",
                "a whole number",
                "Give the file as the tool wrote it.",
                line=self.line(key),
            )
        return None if found is None else int(found)

    def word(self, key: str) -> str | None:
        """A text that is not empty, None for anything else."""
        value = self.value.get(key)
        return value.strip() or None if isinstance(value, str) else None

    def section(self, key: str) -> Section:
        """The object under `key`. Raises `Refused` where there is none."""
        name = f"{self.at}.{key}" if self.at else key
        return Section(self.raw, self.value.get(key), self.tool, name)

    def maybe(self, key: str) -> Section:
        """The object under `key`, an empty one where there is none."""
        value = self.value.get(key)
        name = f"{self.at}.{key}" if self.at else key
        return Section(self.raw, {} if value is None else value, self.tool, name)

    def rows(self, key: str) -> list[Section]:
        """The objects of the list under `key`. Raises `Refused` for anything but such a list."""
        value = self.value.get(key)
        if not isinstance(value, list) or not value or len(value) > _MAX_ROWS:
            raise Refused(
                f"{key} in the {self.tool} file is not a list of results",
                f"a list of 1 to {_MAX_ROWS} objects",
                "Give the whole result file of a finished run.",
                line=self.line(key),
            )
        return [Section(self.raw, one, self.tool, f"{key}[{i}]") for i, one in enumerate(value)]


def require_equal(what: str, stated: float | None, computed: float | None, tolerance: float, raw: RawOutput) -> None:
    """Refuses a file whose own figures disagree by more than `tolerance` (a ratio)."""
    if stated is None or computed is None:
        return
    if not math.isclose(stated, computed, rel_tol=tolerance, abs_tol=1e-9):
        raise Refused(
            f"{what} is {stated:.6g}, and the other figures of the file make it {computed:.6g}",
            f"figures that agree within {tolerance:.0%}",
            "Give an unedited file of one run; runs must not be mixed.",
        )


def refuse_faked_acceptance(raw: RawOutput, text: str | None = None) -> None:
    """Refuses text in which a switch decides how many drafts are accepted."""
    source = raw.text if text is None else text
    for match in _FAKED.finditer(source):
        if _UNSET.match(source, match.end()):
            continue
        raise Refused(
            f"the file shows {match.group()!r}, which fakes the acceptance of drafts",
            "a run in which the model decided which drafts to accept",
            "Run the benchmark again without that switch.",
            line=source.count("\n", 0, match.start()) + 1 if text is None else None,
        )


def refuse_nothing_done(requests: float, tokens: float | None, raw: RawOutput) -> None:
    """Refuses a run that finished no request or produced no token."""
    if requests < 1 or (tokens is not None and tokens <= 0):
        made = "no token" if requests >= 1 else "no request finished"
        raise Refused(
            f"{made}: {requests:g} requests completed and {tokens or 0:g} tokens generated",
            "a run that produced output",
            "The server failed or refused the requests: run the benchmark again.",
            line=line_of(raw, "completed") or line_of(raw, "Successful"),
        )


def is_side(raw: RawOutput, sides: tuple[Side, ...]) -> bool:
    """True when the file begins like one of `sides`."""
    head = raw.text[:20_000].lstrip("\ufeff \r\n\t")
    return any(re.match(side.begins, head) for side in sides)


def refuse_side(raw: RawOutput, sides: tuple[Side, ...], wanted: str) -> None:
    """Refuses a file that begins like one of `sides`."""
    head = raw.text[:20_000].lstrip("\ufeff \r\n\t")
    for side in sides:
        if re.match(side.begins, head):
            raise Refused(side.found, wanted, side.fix, line=1)


def epoch_date(seconds: float | None) -> str | None:
    """Seconds since 1970 as an ISO date (UTC); None where that is no date of this century."""
    if seconds is None or not 946_684_800 <= seconds < 4_102_444_800:
        return None
    return datetime.fromtimestamp(seconds, UTC).date().isoformat()


def drop(one: Measurement, *names: str) -> None:
    """Takes figures (and the percentiles of a latency) out of a measurement."""
    for name in names:
        stem = name.removesuffix("_s")
        for key in [key for key in one.values if key == name or re.fullmatch(rf"{stem}_p\d\d_s", key)]:
            del one.values[key]


def iso_date(written: str | None) -> str | None:
    """'20250914-020903' or an ISO timestamp as an ISO date; None for anything else."""
    match = re.match(r"(20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?!\d)", written or "")
    return "-".join(match.groups()) if match else None


def known(values: dict[str, Any]) -> dict[str, Any]:
    """The entries that say something."""
    return {key: value for key, value in values.items() if value is not None}


def json_lines(raw: RawOutput, tool: str) -> Iterator[tuple[int, Section]]:
    """(line, object) for each line of a JSON Lines file. Raises `Refused`."""
    for line, text in enumerate(raw.text.removeprefix("\ufeff").splitlines(), 1):
        if not text.strip():
            continue
        if line > _MAX_ROWS:
            raise truncated(raw, tool, f"more than {_MAX_ROWS} lines", line)
        yield line, Section(raw, parse_json(raw, tool, text, line=line), tool)


def finish(reading: Reading) -> Reading:
    """Adds a question for everything that the file does not say, and returns the reading.

    A latency of exactly 0 is what clients write for one that they did not see: it goes.
    """
    for one in reading.measurements:
        for key in [key for key, value in one.values.items() if value == 0 and _TIME.fullmatch(key)]:
            del one.values[key]
            reading.lost.append((key, "a time of 0 s was not measured"))
    return _ask(reading)


def _ask(reading: Reading) -> Reading:
    asked = {field for field, _ in reading.questions}
    for field, key, question in _PROVENANCE:
        if reading.recipe.get(key) is None and field not in asked:
            reading.questions.append((field, question))
    for field, phases, question in _SHAPE:
        needing = [one for one in reading.measurements if one.values.get("phase") in phases]
        told = all(one.values.get(field) is not None for one in needing)
        if not told and field not in asked:
            reading.questions.append((field, question))
    return reading


def put(one: Measurement, **values: Any) -> None:
    """Sets those of `values` that say something."""
    one.values.update(known(values))


def count_failures(one: Measurement, failed: float | None, of: float | None = None) -> None:
    """Notes requests that failed; the measurement itself counts only those that completed."""
    if failed:
        total = "" if of is None else f" of {of:g}"
        note(one, f"{failed:g}{total} requests failed; the figures are of those that completed")


def note(one: Measurement, text: str) -> None:
    """Adds a sentence to the note of a measurement."""
    before = one.values.get("note")
    one.values["note"] = f"{before}; {text}" if before else text
