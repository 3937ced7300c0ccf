"""What the importers of kernel profilers share: whole CSV rows, and launch shapes."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from itertools import zip_longest

from cardbook.importers.base import RawOutput, Reading, Refused
from cardbook.importers.serving import truncated

#: More kernels than that are a trace of a run, not a profile of chosen kernels.
MAX_KERNELS = 500
_MAX_ROWS = 200_000
_MOST_DIGITS = 20


def table(raw: RawOutput, tool: str, start: int = 0, last: str | None = None) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """(columns, [(line, values by column)]) of the CSV at `start`. Raises `Refused`.

    `last` names a column after which rows may end; the values they leave out are empty.
    """
    before = raw.text.count("\n", 0, start)
    reader = csv.reader(io.StringIO(raw.text[start:]), strict=True)
    rows: list[tuple[int, dict[str, str]]] = []
    try:
        columns = [name.strip() for name in next(reader)]
        least = columns.index(last) + 1 if last in columns else len(columns)
        for values in reader:
            if not values:
                continue
            line = before + reader.line_num
            if not least <= len(values) <= len(columns) or values == columns or len(rows) >= _MAX_ROWS:
                raise truncated(raw, tool, f"{len(values)} values under {len(columns)} columns, a second header, or too many rows", line)
            rows.append((line, dict(zip_longest(columns, values, fillvalue=""))))
    except csv.Error as error:
        raise truncated(raw, tool, str(error), before + reader.line_num) from None
    except StopIteration:
        raise truncated(raw, tool, "no header") from None
    if len(set(columns)) != len(columns):
        raise truncated(raw, tool, "a column stands twice", before + 1)
    return columns, rows


def count(row: dict[str, str], column: str, tool: str, line: int) -> int | None:
    """A whole number, None where the column is absent or empty. Raises `Refused`."""
    text = row.get(column, "").strip()
    if not text:
        return None
    whole = text.removesuffix(".0")
    # Time stamps have more digits than any figure.
    if not (whole.isascii() and whole.isdigit() and len(whole) <= _MOST_DIGITS):
        raise Refused(f"{column} in the {tool} file is {text[:40]!r}", "a whole number", "Give the file as the tool wrote it.", line=line)
    return int(whole)


def product(counts: Iterable[int]) -> int:
    """Threads or blocks of a launch in three dimensions."""
    return math.prod(counts)


def refuse_many(number: int) -> None:
    """Refuses a trace of everything."""
    if number > MAX_KERNELS:
        raise Refused(f"{number} kernels", f"at most {MAX_KERNELS}", "Profile chosen kernels, a few launches of each.")


def ask(reading: Reading, *, arch: bool) -> Reading:
    """Adds what no profile says."""
    reading.questions.append(("card", "Which card ran the kernels, by its full name?"))
    if not arch:
        reading.questions.append(("arch", "Which architecture has the card (gfx90a, gfx942 …)?"))
    for key, field, question in (
        ("model_as_written", "model", "Which model ran?"),
        ("engine", "engine", "Which engine ran it?"),
        ("driver", "driver", "Which driver and compute stack?"),
    ):
        if key not in reading.recipe:
            reading.questions.append((field, question))
    return reading
