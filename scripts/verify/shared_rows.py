"""Published rows → rows of `measured`, the misread and mislabelled ones among them.

The transcription (scripts/transcribe) leaves out what it has reason to doubt. Here nothing
that resolves is left out: the point is to see what the rules say about it.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "transcribe"))

import names
import shape
from common import read_rows
from sources import HANDLERS, Plan

from cardbook import schema, units
from cardbook.package import Package
from cardbook.views import catalog


def _columns(package: Package) -> dict[str, tuple[schema.Field, str]]:
    """Column of `measured` → (field, which part of a plan holds it)."""
    tables = schema.load(package.table_schemas)
    found = {}
    for field in catalog.view_fields(package)["measured"]:
        for table, part in (("recipes", "config"), ("measurements", "measurement")):
            column = next((f for f in tables[table].fields if f.name == field.name), None)
            if column is not None:
                found[field.name] = (column, part)
    return found


def _value(raw: Any, column: schema.Field) -> Any:
    if raw is None:
        return None
    return units.parse_quantity(raw, str(column.unit)) if column.is_quantity else raw


def _lenient(row: dict[str, Any]) -> Plan | None:
    """The plan of a row that its handler refuses, as far as it says anything."""
    card, model, quant = names.card(row), names.model(row), names.quant(row)
    if not (card and model and quant) or row["n_cards"] is None:
        return None
    kv, _ = names.kv(row["kv_type"], model)
    kind, drafted, _ = shape.speculation(row["speculation"])
    try:
        measured = shape.measurement(row)
    except shape.Skip:
        return None
    config = {
        "card": card, "cards": row["n_cards"], "parallelism": shape.parallelism(row), "model": model, "quant": quant, "kv_quant": kv,
        "engine": names.engine(row["engine"]), "backend": row["backend"], "host_offload": shape.offload(row, None), "speculation": kind,
        "draft_tokens": f"{drafted} token/step" if drafted else None,
    }  # fmt: skip
    return Plan(config, measured, {"tensor_size": row["file_bytes"]} if row["file_bytes"] else {})


def rows(package: Package, folder: Path) -> tuple[list[dict[str, Any]], dict[str, Counter[str]]]:
    """(rows of `measured`, per source: read, not a measurement, not resolved, resolved). The
    record is source:line, with the transcription's reason to refuse the row after a bar."""
    columns = _columns(package)
    out: list[dict[str, Any]] = []
    counts: dict[str, Counter[str]] = {}
    for stem, (handler, _, _) in HANDLERS.items():
        path = folder / f"{stem}.jsonl"
        if not path.exists():
            continue
        plans: list[tuple[str, Plan]] = []
        count = counts.setdefault(stem, Counter())
        for line, row in enumerate(read_rows(path), 1):
            count["rows"] += 1
            if not row["tok_s"]:
                count["no rate"] += 1
                continue
            try:
                plan: Plan | None = handler(row)
                record = f"{stem}:{line}"
            except shape.Skip as reason:
                plan = _lenient(row)
                record = f"{stem}:{line}|{reason}"
            if plan is None:
                count["not resolved"] += 1
                continue
            count["resolved"] += 1
            plans.append((record, plan))
        _sizes(plans)
        out += [_row(record, plan, columns) for record, plan in plans]
    return out, counts


def _sizes(plans: list[tuple[str, Plan]]) -> None:
    """The file size of a checkpoint stands in other rows of the same file."""
    from rows import known_sizes, stem_of

    sizes = known_sizes([p for _, p in plans])
    by_name: dict[tuple[str, str], set[int]] = {}
    for (model, quant, _), facts in sizes.items():
        by_name.setdefault((model, quant), set()).add(facts["tensor_size"])
    for _, plan in plans:
        facts = plan.checkpoint
        if facts.get("file") and not facts.get("tensor_size"):
            same = sizes.get((plan.config["model"], plan.config["quant"], stem_of(facts["file"])))
            if same:
                facts["tensor_size"] = same["tensor_size"]


def _row(record: str, plan: Plan, columns: dict[str, tuple[schema.Field, str]]) -> dict[str, Any]:
    row: dict[str, Any] = {"record": record, "tier": "bulk", "checkpoint_bytes": plan.checkpoint.get("tensor_size")}
    for name, (column, part) in columns.items():
        row[name] = _value(getattr(plan, part).get(column.key), column)
    if plan.measurement.get("power_scope") == "system":
        row["mean_power_w"] = None
    return row


def save(found: list[dict[str, Any]], path: Path) -> None:
    """JSON Lines in the form of `measured`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps({k: v for k, v in row.items() if v is not None}) + "\n" for row in found))
