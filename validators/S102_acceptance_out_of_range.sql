-- code: S102
-- slug: acceptance-out-of-range
-- severity: error
-- over: measured
-- asserts: The acceptance rate lies between 0 and 1.
-- equation: 0 ≤ accepted ÷ drafted ≤ 1   (physics.md 6)
-- unit: 1
-- message: {record}: an acceptance rate of {actual} is no ratio
-- fix: write accepted ÷ drafted as a ratio, 0.52 and not 52
SELECT e.record, e.tier, 'acceptance_rate' AS field, e.acceptance_rate AS actual, CAST(1 AS DOUBLE) AS bound
FROM efficiency AS e
WHERE e.acceptance_rate IS NOT NULL AND (e.acceptance_rate >= 0 AND e.acceptance_rate <= 1) IS NOT TRUE
