"""`cardbook list`."""

from __future__ import annotations

import json
import sys

import click

from cardbook.cli import table

QUERIES = {
    "cards": "SELECT id, name, memory_bytes, memory_bandwidth_bytes_s, board_power_w, grade FROM cards WHERE kind <> 'cpu' ORDER BY id",
    "hosts": "SELECT id, name, memory_channels, memory_transfer_rate_t_s, memory_bandwidth_bytes_s, grade FROM cards WHERE kind = 'cpu' ORDER BY id",
    "models": "SELECT id, name, parameters, decode_parameters, native_quant, grade FROM models ORDER BY id",
    "quants": "SELECT id, name, family, bits_per_parameter, grade FROM quants ORDER BY id",
    "engines": "SELECT id, name, repository, license FROM engines ORDER BY id",
    "recipes": "SELECT id, tier, card, n_cards, model, quant, engine FROM recipes ORDER BY id",
    "claims": "SELECT id, said_by, identity, sentence FROM claims ORDER BY id",
    "links": "SELECT id, name, bandwidth_bytes_s, grade FROM links ORDER BY id",
}


@click.command("list")
@click.argument("what", type=click.Choice([*QUERIES, "tables", "units"]), required=False)
@click.option("--units", "with_units", is_flag=True, help="Explain every unit used in the package in a line each.")
@click.option("--format", "form", type=click.Choice(["table", "csv", "json"]), default="table", show_default=True)
def command(what: str | None, with_units: bool, form: str) -> None:
    """List what the package holds."""
    from cardbook.package import locate

    package = locate()
    if with_units or what == "units":
        from cardbook.units import explain_units
        from cardbook.views import catalog

        used = {f.unit for fields in catalog.relations(package).values() for f in fields if f.unit}
        found = explain_units(sorted(used))
        if form == "json":
            click.echo(json.dumps(dict(found), indent=2, ensure_ascii=False))
        else:
            table.aligned(["unit", "meaning"], found, sys.stdout)
        return
    if what is None:
        raise click.UsageError("say what to list, or --units")
    from cardbook.views import catalog, database

    if what == "tables":
        names = ["name", "columns", "of"]
        views = {v.name for v in catalog.views(package.views)}
        rows: list[tuple[object, ...]] = [(n, len(f), "view" if n in views else "table") for n, f in catalog.relations(package).items()]
    else:
        db = database.empty()
        database.load_tables(db, package)
        cursor = db.execute(QUERIES[what])
        names, rows = [d[0] for d in cursor.description or ()], cursor.fetchall()
    units = catalog.units_by_column(package)
    if form == "csv":
        table.as_csv(names, rows, sys.stdout)
    elif form == "json":
        table.as_json(names, rows, sys.stdout, {n: units.get(n) for n in names})
    else:
        table.aligned(names, rows, sys.stdout, [units.get(n) for n in names])
