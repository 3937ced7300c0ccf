-- One measurement a row: the relation that every other view starts from (DESIGN.md). A bulk
-- file with these columns takes its place. Claims are rows without a rate, tier 'claim', so
-- that what is predicted and what is checked come from one derivation.
-- Hosts: bandwidth as built over the official figure (channels × rate) is a memory clock
-- ratio (physics.md 9a).
SELECT
    CONCAT(r.id, '/', m.measurement) AS record,
    r.tier,
    r.card,
    r.n_cards,
    r.parallelism,
    r.model,
    r.quant,
    COALESCE(k.tensor_bytes, k.file_bytes) AS checkpoint_bytes,
    r.kv_quant,
    r.engine,
    r.engine_version,
    r.backend,
    m.phase,
    m.prompt_tokens,
    m.generated_tokens,
    m.depth_tokens,
    m.concurrency,
    m.ubatch_tokens,
    m.tok_s,
    m.tok_s_per_stream,
    m.tok_s_stddev,
    m.total_tok_s,
    m.request_rate_per_s,
    m.duration_s,
    m.ttft_s,
    m.tpot_s,
    m.e2e_s,
    m.cached_prompt_tokens,
    r.host_offload,
    r.speculation,
    r.draft_tokens,
    m.acceptance_rate,
    m.accepted_per_step,
    m.peak_memory_bytes,
    CASE WHEN m.power_scope = 'system' THEN NULL ELSE m.mean_power_w END AS mean_power_w,
    m.energy_j,
    r.power_limit_w,
    COALESCE(
        r.memory_clock_ratio,
        (r.memory_channels_used * r.memory_transfer_rate_t_s) / (c.memory_channels * c.memory_transfer_rate_t_s)
    ) AS memory_clock_ratio,
    r.prefill_cards,
    r.decode_cards
FROM measurements AS m
INNER JOIN recipes AS r ON m.recipe = r.id
LEFT JOIN cards AS c ON r.card = c.id
LEFT JOIN checkpoints AS k ON r.checkpoint = k.id
WHERE COALESCE(r.status, 'active') = 'active'
UNION ALL
SELECT
    CONCAT('claim/', q.id) AS record,
    'claim' AS tier,
    q.card,
    q.n_cards,
    q.parallelism,
    q.model,
    q.quant,
    q.checkpoint_bytes,
    q.kv_quant,
    q.engine,
    NULL AS engine_version,
    NULL AS backend,
    q.phase,
    q.prompt_tokens,
    q.generated_tokens,
    q.depth_tokens,
    q.concurrency,
    NULL AS ubatch_tokens,
    NULL AS tok_s,
    NULL AS tok_s_per_stream,
    NULL AS tok_s_stddev,
    NULL AS total_tok_s,
    NULL AS request_rate_per_s,
    NULL AS duration_s,
    NULL AS ttft_s,
    NULL AS tpot_s,
    NULL AS e2e_s,
    NULL AS cached_prompt_tokens,
    'none' AS host_offload,
    COALESCE(q.speculation, 'none') AS speculation,
    q.draft_tokens,
    q.acceptance_rate,
    NULL AS accepted_per_step,
    NULL AS peak_memory_bytes,
    NULL AS mean_power_w,
    NULL AS energy_j,
    NULL AS power_limit_w,
    CAST(1 AS DOUBLE) AS memory_clock_ratio,
    NULL AS prefill_cards,
    NULL AS decode_cards
FROM claims AS q
WHERE COALESCE(q.status, 'active') = 'active' AND q.phase IS NOT NULL
