SELECT e.model, e.quant, e.card, e.n_cards AS cards, e.engine, e.phase, ROUND(MAX(e.rate_tok_s), 1) AS best_tok_s, ROUND(MAX(e.fraction_of_wall), 2) AS fraction_of_wall
FROM efficiency AS e
INNER JOIN models AS m ON e.model = m.id
WHERE m.parameters BETWEEN 26000000000 AND 28500000000 AND m.experts IS NULL AND e.n_cards = 1 AND COALESCE(e.concurrency, 1) = 1
    AND e.speculation = 'none' AND e.phase IN ('decode', 'prefill')
GROUP BY ALL ORDER BY e.model, e.quant, e.card, e.phase, e.engine LIMIT 60
