-- code: W101
-- slug: decode-above-wall
-- severity: error
-- over: measured
-- asserts: Decode is not faster than the strict memory wall.
-- equation: tok/s ≤ b·T·n·B_max / (W + b·KV(s) − n·C)   (physics.md 2)
-- worked: {streams} × {tokens_per_step_strict} per {step_time_strict_s} (= {step_bytes_strict} /
--     ({cards_in_step} × {bandwidth_strict_bytes_s})) = {decode_memory_wall_tok_s}; measured {rate_tok_s}
-- unit: token/second
-- message: {record}: decode at {actual} is {ratio} times the strict wall of {bound} on {n_cards} × {card_name}:
--     a step of {streams} streams must read at least {step_bytes_strict} ({weight_bytes_strict} of
--     weights) at {bandwidth_strict_bytes_s} a card and gives {tokens_per_step_strict}
-- fix: one of these is not as written: the rate (one stream or all? prompt tokens counted?), the number of
--     cards, the weight format or file size, the concurrency, the drafted tokens per step, a memory
--     overclock (declare memory_clock_ratio)
SELECT e.*, 'tok_s' AS field, e.rate_tok_s AS actual, e.decode_memory_wall_tok_s AS bound,
    e.rate_tok_s / e.decode_memory_wall_tok_s AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.phase = 'decode' AND e.speculation IS NOT NULL
    AND e.rate_tok_s > k.reject_above * e.decode_memory_wall_tok_s
