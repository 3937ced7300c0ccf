SELECT card_name AS card, COUNT(*) AS decode_rows, ROUND(MAX(fraction_of_wall), 3) AS best_fraction, ROUND(MEDIAN(fraction_of_wall), 3) AS median_fraction
FROM efficiency
WHERE phase = 'decode' AND fraction_of_wall IS NOT NULL AND COALESCE(host_offload, 'none') = 'none'
GROUP BY card_name HAVING COUNT(*) >= 5 ORDER BY best_fraction DESC, card LIMIT 25
