"""What `cardbook check` shows of a bulk source: findings as they come, progress, a summary."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from cardbook.findings import Finding

if TYPE_CHECKING:
    from cardbook.package import Package
    from cardbook.rules import fleet
    from cardbook.rules.check import Options, Report

#: Findings of a rule that text shows; the summary counts the others.
SHOWN_PER_RULE = 3


@dataclass(frozen=True)
class Output:
    """`form` on standard output, and every finding to `out` where it is given."""

    form: str
    out: Path | None


def check(package: Package, path: str, options: Options, output: Output, memory: str | None, engine: str) -> Report:
    """Check with the engine that was asked for, and show what it finds."""
    from cardbook.rules import check as checking
    from cardbook.rules import sinks
    from cardbook.rules.fleet import Plan

    if output.out is not None and output.form not in ("text", "json"):
        raise click.UsageError("--out goes with --format text or json (which then shows the summary alone)")
    limit = _bytes(memory)
    with ExitStack() as stack:
        bar = stack.enter_context(Bar(sys.stderr))
        text = Text(sys.stdout, bar) if output.form == "text" else None
        sink: fleet.Sink | None = None
        if output.out is not None:
            try:
                take = stack.enter_context(sinks.open_sink(output.out))
            except (ValueError, OSError) as error:
                raise click.UsageError(str(error)) from error

            def sink(found: list[Finding]) -> None:
                take(found)
                if text is not None:
                    text.show(found)

        elif output.form == "jsonl":

            def sink(found: list[Finding]) -> None:
                sinks.write_lines(found, sys.stdout)

        kept = SHOWN_PER_RULE if text is not None and output.out is None else None
        plan = Plan(sink, kept, limit, bar.at, text.show if text is not None and sink is None else None)
        if engine == "duckdb":
            report = checking.check_bulk(package, Path(path), options, plan)
        else:
            report = _spark(package, path, options, plan, engine)
    if not report.rows:
        raise click.UsageError(f"nothing to check in {path}: no rows")
    if text is not None:
        summary(report, sys.stdout, output.out)
    elif output.out is not None:
        _summary_json(report, sys.stdout, output.out)
    elif output.form != "jsonl":
        from cardbook.cli.formats import write

        write(report, output.form, sys.stdout)
    return report


def _spark(package: Package, path: str, options: Options, plan: fleet.Plan, engine: str) -> Report:
    from cardbook.spark import engine as spark

    try:
        return spark.check_bulk(package, path, options, plan, spark.master_of(engine))
    except spark.SparkAbsent as error:
        raise click.UsageError(str(error)) from error


def _bytes(text: str | None) -> int | None:
    """The bytes of a size as people write it."""
    from cardbook import units

    if text is None:
        return None
    try:
        size = int(units.parse_quantity(text, "byte"))
    except units.UnitError as error:
        raise click.UsageError(f"--memory: {error}") from error
    if size < 256 * 2**20:
        raise click.UsageError("--memory: 256 MiB is the least that a check works in")
    return size


@dataclass
class Text:
    """Findings for people: the first few of each rule, at once."""

    out: IO[str]
    bar: Bar
    seen: Counter[str] = field(default_factory=Counter)

    def show(self, found: list[Finding]) -> None:
        from cardbook.cli.formats import place

        lines = []
        for f in found:
            self.seen[f.code] += 1
            if self.seen[f.code] <= SHOWN_PER_RULE:
                lines.append(f"{place(f)}: {f.severity} {f.code} {f.slug}: {f.message}\n" + (f"    fix: {f.fix}\n" if f.fix else ""))
        if lines:
            self.bar.clear()
            self.out.writelines(lines)
            self.out.flush()


def summary(report: Report, out: IO[str], file: Path | None) -> None:
    """How often each rule fired, and what was checked."""
    counts = report.counts or Counter()
    width = max((len(f"{n:,}") for n in counts.values()), default=1)
    for (code, slug, severity), number in sorted(counts.items(), key=lambda item: (item[0][2] != "error", item[0])):
        out.write(f"{number:>{width},} {severity:7} {code} {slug}\n")
    out.write(
        f"{report.rows:,} measured rows, {report.bounded:,} with a full bound, {report.rules} rules: "
        f"{report.errors:,} errors, {sum(counts.values()) - report.errors:,} warnings\n"
    )
    if counts:
        out.write(
            f"every finding is in {file}\n" if file else f"at most {SHOWN_PER_RULE} of a rule are shown; --out FILE.jsonl or FILE.parquet takes them all\n"
        )


def _summary_json(report: Report, out: IO[str], file: Path) -> None:
    counts = report.counts or Counter()
    said = {
        "rows": report.rows,
        "bounded": report.bounded,
        "rules": report.rules,
        "errors": report.errors,
        "warnings": sum(counts.values()) - report.errors,
        "counts": [{"code": code, "slug": slug, "severity": severity, "findings": n} for (code, slug, severity), n in sorted(counts.items())],
        "out": str(file),
    }
    out.write(json.dumps(said, indent=2, ensure_ascii=False) + "\n")


class Bar:
    """Progress in one line of standard error, on a terminal alone."""

    def __init__(self, out: IO[str]) -> None:
        self.out = out
        self.live = out.isatty()
        self.start = time.monotonic()
        self.drawn = False

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def at(self, done: int, total: int | None) -> None:
        """`done` rows of `total` (None where nobody knows)."""
        if not self.live:
            return
        elapsed = max(time.monotonic() - self.start, 1e-9)
        share = min(done / total, 1.0) if total else 0.0
        filled = "█" * int(24 * share) + "░" * (24 - int(24 * share))
        left = f", {(total - done) / (done / elapsed):.0f} s left" if total and 0 < done < total else ""
        self.out.write(f"\r\x1b[K{filled} {share:4.0%} {done:,} rows, {done / elapsed:,.0f} rows/s{left}")
        self.out.flush()
        self.drawn = True

    def clear(self) -> None:
        """Take the line away before something else is written."""
        if self.drawn:
            self.out.write("\r\x1b[K")
            self.out.flush()
            self.drawn = False
