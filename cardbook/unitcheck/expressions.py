"""The kind of a scalar expression, and the problems on the way to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from cardbook.unitcheck import functions as known
from cardbook.unitcheck.kinds import NULL, OPAQUE, PLAIN, TEXT, TIME, TRUTH, UNKNOWN, Kind, describe, literal, merge, plain, product, raised, unit_name
from cardbook.unitcheck.problems import Reporter

if TYPE_CHECKING:
    from cardbook.unitcheck.queries import Scope

Node = Any  # sqlglot's expressions; the library is imported where a query is parsed

_FROM_CONSTANTS = "a constant with its unit, from the view constants"


class Expressions:
    """Evaluates expressions of one query. `subquery` evaluates a nested SELECT to the kinds of
    its columns."""

    def __init__(self, report: Reporter, subquery: Callable[[Node, Scope], list[Kind]]) -> None:
        self.report = report
        self.subquery = subquery

    def kind(self, node: Node, scope: Scope) -> Kind:
        """The kind of `node`; `UNKNOWN` after a problem."""
        name = type(node).__name__
        method = _METHODS.get(name)
        if method is not None:
            return method(self, node, scope)
        if name in _FUNCTIONS:
            return self.function(name, node, scope)
        what = f"{node.name}()" if name in ("Anonymous", "AnonymousAggFunc") else name
        return self.problem(node, what, "an expression whose unit is known", f"the checker does not know {what}, and takes nothing for granted")

    def problem(self, node: Node, found: str, wanted: str, message: str) -> Kind:
        self.report.add(node, found, wanted, message)
        return UNKNOWN

    def all(self, nodes: list[Node], scope: Scope) -> list[Kind]:
        return [self.kind(n, scope) for n in nodes if n is not None]

    def truth(self, node: Node, scope: Scope) -> Kind:
        """A condition; a problem where it is none."""
        kind = self.kind(node, scope)
        if kind.tag not in ("truth", "null", "unknown"):
            return self.problem(node, describe(kind), "a truth value", "this is no condition")
        return TRUTH

    def number(self, node: Node, scope: Scope) -> Kind:
        """A number, NULL or unknown; a problem where it is something else."""
        kind = self.kind(node, scope)
        if kind.tag not in ("number", "null", "unknown"):
            return self.problem(node, describe(kind), "a number with a unit", "this is no quantity")
        return kind

    def plain_number(self, node: Node, scope: Scope) -> Kind:
        kind = self.number(node, scope)
        if kind.tag == "number" and kind.unit:
            return self.problem(node, unit_name(kind.unit), "1", "only a plain number can stand here")
        return kind

    def merged(self, parts: list[tuple[Node, Kind]], message: str) -> Kind:
        """The one kind of several expressions; a problem at the first that differs."""
        result, shown = NULL, None
        for node, kind in parts:
            both = merge(result, kind)
            if both is None:
                return self.problem(node, describe(kind), describe(result), message if shown is None else f"{message}: {shown}")
            if shown is None and kind.tag not in ("null", "unknown"):
                shown = f"{_short(node)} is {describe(kind)}"
            result = both
        return result

    def column(self, node: Node, scope: Scope) -> Kind:
        if type(node.this).__name__ == "Star":
            return PLAIN
        found = scope.column(node.name, node.text("table"))
        if isinstance(found, str):
            return self.problem(node, found, "a column of the tables named", found)
        return found

    def literal(self, node: Node, scope: Scope) -> Kind:
        return TEXT if node.is_string else literal(Fraction(node.this))

    def negative(self, node: Node, scope: Scope) -> Kind:
        kind = self.number(node.this, scope)
        return replace(kind, value=-kind.value) if kind.value is not None else kind

    def through(self, node: Node, scope: Scope) -> Kind:
        return self.kind(node.this, scope)

    def sum(self, node: Node, scope: Scope) -> Kind:
        left, right = self.number(node.this, scope), self.number(node.expression, scope)
        result = self._sum(node, left, right)
        name = type(node).__name__
        if not result.unit and left.value is not None and right.value is not None and name != "Mod":
            return literal(left.value - right.value if name == "Sub" else left.value + right.value)
        if result.tag == "number":
            # `1 - a` is arithmetic; only a column that was scaled before stays scaled.
            scaled = (left.factor and left.value is None) or (right.factor and right.value is None)
            return Kind("number", result.unit, None, scaled)
        return result

    def _sum(self, node: Node, left: Kind, right: Kind) -> Kind:
        if "unknown" in (left.tag, right.tag):
            return right if left.tag == "unknown" else left
        both = merge(left, right)
        if both is None:
            sign = {"Add": "+", "Sub": "-", "Mod": "%"}[type(node).__name__]
            return self.problem(
                node, f"{describe(left)} {sign} {describe(right)}", "two equal units", f"{describe(left)} and {describe(right)} cannot be added or compared"
            )
        return both

    def scale(self, node: Node, scope: Scope) -> Kind:
        """A product or quotient."""
        left, right = self.number(node.this, scope), self.number(node.expression, scope)
        divide = type(node).__name__ != "Mul"
        if "unknown" in (left.tag, right.tag):
            return UNKNOWN
        for one, other in ((left, right), (right, left)):
            if one.tag == "number" and one.unit and other.factor:
                bare = describe(other) if other.value is not None else "a bare number"
                self.problem(node, f"{unit_name(one.unit)} {'/' if divide else '*'} {bare}", _FROM_CONSTANTS, "a bare number scales a quantity")
                return UNKNOWN
        if "null" in (left.tag, right.tag):
            return NULL
        value = None
        if left.value is not None and right.value is not None and not (divide and right.value == 0):
            value = left.value / right.value if divide else left.value * right.value
        unit = product(left.unit, right.unit, -1 if divide else 1)
        if value is not None and not unit:
            return literal(value)
        return Kind("number", unit, None, (left.factor or right.factor) and not unit)

    def power(self, node: Node, scope: Scope) -> Kind:
        base, exponent = self.number(node.this, scope), self.plain_number(node.expression, scope)
        if "unknown" in (base.tag, exponent.tag):
            return UNKNOWN
        if "null" in (base.tag, exponent.tag):
            return NULL
        if not base.unit:
            return Kind("number", 0, None, base.factor)
        if exponent.value is None:
            return self.problem(
                node, f"{unit_name(base.unit)} to a power that varies", "a literal power, or a plain number", "the unit of the result is not known"
            )
        return self._root(node, base, exponent.value)

    def root(self, node: Node, scope: Scope) -> Kind:
        kind = self.number(node.this, scope)
        return self._root(node, plain(kind), Fraction(1, 2)) if kind.tag == "number" else kind

    def square(self, node: Node, scope: Scope) -> Kind:
        kind = self.number(node.this, scope)
        return self._root(node, plain(kind), Fraction(2)) if kind.tag == "number" else kind

    def _root(self, node: Node, base: Kind, power: Fraction) -> Kind:
        unit = raised(base.unit, power)
        if unit is None:
            return self.problem(node, f"{unit_name(base.unit)} to the {power}", "a unit with an exact root", "the unit of the result is not known")
        return Kind("number", unit, None, base.factor)

    def comparison(self, node: Node, scope: Scope) -> Kind:
        left, right = self.kind(node.this, scope), self.kind(node.expression, scope)
        self.comparable(node, left, right)
        return TRUTH

    def comparable(self, node: Node, left: Kind, right: Kind) -> None:
        if OPAQUE in (left, right) and {left.tag, right.tag} <= {"opaque", "number", "null"} and not left.unit and not right.unit:
            return
        if merge(left, right) is None:
            self.problem(node, describe(left), describe(right), f"{describe(left)} is compared with {describe(right)}")

    def between(self, node: Node, scope: Scope) -> Kind:
        this = self.kind(node.this, scope)
        for side in ("low", "high"):
            self.comparable(node, this, self.kind(node.args[side], scope))
        return TRUTH

    def within(self, node: Node, scope: Scope) -> Kind:
        this = self.kind(node.this, scope)
        query = node.args.get("query")
        if query is not None:
            kinds = self.subquery(query, scope)
            if len(kinds) != 1:
                return self.problem(node, f"{len(kinds)} columns", "one column", "IN takes a query of one column")
            self.comparable(node, this, kinds[0])
        elif node.args.get("unnest") is not None or node.args.get("field") is not None:
            return self.problem(node, "IN over a list", "IN over values or a query", "the checker does not know lists")
        for item in node.expressions:
            self.comparable(node, this, self.kind(item, scope))
        return TRUTH

    def truths(self, node: Node, scope: Scope) -> Kind:
        for part in node.iter_expressions():
            self.truth(part, scope)
        return TRUTH

    def case(self, node: Node, scope: Scope) -> Kind:
        subject = node.args.get("this")
        tested = self.kind(subject, scope) if subject is not None else None
        branches = []
        for branch in node.args["ifs"]:
            if tested is None:
                self.truth(branch.this, scope)
            else:
                self.comparable(branch, tested, self.kind(branch.this, scope))
            branches.append((branch.args["true"], self.kind(branch.args["true"], scope)))
        default = node.args.get("default")
        if default is not None:
            branches.append((default, self.kind(default, scope)))
        return self.merged(branches, "the branches have different units")

    def iff(self, node: Node, scope: Scope) -> Kind:
        self.truth(node.this, scope)
        parts = [node.args["true"], node.args.get("false")]
        return self.merged([(p, self.kind(p, scope)) for p in parts if p is not None], "the branches have different units")

    def alternatives(self, node: Node, scope: Scope) -> Kind:
        """COALESCE, GREATEST, LEAST, NULLIF and the like: all arguments are of one kind."""
        parts = [node.this, *node.expressions]
        if type(node).__name__ == "Nullif":
            this, other = self.kind(node.this, scope), self.kind(node.expression, scope)
            self.comparable(node, this, other)
            return plain(this)
        return self.merged([(p, self.kind(p, scope)) for p in parts if p is not None], "the arguments have different units")

    def cast(self, node: Node, scope: Scope) -> Kind:
        kind = self.kind(node.this, scope)
        wanted = node.args["to"].this
        target = str(getattr(wanted, "value", wanted))
        if target in known.NUMERIC_TYPES:
            if kind.tag == "truth":
                return PLAIN
            if kind.tag in ("text", "time", "opaque"):
                return self.problem(node, describe(kind), "a number with a unit", "a number made of this has no unit")
            return kind
        if target in known.TEXT_TYPES:
            return TEXT
        if target in known.TIME_TYPES and kind.tag in ("text", "time", "null", "unknown"):
            return TIME
        if target == "BOOLEAN" and kind.tag in ("text", "truth", "null", "unknown"):
            return TRUTH
        return self.problem(node, f"CAST to {target}", "a number, text, date or boolean type", "the checker does not know what this makes of a unit")

    def star(self, node: Node, scope: Scope) -> Kind:
        return PLAIN

    def interval(self, node: Node, scope: Scope) -> Kind:
        return TIME

    def scalar_query(self, node: Node, scope: Scope) -> Kind:
        kinds = self.subquery(node, scope)
        if len(kinds) != 1:
            return self.problem(node, f"{len(kinds)} columns", "one column", "a query that stands for a value has one column")
        return plain(kinds[0])

    def exists(self, node: Node, scope: Scope) -> Kind:
        self.subquery(node.this, scope)
        return TRUTH

    def window(self, node: Node, scope: Scope) -> Kind:
        self.all(list(node.args.get("partition_by") or ()), scope)
        order = node.args.get("order")
        if order is not None:
            self.all([o.this for o in order.expressions], scope)
        return self.kind(node.this, scope)

    def shifted(self, node: Node, scope: Scope) -> Kind:
        """LAG and LEAD, whose default is of the column's kind."""
        offset, default = node.args.get("offset"), node.args.get("default")
        if offset is not None:
            self.plain_number(offset, scope)
        parts = [(p, self.kind(p, scope)) for p in (node.this, default) if p is not None]
        return self.merged(parts, "the default has another unit")

    def filtered(self, node: Node, scope: Scope) -> Kind:
        self.truth(node.expression.this, scope)
        return self.kind(node.this, scope)

    def within_group(self, node: Node, scope: Scope) -> Kind:
        """PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x): the unit of x."""
        self.plain_number(node.this.this, scope)
        ordered = node.expression.expressions
        return plain(self.number(ordered[0].this, scope)) if len(ordered) == 1 else UNKNOWN

    def distinct(self, node: Node, scope: Scope) -> Kind:
        kinds = self.all(node.expressions, scope)
        return kinds[0] if len(kinds) == 1 else PLAIN

    def length(self, node: Node, scope: Scope) -> Kind:
        self.kind(node.this, scope)
        return Kind("number", 0, None, True)

    def sign(self, node: Node, scope: Scope) -> Kind:
        self.number(node.this, scope)
        return PLAIN

    def test(self, node: Node, scope: Scope) -> Kind:
        """IS NULL, IS TRUE, IS FALSE."""
        kind = self.kind(node.this, scope)
        if type(node.expression).__name__ == "Boolean" and kind.tag not in ("truth", "null", "unknown"):
            return self.problem(node, describe(kind), "a truth value", "only a truth value is true or false")
        return TRUTH

    def function(self, name: str, node: Node, scope: Scope) -> Kind:
        """A function of the tables in `functions`."""
        if name in known.COUNTED:
            self.all([p for p in node.iter_expressions() if type(p).__name__ != "Star"], scope)
            return PLAIN
        if name in known.TEXT_TO_TEXT or name in known.TEXT_TO_TRUTH:
            self.all([p for p in node.iter_expressions() if type(p).__name__ not in ("Order", "Var")], scope)
            return TEXT if name in known.TEXT_TO_TEXT else TRUTH
        if name in known.CLOCK:
            return TIME
        if name in known.KEEP_ANY:
            extra = node.args.get("expression")
            if extra is not None:
                self.kind(extra, scope)
            return plain(self.kind(node.this, scope))
        if name in known.PLAIN_TO_PLAIN:
            kinds = [self.plain_number(p, scope) for p in node.iter_expressions()]
            return Kind("number", 0, None, any(k.factor for k in kinds)) if kinds and all(k.tag == "number" for k in kinds) else PLAIN
        for part in node.iter_expressions():
            if part is not node.this:
                self.plain_number(part, scope)
        return plain(self.number(node.this, scope))


def _short(node: Node) -> str:
    text = str(node.sql("duckdb"))
    return text if len(text) <= 40 else text[:37] + "..."


_FUNCTIONS = (
    known.KEEP_ANY | known.KEEP_NUMBER | known.KEEP_WITH_PLAIN | known.PLAIN_TO_PLAIN | known.COUNTED | known.TEXT_TO_TEXT | known.TEXT_TO_TRUTH | known.CLOCK
)

_METHODS: dict[str, Callable[[Expressions, Node, Scope], Kind]] = {
    "Column": Expressions.column,
    "Literal": Expressions.literal,
    "Neg": Expressions.negative,
    "Paren": Expressions.through,
    "Alias": Expressions.through,
    "IgnoreNulls": Expressions.through,
    "RespectNulls": Expressions.through,
    "Ordered": Expressions.through,
    "Add": Expressions.sum,
    "Sub": Expressions.sum,
    "Mod": Expressions.sum,
    "Mul": Expressions.scale,
    "Div": Expressions.scale,
    "IntDiv": Expressions.scale,
    "Pow": Expressions.power,
    "Sqrt": Expressions.root,
    "Variance": Expressions.square,
    "VariancePop": Expressions.square,
    "Between": Expressions.between,
    "In": Expressions.within,
    "Is": Expressions.test,
    "Case": Expressions.case,
    "If": Expressions.iff,
    "Coalesce": Expressions.alternatives,
    "Greatest": Expressions.alternatives,
    "Least": Expressions.alternatives,
    "Nullif": Expressions.alternatives,
    "Cast": Expressions.cast,
    "TryCast": Expressions.cast,
    "Star": Expressions.star,
    "Interval": Expressions.interval,
    "Subquery": Expressions.scalar_query,
    "Exists": Expressions.exists,
    "Window": Expressions.window,
    "Lag": Expressions.shifted,
    "Lead": Expressions.shifted,
    "Filter": Expressions.filtered,
    "WithinGroup": Expressions.within_group,
    "Distinct": Expressions.distinct,
    "Length": Expressions.length,
    "Sign": Expressions.sign,
    "Boolean": lambda self, node, scope: TRUTH,
    "Null": lambda self, node, scope: NULL,
    **dict.fromkeys(known.COMPARISONS, Expressions.comparison),
    **dict.fromkeys(known.TRUTH_TO_TRUTH, Expressions.truths),
}
