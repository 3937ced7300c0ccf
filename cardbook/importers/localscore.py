"""LocalScore: the table of results of its site (tab-separated).

The rates are means over a fixed mix of prompts of several lengths, so no length, depth or
generated count belongs to them. `localscore` is a score. The unit of ttft is a column.
"""

from __future__ import annotations

import re

from cardbook.importers import serving, text
from cardbook.importers.base import Measurement, RawOutput, Reading, Refused

NAME = "localscore"

_COLUMNS = ("test_num", "test_date", "gen_tps", "ttft", "ttft_unit", "prompt_tps", "localscore", "model_name", "model_quant", "accel_name", "accel_type")
_UNITS = {"ms": 1e-3, "s": 1.0, "sec": 1.0}


def recognise(raw: RawOutput) -> bool:
    """True for the names of the columns."""
    first = raw.text[:5_000].lstrip("\ufeff").split("\n", 1)[0]
    return {"gen_tps", "prompt_tps", "localscore"} <= set(first.strip().split("\t"))


def read(raw: RawOutput) -> list[Reading]:
    """One reading a row (card × model). Raises `Refused`."""
    table = text.delimited(raw, NAME, "\t")
    missing = [name for name in _COLUMNS if name not in table.header]
    if missing:
        raise Refused(f"a table without {', '.join(missing)}", "the columns of the site", "Give the whole table.", line=table.line)
    if not table.rows:
        raise Refused("a table without a row", "results", "Give the whole table.", line=table.line)
    return [_reading(row) for row in table.rows]


def _reading(row: text.Row) -> Reading:
    cells, line = row.cells, row.line
    unit = _UNITS.get(cells["ttft_unit"].strip())
    if unit is None:
        raise Refused(f"a time to first token in {cells['ttft_unit'][:20]!r}", "ms or s", "Give the table as it was.", line=line)

    def number(column: str) -> float:
        return text.positive(text.figure(cells[column], column, NAME, line), column, NAME, line)

    reading = Reading(NAME, recipe={"engine": "localscore"})  # it measures the runtime it carries
    date = re.match(r"(20\d\d)\.(\d\d)\.(\d\d)", cells["test_date"])
    reading.recipe |= serving.known(
        {
            "card_as_written": cells["accel_name"].strip() or None,
            "model_as_written": cells["model_name"].strip() or None,
            "quant_as_written": cells["model_quant"].strip() or None,
            "os": cells.get("system_os", "").strip() or None,
            "measured_on": serving.iso_date("-".join(date.groups())) if date else None,
            "backend": "CPU" if cells["accel_type"].strip() == "CPU" else None,
            "prompt": "LocalScore's fixed mix of prompt and answer lengths",
        }
    )
    label = f"test {cells['test_num']}"
    prefill = {"phase": "prefill", "concurrency": 1, "tok_s": number("prompt_tps"), "ttft_s": number("ttft") * unit}
    decode = {"phase": "decode", "concurrency": 1, "tok_s": number("gen_tps")}
    reading.measurements += [Measurement(prefill, label=label, line=line), Measurement(decode, label=label, line=line)]
    reading.lost += [
        ("prompt_tokens", "the rates are means over tests of several lengths"),
        ("parameters", "model_params is a nominal size"),
    ]
    return text.finish(reading)
