"""Mistakes made in the SQL of views and rules: how many change a unit, and does the checker see it?

    python scripts/mutate_sql_units.py [--sample SHARE] [--seed N] [--needless]

Every view and SQL rule is mutated, one place at a time: a column for one of another unit of the
same table, a factor dropped, numerator and denominator swapped, + to *, * to /, a division
removed, a constant written as a bare number. Whether a mutant changes the dimension of the
expression it stands in is decided by computing it (scaling_oracle.py), independently of the
checker; whether it is caught, by `cardbook.unitcheck` with the units that the project declares.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sqlglot
from scaling_oracle import Oracle, Powers, Relations, Undecided
from sqlglot import exp

from cardbook import units
from cardbook.package import Package, locate
from cardbook.rules import model
from cardbook.unitcheck import Column, check_sql, infer
from cardbook.views import catalog
from cardbook.views.units import columns

Node = Any
Tables = Mapping[str, Mapping[str, Column]]


@dataclass
class Source:
    """One SQL text and the units that its outputs are declared in."""

    file: str
    sql: str
    declared: dict[str, str | None] | None
    partial: bool
    introduces: bool = False


@dataclass
class Mutant:
    kind: str
    file: str
    line: int
    before: str
    after: str
    changes: bool | None
    caught: bool


def sources(package: Package) -> list[Source]:
    """Views with their schemas; rules with the unit of their header for `actual` and, where it
    is a number, `bound`, and every other column with the unit that its name has in the package,
    as messages print it."""
    by_name, tables = catalog.units_by_column(package), columns(package)
    found = [
        Source(f"views/{v.path.name}", v.sql, {f.name: f.unit for f in catalog.view_fields(package)[v.name]}, False, v.name == "constants")
        for v in catalog.views(package.views)
    ]
    for rule in model.load(package.validators):
        if rule.sql is not None:
            own: dict[str, str | None] = {"ratio": "1"}
            if rule.unit:
                kinds = infer(rule.sql, tables)
                own |= {name: rule.unit for name in ("actual", "bound") if kinds.get(name)}
            found.append(Source(f"validators/{rule.path.name}", rule.sql, {**by_name, **own}, True))
    return found


def powers_of(column: Column) -> Powers:
    return {n: float(e) for n, e in units.resolve(column.unit).powers} if column.unit is not None else None


@dataclass
class Place:
    """One expression of a SELECT and the relations it sees."""

    node: Node
    relations: Relations


class Walk:
    """Finds the places of a query, and the powers of the columns of its inner queries as they
    are before any mutation."""

    def __init__(self, tables: Tables, oracle: Oracle) -> None:
        self.tables = {t: {n: powers_of(c) for n, c in cs.items()} for t, cs in tables.items()}
        self.oracle = oracle
        self.common: dict[str, dict[str, Powers]] = {}
        self.places: list[Place] = []

    def query(self, node: Node) -> dict[str, Powers]:
        clause = node.args.get("with_")
        for cte in clause.expressions if clause is not None else ():
            self.common[cte.alias] = self.query(cte.this)
        if isinstance(node, exp.SetOperation):
            left, right = self.query(node.this), self.query(node.expression)
            return {n: p if p is not None else other for (n, p), other in zip(left.items(), right.values(), strict=True)}
        if isinstance(node, exp.Subquery):
            return self.query(node.this)
        return self.select(node)

    def select(self, node: Node) -> dict[str, Powers]:
        relations = Relations()
        first = node.args.get("from_")
        joins = node.args.get("joins") or ()
        for source in ([first.this] if first is not None else []) + [j.this for j in joins]:
            found = self.query(source.this) if isinstance(source, exp.Subquery) else self.common.get(source.name) or self.tables[source.name]
            relations.by_alias[source.alias_or_name] = dict(found)
        columns: dict[str, Powers] = {}
        for item in node.expressions:
            if isinstance(item, exp.Star) or (isinstance(item, exp.Column) and isinstance(item.this, exp.Star)):
                for alias, relation in relations.by_alias.items():
                    if not item.text("table") or alias == item.text("table"):
                        columns |= {n: p for n, p in relation.items() if n not in columns}
                continue
            self.places.append(Place(item, relations))
            columns.setdefault(item.alias_or_name, self.oracle.verdict(item, relations)[1])
        clauses = [node.args[k].this for k in ("where", "having", "qualify") if node.args.get(k) is not None]
        clauses += [j.args["on"] for j in joins if j.args.get("on") is not None]
        clauses += node.args["group"].expressions if node.args.get("group") is not None else []
        self.places += [Place(c, relations) for c in clauses]
        return columns


#: A mutation gives replacements of a node.
Mutation = Callable[[Node, Place, random.Random], Iterator[Node]]


def swap_column(node: Node, place: Place, rng: random.Random) -> Iterator[Node]:
    if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
        own = place.relations.find(node)
        table = place.relations.by_alias.get(node.table) or next(t for t in place.relations.by_alias.values() if node.name in t)
        if own is not None:
            by_unit: dict[tuple[tuple[str, float], ...], list[str]] = {}
            for name, powers in table.items():
                if powers is not None and powers != own:
                    by_unit.setdefault(tuple(sorted(powers.items())), []).append(name)
            for unit in rng.sample(sorted(by_unit), min(2, len(by_unit))):
                new = node.copy()
                new.set("this", exp.to_identifier(rng.choice(by_unit[unit])))
                yield new


def drop_factor(node: Node, place: Place, rng: random.Random) -> Iterator[Node]:
    if isinstance(node, exp.Mul):
        yield node.this.copy()
        yield node.expression.copy()


def swap_sides(node: Node, place: Place, rng: random.Random) -> Iterator[Node]:
    if isinstance(node, exp.Div):
        yield exp.Div(this=exp.Paren(this=node.expression.copy()), expression=exp.Paren(this=node.this.copy()))


def times_for_plus(node: Node, place: Place, rng: random.Random) -> Iterator[Node]:
    if isinstance(node, exp.Add | exp.Sub):
        yield exp.Mul(this=exp.Paren(this=node.this.copy()), expression=exp.Paren(this=node.expression.copy()))


def plus_for_times(node: Node, place: Place, rng: random.Random) -> Iterator[Node]:
    if isinstance(node, exp.Mul | exp.Div):
        yield exp.Paren(this=exp.Add(this=node.this.copy(), expression=node.expression.copy()))


def over_for_times(node: Node, place: Place, rng: random.Random) -> Iterator[Node]:
    if isinstance(node, exp.Mul):
        yield exp.Div(this=exp.Paren(this=node.this.copy()), expression=exp.Paren(this=node.expression.copy()))


def remove_division(node: Node, place: Place, rng: random.Random) -> Iterator[Node]:
    if isinstance(node, exp.Div):
        yield node.this.copy()


def bare_constant(node: Node, place: Place, rng: random.Random) -> Iterator[Node]:
    if isinstance(node, exp.Column) and "bits_per_byte" in place.relations.by_alias.get(node.table, {}) and place.relations.find(node) is not None:
        yield exp.Literal.number("8")


MUTATIONS: dict[str, Mutation] = {
    "column of another unit": swap_column,
    "factor dropped": drop_factor,
    "sides of a quotient swapped": swap_sides,
    "+ or - to *": times_for_plus,
    "* or / to +": plus_for_times,
    "* to /": over_for_times,
    "division removed": remove_division,
    "constant as a bare number": bare_constant,
}


def mutants(source: Source, tables: Tables, oracle: Oracle, rng: random.Random, sample: float = 1.0) -> Iterator[Mutant]:
    """Every mutant of one source, judged by the oracle and by the checker."""
    tree = sqlglot.parse_one(source.sql, read="duckdb")
    walk = Walk(tables, oracle)
    walk.query(tree)
    for place in walk.places:
        right, value = oracle.verdict(place.node, place.relations)
        if not right:
            raise SystemExit(f"{source.file}: the oracle says that {place.node.sql('duckdb')} is not right as it stands")
        inside = [n for n in place.node.walk(prune=lambda n: isinstance(n, exp.Query)) if not isinstance(n, exp.Query)]
        for node in inside:
            for kind, mutation in MUTATIONS.items():
                for new in mutation(node, place, rng):
                    if rng.random() >= sample:
                        continue
                    yield judge(source, tree, tables, oracle, place, node, new, kind, value)


def judge(source: Source, tree: Node, tables: Tables, oracle: Oracle, place: Place, node: Node, new: Node, kind: str, value: Any) -> Mutant:
    before = place.node.sql("duckdb")
    line = next((n.meta["line"] for n in place.node.walk() if "line" in n.meta), 1)
    # A place may be the node itself; its copy stands in the tree while the mutant is judged.
    whole = place.node is node
    if whole and isinstance(node, exp.Column):
        new = exp.alias_(new, node.name)
    node.replace(new)
    mutated = new if whole else place.node
    after, sql = mutated.sql("duckdb"), tree.sql("duckdb")
    try:
        still, powers = oracle.verdict(mutated, place.relations)
        changes: bool | None = not still or powers != value
    except Undecided:
        changes = None
    new.replace(node)
    checked = check_sql(sql, tables, source.declared, source.file, source.introduces, source.partial)
    return Mutant(kind, source.file, line, before, after, changes, bool(checked.problems))


def table(found: list[Mutant]) -> str:
    """The mutation table: kind, mutants, those that change the dimension, caught, percent."""
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in MUTATIONS}
    for mutant in found:
        counts[mutant.kind]["mutants"] += 1
        counts[mutant.kind]["undecided"] += mutant.changes is None
        counts[mutant.kind]["changing"] += bool(mutant.changes)
        counts[mutant.kind]["caught"] += bool(mutant.changes) and mutant.caught
        counts[mutant.kind]["needless"] += mutant.changes is False and mutant.caught
    total: Counter[str] = sum(counts.values(), Counter())
    lines = ["| mutation | mutants | change the dimension | caught | % | refused though the dimension is kept | undecided |", "|---|---|---|---|---|---|---|"]
    for kind, c in [*counts.items(), ("all", total)]:
        share = f"{100 * c['caught'] / c['changing']:.1f}" if c["changing"] else "–"
        lines.append(f"| {kind} | {c['mutants']} | {c['changing']} | {c['caught']} | {share} | {c['needless']} | {c['undecided']} |")
    return "\n".join(lines)


def run(package: Package, seed: int, sample: float, only: Callable[[str], bool] | None = None) -> list[Mutant]:
    """Every mutant of every source whose file `only` takes."""
    tables = columns(package)
    bases = sorted({b for cs in tables.values() for c in cs.values() for b in powers_of(c) or ()})
    found = []
    for source in sources(package):
        if only is not None and not only(source.file):
            continue
        rng = random.Random(f"{seed} {source.file}")
        before = check_sql(source.sql, tables, source.declared, source.file, source.introduces, source.partial)
        for problem in before.problems:
            print(f"{problem.file}:{problem.line}: not clean before any mutation: {problem.found}, wanted {problem.wanted}", file=sys.stderr)
        if not before.problems:
            found += list(mutants(source, tables, Oracle(bases, seed), rng, sample))
            print(f"{source.file}: {len(found)} mutants so far", file=sys.stderr)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=float, default=1.0, help="share of the mutants to make")
    parser.add_argument("--needless", action="store_true", help="also list mutants that are refused though they keep the dimension")
    arguments = parser.parse_args()
    found = run(locate(), arguments.seed, arguments.sample)
    print(table(found))
    for mutant in found:
        if mutant.changes and not mutant.caught:
            print(f"missed: {mutant.file}:{mutant.line} ({mutant.kind})\n    {mutant.before}\n    {mutant.after}")
        if arguments.needless and mutant.changes is False and mutant.caught:
            print(f"needless: {mutant.file}:{mutant.line} ({mutant.kind})\n    {mutant.before}\n    {mutant.after}")
    changing = sum(bool(m.changes) for m in found)
    caught = sum(bool(m.changes) and m.caught for m in found)
    return 0 if caught >= 0.98 * changing else 1


if __name__ == "__main__":
    sys.exit(main())
