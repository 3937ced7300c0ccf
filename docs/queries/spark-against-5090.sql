WITH best AS (
    SELECT e.model, e.quant, e.card, e.concurrency AS streams, e.phase = 'prefill' AS is_prefill,
        CASE WHEN e.speculation IS NULL OR e.speculation = 'none' THEN 'plain or not said' ELSE 'drafted' END AS drafts,
        MAX(e.rate_tok_s) AS tok_s, ARG_MAX(e.engine, e.rate_tok_s) AS engine, ARG_MAX(e.phase, e.rate_tok_s) AS phase
    FROM efficiency AS e
    WHERE e.card IN ('gb10', 'rtx-5090') AND e.n_cards = 1 AND e.concurrency IN (1, 4) AND e.rate_tok_s IS NOT NULL
    GROUP BY ALL)
SELECT s.model, s.quant, s.streams, s.drafts, s.phase, s.engine AS spark_engine, ROUND(s.tok_s, 1) AS spark_tok_s,
    r.engine AS rtx_5090_engine, ROUND(r.tok_s, 1) AS rtx_5090_tok_s, ROUND(r.tok_s / s.tok_s, 1) AS times_faster
FROM best AS s
INNER JOIN best AS r ON s.model = r.model AND s.quant = r.quant AND s.streams = r.streams AND s.drafts = r.drafts AND s.is_prefill = r.is_prefill
WHERE s.card = 'gb10' AND r.card = 'rtx-5090'
ORDER BY s.model DESC, s.quant, s.streams, s.drafts DESC, s.phase LIMIT 30
