-- Speculative decoding (identity 5, physics.md 6), for rows and claims with a draft.
--   tokens per step T = 1 + accepted per step, or 1 + γ·(accepted ÷ drafted)
--   E[tokens](α, γ) = (1 − α^(γ+1)) / (1 − α), γ + 1 when α = 1
-- α, the conditional acceptance, is solved from E = T on a grid of 10⁴ points and a straight
-- line between two of them, which is exact to 10⁻⁷. The rate that engines print is not α.
WITH digits AS (
    SELECT CAST(0 AS DOUBLE) AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
    UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9
),
grid AS (
    SELECT a.d / 10 + b.d / 100 + c.d / 1000 + e.d / 10000 AS alpha
    FROM digits AS a CROSS JOIN digits AS b CROSS JOIN digits AS c CROSS JOIN digits AS e
),
drafts AS (
    SELECT
        m.record,
        m.draft_tokens,
        m.acceptance_rate,
        CASE
            WHEN m.accepted_per_step IS NOT NULL THEN k.plain_tokens_per_step + m.accepted_per_step
            ELSE k.plain_tokens_per_step + m.draft_tokens * m.acceptance_rate
        END AS tokens_per_step
    FROM measured AS m
    CROSS JOIN constants AS k
    WHERE m.speculation IS NOT NULL AND m.speculation <> 'none' AND m.draft_tokens IS NOT NULL
),
wanted AS (
    SELECT DISTINCT
        d.draft_tokens / k.plain_tokens_per_step AS gamma,
        d.tokens_per_step / k.plain_tokens_per_step AS emitted
    FROM drafts AS d
    CROSS JOIN constants AS k
    WHERE d.tokens_per_step IS NOT NULL
),
points AS (
    SELECT
        w.gamma,
        w.emitted,
        g.alpha,
        (1 - POWER(g.alpha, w.gamma + 1)) / (1 - g.alpha) AS expected
    FROM wanted AS w
    CROSS JOIN grid AS g
),
below AS (
    SELECT gamma, emitted, MAX(alpha) AS alpha, MAX(expected) AS expected
    FROM points
    WHERE expected <= emitted
    GROUP BY gamma, emitted
),
above AS (
    SELECT gamma, emitted, MIN(alpha) AS alpha, MIN(expected) AS expected
    FROM points
    WHERE expected > emitted
    GROUP BY gamma, emitted
),
solved AS (
    SELECT
        b.gamma,
        b.emitted,
        CASE
            WHEN b.emitted >= b.gamma + 1 THEN 1
            WHEN a.alpha IS NULL THEN b.alpha + (1 - b.alpha) * (b.emitted - b.expected) / (b.gamma + 1 - b.expected)
            ELSE b.alpha + (a.alpha - b.alpha) * (b.emitted - b.expected) / (a.expected - b.expected)
        END AS conditional_acceptance
    FROM below AS b
    LEFT JOIN above AS a ON b.gamma = a.gamma AND b.emitted = a.emitted
)
SELECT
    d.record,
    d.draft_tokens,
    d.acceptance_rate,
    d.tokens_per_step,
    k.plain_tokens_per_step + d.draft_tokens AS tokens_per_step_cap,
    s.conditional_acceptance
FROM drafts AS d
CROSS JOIN constants AS k
LEFT JOIN solved AS s
    ON d.draft_tokens / k.plain_tokens_per_step = s.gamma AND d.tokens_per_step / k.plain_tokens_per_step = s.emitted
