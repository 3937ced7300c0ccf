"""Draw rows of `measured` from the corpus: the same cards, models, shapes and rates, jittered.

    python scripts/bench/generate.py 1000000 build/bench/rows.parquet [--mistakes 0.05]

Row i is a function of i and the seed alone, so that two machines get the same file. With
`--mistakes` a share of the rows is wrong in one of the ways in which people are wrong (kilo
slip, bit for byte, milliseconds for seconds, batch as one stream, fewer cards, percent).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

#: Each takes a row of the corpus to a wrong one: column → SQL over that row.
MISTAKES: list[dict[str, str]] = [
    {"tok_s": "tok_s * 1000", "total_tok_s": "total_tok_s * 1000"},
    {"tok_s": "tok_s * 8", "total_tok_s": "total_tok_s * 8"},
    {"tok_s": "tok_s / 8", "total_tok_s": "total_tok_s / 8"},
    {"ttft_s": "ttft_s / 1000", "tpot_s": "tpot_s / 1000", "e2e_s": "e2e_s / 1000"},
    {"concurrency": "1"},
    {"n_cards": "1", "parallelism": "'none'"},
    {"acceptance_rate": "acceptance_rate * 100"},
    {"card": "'no-such-card'"},
    {"model": "NULL"},
    {"speculation": "NULL", "draft_tokens": "NULL"},
    {"tok_s": "CAST('nan' AS DOUBLE)"},
    {"prompt_tokens": "0"},
    {"tpot_s": "0"},
]
JITTERED = ("tok_s", "tok_s_per_stream", "total_tok_s", "ttft_s", "tpot_s", "e2e_s", "mean_power_w")


def _uniform(salt: str, seed: int) -> str:
    """SQL for a number in [0, 1) that depends on the row number alone."""
    return f"(hash(i, '{salt}', {seed}) % 1000003) / 1000003.0"


def select(columns: list[str], count: int, seed: int, mistakes: float, pool: int) -> str:
    """The SELECT that draws `count` rows from the `pool` rows of the table pool (columns of measured, n)."""
    parts = []
    for name in columns:
        if name == "record":
            parts.append("'fleet-' || CAST(i AS VARCHAR) AS record")
            continue
        if name == "tier":
            parts.append("'bulk' AS tier")
            continue
        value = f"p.{name} * (0.97 + 0.05 * {_uniform(name, seed)})" if name in JITTERED else f"p.{name}"
        wrong = " ".join(f"WHEN {number} THEN {m[name].replace(name, value) if name in m[name] else m[name]}" for number, m in enumerate(MISTAKES) if name in m)
        if mistakes and wrong:
            value = f"CASE CASE WHEN {_uniform('wrong', seed)} < {mistakes} THEN hash(i, 'kind', {seed}) % {len(MISTAKES)} END {wrong} ELSE {value} END"
        parts.append(f"{value} AS {name}")
    drawn = f"SELECT i, CAST(hash(i, 'row', {seed}) % {pool} AS BIGINT) AS n FROM range({count}) AS t(i)"
    return f"SELECT {', '.join(parts)} FROM ({drawn}) AS d INNER JOIN pool AS p ON d.n = p.n"


def generate(count: int, out: Path, seed: int = 20261201, mistakes: float = 0.0) -> None:
    """Write `count` rows to a CSV or Parquet file."""
    from cardbook.package import locate
    from cardbook.views import catalog, database

    package = locate()
    db: Any = database.connect(package)
    db.execute("SET threads = 2")
    fields = catalog.view_fields(package)["measured"]
    names = [f.name for f in fields]
    typed = ", ".join(f'CAST("{f.name}" AS {f.duckdb_type}) AS "{f.name}"' for f in fields)
    db.execute(f"CREATE TEMP TABLE pool AS SELECT {typed}, row_number() OVER (ORDER BY record) - 1 AS n FROM measured WHERE tier <> 'claim'")
    form = "(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)" if out.suffix == ".parquet" else "(FORMAT csv, HEADER true)"
    out.parent.mkdir(parents=True, exist_ok=True)
    drawn = select(names, count, seed, mistakes, db.execute("SELECT COUNT(*) FROM pool").fetchone()[0])
    cast = ", ".join(f'CAST("{f.name}" AS {f.duckdb_type}) AS "{f.name}"' for f in fields)
    db.execute(f"COPY (SELECT {cast} FROM ({drawn})) TO '{out}' {form}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=20261201)
    parser.add_argument("--mistakes", type=float, default=0.0)
    args = parser.parse_args()
    generate(args.count, args.out, args.seed, args.mistakes)


if __name__ == "__main__":
    main()
