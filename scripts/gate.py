"""Judge a pull request with the tools of its base branch.

    python scripts/gate.py --base BASE_DIR --head HEAD_DIR --range A...B --report FILE --summary FILE

Only documents and raw files under data/ are taken from the head, copied over a scratch copy of
the base; nothing of the head is run. Prints GitHub annotations, writes a summary table and the
report as JSON. Exit status as `cardbook check`.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

from cardbook.cli.formats import as_dict, write
from cardbook.findings import Finding
from cardbook.package import Package
from cardbook.rules import check
from cardbook.rules.message import show


def changed(head: Path, commits: str) -> list[tuple[str, str]]:
    """(status letter, path) of every file that the range changes."""
    out = subprocess.run(["git", "-C", str(head), "diff", "--name-status", "--no-renames", "-z", commits], check=True, capture_output=True, text=True).stdout
    parts = [p for p in out.split("\0") if p]
    return list(zip(parts[::2], parts[1::2], strict=True))


def overlay(base: Path, head: Path, files: list[tuple[str, str]], scratch: Path) -> tuple[list[Path], list[Finding]]:
    """Copy the base, then the changed data of the head. Returns the documents to check and what
    may not be in a submission."""
    shutil.copytree(base, scratch, symlinks=True, ignore=shutil.ignore_patterns(".venv", ".git", "build"))
    documents: list[Path] = []
    refused: list[Finding] = []
    for status, name in files:
        parts = PurePosixPath(name).parts
        if parts[0] != "data" or parts[1:2] in (("tables",), ("exceptions",)):
            continue
        source, target = head / name, scratch / name
        if status == "D":
            target.unlink(missing_ok=True)
            refused.append(
                Finding(
                    "D102",
                    "retired-id-reused",
                    "error",
                    file=name,
                    message=f"{name} is deleted",
                    fix="retire a record (status, retired_reason) instead of deleting it",
                )
            )
        elif source.is_symlink() or not source.resolve().is_relative_to(head.resolve()):
            refused.append(Finding("F108", "outside-its-folder", "error", file=name, message=f"{name} is a link", fix="put the file itself there"))
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            if name.endswith(".json"):
                documents.append(target)
    return documents, refused


def summary(package: Package, documents: list[Path], report: check.Report) -> str:
    """A Markdown table: row, rate, fraction of the wall, findings."""
    lines = ["| row | rate | strict wall | fraction | findings |", "| --- | ---: | ---: | ---: | --- |"]
    for path in documents:
        if path.name != "recipe.json":
            continue
        _, rows = check.judge_recipe(package, path)
        for row in rows:
            codes = sorted({f.code for f in report.findings if f.record in (row["record"], row["record"].partition("/")[0])})
            lines.append(
                f"| {row['record']} | {show(row['rate_tok_s'], 'token/second')} | {show(row['wall_tok_s'], 'token/second')} | "
                f"{show(row['fraction_of_wall'], None)} | {' '.join(codes) or 'none'} |"
            )
    for finding in report.findings[:50]:
        lines.append(f"\n**{finding.severity} {finding.code} {finding.slug}** {finding.file or ''}: {finding.message}. Fix: {finding.fix}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--head", type=Path, required=True)
    parser.add_argument("--range", required=True)
    parser.add_argument("--report", type=Path, required=True)
    parser.add_argument("--summary", type=Path, required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cardbook-gate-") as folder:
        package = Package(Path(folder) / "package")
        documents, refused = overlay(args.base.resolve(), args.head.resolve(), changed(args.head, args.range), package.root)
        report = check.check_documents(package, documents, check.Options()) if documents else check.Report()
        report.findings += refused
        args.report.write_text(json.dumps(as_dict(report), indent=2, ensure_ascii=False) + "\n")
        with args.summary.open("a") as out:
            out.write(summary(package, documents, report))
    annotations: Any = io.StringIO()
    write(report, "github", annotations)
    sys.stdout.write(annotations.getvalue())
    sys.exit(report.exit_code)


if __name__ == "__main__":
    main()
