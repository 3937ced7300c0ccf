"""Turn one document into typed rows in base units."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cardbook import schema, units
from cardbook.documents.strict import Document
from cardbook.documents.validate import FORMULA_STARTS, Problem, problems, shorten

Row = dict[str, Any]

#: What a reader needs to run a recipe again (rule 2 of the project: name the card, the build
#: and the prompt). What a source does not say of these is listed in `recipes.missing`.
PROVENANCE = (
    "command", "engine_version", "backend", "driver", "os", "prompt", "kv_quant", "flash_attention",
    "speculation", "host_offload", "prefix_cache", "power_limit_w", "machine", "measured_on",
)  # fmt: skip


@dataclass
class Compiled:
    """The rows of one document by table, and what is wrong with it."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def _value(raw: Any, column: schema.Field, pointer: str, out: list[Problem]) -> Any:
    """The value of one column in its base unit; a problem and None where it cannot be had."""
    if raw is None:
        return None
    if column.is_quantity:
        try:
            value = units.parse_quantity(raw, str(column.unit))
        except units.UnitError as error:
            out.append(Problem(error.code, pointer, error.found, error.wanted, error.fix))
            return None
        if column.type == "integer":
            if value != int(value):
                out.append(Problem("F104", pointer, shorten(raw), f"a whole number of {column.unit}", "mend the value"))
                return None
            return int(value)
        return float(value)
    if column.type == "number":
        return float(raw)
    if column.type == "string" and raw.startswith(FORMULA_STARTS):
        out.append(Problem("F104", pointer, shorten(raw), "text that a spreadsheet does not run as a formula", "begin it with a letter or a quote"))
        return None
    if column.type == "string" and any(ord(c) < 32 and c not in "\n\t" for c in raw):
        out.append(Problem("F104", pointer, shorten(raw), "text without control characters", "remove them"))
        return None
    return raw


def _row(table: schema.Table, document: Row, item: Row, pointer: str, number: int, out: list[Problem]) -> Row:
    row: Row = {}
    for column in table.fields:
        if column.key == "-":
            row[column.name] = None
        elif column.key == "#":
            row[column.name] = number
        elif column.level == "document":
            # The document's own row, or its first list, already reported what is wrong here.
            row[column.name] = _value(document.get(column.key), column, f"/{column.key}", out if number == 1 else [])
        else:
            row[column.name] = _value(item.get(column.key), column, f"{pointer}/{column.key}", out)
    return row


def rows(document: Document, package_schemas: Path) -> Compiled:
    """Validate `document` and compile it.

    With a problem that makes a value unusable the row keeps None there, so that the rest of
    the corpus can still be checked; a document that is not of its kind gives no rows.
    """
    compiled = Compiled()
    # What could not be read strictly is said once, by the rule for it.
    if document.value is None or document.kind is None or document.problems:
        return compiled
    kind = schema.kinds(package_schemas)[document.kind]
    compiled.problems = problems(package_schemas, document.kind, document.value)
    if compiled.problems:
        return compiled
    value = document.value
    if kind.main is not None:
        row = _row(kind.main, value, value, "", 1, compiled.problems)
        if kind.name == "recipe":
            row["missing"] = " ".join(name for name in PROVENANCE if row[name] is None) or None
        compiled.rows[kind.main.name] = [row]
    for table in kind.lists:
        compiled.rows[table.name] = [
            _row(table, value, item, f"/{table.path}/{index}", index + 1, compiled.problems) for index, item in enumerate(value.get(str(table.path), ()))
        ]
    compiled.problems = list(dict.fromkeys(compiled.problems))
    return compiled
