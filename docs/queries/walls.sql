SELECT phase, bound_by, COUNT(*) AS rows, ROUND(MEDIAN(fraction_of_wall), 3) AS median_fraction, ROUND(MAX(fraction_of_wall), 3) AS best_fraction
FROM efficiency
WHERE bound_by IS NOT NULL AND rate_tok_s IS NOT NULL
GROUP BY phase, bound_by ORDER BY phase, bound_by
