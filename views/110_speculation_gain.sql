-- What a draft bought: each speculating row beside the fastest plain row of the same card,
-- number, model, weight format, KV format, engine, phase and shape (physics.md 6).
--   speed-up ≤ T / (1 + γ·c), c ≥ 0, so at most T
-- same_build: both rows name the same build, checkpoint and power limit, so that the bound
-- holds between them.
WITH plain AS (
    SELECT * FROM efficiency
    WHERE speculation = 'none' AND phase IN ('decode', 'serve') AND rate_tok_s IS NOT NULL
),
pairs AS (
    SELECT
        s.record,
        s.tier,
        s.card,
        s.n_cards,
        s.model,
        s.quant,
        s.engine,
        s.phase,
        s.concurrency,
        s.depth_tokens,
        s.prompt_tokens,
        s.generated_tokens,
        s.speculation,
        s.draft_tokens,
        s.acceptance_rate,
        s.tokens_per_step,
        s.tokens_per_step_strict,
        s.rate_tok_s,
        MAX(p.rate_tok_s) AS plain_tok_s,
        MIN(p.record) AS plain_record,
        MAX(CASE WHEN
            s.engine_version = p.engine_version AND s.checkpoint_bytes IS NOT DISTINCT FROM p.checkpoint_bytes
            AND s.power_limit_w IS NOT DISTINCT FROM p.power_limit_w AND s.generated_tokens = p.generated_tokens
            AND s.parallelism IS NOT DISTINCT FROM p.parallelism
            THEN 1 ELSE 0 END) = 1 AS same_build
    FROM efficiency AS s
    INNER JOIN plain AS p
        ON s.card = p.card AND s.n_cards = p.n_cards AND s.model = p.model AND s.quant = p.quant AND s.engine = p.engine
        AND s.phase = p.phase AND s.kv_quant IS NOT DISTINCT FROM p.kv_quant
        AND s.concurrency IS NOT DISTINCT FROM p.concurrency AND s.depth_tokens IS NOT DISTINCT FROM p.depth_tokens
        AND s.prompt_tokens IS NOT DISTINCT FROM p.prompt_tokens
    WHERE s.speculation IS NOT NULL AND s.speculation <> 'none' AND s.rate_tok_s IS NOT NULL
    GROUP BY
        s.record, s.tier, s.card, s.n_cards, s.model, s.quant, s.engine, s.phase, s.concurrency, s.depth_tokens, s.prompt_tokens,
        s.generated_tokens, s.speculation, s.draft_tokens, s.acceptance_rate, s.tokens_per_step, s.tokens_per_step_strict, s.rate_tok_s
)
SELECT
    p.*,
    p.rate_tok_s / p.plain_tok_s AS speed_up,
    p.tokens_per_step_strict / k.plain_tokens_per_step AS speed_up_cap
FROM pairs AS p
CROSS JOIN constants AS k
