"""`cardbook new`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

#: Asked in this order; the rest of a recipe can be added to the document.
ASKED = (
    "card", "cards", "parallelism", "model", "quant", "checkpoint", "kv_quant", "engine", "engine_version", "driver", "command", "prompt",
    "host_offload", "speculation", "draft_tokens", "power_limit", "measured_on", "source",
)  # fmt: skip
MEASURED = ("phase", "prompt_tokens", "generated_tokens", "depth", "concurrency", "rate", "ttft", "tpot", "peak_memory", "mean_power")


@click.command("new")
@click.option("--tier", type=click.Choice(["submitted", "reported"]), default="submitted", show_default=True, help="reported: transcribed from a public page.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder to write into, instead of data/recipes/CARD.")
def command(tier: str, out: Path | None) -> None:
    """Draft a recipe from a page of numbers: every answer is checked as it is typed, and an empty
    one is left out."""
    from cardbook import drafts, schema
    from cardbook.package import locate

    package = locate()
    tables = schema.load(package.table_schemas)
    document: dict[str, Any] = {"id": "draft", "tier": tier}
    for key in ASKED:
        value = _ask(package, next(f for f in tables["recipes"].fields if f.key == key))
        if value is not None:
            document[key] = value
    document["measurements"] = []
    while True:
        click.echo(f"\nmeasurement {len(document['measurements']) + 1}")
        item: dict[str, Any] = {}
        row: dict[str, Any] = {}
        for key in MEASURED:
            field = next(f for f in tables["measurements"].fields if f.key == key)
            value = _ask(package, field)
            if value is not None:
                item[key] = value
                row[field.name] = _number(value, field)
        document["measurements"].append({"name": drafts.measurement_name(row), **item})
        if not click.confirm("another measurement?", default=False):
            break
    document["id"] = drafts.identity(document)
    folder = (out / document["id"]) if out else drafts.place(package, document)
    click.echo(f"wrote {drafts.write(folder, document, [])}\nnext: cardbook check {folder}")


def _number(value: Any, field: Any) -> Any:
    from cardbook import units

    return units.parse_quantity(value, str(field.unit)) if field.is_quantity else value


def _ask(package: Any, field: Any) -> Any:
    from cardbook import drafts
    from cardbook.cli.drafting import typed

    allowed = field.constraints.get("enum")
    hint = f" [{', '.join(allowed)}]" if allowed else f" (in {field.unit}, with the unit)" if field.is_quantity else ""
    while True:
        text = click.prompt(f"{field.key}: {field.description}{hint}", default="", show_default=False).strip()
        if not text:
            if field.required:
                click.echo("  this one is needed")
                continue
            return None
        try:
            value = typed(field, text)
        except click.UsageError as error:
            click.echo(f"  {error.message}")
            continue
        if field.key in drafts.REFERENCES:
            table = drafts.REFERENCES[field.key][0]
            found = drafts.resolve(package, field.key, str(value))
            if found is None:
                import difflib

                near = difflib.get_close_matches(str(value).lower(), {i for i in drafts.names(package, table).values() if i}, 3)
                click.echo(f"  no {field.key} of that name; " + (f"did you mean {', '.join(near)}?" if near else f"see `cardbook list {table}`"))
                continue
            return found
        return value
