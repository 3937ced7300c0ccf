-- code: C109
-- slug: delta-mismatch
-- severity: error
-- over: package
-- asserts: A delta is the value less the baseline.
-- equation: delta = value − baseline   (physics.md 9)
-- unit: 1
-- message: {record}: a delta of {actual} is not value less baseline, {bound}
-- fix: give the difference (not the ratio, not percent), or leave delta out
SELECT CONCAT(q.evaluation, '/', CAST(q.figure AS VARCHAR)) AS record, 'delta' AS field, q.delta AS actual, q.value - q.baseline AS bound
FROM quality AS q
CROSS JOIN constants AS k
WHERE ABS(q.delta - (q.value - q.baseline)) > k.rounding_tolerance * GREATEST(ABS(q.value), 1)
