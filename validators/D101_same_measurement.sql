-- code: D101
-- slug: same-measurement
-- severity: error
-- over: package
-- asserts: No measurement stands twice.
-- equation: a copied row is no second measurement
-- unit: token/second
-- message: {record}: the same figures as {other_record}
-- fix: keep the one with the better provenance, and the first source
SELECT CONCAT(m.recipe, '/', m.measurement) AS record, r.tier, 'name' AS field, m.tok_s AS actual, MIN(CONCAT(o.recipe, '/', o.measurement)) AS bound, MIN(CONCAT(o.recipe, '/', o.measurement)) AS other_record
FROM measurements AS m
INNER JOIN recipes AS r ON m.recipe = r.id
INNER JOIN known_measurements AS o
    ON m.phase = o.phase AND m.tok_s = o.tok_s AND m.recipe <> o.recipe
    AND m.prompt_tokens IS NOT DISTINCT FROM o.prompt_tokens AND m.generated_tokens IS NOT DISTINCT FROM o.generated_tokens
    AND m.depth_tokens IS NOT DISTINCT FROM o.depth_tokens AND m.concurrency IS NOT DISTINCT FROM o.concurrency
    AND m.ttft_s IS NOT DISTINCT FROM o.ttft_s AND m.tok_s_stddev IS NOT DISTINCT FROM o.tok_s_stddev
INNER JOIN known_recipes AS s ON o.recipe = s.id
WHERE r.card = s.card AND r.n_cards IS NOT DISTINCT FROM s.n_cards AND r.model = s.model AND r.quant = s.quant AND r.engine = s.engine
    AND r.kv_quant IS NOT DISTINCT FROM s.kv_quant AND r.backend IS NOT DISTINCT FROM s.backend AND r.speculation IS NOT DISTINCT FROM s.speculation
    AND r.engine_version IS NOT DISTINCT FROM s.engine_version AND r.driver IS NOT DISTINCT FROM s.driver
    AND r.power_limit_w IS NOT DISTINCT FROM s.power_limit_w AND r.parallelism IS NOT DISTINCT FROM s.parallelism
    AND COALESCE(r.checkpoint, s.checkpoint, '') = COALESCE(s.checkpoint, r.checkpoint, '') AND r.flash_attention IS NOT DISTINCT FROM s.flash_attention
    AND COALESCE(r.status, 'active') = 'active' AND COALESCE(s.status, 'active') = 'active'
GROUP BY m.recipe, m.measurement, r.tier, m.tok_s
