"""`cardbook record`."""

from __future__ import annotations

import shlex
import sys
import tempfile
from pathlib import Path
from typing import Any

import click


@click.command("record", context_settings={"ignore_unknown_options": True})
@click.argument("argv", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--tool", help="Name of the tool, where its output does not tell.")
@click.option("--card", help="Card id.")
@click.option("--cards", type=click.IntRange(1), help="Number of cards.")
@click.option("--model", help="Model id.")
@click.option("--quant", help="Quant id.")
@click.option("--checkpoint", help="Checkpoint id.")
@click.option("--engine", help="Engine id.")
@click.option("--set", "answers", multiple=True, metavar="KEY=VALUE", help="Any other key of a recipe, as in the document.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write into, instead of data/recipes/CARD.")
def command(argv: tuple[str, ...], tool: str | None, answers: tuple[str, ...], out: Path | None, **given: Any) -> None:
    """Run your own benchmark command (after `--`), sample power, memory and clocks while it runs,
    and draft a recipe from its output. Interrupted, it leaves nothing behind."""
    from cardbook.cli.drafting import Answers, place_drafts, read_files
    from cardbook.package import locate
    from cardbook.record import run

    package = locate()
    answered = Answers.parse(package, given, answers)
    try:
        recording = run.record(list(argv), sys.stderr)
    except run.RecordingError as error:
        raise click.ClickException(f"found {error.found}; wanted {error.wanted}. {error.fix}") from error
    for what in recording.removed:
        click.echo(f"removed: {what}", err=True)
    for what in recording.unmeasured:
        click.echo(f"not measured: {what}", err=True)
    if recording.exit_code != 0:
        raise click.ClickException(f"the command ended with status {recording.exit_code}; nothing was written")
    with tempfile.TemporaryDirectory(prefix="cardbook-") as folder:
        raw = Path(folder) / "output.txt"
        raw.write_bytes(_result(recording, raw, tool))
        readings = read_files((raw,), tool)
        for _, found in readings:
            for reading in found:
                _add(reading, recording)
        written = place_drafts(package, readings, answered, out, dry_run=False)
    _summary(package, written, recording)


def _result(recording: Any, raw: Path, tool: str | None) -> bytes:
    """The stream that holds the result: standard output, or standard error where a tool (such as
    llama-perplexity) prints it there."""
    from cardbook import importers

    streams: list[bytes] = [s for s in (recording.stdout, recording.stderr) if s.strip()]
    for stream in streams:
        raw.write_bytes(stream)
        try:
            importers.read(raw, tool)
            return stream
        except importers.Refused:
            continue
    return streams[0] if streams else b""


def _add(reading: Any, recording: Any) -> None:
    """What was seen around the run, where the output itself does not say it."""
    recipe = reading.recipe
    for key, value in recording.environment.items():
        if value is not None and recipe.get(key) is None:
            recipe[key] = value
    recipe.setdefault("command", shlex.join(recording.argv))
    samples = recording.samples
    # The samples cover the whole command, loading included: the mean power of a run of one test is
    # near enough to say so in a note, its energy is not that of the timed part.
    if len(reading.measurements) == 1 and samples.get("mean_power_w") is not None:
        reading.measurements[0].values.setdefault("mean_power_w", samples["mean_power_w"])
        reading.measurements[0].values.setdefault("note", "mean power over the whole command, loading included")
    if samples.get("peak_memory_bytes") is not None:
        for measurement in reading.measurements:
            measurement.values.setdefault("peak_memory_bytes", samples["peak_memory_bytes"])


def _summary(package: Any, written: list[Path], recording: Any) -> None:
    from cardbook.rules import check
    from cardbook.rules.message import show
    from cardbook.views import catalog

    for path in written:
        report, rows = check.judge_recipe(package, path)
        units = catalog.units_by_column(package)
        for row in rows:
            parts = [f"{row['record'].partition('/')[2]}: {show(row['rate_tok_s'], 'token/second')}"]
            if row["fraction_of_wall"] is not None:
                parts.append(f"{row['fraction_of_wall']:.3f} of the strict wall {show(row['wall_tok_s'], units['wall_tok_s'])}")
            else:
                parts.append(f"no full bound: missing {row['unbounded_for']}")
            for key in ("peak_memory_bytes", "mean_power_w"):
                if row[key] is not None:
                    parts.append(f"{key} {show(row[key], units[key])}")
            click.echo("  " + "; ".join(parts))
        click.echo(f"  argv: {shlex.join(recording.argv)}")
        click.echo(f"  {report.errors} errors so far; `cardbook check {path.parent}` lists them")
