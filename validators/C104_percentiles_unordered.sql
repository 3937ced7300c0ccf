-- code: C104
-- slug: percentiles-unordered
-- severity: error
-- over: package
-- asserts: Percentiles rise, the lowest repeat is not above the highest, and a spread is not negative.
-- equation: min ≤ mean ≤ max   (physics.md 9)
-- message: {record}: {actual}
-- fix: check which column is which
SELECT CONCAT(m.recipe, '/', m.measurement) AS record, 'ttft_p50_s' AS field, 'percentiles or repeats out of order' AS actual, 'p50 ≤ p90 ≤ p95 ≤ p99, min ≤ rate ≤ max, spread ≥ 0' AS bound
FROM measurements AS m
CROSS JOIN constants AS k
WHERE (m.ttft_p50_s > m.ttft_p90_s) OR (m.ttft_p90_s > m.ttft_p95_s) OR (m.ttft_p95_s > m.ttft_p99_s) OR (m.ttft_p50_s > m.ttft_p95_s) OR (m.ttft_p50_s > m.ttft_p99_s) OR (m.ttft_p90_s > m.ttft_p99_s) OR (m.tpot_p50_s > m.tpot_p90_s) OR (m.tpot_p90_s > m.tpot_p95_s) OR (m.tpot_p95_s > m.tpot_p99_s) OR (m.tpot_p50_s > m.tpot_p95_s) OR (m.tpot_p50_s > m.tpot_p99_s) OR (m.tpot_p90_s > m.tpot_p99_s) OR (m.e2e_p50_s > m.e2e_p90_s) OR (m.e2e_p90_s > m.e2e_p95_s) OR (m.e2e_p95_s > m.e2e_p99_s) OR (m.e2e_p50_s > m.e2e_p95_s) OR (m.e2e_p50_s > m.e2e_p99_s) OR (m.e2e_p90_s > m.e2e_p99_s)
    OR m.tok_s_min > m.tok_s_max OR m.tok_s_min > m.tok_s * (1 + k.consistency_tolerance) OR m.tok_s > m.tok_s_max * (1 + k.consistency_tolerance) OR m.tok_s_stddev < 0
