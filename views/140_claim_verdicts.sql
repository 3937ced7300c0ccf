-- The claims ledger: each published figure beside the one that the identity gives, and the
-- verdict. Claims are rows of `measured` without a rate, so the identity's figure comes from
-- the same derivation that checks recipes.
--   'equals':  holds when |claimed / identity − 1| ≤ tolerance
--   'at-most': holds when claimed / identity ≤ 1 + tolerance (a measurement under its bound)
-- A claim that fails but has a stated condition 'holds if' it; else it is 'contradicted'. With
-- no figure from the identity it is 'open'.
WITH figures AS (
    SELECT
        c.*,
        CASE c.quantity
            WHEN 'decode_wall_tok_s' THEN e.wall_tok_s
            WHEN 'prefill_wall_tok_s' THEN COALESCE(e.computed_tokens * p.peak_flop_s * c.n_cards / e.prefill_flops, e.wall_tok_s)
            WHEN 'textbook_wall_tok_s' THEN e.textbook_wall_tok_s
        END AS identity_tok_s,
        CASE c.quantity
            WHEN 'kv_bytes' THEN f.streams * f.kv_allocated_bytes
            WHEN 'weight_bytes' THEN f.checkpoint_expected_bytes
            WHEN 'fits' THEN f.needed_bytes
        END AS identity_bytes,
        CASE WHEN c.quantity = 'kv_bytes_per_token' THEN
            (m.full_kv_elements_per_token + m.small_kv_elements_per_token + m.large_kv_elements_per_token)
            * COALESCE(v.bytes_per_element, k.default_kv_element_bytes)
        END AS identity_bytes_per_token,
        CASE WHEN c.quantity = 'prefill_flops' THEN e.prefill_flops END AS identity_flops,
        CASE WHEN c.quantity = 'prefill_time_s' THEN e.prefill_flops / (p.peak_flop_s * c.n_cards) END AS identity_s,
        CASE WHEN c.quantity = 'ridge_flop_per_byte' THEN p.peak_flop_s / b.bandwidth_bytes_s END AS identity_flop_per_byte,
        CASE WHEN c.quantity = 'tokens_per_step' THEN
            CASE
                WHEN c.conditional_acceptance < 1 THEN k.plain_tokens_per_step
                    * (1 - POWER(c.conditional_acceptance, c.draft_tokens / k.plain_tokens_per_step + 1)) / (1 - c.conditional_acceptance)
                WHEN c.conditional_acceptance = 1 THEN k.plain_tokens_per_step + c.draft_tokens
                ELSE s.tokens_per_step
            END
        END AS identity_tokens_per_step,
        CASE c.quantity
            WHEN 'conditional_acceptance' THEN s.conditional_acceptance
            WHEN 'distinct_experts' THEN e.distinct_experts
            WHEN 'occupancy' THEN o.occupancy
        END AS identity_ratio
    FROM claims AS c
    CROSS JOIN constants AS k
    LEFT JOIN efficiency AS e ON e.record = CONCAT('claim/', c.id)
    LEFT JOIN memory_fit AS f ON f.record = CONCAT('claim/', c.id)
    LEFT JOIN speculation AS s ON s.record = CONCAT('claim/', c.id)
    LEFT JOIN occupancy AS o ON o.record = CONCAT('claim/', c.id)
    LEFT JOIN card_bounds AS b ON c.card = b.card
    LEFT JOIN model_bounds AS m ON c.model = m.model
    LEFT JOIN kv_quants AS v ON c.kv_quant = v.id
    LEFT JOIN (
        SELECT q.card, q.path, COALESCE(q.peak_flop_s, q.peak_op_s * z.flop_per_op) AS peak_flop_s
        FROM card_peaks AS q
        CROSS JOIN constants AS z
    ) AS p ON c.card = p.card AND c.path = p.path
    WHERE COALESCE(c.status, 'active') = 'active'
),
ratios AS (
    SELECT
        f.*,
        COALESCE(
            f.claimed_tok_s / f.identity_tok_s,
            f.claimed_bytes / f.identity_bytes,
            f.claimed_bytes_per_token / f.identity_bytes_per_token,
            f.claimed_flops / f.identity_flops,
            f.claimed_s / f.identity_s,
            f.claimed_flop_per_byte / f.identity_flop_per_byte,
            f.claimed_tokens_per_step / f.identity_tokens_per_step,
            f.claimed_ratio / f.identity_ratio
        ) AS claimed_over_identity
    FROM figures AS f
)
SELECT
    r.id AS claim,
    r.sentence,
    r.said_by,
    r.identity,
    r.quantity,
    r.relation,
    r.claimed_tok_s,
    r.claimed_bytes,
    r.claimed_bytes_per_token,
    r.claimed_flops,
    r.claimed_s,
    r.claimed_flop_per_byte,
    r.claimed_tokens_per_step,
    r.claimed_ratio,
    r.identity_tok_s,
    r.identity_bytes,
    r.identity_bytes_per_token,
    r.identity_flops,
    r.identity_s,
    r.identity_flop_per_byte,
    r.identity_tokens_per_step,
    r.identity_ratio,
    r.claimed_over_identity,
    r.tolerance,
    CASE
        WHEN r.claimed_over_identity IS NULL THEN 'open'
        WHEN r.relation = 'equals' AND ABS(r.claimed_over_identity - 1) <= r.tolerance THEN 'holds'
        WHEN r.relation = 'at-most' AND r.claimed_over_identity <= 1 + r.tolerance THEN 'holds'
        WHEN r.holds_if IS NOT NULL THEN 'holds if'
        ELSE 'contradicted'
    END AS verdict,
    r.holds_if,
    r.source
FROM ratios AS r
