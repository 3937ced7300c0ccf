SELECT concurrency AS streams, COUNT(*) AS rows, ROUND(MEDIAN(fraction_of_wall), 3) AS median_fraction, ROUND(MEDIAN(intensity_flop_per_byte), 1) AS median_intensity
FROM efficiency
WHERE phase IN ('decode', 'serve') AND fraction_of_wall IS NOT NULL AND concurrency IN (1, 2, 4, 8, 16, 32, 64, 128)
GROUP BY concurrency ORDER BY concurrency
