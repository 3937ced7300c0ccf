"""What `import`, `record` and `new` share: answers, drafts, and what is said about them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from cardbook import drafts, schema
from cardbook.importers.base import Reading, Refused
from cardbook.package import Package


@dataclass(frozen=True)
class Answers:
    """What the contributor said, by document key, as it will stand in the document."""

    values: dict[str, Any]

    @staticmethod
    def parse(package: Package, given: dict[str, Any], pairs: tuple[str, ...]) -> Answers:
        """Options and KEY=VALUE pairs. Raises `click.UsageError` for an unknown key or a value
        that is not of its field."""
        values = {k: v for k, v in given.items() if v is not None}
        fields = {f.key: f for f in schema.load(package.table_schemas)["recipes"].fields}
        for pair in pairs:
            key, sign, text = pair.partition("=")
            if not sign or key not in fields or key in ("id", "tier", "-"):
                known = ", ".join(sorted(k for k in fields if k not in ("id", "tier", "-")))
                raise click.UsageError(f"--set {pair!r}: found key {key!r}, wanted KEY=VALUE with one of {known}")
            values[key] = typed(fields[key], text)
        return Answers(values)


def typed(field: schema.Field, text: str) -> Any:
    """An answer typed at the terminal as the value of its field. Raises `click.UsageError`."""
    from cardbook import units

    try:
        if field.is_quantity:
            units.parse_quantity(text, str(field.unit))
            return text
        if field.type == "boolean":
            return {"true": True, "yes": True, "false": False, "no": False}[text.lower()]
        if field.type == "integer":
            return int(text)
        if field.type == "number":
            return float(text)
    except units.UnitError as error:
        raise click.UsageError(f"{field.key}: found {error.found}, wanted {error.wanted}. {error.fix}") from error
    except (KeyError, ValueError) as error:
        raise click.UsageError(f"{field.key}: found {text!r}, wanted a value of type {field.type}") from error
    allowed = field.constraints.get("enum")
    if allowed and text not in allowed:
        raise click.UsageError(f"{field.key}: found {text!r}, wanted one of {', '.join(allowed)}")
    return text


def read_files(files: tuple[Path, ...], tool: str | None) -> list[tuple[Path, list[Reading]]]:
    """What every file says; the first that is refused ends the run before anything is written."""
    from cardbook import importers

    found = []
    for path in files:
        try:
            found.append((path, importers.read(path, tool)))
        except Refused as refused:
            where = f"{path}:{refused.line}" if refused.line else str(path)
            click.echo(f"{where}: error: found {refused.found}; wanted {refused.wanted}\n    fix: {refused.fix}\nnothing was written", err=True)
            raise click.exceptions.Exit(1) from refused
    return found


def place_drafts(package: Package, readings: list[tuple[Path, list[Reading]]], answers: Answers, out: Path | None, dry_run: bool) -> list[Path]:
    """Write a recipe folder per configuration, or a quality document's draft, or say what is
    missing. Returns the paths written."""
    made: list[tuple[drafts.Draft, Path, bytes]] = []
    for path, found in readings:
        for reading in found:
            if reading.quality:
                _quality(package, path, reading, answers, out, dry_run)
            if reading.measurements or reading.kernels:
                raw_name = _raw_name(path)
                made.append((drafts.draft(package, reading, answers.values, raw_name), path, _clean(path.read_bytes())))
            elif reading.sensors and not reading.quality:
                click.echo(json.dumps({"sensors": reading.sensors}, indent=2, ensure_ascii=False, default=str))
    blocked = [(d, key) for d, _, _ in made for key in d.unplaced]
    if blocked:
        for key in dict.fromkeys(key for _, key in blocked):
            question = next((q for d, k in blocked if k == key for kk, q in d.questions if kk == key), "")
            click.echo(f"--{key} is needed: {question}", err=True)
        click.echo("nothing was written", err=True)
        raise click.exceptions.Exit(1)
    written = []
    for draft, path, data in made:
        if dry_run:
            click.echo(json.dumps(draft.document, indent=2, ensure_ascii=False))
        else:
            folder = (out / draft.document["id"]) if out else drafts.place(package, draft.document)
            try:
                written.append(drafts.write(folder, draft.document, [(_raw_name(path), data)]))
            except FileExistsError as error:
                raise click.ClickException(str(error)) from error
            click.echo(f"wrote {_near(written[-1])}")
        _say(draft)
    if written:
        click.echo(f"next: answer the questions in the document, then `cardbook check {' '.join(str(_near(p.parent)) for p in written)}`")
    return written


def _near(path: Path) -> Path:
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path


def _raw_name(path: Path) -> str:
    """A plain name for the raw file beside the recipe."""
    import re

    name = re.sub(r"[^A-Za-z0-9._+-]+", "-", path.name).strip("-.") or "output"
    return f"raw-{name}" if name == "recipe.json" else name


def _clean(data: bytes) -> bytes:
    """The raw output without private data; what was removed is said."""
    from cardbook.record.scrub import scrub

    text, removed = scrub(data.decode("utf-8", "replace"))
    for what in removed:
        click.echo(f"removed from the raw output: {what}", err=True)
    return text.encode()


def _say(draft: drafts.Draft) -> None:
    for name, reason in draft.lost:
        click.echo(f"  left out: {name}: {reason}")
    for key, question in draft.questions:
        click.echo(f"  question: {key}: {question}")


def _quality(package: Package, path: Path, reading: Reading, answers: Answers, out: Path | None, dry_run: bool) -> None:
    """Write a quality document; its checkpoint, model and source must be named."""
    import os

    needed = [k for k in ("model", "checkpoint", "source") if not answers.values.get(k)]
    if needed and not dry_run:
        click.echo(f"{path}: quality figures need " + ", ".join(f"--{k}" if k != "source" else '--set "source=ID"' for k in needed), err=True)
        click.echo("nothing was written", err=True)
        raise click.exceptions.Exit(1)
    given = {k: answers.values[k] for k in ("checkpoint", "source", "engine", "kv_quant", "measured_on") if answers.values.get(k)}
    document = drafts.quality_document(package, [reading], given)
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    if dry_run:
        click.echo(text, nl=False)
    else:
        folder = out or package.data / "quality" / str(answers.values["model"])
        target = folder / f"{document['id']}.json"
        if target.exists():
            raise click.ClickException(f"{target} is there already; the same figures were written before")
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f".{target.name}.{os.getpid()}"
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(target)
        click.echo(f"wrote {_near(target)}")
    for key, question in reading.questions:
        click.echo(f"  question: {key}: {question}")
