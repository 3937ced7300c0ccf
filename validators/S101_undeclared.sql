-- code: S101
-- slug: undeclared
-- severity: error
-- over: measured
-- asserts: A rate above the plain wall has its speculation declared.
-- equation: without a draft T = 1   (physics.md 6)
-- worked: without a draft the wall is {wall_tok_s}; measured {rate_tok_s}; speculation declared: {speculation}
-- unit: token/second
-- message: {record}: {actual} is {ratio} times the plain wall of {bound} on {n_cards} × {card_name}
--     ({stream_step_bytes_strict} a stream and step), and speculation is not declared
-- fix: declare speculation and draft_tokens (also none); if nothing was drafted, the rate, the weight
--     format or the number of cards is not as written
SELECT e.*, 'speculation' AS field, e.rate_tok_s AS actual, e.wall_tok_s AS bound, e.fraction_of_wall AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.phase IN ('decode', 'serve') AND e.speculation IS NULL AND e.rate_tok_s > k.reject_above * e.wall_tok_s
