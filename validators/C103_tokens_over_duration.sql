-- code: C103
-- slug: tokens-over-duration
-- severity: error
-- over: package
-- asserts: Tokens over duration give the rate.
-- equation: tokens / duration = tok/s   (physics.md 9)
-- unit: token/second
-- message: {record}: {actual} is not the {bound} that requests × generated tokens over the duration give
-- fix: check the counts and the duration
SELECT e.record, e.tier, 'tok_s' AS field, e.tok_s AS actual, m.requests * m.generated_tokens / (k.one_request * m.duration_s) AS bound,
    e.tok_s * m.duration_s * k.one_request / (m.requests * m.generated_tokens) AS ratio
FROM measurements AS m
INNER JOIN efficiency AS e ON e.record = CONCAT(m.recipe, '/', m.measurement)
CROSS JOIN constants AS k
WHERE m.phase = 'serve'
    AND (e.tok_s > m.requests * m.generated_tokens / (k.one_request * m.duration_s) * (1 + k.agreement_tolerance)
        OR e.tok_s * (1 + k.agreement_tolerance) < m.requests * m.generated_tokens / (k.one_request * m.duration_s))
