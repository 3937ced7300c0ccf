-- code: W303
-- slug: tpot-below-step
-- severity: error
-- over: measured
-- asserts: A token does not come faster than a step of one stream over the tokens it emits.
-- equation: TPOT ≥ (W + KV − n·C) / (n·B_max·T)   (physics.md 8)
-- worked: {token_time_strict_s} a step of one stream / {tokens_per_step_strict} = {tpot_limit_s} a token;
--     measured {tpot_s}
-- unit: second
-- message: {record}: a token every {actual}, but a step of one stream takes at least {bound} a token on
--     {n_cards} × {card_name} ({weight_bytes_strict} of weights, {tokens_per_step_strict})
-- fix: check the unit (ms or s), the number of cards and how they share the model, and declare the draft
SELECT e.*, 'tpot_s' AS field, e.tpot_s AS actual, e.tpot_limit_s AS bound,
    e.tpot_limit_s / e.tpot_s AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.tpot_s IS NOT NULL AND e.speculation IS NOT NULL
    AND e.tpot_s * k.reject_above < e.tpot_limit_s
