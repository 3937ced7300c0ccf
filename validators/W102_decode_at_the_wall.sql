-- code: W102
-- slug: decode-at-the-wall
-- severity: warning
-- over: measured
-- asserts: Decode between 1.00 and 1.03 of the strict wall deserves a second look.
-- equation: 1.00 < tok/s ÷ wall ≤ 1.03   (physics.md 12)
-- worked: {rate_tok_s} against {decode_memory_wall_tok_s}: {fraction_of_wall} of the strict wall
-- unit: token/second
-- message: {record}: decode at {actual} stands at {ratio} of the strict wall of {bound} on {n_cards} ×
--     {card_name} ({step_bytes_strict} a step)
-- fix: check the file size, the clock and the rate; no honest row was ever seen above 0.97
SELECT e.*, 'tok_s' AS field, e.rate_tok_s AS actual, e.decode_memory_wall_tok_s AS bound,
    e.rate_tok_s / e.decode_memory_wall_tok_s AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.phase = 'decode'
    AND e.rate_tok_s > k.warn_above * e.decode_memory_wall_tok_s
    AND e.rate_tok_s <= k.reject_above * e.decode_memory_wall_tok_s
