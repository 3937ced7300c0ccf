"""Judge the compiled tables as a whole.

    python validators/expectations/run.py [--engine pandas|spark] [--previous RELEASE] [--out DIR]

Exit 0: every expectation holds. 1: some do not. 2: a dependency or a file is missing, or the
tool is at fault. Data Docs go to build/expectations/index.html.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import shutil
import sys
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

HOW = "run `make expectations`, or: pip install -r requirements-expectations.lock"


class Missing(Exception):
    """Something that the run needs is not there; the message says how to get it."""


def require(engine: str) -> None:
    """Raise `Missing` for what is not installed.

    Great Expectations ends the interpreter with exit code 0 when it finds pyspark and no
    grpcio, which a build would take for a pass: that is looked at first, for either engine.
    """
    for module, package in (("cardbook", "cardbook"), ("duckdb", "duckdb"), ("pandas", "pandas"), ("great_expectations", "great-expectations")):
        if importlib.util.find_spec(module) is None:
            raise Missing(f"{package} is not installed; {HOW}")
    spark = importlib.util.find_spec("pyspark") is not None
    if spark and importlib.util.find_spec("grpc") is None:
        raise Missing(
            "pyspark is installed without grpcio, which Great Expectations needs beside it; pip install grpcio grpcio-status, or pip uninstall pyspark"
        )
    if engine == "spark" and not spark:
        raise Missing("--engine spark needs pyspark and a Java 17; pip install pyspark grpcio grpcio-status")
    try:
        importlib.import_module("great_expectations")
    except SystemExit as stopped:
        raise Missing(f"great_expectations ended the interpreter on import (exit code {stopped.code}); {HOW}") from stopped
    except ImportError as error:
        raise Missing(f"great_expectations cannot be imported: {error}; {HOW}") from error


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="expectations", description="Judge the compiled tables as a whole.")
    parser.add_argument("--engine", choices=("pandas", "spark"), default="pandas")
    parser.add_argument("--previous", type=Path, metavar="DIR", help="an earlier release, or its folder of CSV files, to compare with")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the Data Docs go (build/expectations in the package)")
    parser.add_argument("--package", type=Path, metavar="DIR", help="the package to judge (the one around the working folder)")
    parser.add_argument("--today", type=date.fromisoformat, default=None, help="the day that ages are counted from")
    return parser


def judge(options: argparse.Namespace) -> int:
    from cardbook.package import locate
    from cardbook.views import database
    from expectations import docs, drift, generated, runner, suite

    package = locate(options.package)
    version = json.loads(package.descriptor.read_text(encoding="utf-8"))["version"]
    out = options.out or package.root / "build" / "expectations"
    day = options.today or date.today()
    db = database.connect(package)
    sets = [*suite.judged(db, package, day), generated.keys(package), *generated.tables(package), *generated.bounds(package)]
    if options.previous:
        sets += drift.judged(db, package, options.previous)
    # Pages of an earlier run would stand among those of this one.
    if out.exists() and any(out.iterdir()) and not (out / "offline.css").exists():
        raise Missing(f"{out} holds other files; wanted an empty folder")
    shutil.rmtree(out, ignore_errors=True)
    count, failures = runner.run(sets, options.engine, f"v{version}", day, out)
    docs.rewrite(out, day)
    docs.index(out, f"CardBook {version}: what the rows look like as a whole, on {day.isoformat()}", sets, failures)
    for failure in failures:
        print(failure.text())
    if not options.previous:
        print("no --previous release: drift not judged", file=sys.stderr)
    print(f"{len(sets)} sets of rows, {count} expectations, {len(failures)} failed; {out / 'index.html'}")
    return 1 if failures else 0


def main(argv: list[str] | None = None) -> int:
    options = arguments().parse_args(argv)
    try:
        require(options.engine)
        return judge(options)
    except (Missing, FileNotFoundError) as error:
        print(f"expectations: {error}", file=sys.stderr)
        return 2
    # Whatever else goes wrong must not look like a verdict on the data, nor like a pass.
    except (Exception, SystemExit) as error:
        print(f"expectations: {type(error).__name__}: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
