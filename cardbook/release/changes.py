"""A difference as people and as tools read it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict

from cardbook.release.diff import Difference

#: Changes that the text shows of one kind, action and table.
SHOWN = 20


def as_text(difference: Difference, *, markdown: bool = False, shown: int | None = SHOWN) -> str:
    """The changes, the largest first, and the version that they ask for."""
    out = []
    counts = Counter((c.level, c.kind, c.action, c.table) for c in difference.changes)
    order = sorted(counts, key=lambda k: (("major", "minor", "patch").index(k[0]), k))
    for level, kind, action, table in order:
        group = [c for c in difference.changes if (c.level, c.kind, c.action, c.table) == (level, kind, action, table)]
        head = f"{level}: {_counted(len(group), kind)} {action}" + (f" in {table}" if kind in ("id", "value", "column") else "")
        out.append(f"## {head}\n" if markdown else head)
        for change in group[:shown]:
            name = f"`{change.where}`" if markdown else change.where
            out.append(f"{'- ' if markdown else '    '}{name}{': ' + change.what if change.what else ''}")
        if shown is not None and len(group) > shown:
            out.append(f"{'- ' if markdown else '    '}and {len(group) - shown} more")
        if markdown:
            out.append("")
    if not difference.changes:
        out.append("No change.\n" if markdown else "no change")
    out.append(verdict(difference))
    return "\n".join(out) + "\n"


def _counted(number: int, kind: str) -> str:
    return f"{number} {kind}" if number == 1 else f"{number} {kind}s"


def verdict(difference: Difference) -> str:
    """One line: what the version must be at least, and whether it is."""
    said = f"{difference.old} → {difference.new}: "
    if difference.broken:
        return said + "; ".join(difference.broken)
    if not difference.changes:
        return said + "nothing asks for a new version"
    return said + f"a {difference.level} change asks for {difference.wanted} at least" + ("" if difference.covered else "; the version does not cover it")


def as_dict(difference: Difference) -> dict[str, object]:
    """The whole difference as data."""
    return {
        "old": str(difference.old),
        "new": str(difference.new),
        "level": difference.level,
        "wanted": str(difference.wanted),
        "covered": difference.covered,
        "broken": difference.broken,
        "changes": [asdict(c) for c in difference.changes],
    }


def as_json(difference: Difference) -> str:
    return json.dumps(as_dict(difference), indent=2, ensure_ascii=False) + "\n"
