"""What the cross-checks share: documents as numbers, differences, and the list of those that were settled."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardbook import schema, units

ROOT = Path(__file__).resolve().parents[2]
EXCEPTIONS = ROOT / "data" / "exceptions" / "crosscheck.json"

JSON = dict[str, Any]


@dataclass(frozen=True)
class Difference:
    """One figure that two places give differently. `key` names it in data/exceptions/crosscheck.json."""

    key: str
    ours: Any
    theirs: Any
    where: str

    def __str__(self) -> str:
        return f"{self.key}: {self.ours} here, {self.theirs} in {self.where}"


def documents(folder: str, table: str) -> dict[str, JSON]:
    """Documents by id, quantities in base units under the keys that people write."""
    fields = {f.key: f for f in schema.load(ROOT / "schemas" / "tables")[table].fields}
    out = {}
    for path in sorted((ROOT / "data" / folder).glob("*.json")):
        raw = json.loads(path.read_text(encoding="utf-8"))
        out[raw["id"]] = {
            key: units.parse_quantity(value, fields[key].unit) if isinstance(value, str) and key in fields and fields[key].unit else value
            for key, value in raw.items()
        }  # fmt: skip
    return out


def differs(ours: float | None, theirs: float | None, tolerance: float) -> bool:
    """True where both are known and further apart than the tolerance (relative)."""
    return ours is not None and theirs is not None and abs(float(ours) - float(theirs)) > tolerance * max(abs(float(ours)), abs(float(theirs)))


def settle(name: str, found: list[Difference], compared: int) -> int:
    """Print what is new; fail on that and on an exception of this check that no longer fires."""
    listed = json.loads(EXCEPTIONS.read_text(encoding="utf-8"))["exceptions"]
    reasons = {e["key"]: e["reason"] for e in listed if e["key"].startswith(f"{name}/")}
    fired = {d.key for d in found}
    new = [d for d in found if d.key not in reasons]
    idle = sorted(set(reasons) - fired)
    for difference in new:
        print(difference)
    for key in idle:
        print(f"{key}: listed in {EXCEPTIONS.relative_to(ROOT)} and no longer different: remove it")
    print(f"{name}: {compared} figures compared, {len(found)} differ, {len(found) - len(new)} of them settled with a reason", file=sys.stderr)
    return 1 if new or idle else 0


def parser(description: str | None) -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=(description or "").split("\n")[0])
    made.add_argument("--list", action="store_true", help="print every difference, also the settled ones")
    return made


def finish(name: str, found: list[Difference], compared: int, everything: bool) -> None:
    if everything:
        for difference in found:
            print(difference)
    raise SystemExit(settle(name, found, compared))
