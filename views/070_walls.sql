-- The walls: upper bounds on speed, lower bounds on time (physics.md 2, 3 and 8). Strict ones
-- can be broken by no honest measurement; expected ones are what a good run comes near.
--   decode:  b·T·n·B_max / D        and  n·h·P / FLOPs per token
--   prefill: S·n·h·P / FLOPs        and  b·S·n·B_max / (W − n·C)
--   serve:   n·h·P / FLOPs per output token  and  T·n·B_max / ((W − n·C)/c + KV); a step of T
--            tokens reads the KV cache once. c unknown: only the KV term stays.
--   TTFT ≥ prefill of the uncached prompt; TPOT ≥ one step of one stream / T. Through layers
--   split over cards a token passes them one after the other.
-- D = 0: the working set fits in cache, and only the compute wall holds.
-- textbook: n·B / (N·q), the form that people compare with; it rejects nothing.
WITH times AS (
    SELECT
        s.*,
        s.step_bytes_strict / (s.cards_in_step * s.bandwidth_strict_bytes_s) AS step_time_strict_s,
        s.step_bytes / (s.cards_in_step * s.bandwidth_bytes_s) AS step_time_s,
        s.pass_bytes_strict / (s.cards_at_work * s.bandwidth_strict_bytes_s) AS pass_time_strict_s,
        s.weight_bytes / (s.cards_at_work * s.bandwidth_bytes_s) AS pass_time_s,
        s.prefill_flops / (s.cards_at_work * s.peak_strict_flop_s) AS prefill_compute_time_strict_s,
        s.prefill_flops / (s.cards_at_work * s.peak_flop_s) AS prefill_compute_time_s,
        CASE
            WHEN s.streams IS NULL THEN s.kv_bytes_strict
            ELSE s.step_bytes_strict / s.streams
        END AS stream_step_bytes_strict,
        CASE
            WHEN s.streams IS NULL THEN s.kv_bytes
            ELSE s.step_bytes / s.streams
        END AS stream_step_bytes,
        s.decode_flop_per_token + COALESCE(s.prefill_flops / NULLIF(s.generated_tokens, 0), 0) AS serve_flop_per_token,
        s.token_bytes_strict / (s.cards_in_token * s.bandwidth_strict_bytes_s) AS token_time_strict_s
    FROM steps AS s
),
ceilings AS (
    SELECT
        t.*,
        CASE WHEN t.phase = 'decode' THEN t.streams * t.tokens_per_step_strict * k.one_step / NULLIF(t.step_time_strict_s, 0) END AS decode_memory_wall_tok_s,
        CASE WHEN t.phase = 'decode' THEN t.cards_at_work * t.peak_strict_flop_s / t.decode_flop_per_token END AS decode_compute_wall_tok_s,
        CASE WHEN t.phase = 'decode' THEN t.streams * t.tokens_per_step * k.one_step / NULLIF(t.step_time_s, 0) END AS decode_memory_expected_tok_s,
        CASE WHEN t.phase = 'decode' THEN t.cards_at_work * t.peak_flop_s / t.decode_flop_per_token END AS decode_compute_expected_tok_s,
        CASE WHEN t.phase = 'prefill' THEN t.computed_tokens / NULLIF(t.prefill_compute_time_strict_s, 0) END AS prefill_compute_wall_tok_s,
        CASE WHEN t.phase = 'prefill' THEN t.streams * t.computed_tokens / NULLIF(t.pass_time_strict_s, 0) END AS prefill_memory_wall_tok_s,
        CASE WHEN t.phase = 'prefill' THEN t.computed_tokens / NULLIF(t.prefill_compute_time_s, 0) END AS prefill_compute_expected_tok_s,
        CASE WHEN t.phase = 'prefill' THEN t.streams * t.computed_tokens / NULLIF(t.pass_time_s, 0) END AS prefill_memory_expected_tok_s,
        CASE WHEN t.phase = 'serve' THEN t.cards_at_work * t.peak_strict_flop_s / t.serve_flop_per_token END AS serve_compute_wall_tok_s,
        CASE WHEN t.phase = 'serve' THEN t.tokens_per_step_strict * k.one_step * t.cards_at_work * t.bandwidth_strict_bytes_s / NULLIF(t.stream_step_bytes_strict, 0) END AS serve_memory_wall_tok_s,
        CASE WHEN t.phase = 'serve' THEN t.cards_at_work * t.peak_flop_s / t.serve_flop_per_token END AS serve_compute_expected_tok_s,
        CASE WHEN t.phase = 'serve' THEN t.tokens_per_step * k.one_step * t.cards_at_work * t.bandwidth_bytes_s / NULLIF(t.stream_step_bytes, 0) END AS serve_memory_expected_tok_s,
        k.one_token * t.bandwidth_bytes_s * t.n_cards
        / NULLIF(CASE WHEN t.experts > 0 THEN t.decode_parameters ELSE t.parameters END * t.bytes_per_parameter, 0) AS textbook_wall_tok_s,
        CASE WHEN t.computed_tokens > 0 THEN GREATEST(t.prefill_compute_time_strict_s, t.pass_time_strict_s) END AS ttft_limit_s,
        t.token_time_strict_s * k.plain_tokens_per_step / t.tokens_per_step_strict AS tpot_limit_s
    FROM times AS t
    CROSS JOIN constants AS k
)
SELECT
    c.*,
    CASE
        WHEN c.phase = 'decode' THEN LEAST(c.decode_memory_wall_tok_s, c.decode_compute_wall_tok_s)
        WHEN c.phase = 'prefill' THEN LEAST(c.prefill_memory_wall_tok_s, c.prefill_compute_wall_tok_s)
        ELSE LEAST(c.serve_memory_wall_tok_s, c.serve_compute_wall_tok_s)
    END AS wall_tok_s,
    CASE
        WHEN c.phase = 'decode' THEN LEAST(c.decode_memory_expected_tok_s, c.decode_compute_expected_tok_s)
        WHEN c.phase = 'prefill' THEN LEAST(c.prefill_memory_expected_tok_s, c.prefill_compute_expected_tok_s)
        ELSE LEAST(c.serve_memory_expected_tok_s, c.serve_compute_expected_tok_s)
    END AS expected_wall_tok_s,
    COALESCE(
        c.tok_s,
        CASE
            WHEN c.phase = 'serve' THEN c.total_tok_s * c.generated_tokens / NULLIF(c.prompt_tokens + c.generated_tokens, 0)
            ELSE c.tok_s_per_stream * c.concurrency
        END
    ) AS rate_tok_s,
    CASE
        WHEN c.card_name IS NULL THEN 'card'
        WHEN c.bandwidth_strict_bytes_s IS NULL AND c.memory_socketed THEN 'memory as built'
        WHEN c.bandwidth_strict_bytes_s IS NULL THEN 'card bandwidth'
        WHEN c.parameters IS NULL THEN 'model'
        WHEN c.full_kv_elements_per_token IS NULL THEN 'model attention'
        WHEN c.weight_bytes_strict IS NULL THEN 'checkpoint size'
        WHEN c.cards_at_work IS NULL THEN 'number of cards'
        WHEN c.phase = 'decode' AND c.streams IS NULL THEN 'concurrency'
        WHEN c.phase IN ('decode', 'serve') AND c.tokens_per_step_strict IS NULL THEN 'drafted tokens per step'
        WHEN c.phase = 'prefill' AND c.prompt_tokens IS NULL THEN 'prompt tokens'
        WHEN c.phase IN ('prefill', 'serve') AND c.peak_strict_flop_s IS NULL THEN 'peak of the arithmetic path'
        WHEN c.phase = 'serve' AND c.tok_s IS NULL AND c.total_tok_s IS NOT NULL AND (c.prompt_tokens IS NULL OR c.generated_tokens IS NULL) THEN 'token counts'
    END AS unbounded_for
FROM ceilings AS c
