-- code: W103
-- slug: decode-above-compute-wall
-- severity: error
-- over: measured
-- asserts: Decode is not faster than the compute wall.
-- equation: tok/s ≤ n·h·P / (2·R + 4·Σ n_heads·d_h·min(s, window))   (physics.md 2)
-- worked: {cards_at_work} × {peak_strict_flop_s} ({fastest_path}) / {decode_flop_per_token} =
--     {decode_compute_wall_tok_s}; measured {rate_tok_s}
-- unit: token/second
-- message: {record}: decode at {actual} is {ratio} times the compute wall of {bound} on {n_cards} ×
--     {card_name}: a token costs {decode_flop_per_token}, and the fastest path ({fastest_path}) does
--     {peak_strict_flop_s} a card
-- fix: check the model, the number of cards and the rate (one stream or all? input tokens counted?)
SELECT e.*, 'tok_s' AS field, e.rate_tok_s AS actual, e.decode_compute_wall_tok_s AS bound,
    e.rate_tok_s / e.decode_compute_wall_tok_s AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.phase = 'decode'
    AND e.rate_tok_s > k.reject_above * e.decode_compute_wall_tok_s
