-- code: S104
-- slug: speed-up-above-bound
-- severity: error
-- over: package
-- asserts: Speculation is not faster than plain decode times the tokens emitted per step.
-- equation: speed-up ≤ T / (1 + γ·c), c ≥ 0   (physics.md 6)
-- unit: 1
-- message: {record}: {actual} times the plain run {plain_record}, but at most {bound} can come of
--     {tokens_per_step}
-- fix: check the drafted tokens per step and that both runs share build, prompt and cards
SELECT g.*, 'tok_s' AS field, g.speed_up AS actual, g.speed_up_cap AS bound, g.speed_up / g.speed_up_cap AS ratio
FROM speculation_gain AS g
CROSS JOIN constants AS k
WHERE g.same_build AND g.speed_up > g.speed_up_cap * (1 + k.agreement_tolerance)
