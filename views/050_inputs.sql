-- Each measured row beside the figures of its card, model, weight format and KV format.
-- Bytes per parameter q (physics.md 0): file bytes / parameters of this checkpoint where the
-- size is known, else the bits of the format. The strict q takes the lowest of three readings,
-- because a file also holds tensors that no step reads at a width of their own:
--   q over all parameters; q after a lookup table at its widest is taken out; the widest the
--   format allows (a file may carry towers that the text model does not count).
-- R·q alone is no true lower bound: an AWQ file with a 16-bit embedding has q above the q of
-- its matrices.
-- Cards at work (n): the pool of the phase when prefill and decode are disaggregated.
-- Bandwidth of socketed memory is known only with the modules declared (physics.md 9a).
WITH inventory AS (
    SELECT
        model,
        quant,
        COALESCE(tensor_bytes, file_bytes) AS checkpoint_bytes,
        MIN(decode_read_bytes) AS decode_read_bytes,
        MAX(parameters) AS file_parameters
    FROM checkpoints
    WHERE COALESCE(tensor_bytes, file_bytes) IS NOT NULL
    GROUP BY model, quant, COALESCE(tensor_bytes, file_bytes)
),
smallest_kv AS (
    SELECT MIN(bytes_per_element) AS element_bytes FROM kv_quants WHERE grade <> 'D'
)
SELECT
    m.*,
    b.card_name,
    b.card_kind,
    CASE
        WHEN m.phase = 'prefill' THEN COALESCE(m.prefill_cards, m.n_cards)
        WHEN m.phase = 'decode' THEN COALESCE(m.decode_cards, m.n_cards)
        ELSE m.n_cards
    END AS cards_at_work,
    COALESCE(
        m.concurrency,
        CASE WHEN m.phase = 'serve' THEN m.request_rate_per_s * m.duration_s / k.one_request END
    ) AS streams,
    b.bandwidth_bytes_s * COALESCE(m.memory_clock_ratio, 1) AS bandwidth_bytes_s,
    b.bandwidth_strict_bytes_s * COALESCE(m.memory_clock_ratio, CASE WHEN b.memory_socketed THEN NULL ELSE 1 END) AS bandwidth_strict_bytes_s,
    b.cache_bytes,
    b.memory_bytes AS card_memory_bytes,
    b.unified_memory,
    b.board_power_w,
    b.memory_socketed,
    b.unverified AS card_unverified,
    p.peak_flop_s,
    p.peak_strict_flop_s,
    p.fastest_path,
    d.parameters,
    d.decode_parameters,
    d.head_parameters,
    d.lookup_parameters,
    d.experts,
    d.experts_per_token,
    d.parameters_per_expert,
    d.full_kv_elements_per_token,
    d.small_kv_elements_per_token,
    d.large_kv_elements_per_token,
    d.full_score_value_width,
    d.small_score_value_width,
    d.large_score_value_width,
    d.small_window_tokens,
    d.large_window_tokens,
    d.state_bytes,
    d.window_ignored_by,
    COALESCE(v.bytes_per_element, k.default_kv_element_bytes) AS kv_element_bytes,
    COALESCE(v.bytes_per_element, s.element_bytes) AS kv_element_bytes_strict,
    i.decode_read_bytes,
    COALESCE(
        m.checkpoint_bytes / COALESCE(i.file_parameters, d.parameters),
        q.bits_per_parameter / k.bits_per_byte
    ) AS bytes_per_parameter,
    CASE
        WHEN m.checkpoint_bytes IS NOT NULL THEN GREATEST(
            LEAST(
                m.checkpoint_bytes / COALESCE(i.file_parameters, d.parameters),
                (m.checkpoint_bytes - d.lookup_parameters * q.embedding_bits_per_parameter_max / k.bits_per_byte)
                / (COALESCE(i.file_parameters, d.parameters) - d.lookup_parameters),
                q.bits_per_parameter_max / k.bits_per_byte
            ),
            0
        )
        WHEN q.grade <> 'D' THEN q.bits_per_parameter_min / k.bits_per_byte
    END AS bytes_per_parameter_strict
FROM measured AS m
CROSS JOIN constants AS k
CROSS JOIN smallest_kv AS s
LEFT JOIN card_bounds AS b ON m.card = b.card
LEFT JOIN model_bounds AS d ON m.model = d.model
LEFT JOIN quants AS q ON m.quant = q.id
LEFT JOIN kv_quants AS v ON m.kv_quant = v.id
LEFT JOIN inventory AS i ON m.model = i.model AND m.quant = i.quant AND m.checkpoint_bytes = i.checkpoint_bytes
LEFT JOIN path_peaks AS p ON m.card = p.card AND m.quant = p.quant AND m.engine IS NOT DISTINCT FROM p.engine
