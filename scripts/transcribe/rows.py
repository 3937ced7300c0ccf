"""Transcribe shared/rows, and the tables read by hand in extra/, into recipes, checkpoints and sources.

    python scripts/transcribe/rows.py ROWS [--only FILE,…] [--waiting OUT.jsonl] [--summary OUT.json]

Rewrites data/recipes, the checkpoints that only rows name, and data/sources/rows-*.json byte for byte.
Run quality.py first: a recipe goes in when its checkpoint has a quality figure or is the native release.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import names
from common import DATA, JSON, known, ordered, quantity, read_rows, short_hash, slug, write
from quality import RELATIVE
from shape import Skip, name_of
from sources import HANDLERS, Plan

MARK = "Written by scripts/transcribe/rows.py"
MAX_NOTE = 900


def source_document(stem: str, title: str, row: JSON, urls: set[str]) -> JSON:
    """One document per repository revision and, where all rows come from one file, its path."""
    url = row["source_url"]
    repo = re.match(r"https://github\.com/([^/]+/[^/]+)/?(.*)", url)
    revision = row["source_ref"]
    path = None
    if repo and len(urls) == 1:
        found = re.match(r"(?:blob|tree)/[^/]+/(.+)", repo.group(2))
        path = found.group(1) if found else None
    thread = repo is not None and repo.group(2).startswith(("issues/", "pull/", "discussions/"))
    revision = revision if revision and re.fullmatch(r"[0-9a-f]{40}", revision) else None
    return ordered(
        {
            "id": source_id(stem, row, urls),
            "title": title,
            "kind": "issue-thread" if thread else "repository" if repo else "web-page",
            "url": url if len(urls) == 1 else f"https://github.com/{repo.group(1)}" if repo else url,
            "repository": repo.group(1) if repo else None,
            "path": path,
            "revision": revision,
            "note": MARK + ("" if path or thread else "; each recipe says the file"),
        },
        "sources",
    )


def source_id(stem: str, row: JSON, urls: set[str]) -> str:
    ref = row["source_ref"]
    tail = ref[:7] if ref and re.fullmatch(r"[0-9a-f]{40}", ref) else None
    url = row["source_url"]
    thread = re.search(r"/(issues|pull|discussions)/(\d+)", url)
    if thread:
        tail = f"{thread.group(1).rstrip('s')}-{thread.group(2)}"
        repo = url.split("github.com/")[-1].split("/")[1]
        return slug(f"rows-{stem}-{repo}-{tail}") if stem not in ("ik-llama-threads",) else slug(f"rows-{stem}-{tail}")
    if len(urls) == 1:
        stem = f"{stem}-{slug(url.rsplit('/', 1)[-1].rsplit('.', 1)[0])}"
    return slug(f"rows-{stem}-{tail}" if tail else f"rows-{stem}")


def group_urls(rows: list[JSON]) -> dict[str, set[str]]:
    """Per row key of a source: the set of addresses that one source document covers."""
    by_ref: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        by_ref[f"{row['source']}|{row['source_ref']}"].add(row["source_url"])
    return by_ref


def urls_of(row: JSON, groups: dict[str, set[str]]) -> set[str]:
    many = groups[f"{row['source']}|{row['source_ref']}"]
    if "/issues/" in row["source_url"] or "/pull/" in row["source_url"] or "/discussions/" in row["source_url"]:
        return {row["source_url"]}
    return many if len(many) > 6 else {row["source_url"]}


def checkpoint_id(model: str, quant: str, found: JSON) -> str:
    """One checkpoint per model, quant and file or repository as the row names it."""
    base = f"{model}.{quant}"
    if quant in ("exl2", "exl3"):
        bits = re.search(r"(\d+(?:\.\d+)?) ?bpw", str(found.get("name") or ""))
        tail = slug(str(found.get("name") or "")) if not bits else f"{bits.group(1)}bpw"
        rest = re.search(r"bpw-([a-z0-9-]+)$", str(found.get("name") or "").lower())
        return slug_dots(f"{base}.{tail}" + (f"-{rest.group(1)}" if rest else ""))
    if found.get("label"):
        return slug_dots(f"{base}.{found['label']}")
    if found.get("repository"):
        return slug_dots(f"{base}.{slug(found['repository'].split('/')[0])}")
    if found.get("tensor_size"):
        return f"{base}.{found['tensor_size'] // 10**6}mb"
    return base


#: Sources that print one run in several places: a README's revisions, a benchmark under two accuracy targets.
PRINTED_TWICE = frozenset({"mlperf", "exllama", "club3090"})


def first_print(planned: list[Any], stem: str, excluded: Counter[tuple[str, str]]) -> list[Any]:
    """The rows without those whose card, model, shape and figures were there before.

    MLPerf lists one run under the 99 % and the 99.9 % target: the stricter one stays.
    """
    ranked = sorted(planned, key=lambda rp: "99.9" not in (rp[0]["model_as_written"] or "")) if stem == "mlperf" else planned
    seen: set[str] = set()
    kept = []
    for row, plan in ranked:
        config, m = plan.config, plan.measurement
        same = [config[k] for k in ("card", "cards", "model", "quant", "engine")]
        same += [m.get(k) for k in ("phase", "prompt_tokens", "depth", "concurrency", "rate", "rate_per_stream", "total_rate", "ttft")]
        same += [plan.checkpoint.get("name") if stem == "exllama" else None, (plan.where or "").split(" (")[0] if stem == "mlperf" else None]
        same += [(plan.suffix or "").split("llama")[0] if stem == "mlperf" else None]
        key = json.dumps(same)
        if key in seen:
            excluded[(stem, "the same figures printed twice by the source")] += 1
            continue
        seen.add(key)
        kept.append((row, plan))
    return kept


def known_sizes(plans: list[Plan]) -> dict[tuple[str, str, str], JSON]:
    """Tensor bytes by model, quant and file, where the rows of a source agree on one value."""
    found: dict[tuple[str, str, str], dict[int, JSON]] = defaultdict(dict)
    for plan in plans:
        facts = plan.checkpoint
        if facts.get("file") and facts.get("tensor_size"):
            key = (plan.config["model"], plan.config["quant"], stem_of(facts["file"]))
            found[key][facts["tensor_size"]] = facts
    return {key: next(iter(sizes.values())) for key, sizes in found.items() if len(sizes) == 1}


def stem_of(file: str) -> str:
    return re.sub(r"(-00001-of-\d+)?\.gguf$", "", file).lower()


def slug_dots(text: str) -> str:
    return re.sub(r"[^a-z0-9._-]+", "-", text.lower()).strip("-.")


class Evidence:
    """Which (model, quant) pairs have a quality figure, from data/quality and data/checkpoints."""

    def __init__(self) -> None:
        checkpoints = {p.stem: json.loads(p.read_text()) for p in (DATA / "checkpoints").glob("*.json")}
        self.pairs: set[tuple[str, str]] = set()
        for path in (DATA / "quality").glob("*/*.json"):
            document = json.loads(path.read_text())
            cited = checkpoints.get(document["checkpoint"])
            if cited and self.says_the_cost(document, cited):
                self.pairs.add((cited["model"], cited["quant"]))

    @staticmethod
    def says_the_cost(document: JSON, checkpoint: JSON) -> bool:
        """True where a figure compares the weights with a baseline, not a cache format with another."""
        mine = f"{checkpoint['model']}.{checkpoint['quant']}"
        return any((f["metric"] in RELATIVE or "baseline" in f) and not str(f.get("baseline_checkpoint", "")).startswith(mine) for f in document["figures"])

    def has(self, model: str, quant: str) -> bool:
        return names.native(model, quant) or (model, quant) in self.pairs


def dedupe(measurements: list[tuple[str, JSON, list[str]]], dropped: Counter[str]) -> list[tuple[str, JSON, list[str]]]:
    """Equal rows once; equal names numbered in the order of the source."""
    seen: set[str] = set()
    used: Counter[str] = Counter()
    out = []
    for name, m, notes in measurements:
        key = json.dumps(m, sort_keys=True) + name
        if key in seen:
            dropped["the same row twice"] += 1
            continue
        seen.add(key)
        used[name] += 1
        out.append((name if used[name] == 1 else f"{name}-r{used[name]}", m, notes))
    return out


def recipe(key: JSON, plans: list[Plan], source: str, where: str | None, checkpoint: str, dropped: Counter[str]) -> JSON:
    rows = dedupe([(name_of(p.measurement, p.suffix), p.measurement, p.notes) for p in plans], dropped)
    shared = set.intersection(*(set(n) for _, _, n in rows)) if rows else set()
    ordered_shared = [n for n in rows[0][2] if n in shared]
    notes = [{"severity": "caution" if n.startswith("odd") else "info", "text": n[:MAX_NOTE]} for n in ordered_shared]
    if key.get("_kv_note"):
        notes.append({"severity": "info", "text": key["_kv_note"]})
    measurements = []
    for name, m, own in rows:
        rest = [n for n in own if n not in shared]
        measurements.append(ordered({**m, "name": name, "note": "; ".join(rest)[:MAX_NOTE] or None}, "measurements"))
    config = {k: v for k, v in key.items() if not k.startswith("_")}
    tool = key.get("tool")
    said = where
    if tool in ("llama-bench", "llama-batched-bench", "llama-sweep-bench"):
        text = f"{tool} cannot speculate, so speculation is none by construction of the tool"
        said = f"{where}; {text}" if where else text
    digest = short_hash({k: v for k, v in key.items()} | {"checkpoint": checkpoint, "source": source})
    split = {"tensor": "tp", "layer": "layer", "pipeline": "pp", "data": "dp", "expert": "ep"}.get(key["parallelism"] or "", "")
    cards = f"{split}{key['cards']}" if key["cards"] > 1 else ""
    ident = "-".join(x for x in (key["model"], re.sub(r"^gguf-", "", key["quant"]), key["engine"], cards, digest) if x)
    document = ordered(
        {**config, "id": ident, "tier": "reported", "checkpoint": checkpoint, "source": source, "source_note": said or None},
        "recipes",
    )
    if notes:
        document["notes"] = notes
    document["measurements"] = measurements
    return document


def checkpoint_document(ident: str, model: str, quant: str, facts: list[JSON], source: str) -> JSON:
    first = {k: next((f[k] for f in facts if f.get(k)), None) for k in ("tensor_size", "as_printed", "repository", "file", "name")}
    native = names.native(model, quant)
    notes = []
    if first["as_printed"]:
        notes.append(f"tensor bytes as printed: {first['as_printed']}")
    if native and quant in names.NATIVE_16:
        notes.append("16-bit weights of a 16-bit release (a GGUF or other container of them is a lossless conversion): its own baseline")
    elif native:
        notes.append("The format in which the model was released: its own baseline")
    return ordered(
        {
            "id": ident,
            "model": model,
            "quant": quant,
            "name": first["name"],
            "repository": first["repository"],
            "file": first["file"],
            "tensor_size": quantity(first["tensor_size"], "byte"),
            "native": True if native else None,
            "source": source,
            "note": "; ".join(notes) or None,
        },
        "checkpoints",
    )


def clear() -> None:
    """Remove what an earlier run wrote, so that nothing stale stays."""
    for folder in sorted((DATA / "recipes").glob("*/*")):
        text = (folder / "recipe.json").read_text() if (folder / "recipe.json").exists() else ""
        if '"source": "rows-' in text:
            shutil.rmtree(folder)
    for path in [*(DATA / "sources").glob("rows-*.json"), *(DATA / "checkpoints").glob("*.json")]:
        text = path.read_text()
        mine = '"source": "rows-' in text and '"source": "rows-quality-' not in text
        if mine or (path.name.startswith("rows-") and MARK in text):
            path.unlink()


def transcribe(folder: Path, only: set[str] | None, waiting_out: Path | None) -> JSON:
    clear()
    evidence = Evidence()
    excluded: Counter[tuple[str, str]] = Counter()
    waiting: list[JSON] = []
    written: dict[str, Counter[str]] = defaultdict(Counter)
    recipes: dict[str, JSON] = {}
    checkpoints: dict[str, list[Any]] = {}
    documents: dict[str, JSON] = {}
    # A record that the package does not have bounds nothing; the rows come in once it is there.
    reference = {
        key: known(folder) for key, folder in (("card", "cards"), ("model", "models"), ("quant", "quants"), ("engine", "engines"), ("kv_quant", "kv_quants"))
    }
    exceptions = json.loads((Path(__file__).parent / "exceptions.json").read_text())
    for stem, (handler, source_stem, title) in HANDLERS.items():
        if only and stem not in only:
            continue
        own = Path(__file__).parent / "extra" / f"{stem}.jsonl"
        rows = read_rows(own if own.exists() else folder / f"{stem}.jsonl")
        groups = group_urls(rows)
        grouped: dict[str, list[Any]] = {}
        planned = []
        for row in rows:
            try:
                planned.append((row, handler(row)))
            except Skip as reason:
                excluded[(stem, str(reason))] += 1
        if stem in PRINTED_TWICE:
            planned = first_print(planned, stem, excluded)
        sizes = known_sizes([p for _, p in planned])
        for row, plan in planned:
            facts = plan.checkpoint
            if facts.get("file") and not facts.get("tensor_size"):
                same = sizes.get((plan.config["model"], plan.config["quant"], stem_of(facts["file"])))
                if same:
                    facts |= {k: same.get(k) for k in ("tensor_size", "as_printed")}
            model, quant = plan.config["model"], plan.config["quant"]
            absent = next((key for key, ids in reference.items() if plan.config[key] is not None and plan.config[key] not in ids), None)
            if absent is not None:
                excluded[(stem, f"{absent} {plan.config[absent]} has no document yet")] += 1
                continue
            urls = urls_of(row, groups)
            source = source_id(source_stem, row, urls)
            if not evidence.has(model, quant):
                waiting.append(
                    {
                        "source": stem,
                        "card": plan.config["card"],
                        "model": model,
                        "quant": quant,
                        "engine": plan.config["engine"],
                        "reason": "no quality figure",
                    }
                )
                continue
            ident = checkpoint_id(model, quant, plan.checkpoint)
            key = plan.config | {"_where": plan.where, "_source": source, "_checkpoint": ident}
            text = json.dumps(key, sort_keys=True)
            entry = grouped.setdefault(text, [key, [], row, urls])
            entry[1].append(plan)
        for key, plans, row, urls in grouped.values():
            ident, source = key["_checkpoint"], key["_source"]
            document = recipe({k: v for k, v in key.items() if k not in ("_source", "_checkpoint")}, plans, source, key["_where"], ident, Counter())
            kept = []
            for m in document["measurements"]:
                why = exceptions.get(f"{document['id']}/{m['name']}") or exceptions.get(document["id"])
                if why:
                    excluded[(stem, why)] += 1
                else:
                    kept.append(m)
            if not kept:
                continue
            document["measurements"] = kept
            if document["id"] in recipes:
                raise SystemExit(f"two recipes are called {document['id']}")
            recipes[document["id"]] = document
            documents[source] = source_document(source_stem, title, row, urls)
            entry = checkpoints.setdefault(ident, [key["model"], key["quant"], [], source])
            entry[2].extend(p.checkpoint for p in plans)
            written[stem]["recipes"] += 1
            written[stem]["measurements"] += len(kept)
    for ident, document in sorted(recipes.items()):
        write(DATA / "recipes" / document["card"] / ident / "recipe.json", document)
    for ident, (model, quant, facts, source) in sorted(checkpoints.items()):
        path = DATA / "checkpoints" / f"{ident}.json"
        if not path.exists():
            write(path, checkpoint_document(ident, model, quant, facts, source))
    for ident, document in sorted(documents.items()):
        write(DATA / "sources" / f"{ident}.json", document)
    if waiting_out:
        waiting_out.parent.mkdir(parents=True, exist_ok=True)
        waiting_out.write_text("".join(json.dumps(w, sort_keys=True) + "\n" for w in waiting))
    return report(recipes, written, excluded, waiting)


def report(recipes: dict[str, JSON], written: dict[str, Counter[str]], excluded: Counter[tuple[str, str]], waiting: list[JSON]) -> JSON:
    def distinct(key: str) -> list[str]:
        return sorted({d[key] for d in recipes.values()})

    pairs = Counter((w["model"], w["quant"]) for w in waiting)
    by_reason: Counter[str] = Counter()
    for (_, why), count in excluded.items():
        by_reason[why] += count
    return {
        "recipes": len(recipes),
        "measurements": sum(len(d["measurements"]) for d in recipes.values()),
        "cards": distinct("card"),
        "models": distinct("model"),
        "quants": distinct("quant"),
        "engines": distinct("engine"),
        "by_source": {k: dict(v) for k, v in written.items()},
        "excluded": dict(by_reason.most_common()),
        "excluded_by_source": {f"{s}: {w}": n for (s, w), n in excluded.most_common()},
        "waiting": {f"{m} {q}": n for (m, q), n in pairs.most_common()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rows", type=Path, help="folder of *.jsonl")
    parser.add_argument("--only", help="rows files, comma-separated, without suffix")
    parser.add_argument("--waiting", type=Path, help="write the waiting rows here (JSON Lines)")
    parser.add_argument("--summary", type=Path, help="write the counts here (JSON)")
    args = parser.parse_args()
    only = set(args.only.split(",")) if args.only else None
    summary = transcribe(args.rows, only, args.waiting)
    text = json.dumps(summary, indent=1, ensure_ascii=False)
    if args.summary:
        args.summary.parent.mkdir(parents=True, exist_ok=True)
        args.summary.write_text(text + "\n")
    for key in ("recipes", "measurements"):
        print(f"{key}: {summary[key]}")
    for key in ("cards", "models", "quants", "engines"):
        print(f"{key}: {len(summary[key])}")
    for key in ("by_source", "excluded", "waiting"):
        print(f"\n{key}")
        for name, count in list(summary[key].items())[:60]:
            print(f"  {count}  {name}")


if __name__ == "__main__":
    main()
