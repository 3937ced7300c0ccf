"""What a bulk check costs, in ratios measured in one run on the same generated rows.

    python scripts/bench/bulk.py ratios  [--rows 1000000] [--install]
    python scripts/bench/bulk.py growth  [--largest 10000000] [--memory 2GiB]
    python scripts/bench/bulk.py rules   [--rows 1000000]
    python scripts/bench/bulk.py spark   [--rows 1000000]

Every run is a process of its own; seconds of `cardbook check` count from its start. Contenders
live in environments of their own under build/bench (`--install` makes them) or are left out
with a line that says so. Rows are drawn from the corpus by generate.py.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import contenders
import generate

ROOT = Path(__file__).resolve().parent.parent.parent
BENCH = ROOT / "build" / "bench"
#: Rows that the slow ones read; their time is scaled to the whole, which they are linear in.
SAMPLE = {"frictionless": 50_000}


@dataclass(frozen=True)
class Cost:
    """Seconds of wall clock and bytes of peak memory of a process and what it printed."""

    seconds: float
    peak: int
    out: str

    def __str__(self) -> str:
        return f"{self.seconds:8.2f} s {self.peak / 2**20:8.0f} MiB"


def run(command: list[str], allowed: tuple[int, ...] = (0,)) -> Cost:
    """Run a command and account for it alone."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, cwd=ROOT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode not in allowed:
            raise RuntimeError(f"{' '.join(map(str, command))}: {err.read()[-2000:]}")
        return Cost(seconds, usage.ru_maxrss * 1024, out.read())


def rows_file(count: int, suffix: str, mistakes: float = 0.0) -> Path:
    """Rows drawn from the corpus as it is now."""
    path = BENCH / f"rows-{count}{'-wrong' if mistakes else ''}{suffix}"
    generate.generate(count, path, mistakes=mistakes)
    return path


def cardbook(path: Path, *options: str) -> Cost:
    return run([sys.executable, "-m", "cardbook", "check", str(path), *options], allowed=(0, 1))


def python_of(name: str, install: bool) -> str | None:
    """The Python of a contender; None where it is not there."""
    own = BENCH / name / "bin" / "python"
    if own.exists():
        return str(own)
    if install:
        subprocess.run([sys.executable, "-m", "venv", str(BENCH / name)], check=True)
        packages = contenders.CONTENDERS[name][1].split()
        subprocess.run([str(own), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages], check=True)
        return str(own)
    module = {"jsonschema-rs": "jsonschema_rs", "great-expectations": "great_expectations", "pandera": "pandera"}.get(name, name)
    there = subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode == 0
    return sys.executable if there else None


def ratios(args: argparse.Namespace) -> None:
    path, parquet = rows_file(args.rows, ".csv"), rows_file(args.rows, ".parquet")
    floors = {}
    print(f"{args.rows:,} rows, {path.stat().st_size / 2**20:.0f} MiB of CSV, {parquet.stat().st_size / 2**20:.0f} MiB of Parquet")
    for file in (path, parquet):
        floors[file] = json.loads(run([sys.executable, str(ROOT / "scripts/bench/contenders.py"), "duckdb", str(file)]).out)["seconds"]
        cost = cardbook(file, "--memory", "2GiB")
        budget = 2 * floors[file] + 3
        print(f"{file.suffix[1:]:8} DuckDB floor {floors[file]:6.2f} s   cardbook check, all rules {cost}   {cost.seconds / budget:.2f} of (2 × floor + 3 s)")
    checked = cardbook(path, "--memory", "2GiB").seconds
    for name in ("pandera", "great-expectations", "frictionless", "jsonschema-rs"):
        python = python_of(name, args.install)
        if python is None:
            print(f"{name:20} left out: not installed (--install, or pip install {contenders.CONTENDERS[name][1]})")
            continue
        sample = SAMPLE.get(name)
        sample = None if sample is None or sample >= args.rows else sample
        try:
            cost = run([python, str(ROOT / "scripts/bench/contenders.py"), name, str(path), *([str(sample)] if sample else [])])
        except RuntimeError as error:
            print(f"{name:20} left out: {str(error).strip().splitlines()[-1]}")
            continue
        said = json.loads(cost.out.splitlines()[-1])
        seconds = said["seconds"] * args.rows / said["rows"]
        scaled = f", scaled from {said['rows']:,} rows" if sample else ""
        print(f"{name:20} {seconds:8.1f} s = {seconds / checked:6.1f} × cardbook check with all rules ({said['findings']} findings of form{scaled})")


def growth(args: argparse.Namespace) -> None:
    print("rows, seconds and peak memory from Parquet, without and with every finding written")
    count, last = 10_000, None
    while count <= args.largest:
        path = rows_file(count, ".parquet")
        cost = cardbook(path, "--memory", args.memory)
        written = cardbook(path, "--memory", args.memory, "--out", str(BENCH / "findings.parquet"))
        per = cost.seconds / count * 1e6
        more = "" if last is None else f"   {per / last:4.2f} × the time a row of the line above"
        print(f"{count:>12,} {cost} {per:8.2f} µs a row{more}   with --out {written}", flush=True)
        count, last = count * 10, per


def rules(args: argparse.Namespace) -> None:
    from cardbook.package import locate
    from cardbook.rules import model

    path = rows_file(args.rows, ".parquet")
    package = locate()
    codes = [r.code for r in model.load(package.validators) if r.over == "measured" or r.code in ("F104", "F106")]
    whole = cardbook(path).seconds
    least = min(cardbook(path, "--select", "R101").seconds for _ in range(2))
    print(f"all rules {whole:.2f} s, one cheap rule {least:.2f} s")
    for code in codes:
        alone = cardbook(path, "--select", code).seconds
        print(f"{code} alone {alone:6.2f} s, {alone - least:+6.2f} s over the cheap one", flush=True)


def spark(args: argparse.Namespace) -> None:
    path = rows_file(args.rows, ".parquet", mistakes=0.2)
    here = cardbook(path, "--out", str(BENCH / "duckdb.parquet"))
    try:
        there = cardbook(path, "--engine", "spark", "--out", str(BENCH / "spark.parquet"))
    except RuntimeError as error:
        print(f"Spark left out: {str(error).strip().splitlines()[-1]}")
        return
    import pyarrow.parquet as pq

    def findings(name: str) -> list[tuple[str, ...]]:
        table = pq.read_table(BENCH / name, columns=["code", "record", "field", "severity", "actual", "limit", "message"])
        return sorted(tuple(str(v) for v in row.values()) for row in table.to_pylist())

    one, two = findings("duckdb.parquet"), findings("spark.parquet")
    print(f"{args.rows:,} rows, every fifth wrong: DuckDB {here}, Spark {there}, {there.seconds / here.seconds:.1f} × the time")
    print(f"{len(one):,} and {len(two):,} findings, {'the same' if one == two else 'NOT the same'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["ratios", "growth", "rules", "spark"])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--largest", type=int, default=10_000_000)
    parser.add_argument("--memory", default="2GiB")
    parser.add_argument("--install", action="store_true", help="Make the environments of the contenders.")
    args = parser.parse_args()
    {"ratios": ratios, "growth": growth, "rules": rules, "spark": spark}[args.what](args)


if __name__ == "__main__":
    main()
