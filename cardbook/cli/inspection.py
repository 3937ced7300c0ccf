"""`cardbook inspect`."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command("inspect")
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option("--digest", is_flag=True, help="Also compute the SHA-256 (reads the whole file).")
@click.option("--model", help="Model id, for a checkpoint document.")
@click.option("--quant", help="Quant id, for a checkpoint document.")
@click.option("--id", "identity", help="Id of the checkpoint document; default MODEL.QUANT.")
@click.option("--source", help="Source id, for the document.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for the document, instead of data/checkpoints.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(path: Path, digest: bool, model: str | None, quant: str | None, identity: str | None, source: str | None, out: Path | None, form: str) -> None:
    """Read the header of a GGUF file, a checkpoint folder or a safetensors index: parameters and
    bytes by tensor role, bytes read per decode step, KV bytes per token, weight format.

    With --model, --quant and --source it writes a checkpoint document."""
    from dataclasses import asdict

    from cardbook import inspect

    try:
        inventory = inspect.inspect(path, digest=digest)
    except inspect.InspectError as error:
        click.echo(f"{path}: error: found {error.found}; wanted {error.wanted}\n    fix: {error.fix}", err=True)
        raise click.exceptions.Exit(1) from error
    if form == "json":
        click.echo(json.dumps(asdict(inventory), indent=2, ensure_ascii=False, default=str))
    else:
        _print(asdict(inventory))
    if model and quant:
        _document(inventory, identity or f"{model}.{quant}", model, quant, source, out)


def _print(found: dict[str, object]) -> None:
    from cardbook import units

    for key, value in found.items():
        if value is None or value == [] or value == {}:
            continue
        if isinstance(value, dict):
            click.echo(f"{key}:")
            for name, inner in value.items():
                unit = "byte" if "bytes" in key else "parameter" if "parameters" in key else None
                shown = units.format_quantity(inner, unit) if unit and isinstance(inner, int) else inner
                click.echo(f"  {name}: {shown}")
        elif isinstance(value, int) and not isinstance(value, bool) and key.endswith("bytes"):
            click.echo(f"{key}: {units.format_quantity(value, 'byte')} ({value} byte)")
        else:
            click.echo(f"{key}: {value}")


def _document(inventory: object, identity: str, model: str, quant: str, source: str | None, out: Path | None) -> None:
    from cardbook import inspect
    from cardbook.package import locate

    if source is None:
        raise click.UsageError("a checkpoint document cites where the file is published: give --source (an id of data/sources)")
    document = inspect.to_checkpoint_document(inventory, id=identity, model=model, quant=quant, source=source)
    folder = out or locate().data / "checkpoints"
    target = folder / f"{identity}.json"
    if target.exists():
        raise click.ClickException(f"{target} is there already; choose another --id")
    folder.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.new")
    temporary.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    temporary.replace(target)
    click.echo(f"wrote {target}")
