"""From what a tool's output says to a draft recipe.

Nothing is guessed: a card, model or quant is resolved only when the words of the file are a
name of exactly one record; everything else becomes a question to the contributor.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from cardbook import schema, units
from cardbook.importers.base import Reading
from cardbook.package import Package

#: Reference of a recipe → (table, key of the words in a reading).
REFERENCES = {
    "card": ("cards", "card_as_written"),
    "model": ("models", "model_as_written"),
    "quant": ("quants", "quant_as_written"),
    "engine": ("engines", "engine"),
    "kv_quant": ("kv_quants", "kv_quant_as_written"),
    "host": ("cards", "host"),
}
REQUIRED = ("card", "model", "quant", "engine")


@dataclass
class Draft:
    """A recipe document, what must still be asked (key, question), and what was left out."""

    document: dict[str, Any]
    questions: list[tuple[str, str]] = field(default_factory=list)
    lost: list[tuple[str, str]] = field(default_factory=list)

    @property
    def unplaced(self) -> list[str]:
        """Keys without which the draft cannot be placed."""
        return [key for key in REQUIRED if not self.document.get(key)]


def plain(text: str) -> str:
    """Letters and digits of a name, in lower case."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


@lru_cache(maxsize=16)
def names(package: Package, table: str) -> dict[str, str | None]:
    """Plain name → id; None where two records share it."""
    found: dict[str, str | None] = {}
    with (package.tables / f"{table}.csv").open(encoding="utf-8", newline="") as handle:
        for row in csv.DictReader(handle):
            for text in {row["id"], row.get("name") or "", row.get("repository") or "", (row.get("repository") or "").rpartition("/")[2]}:
                key = plain(text)
                if key:
                    found[key] = row["id"] if found.get(key, row["id"]) == row["id"] else None
    return found


#: Words that drivers put around the name of a card.
_AROUND = re.compile(r"^(nvidia|amd|intel|apple)\s+|\(r\)|\(tm\)", re.IGNORECASE)


def resolve(package: Package, key: str, words: str | None) -> str | None:
    """The id that the words name, or None where they name none or several."""
    if not words:
        return None
    known = names(package, REFERENCES[key][0])
    for text in (words, _AROUND.sub("", words).strip(), re.sub(r"\.gguf$", "", words)):
        if known.get(plain(text)):
            return known[plain(text)]
    if key == "quant":
        return known.get(plain("gguf-" + words)) or known.get(
            plain("gguf-" + words.replace(" - Medium", "_M").replace(" - Small", "_S").replace(" - Large", "_L"))
        )
    return None


def _written(value: Any, column: schema.Field) -> Any:
    """A value of a reading as it stands in a document."""
    if column.is_quantity:
        return units.format_quantity(value, str(column.unit), digits=None)
    if column.type == "integer":
        return int(value)
    return value


def _fill(target: dict[str, Any], values: Mapping[str, Any], table: schema.Table) -> None:
    for column in table.fields:
        if column.key not in "-#" and values.get(column.name) is not None:
            target[column.key] = _written(values[column.name], column)


def measurement_name(values: Mapping[str, Any]) -> str:
    """A name such as pp512, tg128-d4096 or serve-in512-out256-c8."""

    def count(key: str) -> str:
        value = values.get(key)
        return "" if value is None else f"{value:g}" if value < 1e6 else str(int(value))

    phase = values["phase"]
    if phase == "serve":
        parts = ["serve", *(f"{p}{count(k)}" for p, k in (("in", "prompt_tokens"), ("out", "generated_tokens")) if count(k))]
    else:
        parts = [("pp" if phase == "prefill" else "tg") + count("prompt_tokens" if phase == "prefill" else "generated_tokens")]
    if values.get("depth_tokens"):
        parts.append("d" + count("depth_tokens"))
    if (values.get("concurrency") or 1) != 1:
        parts.append("c" + count("concurrency"))
    return "-".join(parts)


def draft(package: Package, reading: Reading, given: Mapping[str, Any], raw_name: str | None) -> Draft:
    """The draft of one configuration. `given` are answers of the contributor by document key;
    they go before what the file says.

    Raises `units.UnitError` for an answer that is no quantity of its field.
    """
    tables = schema.load(package.table_schemas)
    document: dict[str, Any] = {"id": "draft", "tier": "submitted"}
    questions = list(reading.questions)
    _fill(document, {k: v for k, v in reading.recipe.items() if k not in REFERENCES}, tables["recipes"])
    document |= {"tool": reading.tool} | ({"tool_version": reading.tool_version} if reading.tool_version else {})
    for key, (_, words) in REFERENCES.items():
        text = reading.recipe.get(words)
        found = resolve(package, key, text)
        if found:
            document[key] = found
        else:
            document.pop(key, None)
            if key not in given and (text or key in REQUIRED):
                said = f"the file says {text!r}, which names no one record" if text else "the file does not say"
                questions.append((key, f"{said}: give the id (`cardbook list {REFERENCES[key][0]}`)"))
    document |= {key: value for key, value in given.items() if value is not None}
    document["measurements"] = _measurements(reading, tables["measurements"])
    if reading.kernels:
        document["kernels"] = [_listed(k.values, tables["kernels"]) for k in reading.kernels]
    if raw_name:
        document["raw_output"] = raw_name
    document = _ordered(document, tables)
    document["id"] = identity(document)
    asked: dict[str, str] = {}
    keys = {f.name: f.key for name in ("measurements", "recipes") for f in tables[name].fields}
    for name, question in questions:
        key = keys.get(name, name)
        if not document.get(key):
            asked.setdefault(key, question)
    for key in ("driver", "command", "speculation", "host_offload"):
        if key not in document:
            asked.setdefault(key, _description(tables["recipes"], key))
    if "engine_version" not in document and "engine_commit" not in document:
        asked.setdefault("engine_version", _description(tables["recipes"], "engine_version"))
    return Draft(document, list(asked.items()), list(reading.lost))


def quality_document(package: Package, readings: Iterable[Reading], given: Mapping[str, Any]) -> dict[str, Any]:
    """The quality document of what one evaluation printed; `given` names checkpoint and source.

    Figures keep the baseline that the same output states, and no other."""
    table = schema.load(package.table_schemas)["quality"]
    document: dict[str, Any] = {"id": "draft", **given}
    figures: list[dict[str, Any]] = []
    for reading in readings:
        document |= {"tool": reading.tool} | ({"tool_version": reading.tool_version} if reading.tool_version else {})
        for q in reading.quality:
            item: dict[str, Any] = {}
            for column in table.fields:
                value = q.values.get(column.name)
                if value is None or column.key in "-#":
                    continue
                if column.level == "document":
                    document.setdefault(column.key, _written(value, column))
                else:
                    item[column.key] = _written(value, column)
            figures.append(item)
    order = [f.key for f in table.fields if f.level == "document"]
    document = {k: document[k] for k in order if k in document} | {"figures": figures}
    rest = json.dumps(document, sort_keys=True, ensure_ascii=False)
    words = f"{document.get('tool', 'evaluation')}.{document.get('checkpoint', 'unknown')}"
    document["id"] = re.sub(r"[^a-z0-9._-]+", "-", f"{words}-{hashlib.sha256(rest.encode()).hexdigest()[:6]}".lower())
    return document


def _description(table: schema.Table, key: str) -> str:
    return next(f.description for f in table.fields if f.key == key)


def _listed(values: Mapping[str, Any], table: schema.Table) -> dict[str, Any]:
    item: dict[str, Any] = {}
    _fill(item, values, table)
    return item


def _measurements(reading: Reading, table: schema.Table) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    taken: dict[str, int] = {}
    for m in reading.measurements:
        name = measurement_name(m.values)
        taken[name] = taken.get(name, 0) + 1
        item: dict[str, Any] = {"name": name if taken[name] == 1 else f"{name}-{taken[name]}"}
        item.update(_listed(m.values, table))
        found.append(item)
    return found


def _ordered(document: dict[str, Any], tables: dict[str, schema.Table]) -> dict[str, Any]:
    keys = [f.key for f in tables["recipes"].fields] + ["measurements", "notes", "kernels"]
    return {k: document[k] for k in keys if k in document} | {k: v for k, v in document.items() if k not in keys}


def identity(document: Mapping[str, Any]) -> str:
    """A stable, readable id: model, quant, engine, cards, and a short hash of the rest."""
    rest = json.dumps({k: v for k, v in document.items() if k != "id"}, sort_keys=True, ensure_ascii=False)
    cards = f"{document['cards']}x" if document.get("cards", 1) != 1 else ""
    words = [str(document.get(k, "unknown")) for k in ("model", "quant", "engine")]
    text = "-".join([*words, *([cards] if cards else []), hashlib.sha256(rest.encode()).hexdigest()[:6]])
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-.")


def write(folder: Path, document: Mapping[str, Any], raw: Iterable[tuple[str, bytes]]) -> Path:
    """Write a recipe folder with its raw files, all or nothing. Returns the recipe's path.

    Raises `FileExistsError` where the folder is there already.
    """
    if folder.exists():
        raise FileExistsError(f"{folder} is there already; the same draft was written before")
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        for name, data in raw:
            (temporary / name).write_bytes(data)
        (temporary / "recipe.json").write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        temporary.chmod(0o755)
        temporary.replace(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return folder / "recipe.json"


def place(package: Package, document: Mapping[str, Any]) -> Path:
    """Where the recipe of a document belongs: in the clone, else under the working folder."""
    root = package.data / "recipes" if package.is_clone else Path.cwd() / "recipes"
    return root / str(document["card"]) / str(document["id"])
