-- code: P104
-- slug: prompt-or-shape
-- severity: incomplete
-- over: package
-- asserts: A measurement says how long prompt and generation were.
-- equation: rule 2: name the card, the build and the prompt
-- message: {record}: the shape is not given
-- fix: add prompt_tokens and generated_tokens
SELECT CONCAT(m.recipe, '/', m.measurement) AS record, r.tier, 'prompt_tokens' AS field, 'nothing' AS actual, 'prompt and generated tokens' AS bound
FROM measurements AS m
INNER JOIN recipes AS r ON m.recipe = r.id
WHERE (m.phase = 'prefill' AND m.prompt_tokens IS NULL) OR (m.phase = 'decode' AND m.generated_tokens IS NULL)
    OR (m.phase = 'serve' AND (m.prompt_tokens IS NULL OR m.generated_tokens IS NULL))
