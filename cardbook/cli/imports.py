"""`cardbook import`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--tool", help="Name of the tool, where the content does not tell.")
@click.option("--card", help="Card id.")
@click.option("--cards", type=click.IntRange(1), help="Number of cards.")
@click.option("--model", help="Model id.")
@click.option("--quant", help="Quant id.")
@click.option("--checkpoint", help="Checkpoint id.")
@click.option("--engine", help="Engine id.")
@click.option("--set", "answers", multiple=True, metavar="KEY=VALUE", help='Any other key of a recipe, as in the document (--set "power_limit=350 W").')
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write into, instead of data/recipes/CARD.")
@click.option("--dry-run", is_flag=True, help="Print the draft and write nothing.")
def command(files: tuple[Path, ...], tool: str | None, answers: tuple[str, ...], out: Path | None, dry_run: bool, **given: Any) -> None:
    """Turn the output of a benchmark tool into a draft recipe with the raw file beside it.

    The tool is recognised from the content. What the file does not say becomes a question;
    nothing is guessed."""
    from cardbook.cli.drafting import Answers, place_drafts, read_files
    from cardbook.package import locate

    package = locate()
    answered = Answers.parse(package, given, answers)
    readings = read_files(files, tool)
    place_drafts(package, readings, answered, out, dry_run)
