SELECT e.card, e.n_cards AS cards, e.model, e.quant, e.engine, e.concurrency AS streams, ROUND(MAX(e.rate_tok_s), 1) AS best_tok_s, ROUND(MAX(e.bytes_per_parameter) * 8, 2) AS bits_per_parameter
FROM efficiency AS e
WHERE e.phase IN ('decode', 'serve') AND e.concurrency = 1 AND (e.speculation = 'none' OR e.speculation IS NULL)
    AND (e.card, e.n_cards, e.model) IN (
        SELECT (card, n_cards, model) FROM efficiency WHERE quant LIKE 'nvfp4%' AND phase IN ('decode', 'serve') AND concurrency = 1)
GROUP BY ALL ORDER BY e.card, e.n_cards, e.model, best_tok_s DESC LIMIT 40
