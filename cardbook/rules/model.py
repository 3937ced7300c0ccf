"""What a rule is: a header, and SQL that selects the offending rows or a Python check.

A header is comment lines `key: value` at the top of the file (a value goes on over lines
that are indented). Keys: code, slug, severity, over, asserts, equation, worked (the equation
with the columns of `efficiency` in it), unit, message, fix.

severity
    `error` or `warning` in every tier, or `incomplete`: an undeclared field that harms no
    bound, an error in a submitted recipe (which can be completed) and a warning elsewhere.
over
    `document` (one parsed document), `measured` (rows of the relation measured, so also of a
    bulk file), `package` (the tables of a package), `files` (the package on disk).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

FAMILIES = {
    "F": "form", "U": "units", "R": "references", "W": "walls", "M": "memory", "S": "speculation",
    "O": "occupancy", "C": "consistency", "Q": "quality", "P": "provenance", "E": "evidence", "D": "duplicates",
}  # fmt: skip
KEYS = ("code", "slug", "severity", "over", "asserts", "equation", "worked", "unit", "message", "fix")
SEVERITIES = ("error", "warning", "incomplete")
OVERS = ("document", "measured", "package", "files")


class RuleError(Exception):
    """A rule file is not well formed."""


@dataclass(frozen=True)
class Rule:
    """One rule. `sql` for SQL rules; `check` loads the Python of the others."""

    code: str
    slug: str
    severity: str
    over: str
    asserts: str
    equation: str
    worked: str
    unit: str
    message: str
    fix: str
    path: Path
    sql: str | None

    def check(self) -> Callable[..., Iterator[Any]]:
        """The `check` function of a Python rule."""
        return _python(self.path)

    def severity_for(self, tier: str | None, strict: bool) -> str:
        """The severity of a finding in a row of `tier`."""
        if self.severity != "incomplete":
            return self.severity
        return "error" if strict or tier in (None, "submitted") else "warning"


@lru_cache(maxsize=64)
def _python(path: Path) -> Callable[..., Iterator[Any]]:
    namespace: dict[str, Any] = {"__name__": f"cardbook_rule_{path.stem}", "__file__": str(path)}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    check: Callable[..., Iterator[Any]] = namespace["check"]
    return check


def header(text: str, mark: str) -> tuple[dict[str, str], str]:
    """The header of a rule file and what follows it. `mark` starts a comment."""
    fields: dict[str, str] = {}
    last = None
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if not line.startswith(mark):
            return fields, "\n".join([""] * number + lines[number:])
        body = line[len(mark) :]
        found = re.match(r" (\w+): ?(.*)", body)
        if found and found.group(1) in KEYS:
            last = found.group(1)
            fields[last] = found.group(2).strip()
        elif last is not None:
            fields[last] += " " + body.strip()
    return fields, ""


def parse(path: Path) -> Rule:
    """The rule in a file. Raises `RuleError`."""
    sql = path.suffix == ".sql"
    fields, body = header(path.read_text(), "--" if sql else "#")
    for key in ("code", "slug", "severity", "over", "asserts", "message", "fix"):
        if not fields.get(key):
            raise RuleError(f"{path.name}: no {key} in the header")
    if fields["severity"] not in SEVERITIES or fields["over"] not in OVERS:
        raise RuleError(f"{path.name}: severity or over is not one of {SEVERITIES}, {OVERS}")
    if path.stem != f"{fields['code']}_{fields['slug'].replace('-', '_')}":
        raise RuleError(f"{path.name}: the name is not CODE_slug")
    return Rule(**{key: fields.get(key, "") for key in KEYS}, path=path, sql=body if sql else None)


@lru_cache(maxsize=8)
def load(folder: Path) -> tuple[Rule, ...]:
    """Every rule of a folder in order of code."""
    return tuple(parse(p) for p in sorted(folder.glob("[A-Z][0-9]*_*.*")) if p.suffix in (".sql", ".py"))


def choose(rules: tuple[Rule, ...], select: str | None, ignore: str | None) -> tuple[Rule, ...]:
    """The rules whose code begins with one of `select` (all without it) and none of `ignore`,
    both comma-separated. Raises `RuleError` for a prefix that no rule has."""

    def prefixes(text: str | None) -> tuple[str, ...]:
        wanted = tuple(p.strip().upper() for p in (text or "").split(",") if p.strip())
        for prefix in wanted:
            if not any(r.code.startswith(prefix) for r in rules):
                raise RuleError(f"no rule has a code that begins with {prefix!r}; see `cardbook rules`")
        return wanted

    chosen, dropped = prefixes(select), prefixes(ignore)
    return tuple(r for r in rules if (not chosen or r.code.startswith(chosen)) and not (dropped and r.code.startswith(dropped)))
