-- code: C105
-- slug: phases-swapped
-- severity: warning
-- over: package
-- asserts: Decode of one stream is not faster than prefill of a long prompt.
-- equation: one pass computes many prompt tokens   (physics.md 9)
-- unit: token/second
-- message: {record}: decode at {actual} is faster than prefill at {bound} ({prefill_record})
-- fix: are prompt and generation swapped?
SELECT d.record, d.tier, 'tok_s' AS field, d.rate_tok_s AS actual, p.rate_tok_s AS bound, d.rate_tok_s / p.rate_tok_s AS ratio, p.record AS prefill_record
FROM efficiency AS d
INNER JOIN measurements AS dm ON d.record = CONCAT(dm.recipe, '/', dm.measurement)
INNER JOIN measurements AS pm ON dm.recipe = pm.recipe
INNER JOIN efficiency AS p ON p.record = CONCAT(pm.recipe, '/', pm.measurement)
CROSS JOIN constants AS s
WHERE d.phase = 'decode' AND p.phase = 'prefill' AND p.prompt_tokens >= s.long_prompt_tokens
    AND COALESCE(d.streams, 1) = COALESCE(p.streams, 1) AND COALESCE(d.depth_tokens, 0) = COALESCE(p.depth_tokens, 0)
    AND d.rate_tok_s > p.rate_tok_s
