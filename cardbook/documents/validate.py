"""Hold a document against the JSON Schema of its kind (draft 2020-12)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from cardbook import schema

#: Spreadsheets run a cell that begins so as a formula; no text of ours may.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Problem:
    """Something wrong at `pointer`: which rule it breaks, what was found, what was wanted."""

    code: str
    pointer: str
    found: str
    wanted: str
    fix: str


@lru_cache(maxsize=32)
def _fast(folder: Path, kind: str) -> Any:
    import jsonschema_rs

    return jsonschema_rs.Draft202012Validator(schema.document_schema(schema.kinds(folder)[kind]))


@lru_cache(maxsize=32)
def _explaining(folder: Path, kind: str) -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator(schema.document_schema(schema.kinds(folder)[kind]))


def shorten(value: Any, limit: int = 60) -> str:
    """A value as JSON, cut to a length that fits a message."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def problems(folder: Path, kind: str, value: dict[str, Any]) -> list[Problem]:
    """Every way in which `value` is not a document of `kind`; the table schemas are in `folder`.

    The fast validator only accepts; what it refuses, the reference one explains.
    """
    if _fast(folder, kind).is_valid(value):
        return []
    return [problem for error in sorted(_explaining(folder, kind).iter_errors(value), key=lambda e: list(map(str, e.path))) for problem in _explain(error)]


def _explain(error: Any) -> list[Problem]:
    pointer = "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in error.path)
    if error.validator == "additionalProperties":
        known = sorted(error.schema["properties"])
        return [Problem("F102", f"{pointer}/{key}", key, "a known key", _nearest(key, known)) for key in sorted(set(error.instance) - set(known))]
    if error.validator == "required":
        key = next(k for k in error.validator_value if k not in error.instance and f"'{k}'" in error.message)
        wanted = error.schema["properties"][key].get("description", key)
        return [Problem("F103", pointer, f"no {key}", f"{key}: {wanted}", f"add the key {key!r}")]
    found = shorten(error.instance)
    if error.validator == "type":
        unit = error.schema.get("cardbook:unit")
        if unit and isinstance(error.instance, int | float):
            return [Problem("F104", pointer, found, "a value with its unit, as text", f'write it as "{found} <unit>", for example in {unit}')]
        return [Problem("F104", pointer, found, f"type {error.validator_value}", "mend the value")]
    if error.validator == "enum":
        return [Problem("F104", pointer, found, "one of " + ", ".join(map(str, error.validator_value)), "choose one of them")]
    return [Problem("F104", pointer, found, f"{error.validator} {shorten(error.validator_value)}", "mend the value")]


def _nearest(key: str, known: list[str]) -> str:
    import difflib

    near = difflib.get_close_matches(key, known, 1)
    return f"did you mean {near[0]!r}?" if near else "remove it; known keys are " + ", ".join(known)
