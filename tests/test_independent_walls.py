"""The views against the second derivation, over random configurations of real records."""

from __future__ import annotations

import math
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


def configuration() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "card": st.sampled_from(sorted(WORLD.cards)),
            "model": st.sampled_from(sorted(WORLD.models)),
            "quant": st.sampled_from(sorted(WORLD.quants)),
            "engine": st.sampled_from([None, *sorted(WORLD.engines)]),
            "kv_quant": st.sampled_from([None, *sorted(WORLD.kv)]),
            "phase": st.sampled_from(["decode", "prefill"]),
            "n_cards": st.integers(1, 16),
            "parallelism": st.sampled_from([None, "none", "tensor", "expert", "pipeline", "layer", "data", "mixed", "unknown"]),
            "concurrency": st.integers(1, 256).map(float),
            "depth_tokens": st.one_of(st.none(), st.integers(0, 200_000).map(float)),
            "prompt_tokens": st.integers(1, 3000).map(float),
            "cached_prompt_tokens": st.one_of(st.none(), st.just(0.0)),
            "speculation": st.sampled_from([None, "none", "mtp", "ngram"]),
            "draft_tokens": st.one_of(st.none(), st.integers(1, 15).map(float)),
            "accepted_per_step": st.one_of(st.none(), st.floats(0, 15)),
            "memory_clock_ratio": st.one_of(st.none(), st.floats(0.5, 1.3)),
            "checkpoint_bytes": st.one_of(st.none(), st.integers(10**9, 10**12)),
        }
    )


def close(ours: float | None, theirs: float | None, what: str, row: dict[str, Any]) -> None:
    if ours is None or theirs is None:
        assert ours is None and theirs is None, (what, ours, theirs, row)
    else:
        assert math.isclose(ours, theirs, rel_tol=1e-9), (what, ours, theirs, row)


@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(configuration(), min_size=ROWS, max_size=ROWS))
def test_strict_walls_agree(rows: list[dict[str, Any]]) -> None:
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
