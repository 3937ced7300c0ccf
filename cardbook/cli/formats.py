"""Findings as text, JSON, JSON Lines, GitHub annotations and SARIF."""

from __future__ import annotations

import json
from collections import Counter
from typing import IO, TYPE_CHECKING, Any

from cardbook.findings import Finding

if TYPE_CHECKING:
    from cardbook.rules.check import Report

FORMATS = ("text", "json", "jsonl", "github", "sarif")


def place(finding: Finding) -> str:
    """File and line, or the record where there is no file."""
    if finding.file is None:
        return finding.record or "package"
    return f"{finding.file}:{finding.line}" if finding.line else finding.file


def write(report: Report, form: str, out: IO[str]) -> None:
    """Write a report in one of `FORMATS`."""
    {"text": _text, "json": _json, "jsonl": _jsonl, "github": _github, "sarif": _sarif}[form](report, out)


def _text(report: Report, out: IO[str]) -> None:
    import click

    colour = out.isatty()
    warnings: Counter[tuple[str, str]] = Counter()
    many = sum(f.severity == "warning" for f in report.findings) > 20
    for f in report.findings:
        if f.severity == "warning" and many:
            warnings[f.code, f.slug] += 1
            continue
        level = click.style(f.severity, fg="red" if f.severity == "error" else "yellow") if colour else f.severity
        out.write(f"{place(f)}: {level} {f.code} {f.slug}: {f.message}\n")
        if f.fix:
            out.write(f"    fix: {f.fix}\n")
    for (code, slug), count in sorted(warnings.items()):
        out.write(f"{count} warnings {code} {slug} (--format jsonl lists them)\n")
    counts = Counter(f.severity for f in report.findings)
    out.write(
        f"{report.documents} documents, {report.rows} measured rows, {report.bounded} with a full bound, {report.rules} rules: "
        f"{counts['error']} errors, {counts['warning']} warnings\n"
    )


def as_dict(report: Report) -> dict[str, Any]:
    """The whole report as data, in base units."""
    return {
        "documents": report.documents,
        "rows": report.rows,
        "bounded": report.bounded,
        "rules": report.rules,
        "errors": report.errors,
        "warnings": len(report.findings) - report.errors,
        "findings": [f.as_dict() for f in report.findings],
    }


def _json(report: Report, out: IO[str]) -> None:
    json.dump(as_dict(report), out, indent=2, ensure_ascii=False)
    out.write("\n")


def _jsonl(report: Report, out: IO[str]) -> None:
    for f in report.findings:
        out.write(json.dumps(f.as_dict(), ensure_ascii=False) + "\n")


def _escape(text: str, *, prop: bool = False) -> str:
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return text.replace(":", "%3A").replace(",", "%2C") if prop else text


def _github(report: Report, out: IO[str]) -> None:
    for f in report.findings:
        properties = []
        if f.file:
            properties.append(f"file={_escape(f.file, prop=True)}")
        if f.line:
            properties.append(f"line={f.line}")
        properties.append(f"title={_escape(f'{f.code} {f.slug}', prop=True)}")
        out.write(f"::{f.severity} {','.join(properties)}::{_escape(f.message)}{_escape(f' Fix: {f.fix}') if f.fix else ''}\n")


def _sarif(report: Report, out: IO[str]) -> None:
    from importlib.metadata import PackageNotFoundError, version

    from cardbook.package import locate
    from cardbook.rules import model

    try:
        toolkit = version("cardbook")
    except PackageNotFoundError:
        toolkit = "0"
    rules = [
        {
            "id": r.code,
            "name": "".join(part.capitalize() for part in r.slug.split("-")),
            "shortDescription": {"text": r.asserts},
            "help": {"text": r.fix},
            "defaultConfiguration": {"level": "warning" if r.severity == "warning" else "error"},
        }
        for r in model.load(locate().validators)
    ]
    results = []
    for f in report.findings:
        result: dict[str, Any] = {"ruleId": f.code, "level": f.severity, "message": {"text": f"{f.message} Fix: {f.fix}" if f.fix else f.message}}
        if f.file:
            region = {"region": {"startLine": f.line}} if f.line else {}
            result["locations"] = [{"physicalLocation": {"artifactLocation": {"uri": f.file}, **region}}]
        result["partialFingerprints"] = {"cardbook/v1": f"{f.code}:{f.record}:{f.field}"}
        results.append(result)
    sarif = {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": {"name": "cardbook", "version": toolkit, "rules": rules}}, "results": results}],
    }
    json.dump(sarif, out, indent=2, ensure_ascii=False)
    out.write("\n")
