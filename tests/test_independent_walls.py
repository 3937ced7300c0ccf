"""The views against the second derivation, over random configurations of real records."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cardbook import schema
from cardbook.package import locate
from cardbook.views import catalog, database
from tests.independent import World

WORLD = World()
ROWS = 300


def configuration(chance: random.Random) -> dict[str, Any]:
    """One configuration of real records, drawn at random."""

    def maybe(value: Any) -> Any:
        return value if chance.random() < 0.5 else None

    return {
        "card": chance.choice(sorted(WORLD.cards)),
        "model": chance.choice(sorted(WORLD.models)),
        "quant": chance.choice(sorted(WORLD.quants)),
        "engine": maybe(chance.choice(sorted(WORLD.engines))),
        "kv_quant": maybe(chance.choice(sorted(WORLD.kv))),
        "phase": chance.choice(["decode", "prefill"]),
        "n_cards": chance.randint(1, 16),
        "parallelism": chance.choice([None, "none", "tensor", "expert", "pipeline", "layer", "data", "mixed", "unknown"]),
        "concurrency": float(chance.randint(1, 256)),
        "depth_tokens": maybe(float(chance.randint(0, 200_000))),
        "prompt_tokens": float(chance.randint(1, 3000)),
        "cached_prompt_tokens": maybe(0.0),
        "speculation": chance.choice([None, "none", "mtp", "ngram"]),
        "draft_tokens": maybe(float(chance.randint(1, 15))),
        "accepted_per_step": maybe(chance.uniform(0, 15)),
        "memory_clock_ratio": maybe(chance.uniform(0.5, 1.3)),
        "checkpoint_bytes": maybe(chance.randint(10**9, 10**12)),
    }


def close(ours: float | None, theirs: float | None, what: str, row: dict[str, Any]) -> None:
    if ours is None or theirs is None:
        assert ours is None and theirs is None, (what, ours, theirs, row)
    else:
        assert math.isclose(ours, theirs, rel_tol=1e-9), (what, ours, theirs, row)


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32 - 1))
def test_strict_walls_agree(seed: int) -> None:
    chance = random.Random(seed)
    rows = [configuration(chance) for _ in range(ROWS)]
    package = locate()
    relation = schema.Table("measured", "", "", catalog.view_fields(package)["measured"], (), (), None, None, None, {})
    db = database.empty()
    database.load_tables(db, package)
    database.create_table(db, relation, None)
    blank = dict.fromkeys(relation.names)
    database.fill_rows(db, relation, [{**blank, **row, "record": str(i), "tier": "bulk"} for i, row in enumerate(rows)])
    database.create_views(db, package, skip=frozenset({"measured"}))
    # Inventories are exact by tensor and belong to named checkpoints; these sizes are random.
    found = {
        int(r[0]): r[1:]
        for r in db.execute(
            "SELECT record, decode_memory_wall_tok_s, decode_compute_wall_tok_s, prefill_compute_wall_tok_s, prefill_memory_wall_tok_s FROM walls"
        ).fetchall()
    }
    bounded = 0
    for i, row in enumerate(rows):
        ours = found[i]
        if WORLD.models[row["model"]]["grade"] == "D":
            continue
        if row["phase"] == "decode":
            close(ours[0], WORLD.decode_memory(row), "decode memory", row)
            close(ours[1], WORLD.decode_compute(row), "decode compute", row)
        else:
            compute, memory = WORLD.prefill(row)
            close(ours[2], compute, "prefill compute", row)
            close(ours[3], memory, "prefill memory", row)
        bounded += any(v is not None for v in ours)
    assert bounded > ROWS / 10


@pytest.mark.parametrize("kind", ["full", "sliding", "mla", "state"])
def test_every_attention_kind_occurs(kind: str) -> None:
    assert any(g["kind"] == kind for m in WORLD.models.values() for g in m.get("attention_groups", ()))
