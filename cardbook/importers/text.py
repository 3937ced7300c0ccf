"""Reading text strictly: JSON, Markdown tables, CSV, durations, figures with a spread.

What more than one importer needs to read what a tool printed. A figure that is not one
is refused with its line; nothing here rounds, converts or fills in.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cardbook.importers import serving
from cardbook.importers.base import RawOutput, Reading, Refused

MAX_ROWS = 10_000

FIRST_TOKEN = "the printed rate counts the first token, which takes no timed step: the rate taken here is of the others"

_GO_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "µs": 1e-6, "μs": 1e-6, "us": 1e-6, "ns": 1e-9}
_GO_PART = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)(h|ms|µs|μs|us|ns|m|s)", re.ASCII)
_SPREAD = re.compile(r"(\S+?)(?:\s*(?:±|Â±|\+/-)\s*(\S+))?")
_HOME = re.compile(r"(?:/home/[^/\s'\"]+|/Users/[^/\s'\"]+|/root(?=[/\s'\"]|$)|[A-Za-z]:\\Users\\[^\\\s'\"]+)")
_ADDRESS = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?![\w.])|\[[0-9a-fA-F:]{2,39}\](?::\d{1,5})?")
_QUANT = re.compile(r"(?<![A-Za-z0-9])((?:UD-)?(?:I?Q\d(?:_[A-Z0-9]{1,4}){1,3}|TQ\d_0|BF16|F16|FP16|F32|MXFP4(?:_MOE)?|NVFP4))(?![A-Za-z0-9_])", re.IGNORECASE)


@dataclass(frozen=True)
class Row:
    """One row of a table: its line in the file (from 1), and its cells by column."""

    line: int
    cells: dict[str, str]


@dataclass(frozen=True)
class Table:
    """A table of a file: the line of its header, the columns, the rows."""

    line: int
    header: tuple[str, ...]
    rows: tuple[Row, ...]


def strict_json(raw: RawOutput, tool: str, text: str | None = None, *, line: int = 1) -> Any:
    """The JSON value of the file, or of `text` which begins at `line`.

    Raises `Refused` for text that is cut off, for NaN and infinities, and for a key that
    stands twice in one object.
    """
    source = raw.text.removeprefix("\ufeff") if text is None else text

    def constant(name: str) -> None:
        raise Refused(f"{name} in the {tool} file", "finite numbers", "Give the file of a run that finished.", line=serving.line_of(raw, name))

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(found)
        if len(made) != len(found):
            keys = [key for key, _ in found]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise Refused(
                f"the key {twice[:60]!r} stands twice in one object of the {tool} file",
                "every key once",
                "Keep one run in a file.",
                line=serving.line_of(raw, f'"{twice}"'),
            )
        return made

    try:
        return json.loads(source, object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise serving.truncated(raw, tool, error.msg, line + error.lineno - 1) from None
    except (ValueError, RecursionError) as error:
        raise serving.truncated(raw, tool, str(error).split(";")[0], line) from None


def lines(text: str) -> Iterator[tuple[int, str]]:
    """(number from 1, line without its end) for each line that is not empty."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip():
            yield number, line.rstrip("\r")


def go_duration(written: str) -> float | None:
    """Seconds of a duration as Go prints it (`1m40s`, `2m27.98s`, `891.933µs`), else None."""
    at, seconds = 0, 0.0
    while at < len(written):
        part = _GO_PART.match(written, at)
        if part is None:
            return None
        seconds += float(part.group(1)) * _GO_UNITS[part.group(2)]
        at = part.end()
    return seconds if written else None


def figure(written: str, name: str, tool: str, line: int | None) -> float:
    """A finite number in decimal digits, not negative. Raises `Refused`."""
    return serving.from_text(written.strip(), name, tool, line)


def whole(written: str, name: str, tool: str, line: int | None) -> int:
    """A whole number, not negative. Raises `Refused`."""
    found = figure(written, name, tool, line)
    if found != int(found):
        raise Refused(f"{name} in the {tool} file is {written.strip()[:60]}", "a whole number", "Give the file as the tool wrote it.", line=line)
    return int(found)


def plus_minus(written: str, name: str, tool: str, line: int | None) -> tuple[float, float | None]:
    """(figure, spread) of `12.3 ± 0.4`; the spread may exceed the figure. Raises `Refused`."""
    match = _SPREAD.fullmatch(written.strip())
    if match is None:
        return figure(written, name, tool, line), None
    spread = match.group(2)
    return figure(match.group(1), name, tool, line), None if spread is None else figure(spread, f"the spread of {name}", tool, line)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def md_tables(text: str, tool: str) -> list[Table]:
    """The Markdown tables of a text, by their header. Raises `Refused` for a row that does not fit it."""
    found: list[Table] = []
    before: tuple[int, str] | None = None
    header: tuple[str, ...] = ()
    rows: list[Row] = []
    start = 0
    for number, line in [*enumerate(text.split("\n"), 1), (0, "")]:
        inside = line.lstrip().startswith("|")
        if header and not inside:
            found.append(Table(start, header, tuple(rows)))
            header, rows = (), []
        elif header:
            rows.append(Row(number, _fit(header, _cells(line), tool, number)))
        elif inside and before is not None and _is_rule(line):
            header, start = tuple(_cells(before[1])), before[0]
            _check_header(header, tool, start)
        before = (number, line) if inside else None
        if len(rows) > MAX_ROWS:
            raise Refused(f"a table of more than {MAX_ROWS} rows", f"at most {MAX_ROWS}", "Split the file.", line=number)
    return found


def _is_rule(line: str) -> bool:
    """True for the line of dashes under a header."""
    return "-" in line and set(line.strip()) <= set("|-: ")


def _check_header(header: Sequence[str], tool: str, line: int) -> None:
    if len(set(header)) != len(header):
        raise Refused(f"a column that stands twice in a table of {tool}", "every column once", "Give the table as the tool wrote it.", line=line)


def _fit(header: Sequence[str], cells: Sequence[str], tool: str, line: int) -> dict[str, str]:
    if len(header) != len(cells):
        raise Refused(
            f"a row of {len(cells)} values under {len(header)} columns in the {tool} file",
            "as many values as columns",
            "The row was cut off, edited, or is of another version: give the output as the tool wrote it.",
            line=line,
        )
    return dict(zip(header, cells, strict=True))


def delimited(raw: RawOutput, tool: str, delimiter: str = ",") -> Table:
    """The one table of a CSV or TSV file. Raises `Refused` for a row that does not fit its header."""
    return _fit_all(raw, tool, delimited_rows(raw, tool, delimiter))


def _fit_all(raw: RawOutput, tool: str, rows: list[tuple[int, list[str]]]) -> Table:
    if not rows:
        raise serving.truncated(raw, tool, "no header", 1)
    start, header = rows[0][0], [name.strip() for name in rows[0][1]]
    _check_header(header, tool, start)
    return Table(start, tuple(header), tuple(Row(line, _fit(header, cells, tool, line)) for line, cells in rows[1:]))


def delimited_rows(raw: RawOutput, tool: str, delimiter: str = ",") -> list[tuple[int, list[str]]]:
    """(line, cells) of each record of a CSV or TSV file, the header included. Raises `Refused`."""
    found: list[tuple[int, list[str]]] = []
    reader = csv.reader(io.StringIO(raw.text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    begins = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                found.append((begins, cells))
            begins = reader.line_num + 1
            if len(found) > MAX_ROWS:
                raise serving.truncated(raw, tool, f"more than {MAX_ROWS} rows", begins)
    except csv.Error as error:
        raise serving.truncated(raw, tool, str(error), begins) from None
    return found


def base_name(path: str) -> str:
    """The last part of a path of any system: folders above it name people and machines."""
    return re.split(r"[\\/]", path.strip().rstrip("\\/"))[-1]


def scrubbed(command: str) -> str:
    """A command without home folders and network addresses."""
    return _ADDRESS.sub("ADDRESS", _HOME.sub("~", command))


def is_address(words: str) -> bool:
    """True for a network address, or a host with a port."""
    return _ADDRESS.search(words) is not None or re.search(r"^[\w.-]{1,253}:\d{2,5}$", words.strip()) is not None


def quant_in(name: str) -> str | None:
    """The one weight format that a file name spells out (`UD-Q4_K_XL`), None for none or several."""
    found = {match.upper() for match in _QUANT.findall(name)}
    return found.pop() if len(found) == 1 else None


def sample(values: Sequence[float]) -> dict[str, float | int | None]:
    """repeats, tok_s (their mean), and with two or more the sample deviation and extremes."""
    made: dict[str, float | int | None] = {"tok_s": statistics.fmean(values), "repeats": len(values)}
    if len(values) > 1:
        made |= {"tok_s_stddev": statistics.stdev(values), "tok_s_min": min(values), "tok_s_max": max(values)}
    return made


def positive(value: float, name: str, tool: str, line: int | None) -> float:
    """`value`, which must exceed 0: a rate or a time of 0 was not measured. Raises `Refused`."""
    if value <= 0:
        raise Refused(f"{name} in the {tool} file is {value:g}", "more than 0", "The run failed or was too short: run the benchmark again.", line=line)
    return value


def require_product(tokens: float, rate: float, seconds: float, step: tuple[float, float], tool: str, line: int | None) -> None:
    """Refuses tokens ≠ rate × seconds, where rate and seconds are rounded to `step` = (rate, seconds)."""
    slack = rate * step[1] + seconds * step[0] + step[0] * step[1] + 1e-6 * tokens
    if not math.isfinite(rate * seconds) or abs(rate * seconds - tokens) > slack:
        raise Refused(
            f"{rate:g} tokens/s over {seconds:g} s are {rate * seconds:g} tokens in the {tool} file, and it says {tokens:g}",
            "figures that agree with each other",
            "Give an unedited file of one run.",
            line=line,
        )


def finish(reading: Reading) -> Reading:
    """Adds a question for everything that the file does not say, and returns the reading."""
    reading = serving.finish(reading)
    reading.lost[:] = dict.fromkeys(reading.lost)
    if reading.recipe.get("prefix_cache") == "off":
        reading.questions[:] = [asked for asked in reading.questions if asked[0] != "cached_prompt_tokens"]
    decode = [one for one in reading.measurements if one.values.get("phase") == "decode"]
    if any(one.values.get("depth_tokens") is None for one in decode) and all(asked[0] != "depth_tokens" for asked in reading.questions):
        reading.questions.append(("depth_tokens", "How many tokens (prompt included) were in the cache when generation began?"))
    return reading
