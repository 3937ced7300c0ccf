"""Recipes typed in from public pages that no bulk file carries, one entry of PAGES per page.

    python scripts/transcribe/cited.py

Writes data/sources/cited-*.json, the checkpoints that no other script writes, and
data/recipes/<card>/<id>/recipe.json. Figures are as printed; what a page does not say is left out.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from cited_pages import PAGES
from common import DATA, JSON, ordered, short_hash, write

UNITS = {
    "prompt_tokens": "tokens", "generated_tokens": "tokens", "depth": "tokens", "rate": "tok/s", "rate_per_stream": "tok/s", "rate_stddev": "tok/s",
    "ttft": "s", "tpot": "s", "e2e": "s", "ttft_p50": "s", "ttft_p90": "s", "ttft_p95": "s", "ttft_p99": "s", "tpot_p50": "s", "tpot_p90": "s",
    "tpot_p95": "s", "tpot_p99": "s", "duration": "s", "requests": "requests", "mean_power": "W",
}  # fmt: skip
SHORT = {"prompt_tokens": "in", "generated_tokens": "out", "depth": "d", "concurrency": "c"}


def measurement(row: JSON) -> JSON:
    """Figures are strings as printed: the unit is joined to them, and nothing is recomputed."""
    label = row.pop("label", None)
    name = "-".join([row["phase"], *(f"{short}{row[key]}" for key, short in SHORT.items() if key in row), *([label] if label else [])])
    values = {k: f"{v} {UNITS[k]}" if k in UNITS else v for k, v in row.items()}
    return ordered({"name": name, **values}, "measurements")


def recipe(source: str, shared: JSON, entry: JSON) -> tuple[Path, JSON]:
    merged = {**shared, **entry}
    rows = [measurement(dict(row)) for row in merged.pop("rows")]
    notes = [{"severity": "info", "text": text} for text in merged.pop("notes", [])]
    merged.setdefault("cards", 1)
    merged.setdefault("parallelism", "none" if merged["cards"] == 1 else "unknown")
    ident = f"{merged['model']}-{merged['quant']}-{merged['engine']}-{short_hash([source, merged])}"
    head = ordered({"id": ident, "tier": "reported", "source": source, **merged}, "recipes")
    return DATA / "recipes" / merged["card"] / ident / "recipe.json", {**head, **({"notes": notes} if notes else {}), "measurements": rows}


def clear() -> None:
    for folder, pattern in (("recipes", "*/*/recipe.json"), ("checkpoints", "*.json"), ("sources", "cited-*.json")):
        for path in (DATA / folder).glob(pattern):
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["id" if folder == "sources" else "source"].startswith("cited-"):
                path.unlink()
                if folder == "recipes" and not any(path.parent.iterdir()):
                    path.parent.rmdir()


def main() -> None:
    clear()
    written: list[dict[str, Any]] = []
    for page in PAGES:
        source = f"cited-{page['id']}"
        write(DATA / "sources" / f"{source}.json", ordered({"id": source, **page["source"]}, "sources"))
        for checkpoint in page.get("checkpoints", []):
            write(DATA / "checkpoints" / f"{checkpoint['id']}.json", ordered({**checkpoint, "source": source}, "checkpoints"))
        for entry in page["recipes"]:
            path, document = recipe(source, page.get("shared", {}), entry)
            write(path, document)
            written.append(document)
    print(f"cited: {len(PAGES)} pages, {len(written)} recipes, {sum(len(d['measurements']) for d in written)} measurements")


if __name__ == "__main__":
    main()
