"""What the rules say about every published row that resolves: rows, bounded, unbounded and why,
rejected, warned, and how the fraction of the strict wall is spread, per source.

    python scripts/verify/no_false_rejection.py ../shared/rows [--list]
"""

from __future__ import annotations

import argparse
import statistics
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import shared_rows

from cardbook.package import locate
from cardbook.rules import model, run
from cardbook.views import bulk, database


def judged(package: Any, path: Path) -> tuple[list[dict[str, Any]], dict[str, list[Any]]]:
    """(rows of efficiency, findings by record) of a bulk file under W, M and S."""
    db = database.empty()
    database.load_tables(db, package)
    bulk.create(db, package, path)
    database.create_views(db, package, skip=frozenset({"measured"}), materialize={"efficiency": None})
    rules = [r for r in model.load(package.validators) if r.over == "measured" and r.code[0] in "WMSCR" and r.sql]
    findings: dict[str, list[Any]] = defaultdict(list)
    for f in run.over_rows(rules, db, run.Context(package), lambda record, column: (None, None, column)):
        findings[str(f.record)].append(f)
    cursor = db.execute("SELECT record, phase, fraction_of_wall, unbounded_for, card, model, quant FROM efficiency")
    names = [d[0] for d in cursor.description]
    return [dict(zip(names, values, strict=True)) for values in cursor.fetchall()], findings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--list", action="store_true", help="print every rejected row with its message")
    args = parser.parse_args()
    package = locate()
    found, counts = shared_rows.rows(package, args.rows)
    path = package.root / "build" / "shared_rows.jsonl"
    shared_rows.save(found, path)
    rows, findings = judged(package, path)
    by_source: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_source[row["record"].partition(":")[0]].append(row)
    columns = ("rows", 7), ("resolved", 9), ("bounded", 8), ("rejected", 9), ("of them doubted", 16), ("warned", 7)
    head = f"{'source':20}" + "".join(f"{name:>{width}}" for name, width in columns)
    head += "  fraction of the strict wall: median, 0.9, max (not rejected)"
    print(head)
    reasons: Counter[str] = Counter()
    for source, group in by_source.items():
        errors = [r for r in group if any(f.severity == "error" for f in findings[r["record"]])]
        warned = [r for r in group if r not in errors and any(f.severity == "warning" and f.code != "W901" for f in findings[r["record"]])]
        kept = sorted(r["fraction_of_wall"] for r in group if r["fraction_of_wall"] is not None and r not in errors)
        spread = f"{statistics.median(kept):.2f} {kept[int(len(kept) * 0.9)]:.2f} {kept[-1]:.3f}" if kept else "-"
        doubted = sum("|" in r["record"] for r in errors)
        bounded = sum(r["unbounded_for"] is None for r in group)
        reasons.update(r["unbounded_for"] for r in group if r["unbounded_for"])
        print(f"{source:20}{counts[source]['rows']:>7}{len(group):>9}{bounded:>8}{len(errors):>9}{doubted:>16}{len(warned):>7}  {spread}")
    resolved = len(rows)
    unbounded = sum(reasons.values())
    print(f"\nresolved {resolved}, unbounded {unbounded} ({unbounded / max(resolved, 1):.1%}): " + ", ".join(f"{k} {v}" for k, v in reasons.most_common()))
    by_code: Counter[str] = Counter(f.code for group in findings.values() for f in group if f.severity == "error")
    print("rejected by rule: " + ", ".join(f"{k} {v}" for k, v in by_code.most_common()))
    if args.list:
        for record in sorted(findings):
            for f in findings[record]:
                if f.severity == "error":
                    print(f"{f.code} {f.message}")


if __name__ == "__main__":
    main()
