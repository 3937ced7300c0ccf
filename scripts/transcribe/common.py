"""What every transcription shares: number forms, identifiers, documents on disk."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"

JSON = dict[str, Any]


def number(value: float) -> str:
    """The shortest plain form; twelve digits drop the dust of a unit conversion upstream."""
    text = f"{float(value):.12g}"
    if "e" in text:
        text = f"{float(text):.12f}".rstrip("0").rstrip(".") if abs(float(text)) < 1 else str(int(float(text)))
    return text


def plain(value: float) -> int | float:
    """A unitless value as JSON writes it."""
    as_float = float(number(value))
    return int(as_float) if as_float.is_integer() else as_float


def quantity(value: float | None, unit: str) -> str | None:
    return None if value is None else f"{number(value)} {unit}"


def slug(text: str) -> str:
    return re.sub(r"-+", "-", re.sub(r"[^a-z0-9.]+", "-", text.lower())).strip("-.")


def short_hash(value: Any, digits: int = 6) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


@cache
def _fields(table: str) -> tuple[str, ...]:
    raw = json.loads((ROOT / "schemas" / "tables" / f"{table}.json").read_text())
    return tuple(f.get("key", f["name"]) for f in raw["fields"])


def ordered(values: JSON, table: str) -> JSON:
    """`values` in the order of the schema, without nulls. Unknown keys are a mistake here."""
    keys = _fields(table)
    unknown = set(values) - set(keys)
    if unknown:
        raise KeyError(f"{table} has no key {sorted(unknown)}")
    return {k: values[k] for k in keys if values.get(k) is not None}


def spreadsheet_safe(text: str) -> str:
    """Text that no spreadsheet runs as a formula."""
    return f"(as written) {text}" if text[:1] in "=+-@\t\r" else text


def write(path: Path, document: JSON) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def read_rows(path: Path) -> list[JSON]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def known(folder: str) -> set[str]:
    """Ids of the documents of a kind that are there already."""
    return {p.stem for p in (DATA / folder).glob("*.json")}
