"""The six identities with the numbers of one row of `efficiency` in them, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Identity → (when it applies, template). Every figure is a column of a view.
TEMPLATES: dict[str, tuple[str, str]] = {
    "decode wall": (
        "decode",
        "{streams} × {tokens_per_step_strict} × {cards_in_step} × {bandwidth_strict_bytes_s} / ({weight_bytes_strict} of weights + "
        "{streams} × {kv_bytes_strict} of KV − {cards_at_work} × {cache_bytes} of cache) = {decode_memory_wall_tok_s}",
    ),
    "decode wall, expected": (
        "decode",
        "{streams} × {tokens_per_step} × {cards_in_step} × {bandwidth_bytes_s} / ({weight_bytes} + {streams} × {kv_bytes}) = {decode_memory_expected_tok_s}",
    ),
    "decode compute wall": ("decode", "{cards_at_work} × {peak_strict_flop_s} ({fastest_path}) / {decode_flop_per_token} = {decode_compute_wall_tok_s}"),
    "textbook B / (N·q)": ("decode", "{n_cards} × {bandwidth_bytes_s} / ({parameters} × {bytes_per_parameter}) = {textbook_wall_tok_s}"),
    "prefill FLOPs": ("prefill", "{computed_tokens} on {cached_tokens} cached = {prefill_flops}; at {cards_at_work} × {peak_strict_flop_s} ({fastest_path}) {prefill_compute_time_strict_s}, so {prefill_compute_wall_tok_s}"),
    "prefill memory wall": ("prefill", "weights read once, {pass_bytes_strict} in {pass_time_strict_s}, so {prefill_memory_wall_tok_s}"),
    "KV bytes": ("decode", "{kv_bytes_per_token} of context; {kv_allocated_bytes} a stream at {end_tokens}"),
    "memory fit": ("decode", "{checkpoint_expected_bytes} of weights + {streams} × {kv_allocated_bytes} = {needed_bytes} of {memory_bytes}: fits {fits}; streams that fit {streams_that_fit}; cards needed {cards_needed}"),
    "roofline": ("any", "intensity {intensity_flop_per_byte}, ridge {ridge_flop_per_byte}: {roofline_side} side; attainable {attainable_flop_s} a card"),
    "speculation": ("speculation", "{speculation}: γ = {draft_tokens}, T = {tokens_per_step} (at most {tokens_per_step_strict}), α = {conditional_acceptance}"),
    "serving": ("serve", "compute {serve_compute_wall_tok_s}; memory {serve_memory_wall_tok_s}; first token not before {ttft_limit_s}; a token not before {tpot_limit_s}"),
}  # fmt: skip

#: The columns of other views that the templates read, to join on `record`.
JOIN = (
    "SELECT e.*, f.kv_bytes_per_token, f.kv_allocated_bytes, f.end_tokens, f.checkpoint_expected_bytes, f.needed_bytes, f.memory_bytes, "
    "f.fits, f.streams_that_fit, f.cards_needed, s.conditional_acceptance "
    "FROM efficiency AS e LEFT JOIN memory_fit AS f ON e.record = f.record LEFT JOIN speculation AS s ON e.record = s.record"
)


def lines(row: Mapping[str, Any], units: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """(identity, the identity worked) for those that apply to the phase of the row."""
    from cardbook.rules.message import fill

    found = []
    for name, (when, template) in TEMPLATES.items():
        drafting = row.get("speculation") not in (None, "none")
        if when in ("any", row["phase"]) or (when == "speculation" and drafting):
            found.append((name, fill(template, row, units)))
    return found
