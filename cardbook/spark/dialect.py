"""DuckDB SQL → Spark SQL that gives the same values.

sqlglot translates the grammar. What both engines accept and answer differently is rewritten
here, one function a difference, each with a test in tests/test_spark.py:

division        by zero is infinite or NaN in DuckDB, NULL or an error in Spark; and decimals
                divide as decimals in Spark, as doubles in DuckDB
literals        1.5 is a decimal in Spark whose products keep few digits: it becomes a double
casts           to whole numbers round half away from zero or to even in DuckDB (decimal, double),
                Spark cuts off; all values here are doubles
text            a double cast to text is printed otherwise: refused
ceil, floor     give a double in DuckDB, a BIGINT in Spark, which ends at 2⁶³
logarithms      of zero are −∞ and of negative numbers NaN in DuckDB, NULL in Spark; `log` has
                base 10 in DuckDB, e in Spark
integer //      cuts off in both; Spark's operator takes whole numbers only
CONCAT          passes over NULL in DuckDB, is NULL in Spark
order           NULL comes last in DuckDB whichever way, first in Spark going up
percentiles     quantile_cont, median: Spark's exact `percentile`, never the approximate one

The same in both, and tested to stay so: GREATEST and LEAST pass over NULL and take NaN for the
largest, POWER of a negative number is NaN, IS NOT DISTINCT FROM, IS NOT TRUE, NaN = NaN.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlglot import exp

WHOLE = ("BIGINT", "INT", "SMALLINT", "TINYINT")


class NotTranslated(ValueError):
    """A construct that has no equal in Spark; the message names it."""


def translate(sql: str) -> str:
    """Spark SQL for one DuckDB SELECT. Raises `NotTranslated`."""
    import sqlglot
    from sqlglot import exp

    tree: Any = sqlglot.parse_one(sql, read="duckdb")
    # Operands before what they stand in, so that a rewritten operand is copied rewritten.
    for node in reversed(list(tree.walk())):
        rewritten = _rewrite(node, exp)
        if rewritten is not None:
            if node is tree:
                tree = rewritten
            else:
                node.replace(rewritten)
    return str(tree.sql(dialect="spark", unsupported_level=sqlglot.ErrorLevel.RAISE, comments=False))


def _rewrite(node: exp.Expression, exp: Any) -> Any:
    """The node that takes the place of `node`; None where both engines agree."""
    if isinstance(node, exp.IntDiv):
        return exp.IntDiv(this=_whole(node.this.copy(), exp), expression=_whole(node.expression.copy(), exp))
    if isinstance(node, exp.Div):
        return _divide(node.this, node.expression, exp)
    if isinstance(node, exp.Literal) and not node.is_string and any(mark in node.this for mark in ".eE"):
        return _double(node.copy(), exp)
    if isinstance(node, exp.TryCast):
        raise NotTranslated("TRY_CAST")
    if isinstance(node, exp.Cast):
        return _cast(node, exp)
    if isinstance(node, exp.Ceil | exp.Floor):
        if node.args.get("decimals"):
            raise NotTranslated(f"{node.key} to a number of decimals")
        return _to_whole(type(node), _double(node.this.copy(), exp), exp)
    if isinstance(node, exp.Ln | exp.Log):
        return _logarithm(node, exp)
    if isinstance(node, exp.Concat):
        parts = [_text(part, exp) for part in node.expressions]
        return exp.Anonymous(this="CONCAT_WS", expressions=[exp.Literal.string(""), *parts])
    if isinstance(node, exp.Ordered) and node.args.get("nulls_first") is None:
        return exp.Ordered(this=node.this.copy(), desc=node.args.get("desc"), nulls_first=False)
    if isinstance(node, exp.Median):
        return exp.Anonymous(this="PERCENTILE", expressions=[node.this.copy(), exp.Literal.number("0.5")])
    if isinstance(node, exp.PercentileCont):
        return exp.Anonymous(this="PERCENTILE", expressions=[node.this.copy(), node.expression.copy()])
    if isinstance(node, exp.Quantile | exp.PercentileDisc | exp.ApproxQuantile):
        raise NotTranslated(f"{node.key}: use quantile_cont")
    return None


def _double(node: Any, exp: Any) -> Any:
    return exp.Cast(this=node, to=exp.DataType.build("DOUBLE"))


def _constant(name: str, exp: Any) -> Any:
    return _double(exp.Literal.string(name), exp)


def _to_whole(kind: Any, x: Any, exp: Any) -> Any:
    """CEIL or FLOOR as a double; from 2⁵³ on every double is whole."""
    small = exp.LT(this=exp.Abs(this=x.copy()), expression=exp.Literal.number(str(2**53)))
    return exp.Case().when(small, _double(kind(this=x.copy()), exp)).else_(x.copy())


def _divide(above: Any, below: Any, exp: Any) -> Any:
    """a / b in doubles, with the quotients that IEEE 754 gives for b = 0."""
    a, b, zero = _double(above.copy(), exp), _double(below.copy(), exp), exp.Literal.number("0")
    plain = exp.Div(this=a.copy(), expression=b.copy(), typed=False, safe=True)
    if isinstance(below.unnest(), exp.Literal) and not below.unnest().is_string and float(below.unnest().this):
        return exp.Paren(this=plain)
    by_zero = (
        exp.Case()
        .when(exp.Or(this=exp.EQ(this=a.copy(), expression=zero.copy()), expression=exp.IsNan(this=a.copy())), _constant("NaN", exp))
        .when(exp.GT(this=a.copy(), expression=zero.copy()), _constant("Infinity", exp))
        .when(exp.LT(this=a.copy(), expression=zero.copy()), _constant("-Infinity", exp))
    )
    return exp.Case().when(exp.EQ(this=b.copy(), expression=zero), by_zero).else_(plain)


def _cast(node: Any, exp: Any) -> Any:
    kind = node.to.this.name
    if kind in WHOLE:
        return _whole(node.this.copy(), exp, kind)
    if kind in ("VARCHAR", "TEXT"):
        return exp.Cast(this=_text(node.this, exp), to=exp.DataType.build("STRING", dialect="spark"))
    return None


def _whole(node: Any, exp: Any, kind: str = "BIGINT") -> Any:
    """Rounded half to even, as DuckDB casts a double; literals and sums of whole numbers keep
    their digits."""
    if isinstance(node, exp.Literal) or _counts(node, exp):
        return exp.Cast(this=node, to=exp.DataType.build(kind))
    return exp.Cast(this=exp.Anonymous(this="RINT", expressions=[node]), to=exp.DataType.build(kind))


def _counts(node: Any, exp: Any) -> bool:
    return isinstance(node, exp.Count | exp.Null)


def _text(node: Any, exp: Any) -> Any:
    """A part of a text: anything but an expression that may be a double."""
    if isinstance(node.unnest(), exp.Div | exp.Mul | exp.Add | exp.Sub | exp.Ceil | exp.Floor | exp.Pow | exp.Ln | exp.Log | exp.Case):
        raise NotTranslated("a number cast to text: engines print doubles differently")
    return node.copy()


def _logarithm(node: Any, exp: Any) -> Any:
    base = node.args.get("expression")
    x = _double((base if base is not None else node.this).copy(), exp)
    natural = exp.Ln(this=x.copy())
    if base is not None:
        value = exp.Div(this=natural, expression=exp.Ln(this=_double(node.this.copy(), exp)), typed=False, safe=True)
    else:
        value = natural if isinstance(node, exp.Ln) else exp.Anonymous(this="LOG10", expressions=[x.copy()])
    zero = exp.Literal.number("0")
    return (
        exp.Case()
        .when(exp.EQ(this=x.copy(), expression=zero.copy()), _constant("-Infinity", exp))
        .when(exp.LT(this=x.copy(), expression=zero), _constant("NaN", exp))
        .else_(value)
    )
