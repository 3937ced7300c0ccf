"""What each SQL function does to the unit of its argument, by its name in sqlglot.

A function that is in none of these fails closed.
"""

from __future__ import annotations

#: The first argument's kind comes out, whatever it is.
KEEP_ANY = frozenset(("Max", "Min", "AnyValue", "First", "Last", "FirstValue", "LastValue", "NthValue", "Mode", "ArgMax", "ArgMin"))
#: A number comes out in the unit of the first argument.
KEEP_NUMBER = frozenset(("Sum", "Avg", "Median", "Abs", "Ceil", "Floor", "Trunc", "Stddev", "StddevPop", "StddevSamp"))
#: The same, with a second argument that is a plain number (digits, quantile).
KEEP_WITH_PLAIN = frozenset(("Round", "Quantile", "PercentileCont", "PercentileDisc", "ApproxQuantile"))
#: Plain number in, plain number out.
PLAIN_TO_PLAIN = frozenset(("Ln", "Exp", "Log", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "Cbrt", "Factorial"))
#: Any arguments, a plain number out.
COUNTED = frozenset(("Count", "CountIf", "ApproxDistinct", "RowNumber", "Rank", "DenseRank", "PercentRank", "CumeDist", "Ntile", "Corr"))
#: Text in, text out. Numbers are allowed in CONCAT, which prints them.
TEXT_TO_TEXT = frozenset(
    ("Concat", "ConcatWs", "DPipe", "SafeDPipe", "Upper", "Lower", "Trim", "Substring", "Left", "Right", "Replace", "Reverse", "Initcap", "Pad", "Repeat",
     "SplitPart", "GroupConcat", "RegexpReplace", "RegexpExtract", "MD5", "SHA", "SHA2")
)  # fmt: skip
#: Text in, truth out.
TEXT_TO_TRUTH = frozenset(("Like", "ILike", "RegexpLike", "RegexpILike", "RegexpFullMatch", "SimilarTo", "Glob", "StartsWith", "EndsWith", "Contains"))
#: Truth in, truth out.
TRUTH_TO_TRUTH = frozenset(("And", "Or", "Xor", "Not", "LogicalAnd", "LogicalOr"))
#: A date or time out.
CLOCK = frozenset(("CurrentDate", "CurrentTime", "CurrentTimestamp"))
COMPARISONS = frozenset(("EQ", "NEQ", "GT", "GTE", "LT", "LTE", "NullSafeEQ", "NullSafeNEQ"))

NUMERIC_TYPES = frozenset(
    ("TINYINT", "SMALLINT", "INT", "BIGINT", "INT128", "UTINYINT", "USMALLINT", "UINT", "UBIGINT", "UINT128", "FLOAT", "DOUBLE", "DECIMAL")
)
TEXT_TYPES = frozenset(("VARCHAR", "TEXT", "CHAR", "NVARCHAR", "NCHAR"))
TIME_TYPES = frozenset(("DATE", "TIME", "TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMPNTZ", "DATETIME"))
