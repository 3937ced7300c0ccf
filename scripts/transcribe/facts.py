"""Write the reference documents (cards, models, quants, …) from the facts folder and from what was added to it by hand.

    python scripts/transcribe/facts.py FACTS

Rewrites data/{cards,models,quants,kv_quants,links,sm_limits,engines} and the sources they cite, byte for byte.
`facts_amended.py` holds what the facts lack or have wrong, each with its own source.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import facts_amended as amended
from common import DATA, JSON, ordered, write
from facts_cards import card
from facts_engines import ENGINES, engine
from facts_hosts import host
from facts_models import consistent, model
from facts_quants import DYNAMIC, dynamic, kv_quant, link, quant, sm_limit
from facts_sources import Registry

#: folder → (table, key of the nested list, table of the nested list)
FOLDERS = {
    "cards": ("cards", "peaks", "card_peaks"),
    "models": ("models", "attention_groups", "attention_groups"),
    "quants": ("quants", "paths", "quant_paths"),
    "kv_quants": ("kv_quants", None, None),
    "links": ("links", None, None),
    "sm_limits": ("sm_limits", None, None),
    "engines": ("engines", None, None),
}


def rows(facts: Path, name: str) -> list[JSON]:
    with (facts / f"{name}.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def shaped(document: JSON, folder: str) -> JSON:
    """The document in the order of its schema, without nulls."""
    table, nested, child = FOLDERS[folder]
    listed = document.pop(nested, None) if nested else None
    out = ordered(document, table)
    if nested and listed:
        out[nested] = [ordered(entry, str(child)) for entry in listed]
    return out


def collect(facts: Path) -> tuple[dict[str, dict[str, JSON]], Registry]:
    registry = Registry()
    unsourced = registry.add(amended.UNSOURCED)
    found: dict[str, dict[str, JSON]] = {folder: {} for folder in FOLDERS}

    def put(folder: str, document: JSON) -> None:
        if document["id"] in found[folder]:
            raise ValueError(f"{folder} has {document['id']} twice")
        found[folder][document["id"]] = document

    limits = {row["arch"] for row in rows(facts, "sm_limits")}
    for row in rows(facts, "sm_limits"):
        put("sm_limits", sm_limit(row, registry))
    for row in rows(facts, "cards"):
        put("cards", card(row, registry, limits, unsourced))
    for row in rows(facts, "cpus"):
        put("cards", host(row, registry, set(found["cards"]), unsourced))
    for row in rows(facts, "models"):
        put("models", model(row, registry, unsourced))
    quants = rows(facts, "quants")
    block_bits = {r["name"].removeprefix("GGUF tensor type "): float(r["effective_bpw_block"]) for r in quants if r["slug"].startswith("gguf-type-")}
    for row in quants:
        put("quants", quant(row, registry, unsourced, block_bits))
    for mix in DYNAMIC:
        put("quants", dynamic(mix, registry))
    for row in rows(facts, "kv_quants"):
        put("kv_quants", kv_quant(row, registry, unsourced))
    for row in rows(facts, "links"):
        put("links", link(row, registry, unsourced))
    for entry in ENGINES:
        put("engines", engine(entry, registry))
    amended.apply(found, put, registry)
    for document in found["models"].values():
        if not document.get("hypothetical"):
            consistent(document)
    return found, registry


def cited(document: Any) -> set[str]:
    """Every source that a document names."""
    if isinstance(document, dict):
        own = {v for k, v in document.items() if (k == "source" or k.endswith("_source")) and isinstance(v, str)}
        return own.union(*(cited(v) for v in document.values())) if document else own
    if isinstance(document, list):
        return set().union(*(cited(v) for v in document))
    return set()


def cited_elsewhere() -> set[str]:
    out: set[str] = set()
    for folder in ("recipes", "checkpoints", "quality", "claims"):
        for path in (DATA / folder).rglob("*.json"):
            out |= cited(json.loads(path.read_text(encoding="utf-8")))
    return out


def publish(found: dict[str, dict[str, JSON]], registry: Registry) -> Counter[str]:
    """Write what is new or changed, remove what this script wrote once and writes no more."""
    counts: Counter[str] = Counter()
    wanted: set[str] = set()
    for folder, documents in found.items():
        for ident, document in sorted(documents.items()):
            wanted |= cited(document)
            write(DATA / folder / f"{ident}.json", shaped(document, folder))
            counts[folder] += 1
        for path in (DATA / folder).glob("*.json"):
            if path.stem not in documents:
                path.unlink()
    kept = cited_elsewhere()
    missing = wanted - set(registry.documents) - {p.stem for p in (DATA / "sources").glob("*.json")}
    if missing:
        raise ValueError(f"sources without a document: {sorted(missing)}")
    for ident in sorted(wanted & set(registry.documents)):
        write(DATA / "sources" / f"{ident}.json", ordered(registry.documents[ident], "sources"))
        counts["sources"] += 1
    for path in (DATA / "sources").glob("*.json"):
        if path.stem not in wanted | kept and not path.name.startswith("rows-"):
            path.unlink()
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("facts", type=Path, help="folder with cards.csv, cpus.csv, models.csv, …")
    args = parser.parse_args()
    found, registry = collect(args.facts)
    for name, count in sorted(publish(found, registry).items()):
        print(f"{name}: {count}")


if __name__ == "__main__":
    main()
