-- code: S103
-- slug: tokens-per-step-above-cap
-- severity: error
-- over: measured
-- asserts: No step accepts more tokens than it drafts, nor more than the printed rate allows.
-- equation: accepted per step ≤ γ · (accepted ÷ drafted) ≤ γ   (physics.md 6)
-- unit: token/step
-- message: {record}: {actual} accepted of {draft_tokens} drafted is above the {bound} that the draft and its
--     acceptance rate allow
-- fix: accepted_per_step leaves the bonus token out (vLLM prints the mean length with it), acceptance_rate
--     is accepted ÷ drafted
SELECT e.record, e.tier, e.draft_tokens, e.acceptance_rate, 'accepted_per_step' AS field, e.accepted_per_step AS actual,
    e.draft_tokens * COALESCE(e.acceptance_rate, 1) AS bound,
    e.accepted_per_step / NULLIF(e.draft_tokens * COALESCE(e.acceptance_rate, 1), 0) AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.accepted_per_step IS NOT NULL AND e.draft_tokens IS NOT NULL
    AND e.accepted_per_step > e.draft_tokens * COALESCE(e.acceptance_rate, 1) * (1 + k.consistency_tolerance)
