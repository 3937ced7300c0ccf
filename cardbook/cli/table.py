"""Print rows as an aligned table, CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from typing import IO, Any

from cardbook.rules.message import show


def aligned(names: Sequence[str], rows: Sequence[Sequence[Any]], out: IO[str], units: Sequence[str | None] | None = None) -> None:
    """Columns aligned: numbers to the right. With `units`, values get a readable prefix."""
    kinds = units or [None] * len(names)
    cells = [[_cell(v, u) for v, u in zip(row, kinds, strict=True)] for row in rows]
    numeric = [all(isinstance(row[i], int | float | None) for row in rows) for i in range(len(names))]
    widths = [max([len(n), *(len(row[i]) for row in cells)]) for i, n in enumerate(names)]
    for row in ([*names], ["─" * w for w in widths], *cells):
        line = "  ".join(c.rjust(w) if right else c.ljust(w) for c, w, right in zip(row, widths, numeric, strict=True))
        out.write(line.rstrip() + "\n")


def _cell(value: Any, unit: str | None) -> str:
    if value is None:
        return ""
    if unit and unit != "1" and isinstance(value, int | float):
        return show(value, unit)
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value).replace("\n", " ")


def as_csv(names: Sequence[str], rows: Sequence[Sequence[Any]], out: IO[str]) -> None:
    """CSV in base units; null is an empty cell."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(["" if v is None else v for v in row] for row in rows)


def as_json(names: Sequence[str], rows: Sequence[Sequence[Any]], out: IO[str], units: dict[str, str | None] | None = None) -> None:
    """{"units": …, "rows": […]} in base units; not-a-number becomes null."""
    found = [dict(zip(names, (_plain(v) for v in row), strict=True)) for row in rows]
    content: Any = {"units": units, "rows": found} if units is not None else found
    json.dump(content, out, indent=2, ensure_ascii=False, default=str)
    out.write("\n")


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value


def markdown(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A Markdown table, for the README."""
    numeric = [all(isinstance(row[i], int | float | None) for row in rows) for i in range(len(names))]
    lines = ["| " + " | ".join(names) + " |", "|" + "|".join(" ---: " if n else " --- " for n in numeric) + "|"]
    lines += ["| " + " | ".join(_cell(v, None).replace("|", "\\|") for v in row) + " |" for row in rows]
    return "\n".join(lines)
