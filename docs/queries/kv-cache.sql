SELECT a.card, a.n_cards AS cards, a.model, a.quant, a.engine, a.phase, a.kv_quant, a.depth_tokens AS depth, a.concurrency AS streams,
    ROUND(MAX(a.rate_tok_s), 1) AS tok_s, ROUND(MAX(b.rate_tok_s), 1) AS tok_s_16_bit, ROUND(MAX(a.rate_tok_s) / MAX(b.rate_tok_s), 3) AS ratio,
    ROUND(MAX(f.kv_bytes_per_token)) AS kv_bytes_per_token
FROM efficiency AS a
INNER JOIN efficiency AS b ON a.card = b.card AND a.n_cards = b.n_cards AND a.model = b.model AND a.quant = b.quant AND a.engine = b.engine AND a.phase = b.phase
    AND a.depth_tokens IS NOT DISTINCT FROM b.depth_tokens AND a.concurrency IS NOT DISTINCT FROM b.concurrency AND a.speculation IS NOT DISTINCT FROM b.speculation
    AND a.prompt_tokens IS NOT DISTINCT FROM b.prompt_tokens AND a.generated_tokens IS NOT DISTINCT FROM b.generated_tokens
    AND a.backend IS NOT DISTINCT FROM b.backend AND a.parallelism IS NOT DISTINCT FROM b.parallelism AND a.power_limit_w IS NOT DISTINCT FROM b.power_limit_w
INNER JOIN memory_fit AS f ON a.record = f.record
INNER JOIN kv_quants AS q ON a.kv_quant = q.id
WHERE q.bytes_per_element < 1.2 AND b.kv_quant IN ('f16', 'bf16') AND a.rate_tok_s IS NOT NULL AND b.rate_tok_s IS NOT NULL
GROUP BY ALL ORDER BY a.card, a.model, a.quant, a.phase, depth, streams, a.kv_quant LIMIT 25
