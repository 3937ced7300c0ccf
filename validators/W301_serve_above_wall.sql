-- code: W301
-- slug: serve-above-wall
-- severity: error
-- over: measured
-- asserts: Serving is not faster than its compute and memory walls.
-- equation: output tok/s ≤ 1 / max(F / (n·h·P), ((W − n·C)/c + KV) / (T·n·B_max))   (physics.md 8)
-- worked: the lower of {cards_at_work} × {peak_strict_flop_s} / {serve_flop_per_token} =
--     {serve_compute_wall_tok_s} and {tokens_per_step_strict} × {cards_at_work} ×
--     {bandwidth_strict_bytes_s} / {stream_step_bytes_strict} = {serve_memory_wall_tok_s}; measured
--     {rate_tok_s}
-- unit: token/second
-- message: {record}: {actual} of output is {ratio} times the {bound_by} wall of {bound} on {n_cards} ×
--     {card_name}: {streams} streams, {stream_step_bytes_strict} a stream and step, {serve_flop_per_token}
--     an output token
-- fix: give output tokens only (input + output goes to total_rate), the true concurrency and number of
--     cards, and declare the draft and the cached prompt tokens
SELECT e.*, 'tok_s' AS field, e.rate_tok_s AS actual, e.wall_tok_s AS bound,
    e.fraction_of_wall AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.phase = 'serve' AND e.speculation IS NOT NULL
    AND e.rate_tok_s > k.reject_above * e.wall_tok_s
