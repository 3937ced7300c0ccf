-- code: C108
-- slug: quality-out-of-range
-- severity: error
-- over: package
-- asserts: A quality figure lies in the range of its metric.
-- equation: perplexity > 1, KL ≥ 0, accuracy in [0, 1]   (physics.md 9)
-- message: {record}: {metric} of {actual} is out of range
-- fix: ratios are written 0.72 and not 72; perplexity is above 1, KL divergence is not negative
SELECT CONCAT(q.evaluation, '/', CAST(q.figure AS VARCHAR)) AS record, 'value' AS field, q.metric, q.value AS actual, 'the range of the metric' AS bound
FROM quality AS q
CROSS JOIN constants AS k
WHERE (q.metric = 'perplexity' AND (q.value > 1) IS NOT TRUE)
    OR (q.metric IN ('kl_divergence', 'kl_divergence_p99', 'kl_divergence_max') AND (q.value >= 0) IS NOT TRUE)
    OR (q.metric IN ('accuracy', 'accuracy_average', 'exact_match', 'pass_at_1', 'f1', 'top1_agreement', 'rouge1', 'rouge2', 'rougeL') AND (q.value >= 0 AND q.value <= 1) IS NOT TRUE)
    OR q.standard_error < 0
