SELECT e.model, e.quant, e.engine, e.phase, e.concurrency AS streams,
    ROUND(MAX(CASE WHEN e.card = 'gb10' THEN e.rate_tok_s END), 1) AS spark_tok_s,
    ROUND(MAX(CASE WHEN e.card = 'rtx-5090' THEN e.rate_tok_s END), 1) AS rtx_5090_tok_s
FROM efficiency AS e
WHERE e.card IN ('gb10', 'rtx-5090') AND e.n_cards = 1 AND e.concurrency IN (1, 4) AND e.phase IN ('decode', 'serve') AND e.rate_tok_s IS NOT NULL
GROUP BY ALL HAVING COUNT(DISTINCT e.card) = 2 ORDER BY e.model, e.quant, streams LIMIT 30
