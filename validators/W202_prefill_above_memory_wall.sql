-- code: W202
-- slug: prefill-above-memory-wall
-- severity: error
-- over: measured
-- asserts: Prefill reads the weights at least once a pass.
-- equation: tok/s ≤ b·S·n·B_max / (W − n·C)   (physics.md 3)
-- worked: {streams} × {computed_tokens} per {pass_time_strict_s} (= {pass_bytes_strict} / ({cards_at_work} ×
--     {bandwidth_strict_bytes_s})) = {prefill_memory_wall_tok_s}; measured {rate_tok_s}
-- unit: token/second
-- message: {record}: prefill at {actual} is {ratio} times the memory wall of {bound} on {n_cards} ×
--     {card_name}: {streams} prompts of {computed_tokens} read {pass_bytes_strict} at least once
-- fix: count computed tokens only (declare cached_prompt_tokens), check prompt length, concurrency and
--     number of cards
SELECT e.*, 'tok_s' AS field, e.rate_tok_s AS actual, e.prefill_memory_wall_tok_s AS bound,
    e.rate_tok_s / e.prefill_memory_wall_tok_s AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.phase = 'prefill'
    AND e.rate_tok_s > k.reject_above * e.prefill_memory_wall_tok_s
