"""Whether an SQL expression is dimensionally right, found out by computing it.

This shares nothing with `cardbook.unitcheck`. An expression is right when its value scales as a
power of every base unit: the columns get random values, DuckDB computes the expression, then
every column is multiplied by p**(its exponent of one base unit) and DuckDB computes it again.
log(ratio)/log(p) is the exponent of the result; where two draws give different exponents, the
expression adds what cannot be added. Both sides of a comparison have to scale alike.

Branches are computed one by one (every branch of CASE, COALESCE, GREATEST, LEAST at least once,
but zeros and NULLs), aggregates and roundings as their argument, a difference as a sum so that
nothing cancels.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
from sqlglot import exp

Node = Any
#: Exponent by base unit of a numeric column; None for text and truth values.
Powers = Mapping[str, float] | None

_ARGUMENT = (
    exp.Paren,
    exp.Cast,
    exp.TryCast,
    exp.Alias,
    exp.Window,
    exp.Filter,
    exp.Ordered,
    exp.Round,
    exp.Floor,
    exp.Ceil,
    exp.Sum,
    exp.Avg,
    exp.Max,
    exp.Min,
)
_ARGUMENT += (exp.Median, exp.Stddev, exp.StddevSamp, exp.StddevPop, exp.Quantile, exp.PercentileCont, exp.AnyValue, exp.First, exp.Last, exp.Distinct)
_CHOICES = (exp.Coalesce, exp.Greatest, exp.Least)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
_COMPUTED = (exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Pow, exp.Neg, exp.Abs, exp.Sqrt, exp.Ln, exp.Exp)


class Undecided(Exception):
    """The oracle does not know an expression."""


@dataclass
class Relations:
    """The relations of one SELECT: alias → column → powers."""

    by_alias: dict[str, dict[str, Powers]] = field(default_factory=dict)

    def find(self, column: Node) -> Powers:
        tables = [self.by_alias[column.table]] if column.table in self.by_alias else list(self.by_alias.values()) if not column.table else []
        for table in tables:
            if column.name in table:
                return table[column.name]
        raise Undecided(f"column {column.sql()}")


def is_number(node: Node, relations: Relations) -> bool:
    """True for an expression that computes a number."""
    if isinstance(node, exp.Column):
        return not isinstance(node.this, exp.Star) and relations.find(node) is not None
    if isinstance(node, exp.Literal):
        return not node.is_string
    if isinstance(node, (exp.Count, *_COMPUTED)):
        return True
    if isinstance(node, exp.Case):
        return any(is_number(b.args["true"], relations) for b in node.args["ifs"]) or (
            node.args.get("default") is not None and is_number(node.args["default"], relations)
        )
    if isinstance(node, (*_CHOICES, exp.Nullif)):
        return any(is_number(p, relations) for p in [node.this, *node.expressions])
    if isinstance(node, _ARGUMENT):
        inner = node.expressions[0] if isinstance(node, exp.Distinct) else node.this
        if isinstance(node, exp.Cast) and node.to.this.name not in ("DOUBLE", "BIGINT", "INT", "FLOAT", "DECIMAL"):
            return False
        return is_number(inner, relations)
    return False


def _nothing(node: Node) -> bool:
    while isinstance(node, exp.Paren | exp.Cast):
        node = node.this
    return isinstance(node, exp.Null) or (isinstance(node, exp.Literal) and not node.is_string and float(node.this) == 0)


def branches(node: Node, relations: Relations) -> list[Node]:
    """Expressions without branches that together take every branch of `node`."""
    if isinstance(node, exp.Column | exp.Literal):
        return [node.copy()]
    if isinstance(node, exp.Count):
        return [exp.Literal.number("1.7")]
    if isinstance(node, exp.Case):
        parts = [b.args["true"] for b in node.args["ifs"]] + ([node.args["default"]] if node.args.get("default") is not None else [])
        return _some(parts, relations)
    if isinstance(node, _CHOICES):
        return _some([node.this, *node.expressions], relations)
    if isinstance(node, exp.Nullif):
        return branches(node.this, relations)
    if isinstance(node, _ARGUMENT):
        return branches(node.expressions[0] if isinstance(node, exp.Distinct) else node.this, relations)
    if isinstance(node, exp.Neg | exp.Abs):
        return branches(node.this, relations)
    if isinstance(node, _COMPUTED):
        keys = [k for k in ("this", "expression") if node.args.get(k) is not None]
        each = [branches(node.args[k], relations) for k in keys]
        made = []
        for index in range(max(map(len, each))):
            kind = exp.Add if isinstance(node, exp.Sub) else type(node)
            made.append(kind(**{k: exp.Paren(this=options[min(index, len(options) - 1)].copy()) for k, options in zip(keys, each, strict=True)}))
        return made
    raise Undecided(type(node).__name__)


def _some(parts: Sequence[Node], relations: Relations) -> list[Node]:
    real = [p for p in parts if not _nothing(p)]
    return [b for p in real for b in branches(p, relations)] or [exp.Literal.number("0")]


def compared(node: Node, relations: Relations) -> list[tuple[Node, Node]]:
    """Pairs of numbers inside `node` that are compared with each other."""
    pairs: list[tuple[Node, Node]] = []
    for part in node.walk(prune=lambda n: isinstance(n, exp.Query) and n is not node):
        if isinstance(part, exp.Query) and part is not node:
            continue
        if isinstance(part, (_COMPARISONS, exp.Nullif)):
            pairs.append((part.this, part.expression))
        elif isinstance(part, exp.Between):
            pairs += [(part.this, part.args["low"]), (part.this, part.args["high"])]
        elif isinstance(part, exp.In):
            pairs += [(part.this, e) for e in part.expressions]
        elif isinstance(part, exp.Case) and part.args.get("this") is not None:
            pairs += [(part.this, b.this) for b in part.args["ifs"]]
    return [(a, b) for a, b in pairs if is_number(a, relations) and is_number(b, relations) and not _nothing(a) and not _nothing(b)]


class Oracle:
    """Computes expressions in DuckDB. `bases` are the base units that are scaled."""

    def __init__(self, bases: Sequence[str], seed: int = 1) -> None:
        self.db = duckdb.connect()
        self.bases = list(bases)
        self.random = random.Random(seed)

    def powers(self, expressions: list[Node], relations: Relations) -> list[dict[str, float] | None]:
        """Exponent by base unit of each expression; None where it does not scale as a power."""
        columns: dict[str, Powers] = {}
        texts = []
        for expression in expressions:
            copy = exp.Paren(this=expression.copy())
            for column in list(copy.find_all(exp.Column)):
                key = f"{column.table}.{column.name}"
                columns[key] = relations.find(column)
                column.replace(exp.column(key, quoted=True))
            texts.append(copy.sql("duckdb"))
        used = sorted({b for p in columns.values() for b in p or ()})
        factor = 1.37
        rows: list[list[float]] = []
        for _ in range(2):
            values = {key: self.random.uniform(1.1, 1.9) for key in columns}
            for base in (None, *used):
                rows.append([v * factor ** (columns[k] or {}).get(base, 0) if base else v for k, v in values.items()])
        head = ", ".join(f'"{k}"' for k in columns) or "nothing"
        body = ", ".join("(" + ", ".join(f"{v!r}::DOUBLE" for v in row or [0.0]) + ")" for row in rows)
        # A sum of a column and an exponential stays finite: the values are small on purpose.
        table = self.db.execute(f"SELECT {', '.join(texts)} FROM (VALUES {body}) AS v({head})").fetchall()
        return [self._exponents([row[i] for row in table], used, factor) for i in range(len(expressions))]

    def _exponents(self, values: list[Any], used: list[str], factor: float) -> dict[str, float] | None:
        width = len(used) + 1
        draws = []
        for start in (0, width):
            plain = values[start]
            found = {}
            for offset, base in enumerate(used, 1):
                scaled = values[start + offset]
                if not plain or not scaled or scaled / plain <= 0:
                    return None if plain or scaled else {}
                found[base] = math.log(scaled / plain) / math.log(factor)
            draws.append(found)
        first, second = draws
        for base in used:
            near = round(first[base] * 12) / 12
            if abs(first[base] - near) > 1e-6 or abs(second[base] - near) > 1e-6:
                return None
        return {b: round(e * 12) / 12 for b, e in first.items() if abs(e) > 1e-6}

    def verdict(self, node: Node, relations: Relations) -> tuple[bool, dict[str, float] | None]:
        """Whether `node` is dimensionally right, and the powers of its value (None of text)."""
        pairs = [(b, c) for one, other in compared(node, relations) for b in branches(one, relations) for c in branches(other, relations)]
        numbers = branches(node, relations) if is_number(node, relations) else []
        sums = list(_arguments(node, relations))
        groups = [branches(part, relations) for part in sums]
        flat = [*numbers, *(e for pair in pairs for e in pair), *(e for group in groups for e in group)]
        if not flat:
            return True, None
        found = self.powers(flat, relations)
        right = all(p is not None for p in found)
        value = found[0] if numbers else None
        right = right and all(p == value for p in found[: len(numbers)])
        at = len(numbers)
        for _ in pairs:
            right = right and found[at] == found[at + 1]
            at += 2
        for group in groups:
            right = right and all(p == found[at] for p in found[at : at + len(group)])
            at += len(group)
        return right, value


def _arguments(node: Node, relations: Relations) -> list[Node]:
    """Numbers inside an expression that is no number itself, such as those of CONCAT or a
    condition, each of which has to be right on its own."""
    outer = []
    for part in node.walk(prune=lambda n: isinstance(n, exp.Query) and n is not node):
        if isinstance(part, _COMPUTED + _CHOICES + (exp.Case,)) and is_number(part, relations):
            outer.append(part)
    return outer
