-- The fastest arithmetic path that a weight format can take on a card under an engine
-- (physics.md 3). Strict: the fastest candidate. A candidate that the card may have and whose
-- peak is not known, or is graded D, leaves the strict peak null (unbounded, never passed).
WITH wanted AS (
    SELECT DISTINCT card, quant, engine FROM measured
),
candidates AS (
    SELECT DISTINCT
        w.card,
        w.quant,
        w.engine,
        q.path
    FROM wanted AS w
    INNER JOIN quant_paths AS q ON w.quant = q.quant
    LEFT JOIN engines AS e ON w.engine = e.id
    WHERE q.engine = 'any' OR q.engine = w.engine OR q.engine = e.family OR e.id IS NULL
),
peaks AS (
    SELECT
        p.card,
        p.path,
        p.grade,
        COALESCE(p.peak_flop_s, p.peak_op_s * k.flop_per_op) AS peak_flop_s,
        GREATEST(
            COALESCE(p.peak_flop_s, p.peak_op_s * k.flop_per_op),
            COALESCE(p.peak_upper_flop_s, p.peak_upper_op_s * k.flop_per_op, 0)
        ) AS peak_strict_flop_s
    FROM card_peaks AS p
    CROSS JOIN constants AS k
)
SELECT
    x.card,
    x.quant,
    x.engine,
    MAX(p.peak_flop_s) AS peak_flop_s,
    CASE
        WHEN SUM(CASE WHEN p.grade = 'D' THEN 1 ELSE 0 END) > 0 THEN NULL
        WHEN COUNT(p.path) < COUNT(x.path) AND MAX(CASE WHEN b.peaks_complete THEN 1 ELSE 0 END) = 0 THEN NULL
        ELSE MAX(p.peak_strict_flop_s) * MAX(b.clock_headroom)
    END AS peak_strict_flop_s,
    MAX(CASE WHEN p.peak_strict_flop_s = best.peak_strict_flop_s THEN p.path END) AS fastest_path
FROM candidates AS x
LEFT JOIN card_bounds AS b ON x.card = b.card
LEFT JOIN peaks AS p ON x.card = p.card AND x.path = p.path
LEFT JOIN (
    SELECT y.card, y.quant, y.engine, MAX(z.peak_strict_flop_s) AS peak_strict_flop_s
    FROM candidates AS y
    INNER JOIN peaks AS z ON y.card = z.card AND y.path = z.path
    GROUP BY y.card, y.quant, y.engine
) AS best ON x.card = best.card AND x.quant = best.quant AND x.engine IS NOT DISTINCT FROM best.engine
GROUP BY x.card, x.quant, x.engine
