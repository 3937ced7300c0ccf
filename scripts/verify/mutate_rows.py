"""Mistakes that people make, made on real rows: how many become impossible, and are they caught?

    python scripts/verify/mutate_rows.py ../shared/rows

A mutant is impossible when its rate (or its latency) breaks a strict bound of the views; it is
caught when a rule of W, M, S or C reports an error on it. `caught of all` is the power of the
gate for that kind of mistake: a slip that leaves a row possible cannot be seen by physics.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import shared_rows
from no_false_rejection import judged

from cardbook.package import locate
from cardbook.views import database

Row = dict[str, Any]
Mutation = Callable[[Row], Row | None]


def scaled(factor: float, *keys: str) -> Mutation:
    def apply(row: Row) -> Row | None:
        changed = {k: row[k] * factor for k in keys if row.get(k) is not None}
        return {**row, **changed} if changed else None

    return apply


def swapped(by_configuration: dict[tuple[Any, ...], dict[str, Row]]) -> Mutation:
    """The prefill rate given as decode, or the other way round, of the same configuration."""

    def apply(row: Row) -> Row | None:
        pair = by_configuration.get(configuration(row), {})
        other = {"decode": "prefill", "prefill": "decode"}.get(row["phase"])
        if other is None or other not in pair or not pair[other].get("tok_s"):
            return None
        return {**row, "tok_s": pair[other]["tok_s"]}

    return apply


def configuration(row: Row) -> tuple[Any, ...]:
    same = ("card", "n_cards", "model", "quant", "checkpoint_bytes", "engine", "backend")
    return (*(row.get(k) for k in same), row["record"].partition(":")[0])


def streams(row: Row) -> Row | None:
    if (row.get("concurrency") or 1) <= 1 or not row.get("tok_s"):
        return None
    return {**row, "concurrency": 1.0}


def total(row: Row) -> Row | None:
    if row["phase"] != "serve" or not (row.get("prompt_tokens") and row.get("generated_tokens") and row.get("tok_s")):
        return None
    return {**row, "tok_s": row["tok_s"] * (row["prompt_tokens"] + row["generated_tokens"]) / row["generated_tokens"]}


def undeclared(row: Row) -> Row | None:
    if row.get("speculation") in (None, "none"):
        return None
    return {k: v for k, v in row.items() if k not in ("draft_tokens", "acceptance_rate", "accepted_per_step")} | {"speculation": None}


def fewer_cards(row: Row) -> Row | None:
    return {**row, "n_cards": 1, "parallelism": "none"} if (row.get("n_cards") or 1) > 1 else None


def cached(row: Row) -> Row | None:
    """Nine tenths of the prompt came from a cache and are counted as computed."""
    return {**row, "tok_s": row["tok_s"] * 10} if row["phase"] == "prefill" and row.get("tok_s") else None


def percent(row: Row) -> Row | None:
    return {**row, "acceptance_rate": row["acceptance_rate"] * 100} if row.get("acceptance_rate") else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--seed", type=int, default=20261201)
    args = parser.parse_args()
    package = locate()
    found, _ = shared_rows.rows(package, args.rows)
    build = package.root / "build"
    shared_rows.save(found, build / "shared_rows.jsonl")
    rows, findings = judged(package, build / "shared_rows.jsonl")
    sound = {r["record"] for r in rows if r["unbounded_for"] is None and not any(f.severity == "error" for f in findings[r["record"]])}
    honest = [r for r in found if r["record"] in sound]
    db = database.connect(package)
    # A card graded D bounds nothing, so it cannot show a wrong name.
    order = db.execute(
        "SELECT card, bandwidth_strict_bytes_s FROM card_bounds WHERE card_kind = 'gpu' AND bandwidth_strict_bytes_s IS NOT NULL ORDER BY 2, 1"
    ).fetchall()
    sizes = db.execute("SELECT model, decode_parameters FROM model_bounds WHERE decode_parameters IS NOT NULL ORDER BY 2, 1").fetchall()
    widths = db.execute("SELECT id, bits_per_parameter_min FROM quants WHERE bits_per_parameter_min IS NOT NULL AND grade <> 'D' ORDER BY 2, 1").fetchall()
    sparse = {r[0] for r in db.execute("SELECT card FROM card_peaks WHERE path = 'int8' AND grade <> 'D'").fetchall()}
    chance = random.Random(args.seed)

    def slower_card(row: Row) -> Row | None:
        rank = next((i for i, (c, _) in enumerate(order) if c == row["card"]), 0)
        return {**row, "card": order[chance.randrange(rank)][0]} if rank else None

    def other(key: str, table: list[tuple[str, float]]) -> Mutation:
        def apply(row: Row) -> Row | None:
            rank = next((i for i, (c, _) in enumerate(table) if c == row[key]), None)
            if rank is None or rank + 1 >= len(table):
                return None
            return {k: v for k, v in row.items() if k != "checkpoint_bytes"} | {key: table[chance.randrange(rank + 1, len(table))][0]}

        return apply

    def dense(row: Row) -> Row | None:
        """A prefill rate that a sparse peak would allow: twice what the card can do at its best."""
        return {**row, "tok_s": row["tok_s"] * 2} if row["phase"] == "prefill" and row["card"] in sparse and row.get("tok_s") else None

    pairs: dict[tuple[Any, ...], dict[str, Row]] = defaultdict(dict)
    for row in honest:
        best = pairs[configuration(row)].get(row["phase"])
        if row.get("tok_s") and (best is None or row["tok_s"] > best["tok_s"]):
            pairs[configuration(row)][row["phase"]] = row
    kinds: dict[str, Mutation] = {
        "tok/s × 1000 (kilo slip)": scaled(1000, "tok_s", "total_tok_s"),
        "tok/s × 8 (bit for byte)": scaled(8, "tok_s", "total_tok_s"),
        "tok/s ÷ 8 (byte for bit)": scaled(1 / 8, "tok_s", "total_tok_s"),
        "GB for GiB in the file size": scaled(10**9 / 2**30, "checkpoint_bytes"),
        "GB for GiB in the peak memory": scaled(2**30 / 10**9, "peak_memory_bytes"),
        "prefill and decode swapped": swapped(pairs),
        "batch total as one stream's": streams,
        "input + output as output": total,
        "a slower card's name": slower_card,
        "a larger model's name": other("model", sizes),
        "a wider quant's name": other("quant", widths),
        "speculation undeclared": undeclared,
        "cards undercounted": fewer_cards,
        "cached prompt as computed": cached,
        "sparse peak taken for dense": dense,
        "percent for ratio": percent,
        "ms for s": scaled(1 / 1000, "ttft_s", "tpot_s", "e2e_s"),
    }
    print(f"{len(honest)} sound rows\n{'mistake':34}{'applied':>8}{'impossible':>11}{'caught':>8}{'missed':>8}{'caught of all':>15}")
    missed: list[str] = []
    for name, mutation in kinds.items():
        mutants = [m for m in (mutation(row) for row in honest) if m is not None]
        applied, impossible, caught, lost = verdict(package, mutants, build / "mutants.jsonl")
        missed += [f"{name}: {r}" for r in lost]
        print(f"{name:34}{applied:>8}{impossible:>11}{caught:>8}{len(lost):>8}{caught / max(applied, 1):>15.1%}")
    for line in missed[:50]:
        print(line)


def verdict(package: Any, mutants: list[Row], path: Path) -> tuple[int, int, int, list[str]]:
    """(applied, impossible, caught, impossible and missed)"""
    if not mutants:
        return 0, 0, 0, []
    path.write_text("".join(json.dumps({k: v for k, v in m.items() if v is not None}) + "\n" for m in mutants))
    _, findings = judged(package, path)
    caught = {record for record, group in findings.items() if any(f.severity == "error" for f in group)}
    impossible = broken(package, path)
    counts = Counter(caught=len(caught), impossible=len(impossible))
    return len(mutants), counts["impossible"], counts["caught"], sorted(impossible - caught)


def broken(package: Any, path: Path) -> set[str]:
    """Records that break a strict bound: read off the walls, not off the rules."""
    from cardbook.views import bulk

    db = database.empty()
    database.load_tables(db, package)
    bulk.create(db, package, path)
    database.create_views(db, package, skip=frozenset({"measured"}))
    return {
        r[0]
        for r in db.execute(
            """
            SELECT record FROM walls
            WHERE rate_tok_s > 1.03 * wall_tok_s OR tpot_s * 1.03 < tpot_limit_s
                OR (cached_prompt_tokens IS NOT NULL AND ttft_s * 1.03 < ttft_limit_s)
                OR acceptance_rate > 1 OR peak_memory_bytes > n_cards * card_memory_bytes
            """
        ).fetchall()
    }


if __name__ == "__main__":
    main()
