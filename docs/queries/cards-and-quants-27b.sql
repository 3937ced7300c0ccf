SELECT e.model, e.card, e.quant, e.engine, CASE WHEN e.speculation IS NULL THEN 'not said' ELSE e.speculation END AS drafts,
    ROUND(MAX(CASE WHEN e.phase = 'prefill' THEN e.rate_tok_s END), 1) AS prefill_tok_s,
    ROUND(MAX(CASE WHEN e.phase = 'decode' THEN e.rate_tok_s END), 1) AS decode_tok_s,
    ROUND(MAX(CASE WHEN e.phase = 'serve' THEN e.rate_tok_s END), 1) AS serve_tok_s,
    ROUND(MAX(CASE WHEN e.phase = 'decode' AND COALESCE(e.speculation, 'none') = 'none' AND e.fraction_of_wall >= 0.01 THEN e.fraction_of_wall END), 2) AS decode_of_wall
FROM efficiency AS e
INNER JOIN models AS m ON e.model = m.id
WHERE m.parameters BETWEEN 26000000000 AND 28500000000 AND m.experts IS NULL AND m.hypothetical IS NOT TRUE
    AND e.n_cards = 1 AND COALESCE(e.concurrency, 1) = 1 AND e.rate_tok_s IS NOT NULL
GROUP BY ALL ORDER BY e.model DESC, e.card, e.quant, drafts, e.engine LIMIT 80
