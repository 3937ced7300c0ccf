"""`cardbook wall`: the calculator. Its rows are rows of `measured` without a rate, so that what
is predicted and what is checked come from one derivation."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from cardbook.cli import identities, table


def _quantity(unit: str) -> Any:
    """A click callback that reads a value with its unit."""

    def read(ctx: click.Context, param: click.Parameter, value: str | None) -> float | int | None:
        if value is None:
            return None
        from cardbook import units

        try:
            return units.parse_quantity(value, unit)
        except units.UnitError as error:
            raise click.BadParameter(f"found {error.found}, wanted {error.wanted}. {error.fix}") from error

    return read


@click.command("wall")
@click.option("--card", required=True, help="Card id (`cardbook list cards`).")
@click.option("--model", required=True, help="Model id (`cardbook list models`).")
@click.option("--quant", required=True, help="Quant id (`cardbook list quants`).")
@click.option("--engine", help="Engine id; without it the fastest path of any engine.")
@click.option("--depth", callback=_quantity("token"), default="0", show_default=True, help="Tokens in the cache (16k).")
@click.option("--prompt", callback=_quantity("token"), default="2048", show_default=True, help="Prompt tokens for prefill.")
@click.option("--generate", callback=_quantity("token"), default="128", show_default=True, help="Tokens generated.")
@click.option("--batch", type=click.IntRange(1), default=1, show_default=True, help="Concurrent streams.")
@click.option("--cards", type=click.IntRange(1), default=1, show_default=True, help="Number of cards.")
@click.option(
    "--parallelism", type=click.Choice(["none", "tensor", "expert", "pipeline", "layer", "data", "mixed", "unknown"]), help="How the cards share the model."
)
@click.option("--kv", "kv_quant", default="f16", show_default=True, help="KV cache format.")
@click.option("--speculation", type=click.Choice(["none", "draft", "mtp", "eagle", "medusa", "ngram", "other"]), default="none", show_default=True)
@click.option("--draft-tokens", type=float, help="Drafted tokens per step (γ).")
@click.option("--acceptance", type=click.FloatRange(0, 1), help="Accepted ÷ drafted, as engines print it.")
@click.option("--checkpoint-size", callback=_quantity("byte"), help='Size of the checkpoint ("16.4 GiB"); without it the bits of the quant.')
@click.option("--memory-clock", type=float, help="Memory clock, or bandwidth as built, over the stock figure.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(**o: Any) -> None:
    """What the identities say about a configuration: walls, fit, roofline, what a draft can buy."""
    from cardbook.package import locate
    from cardbook.views import catalog, database

    package = locate()
    db = database.empty()
    database.load_tables(db, package)
    _known(db, o)
    relation = _relation(package)
    database.create_table(db, relation, None)
    database.fill_rows(db, relation, [_row(relation, o, phase) for phase in ("decode", "prefill", "serve")])
    database.create_views(db, package, skip=frozenset({"measured"}))
    cursor = db.execute(f"{identities.JOIN} ORDER BY e.record")
    names = [d[0] for d in cursor.description or ()]
    rows = [dict(zip(names, values, strict=True)) for values in cursor.fetchall()]
    units = catalog.units_by_column(package)
    if form_is_json(o):
        content = {"units": {n: units.get(n) for n in names if units.get(n)}, "rows": rows}
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
        return
    _print(rows, units)


def form_is_json(o: dict[str, Any]) -> bool:
    return bool(o["form"] == "json")


def _known(db: Any, o: dict[str, Any]) -> None:
    for option, name in (("card", "cards"), ("model", "models"), ("quant", "quants"), ("engine", "engines"), ("kv_quant", "kv_quants")):
        if o[option] is not None and not db.execute(f'SELECT 1 FROM "{name}" WHERE id = ?', [o[option]]).fetchone():
            import difflib

            ids = [r[0] for r in db.execute(f'SELECT id FROM "{name}"').fetchall()]
            near = difflib.get_close_matches(o[option], ids, 3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"see `cardbook list {name}`"
            raise click.UsageError(f"no {option.replace('_quant', '')} {o[option]!r} in the package; {hint}")


def _relation(package: Any) -> Any:
    from cardbook import schema
    from cardbook.views import catalog

    return schema.Table("measured", "", "", catalog.view_fields(package)["measured"], (), (), None, None, None, {})


def _row(relation: Any, o: dict[str, Any], phase: str) -> dict[str, Any]:
    row: dict[str, Any] = dict.fromkeys(relation.names)
    row.update(
        record={"decode": "1 decode", "prefill": "2 prefill", "serve": "3 serve"}[phase],
        tier="claim", phase=phase, card=o["card"], n_cards=o["cards"], parallelism=o["parallelism"], model=o["model"], quant=o["quant"],
        checkpoint_bytes=o["checkpoint_size"], kv_quant=o["kv_quant"], engine=o["engine"], host_offload="none", concurrency=o["batch"],
        speculation=o["speculation"], draft_tokens=o["draft_tokens"], acceptance_rate=o["acceptance"],
        memory_clock_ratio=o["memory_clock"], depth_tokens=o["depth"],
        prompt_tokens=None if phase == "decode" else o["prompt"], generated_tokens=None if phase == "prefill" else o["generate"],
    )  # fmt: skip
    return row


def _print(rows: list[dict[str, Any]], units: dict[str, str | None]) -> None:
    from cardbook.rules.message import show

    decode = next(r for r in rows if r["phase"] == "decode")
    click.echo(f"{decode['n_cards']} × {decode['card_name']}, {decode['model']} in {decode['quant']}, {show(decode['streams'], None)} streams")
    for row in rows:
        click.echo(f"\n{row['phase']}")
        for name, text in identities.lines(row, units):
            click.echo(f"  {name}: {text}")
        if row["unbounded_for"]:
            click.echo(f"  not fully bounded: missing {row['unbounded_for']}")
    click.echo("")
    ceilings = [(r["phase"], show(r["wall_tok_s"], "token/second"), show(r["expected_wall_tok_s"], "token/second"), r["bound_by"]) for r in rows]
    table.aligned(["phase", "no honest run is above", "a good run comes near", "bound by"], ceilings, sys.stdout)
