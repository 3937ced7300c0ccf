-- code: S105
-- slug: cap-unknown
-- severity: incomplete
-- over: measured
-- asserts: A declared draft says how many tokens it drafts per step.
-- equation: T ≤ γ + 1   (physics.md 6)
-- worked: speculation {speculation}, drafted tokens per step {draft_tokens}
-- message: {record}: speculation is {speculation}, but not how many tokens a step drafts
-- fix: add draft_tokens (γ), or accepted_per_step from the log
SELECT e.record, e.tier, e.speculation, 'draft_tokens' AS field, e.speculation AS actual, 'drafted tokens per step' AS bound
FROM efficiency AS e
WHERE e.phase IN ('decode', 'serve') AND e.speculation IS NOT NULL AND e.speculation <> 'none'
    AND e.draft_tokens IS NULL AND e.accepted_per_step IS NULL
