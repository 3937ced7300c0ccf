-- Tiers that nobody types: the same card, number, model, weight format, engine, phase and
-- shape, measured by two independent sources. 'graduated' when their rates agree within the
-- tolerance, 'disputed' when not, 'single' with one source. Sources are independent when they
-- are two documents of data/sources; two files of one repository are one source.
WITH rows_of AS (
    SELECT
        e.card,
        e.n_cards,
        e.model,
        e.quant,
        e.engine,
        e.backend,
        e.phase,
        e.prompt_tokens,
        e.generated_tokens,
        COALESCE(e.depth_tokens, 0) AS depth_tokens,
        e.concurrency,
        COALESCE(e.speculation, 'undeclared') AS speculation,
        COALESCE(e.host_offload, 'undeclared') AS host_offload,
        COALESCE(s.repository, r.source, r.id) AS origin,
        e.rate_tok_s
    FROM efficiency AS e
    INNER JOIN measurements AS m ON e.record = CONCAT(m.recipe, '/', m.measurement)
    INNER JOIN recipes AS r ON m.recipe = r.id
    LEFT JOIN sources AS s ON r.source = s.id
    WHERE e.rate_tok_s IS NOT NULL
),
per_origin AS (
    SELECT
        card, n_cards, model, quant, engine, backend, phase, prompt_tokens, generated_tokens, depth_tokens, concurrency, speculation, host_offload, origin,
        COUNT(*) AS measurements,
        MAX(rate_tok_s) AS fastest_tok_s
    FROM rows_of
    GROUP BY card, n_cards, model, quant, engine, backend, phase, prompt_tokens, generated_tokens, depth_tokens, concurrency, speculation, host_offload, origin
),
grouped AS (
    SELECT
        card, n_cards, model, quant, engine, backend, phase, prompt_tokens, generated_tokens, depth_tokens, concurrency, speculation, host_offload,
        COUNT(*) AS origins,
        CAST(SUM(measurements) AS BIGINT) AS measurements,
        MIN(fastest_tok_s) AS slowest_tok_s,
        MAX(fastest_tok_s) AS fastest_tok_s
    FROM per_origin
    GROUP BY card, n_cards, model, quant, engine, backend, phase, prompt_tokens, generated_tokens, depth_tokens, concurrency, speculation, host_offload
)
SELECT
    g.*,
    g.fastest_tok_s / g.slowest_tok_s - 1 AS disagreement,
    CASE
        WHEN g.origins < 2 THEN 'single'
        WHEN g.fastest_tok_s / g.slowest_tok_s - 1 <= k.agreement_tolerance THEN 'graduated'
        ELSE 'disputed'
    END AS standing
FROM grouped AS g
CROSS JOIN constants AS k
