SELECT CASE WHEN depth_tokens IS NULL OR depth_tokens = 0 THEN 0 ELSE POWER(2, FLOOR(LOG2(depth_tokens))) END AS depth_from, COUNT(*) AS rows,
    ROUND(MEDIAN(fraction_of_wall), 3) AS median_fraction, ROUND(MEDIAN(kv_bytes / weight_bytes), 3) AS median_kv_over_weights
FROM efficiency
WHERE phase = 'decode' AND concurrency = 1 AND fraction_of_wall IS NOT NULL AND COALESCE(host_offload, 'none') = 'none'
GROUP BY depth_from HAVING COUNT(*) >= 10 ORDER BY depth_from
