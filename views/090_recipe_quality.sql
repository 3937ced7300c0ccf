-- The quality figure that publishes a recipe, and how close it is: 'native' (the checkpoint is
-- the release, delta zero by definition), 'same file' (the recipe's own checkpoint), 'same
-- model and quant' (another file of the scheme), 'none'. A figure counts as one with a
-- baseline when the source gives the baseline or the delta, or when the metric is itself a
-- comparison with the baseline.
WITH figures AS (
    SELECT
        q.checkpoint,
        k.model,
        k.quant,
        COUNT(*) AS figures,
        SUM(CASE
            WHEN q.baseline IS NOT NULL OR q.delta IS NOT NULL THEN 1
            WHEN q.metric IN ('kl_divergence', 'kl_divergence_median', 'kl_divergence_p99', 'kl_divergence_max', 'top1_agreement', 'recovery', 'perplexity_ratio', 'ln_perplexity_ratio', 'delta_probability_rms', 'delta_probability_mean') THEN 1
            ELSE 0
        END) AS figures_with_baseline
    FROM quality AS q
    INNER JOIN checkpoints AS k ON q.checkpoint = k.id
    GROUP BY q.checkpoint, k.model, k.quant
),
schemes AS (
    SELECT model, quant, MIN(checkpoint) AS checkpoint, SUM(figures) AS figures, SUM(figures_with_baseline) AS figures_with_baseline
    FROM figures
    GROUP BY model, quant
)
SELECT
    r.id AS recipe,
    r.tier,
    r.card,
    r.model,
    r.quant,
    r.checkpoint,
    CASE
        WHEN k.native THEN 'native'
        WHEN f.checkpoint IS NOT NULL THEN 'same file'
        WHEN s.checkpoint IS NOT NULL THEN 'same model and quant'
        ELSE 'none'
    END AS closeness,
    COALESCE(f.checkpoint, s.checkpoint) AS quality_checkpoint,
    CAST(COALESCE(f.figures, s.figures, 0) AS BIGINT) AS figures,
    CAST(COALESCE(f.figures_with_baseline, s.figures_with_baseline, 0) AS BIGINT) AS figures_with_baseline
FROM recipes AS r
LEFT JOIN checkpoints AS k ON r.checkpoint = k.id
LEFT JOIN figures AS f ON r.checkpoint = f.checkpoint
LEFT JOIN schemes AS s ON r.model = s.model AND r.quant = s.quant
WHERE COALESCE(r.status, 'active') = 'active'
