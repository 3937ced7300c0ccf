-- code: W201
-- slug: prefill-above-compute-wall
-- severity: error
-- over: measured
-- asserts: Prefill is not faster than the compute wall.
-- equation: tok/s ≤ S·n·h·P / FLOPs(S, d)   (physics.md 3)
-- worked: {computed_tokens} × {cards_at_work} × {peak_strict_flop_s} ({fastest_path}) / {prefill_flops} =
--     {prefill_compute_wall_tok_s}; measured {rate_tok_s}
-- unit: token/second
-- message: {record}: prefill at {actual} is {ratio} times the compute wall of {bound} on {n_cards} ×
--     {card_name}: {computed_tokens} cost {prefill_flops}, and the fastest path ({fastest_path}) does
--     {peak_strict_flop_s} a card
-- fix: count computed tokens only (declare cached_prompt_tokens), check the number of cards, and whether
--     prompt and generation are swapped
SELECT e.*, 'tok_s' AS field, e.rate_tok_s AS actual, e.prefill_compute_wall_tok_s AS bound,
    e.rate_tok_s / e.prefill_compute_wall_tok_s AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.phase = 'prefill'
    AND e.rate_tok_s > k.reject_above * e.prefill_compute_wall_tok_s
