-- What must lie in memory, and what fits (identity 3, physics.md 4).
--   weights resident + b · KV_alloc(context) ≤ n · M
-- An engine that ignores a window allocates the whole context. Weights: all but lookup tables
-- may be needed on the cards; the strict figure that rejects is in `efficiency`.
WITH contexts AS (
    SELECT
        e.*,
        CASE
            WHEN e.phase = 'decode' THEN COALESCE(e.depth_tokens, e.prompt_tokens, 0) + COALESCE(e.generated_tokens, 0)
            ELSE COALESCE(e.depth_tokens, 0) + COALESCE(e.prompt_tokens, 0) + COALESCE(e.generated_tokens, 0)
        END AS end_tokens
    FROM efficiency AS e
),
allocated AS (
    SELECT
        c.*,
        CASE WHEN c.engine = c.window_ignored_by
            THEN (c.full_kv_elements_per_token + c.small_kv_elements_per_token + c.large_kv_elements_per_token) * c.end_tokens
            ELSE c.full_kv_elements_per_token * c.end_tokens
                + c.small_kv_elements_per_token * LEAST(c.end_tokens, c.small_window_tokens)
                + c.large_kv_elements_per_token * LEAST(c.end_tokens, c.large_window_tokens)
        END * c.kv_element_bytes + c.state_bytes AS kv_allocated_bytes,
        c.parameters * c.bytes_per_parameter AS checkpoint_expected_bytes
    FROM contexts AS c
)
SELECT
    a.record,
    a.tier,
    a.card,
    a.n_cards,
    a.model,
    a.quant,
    a.kv_quant,
    a.phase,
    a.end_tokens,
    a.streams,
    (a.full_kv_elements_per_token + a.small_kv_elements_per_token + a.large_kv_elements_per_token) * a.kv_element_bytes AS kv_bytes_per_token,
    a.kv_allocated_bytes,
    a.checkpoint_expected_bytes,
    a.resident_bytes_strict,
    a.n_cards * a.card_memory_bytes AS memory_bytes,
    a.checkpoint_expected_bytes + COALESCE(a.streams, 1) * a.kv_allocated_bytes AS needed_bytes,
    a.checkpoint_expected_bytes + COALESCE(a.streams, 1) * a.kv_allocated_bytes <= a.n_cards * a.card_memory_bytes AS fits,
    CASE WHEN a.kv_allocated_bytes > 0
        THEN GREATEST(FLOOR((a.n_cards * a.card_memory_bytes - a.checkpoint_expected_bytes) / a.kv_allocated_bytes), 0)
    END AS streams_that_fit,
    CEIL(a.resident_bytes_strict / a.card_memory_bytes) AS cards_needed
FROM allocated AS a
