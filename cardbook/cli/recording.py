"""`cardbook record`."""

from __future__ import annotations

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
    recording = run.record(list(argv), sys.stderr)
    for what in recording.removed:
        click.echo(f"removed: {what}", err=True)
    for what in recording.unmeasured:
        click.echo(f"not measured: {what}", err=True)
    if recording.exit_code != 0:
        raise click.ClickException(f"the command ended with status {recording.exit_code}; nothing was written")
    with tempfile.TemporaryDirectory(prefix="cardbook-") as folder:
        raw = Path(folder) / "output.txt"
        raw.write_bytes(recording.stdout if recording.stdout.strip() else recording.stderr)
        readings = read_files((raw,), tool)
        for _, found in readings:
            for reading in found:
                _add(reading, recording)
        written = place_drafts(package, readings, answered, out, dry_run=False)
    _summary(package, written, recording)


def _add(reading: Any, recording: Any) -> None:
    """What was seen around the run, where the output itself does not say it."""
    recipe = reading.recipe
    for key, value in recording.environment.items():
        if value is not None and recipe.get(key) is None:
            recipe[key] = value
    recipe.setdefault("command", " ".join(recording.argv))
    samples = recording.samples
    if len(reading.measurements) == 1:
        # Several tests in one run share the samples, and none of them owns the mean.
        for key in ("mean_power_w", "energy_j"):
            if samples.get(key) is not None:
                reading.measurements[0].values.setdefault(key, samples[key])
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
        click.echo(f"  argv: {' '.join(recording.argv)}")
        click.echo(f"  {report.errors} errors so far; `cardbook check {path.parent}` lists them")
