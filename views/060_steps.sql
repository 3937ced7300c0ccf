-- What one step reads and computes (physics.md 1, 3 and 6). GREATEST and LEAST pass over NULL,
-- so that an unknown figure is kept unknown with CASE where it must not turn into a number.
--   W = R·q for one stream, with k experts per layer (strict); the union of b streams under
--       uniform routing, E·(1 − (1 − k/E)^b), is the expected figure.
--   KV(s) = Σ layers · elements · min(s, window) · bytes + recurrent state
--   T: 1 without speculation; strict with it: 1 + accepted per step when it was measured, else
--      γ + 1; expected: 1 + γ · (accepted ÷ drafted). The printed rate is not the identity's α.
--   FLOPs of S new tokens on d cached ones: 2·A·S + 2·V·d_model + Σ 2·width·Σ min(d + i, window)
WITH positions AS (
    SELECT
        i.*,
        i.decode_parameters * i.bytes_per_parameter_strict AS read_by_format_bytes,
        CASE
            WHEN i.phase = 'decode' THEN COALESCE(i.depth_tokens, i.prompt_tokens, 0)
            WHEN i.phase = 'serve' THEN GREATEST(COALESCE(i.depth_tokens, 0) + COALESCE(i.prompt_tokens, 0) - COALESCE(i.cached_prompt_tokens, 0), 0)
            ELSE COALESCE(i.depth_tokens, 0) + COALESCE(i.cached_prompt_tokens, 0)
        END AS start_tokens,
        CASE
            WHEN i.phase = 'decode' THEN COALESCE(i.depth_tokens, i.prompt_tokens, 0) + COALESCE(i.generated_tokens, 0) * k.half
            WHEN i.phase = 'serve' THEN COALESCE(i.depth_tokens, 0) + COALESCE(i.prompt_tokens, 0) + COALESCE(i.generated_tokens, 0) * k.half
            ELSE COALESCE(i.depth_tokens, 0) + COALESCE(i.cached_prompt_tokens, 0) + COALESCE(i.prompt_tokens - COALESCE(i.cached_prompt_tokens, 0), 0) * k.half
        END AS mean_tokens,
        COALESCE(i.depth_tokens, 0) + COALESCE(i.cached_prompt_tokens, 0) AS cached_tokens,
        CASE
            WHEN i.prompt_tokens >= COALESCE(i.cached_prompt_tokens, 0) THEN i.prompt_tokens - COALESCE(i.cached_prompt_tokens, 0)
            WHEN i.prompt_tokens IS NOT NULL THEN 0
        END AS computed_tokens,
        CASE
            WHEN COALESCE(i.speculation, 'none') = 'none' THEN k.plain_tokens_per_step
            WHEN i.accepted_per_step IS NOT NULL THEN k.plain_tokens_per_step + i.accepted_per_step
            ELSE k.plain_tokens_per_step + i.draft_tokens
        END AS tokens_per_step_strict,
        CASE
            WHEN COALESCE(i.speculation, 'none') = 'none' THEN k.plain_tokens_per_step
            WHEN i.accepted_per_step IS NOT NULL THEN k.plain_tokens_per_step + i.accepted_per_step
            WHEN i.acceptance_rate IS NOT NULL THEN k.plain_tokens_per_step + i.draft_tokens * i.acceptance_rate
            ELSE k.plain_tokens_per_step + i.draft_tokens
        END AS tokens_per_step,
        CASE WHEN i.experts > 0
            THEN i.experts * (1 - POWER(1 - i.experts_per_token / i.experts, COALESCE(i.streams, 1)))
            ELSE 0
        END AS distinct_experts
    FROM inputs AS i
    CROSS JOIN constants AS k
),
sizes AS (
    SELECT
        p.*,
        COALESCE(p.decode_read_bytes, p.read_by_format_bytes) AS weight_bytes_strict,
        COALESCE(p.decode_read_bytes, p.decode_parameters * p.bytes_per_parameter)
            + GREATEST(p.distinct_experts - p.experts_per_token, 0) * p.parameters_per_expert * p.bytes_per_parameter AS weight_bytes,
        (p.parameters - p.lookup_parameters) * p.bytes_per_parameter_strict AS resident_bytes_strict,
        (p.full_kv_elements_per_token * p.start_tokens
            + p.small_kv_elements_per_token * LEAST(p.start_tokens, p.small_window_tokens)
            + p.large_kv_elements_per_token * LEAST(p.start_tokens, p.large_window_tokens)) * p.kv_element_bytes_strict
        + p.state_bytes AS kv_bytes_strict,
        (p.full_kv_elements_per_token * p.mean_tokens
            + p.small_kv_elements_per_token * LEAST(p.mean_tokens, p.small_window_tokens)
            + p.large_kv_elements_per_token * LEAST(p.mean_tokens, p.large_window_tokens)) * p.kv_element_bytes
        + p.state_bytes AS kv_bytes,
        k.flop_per_parameter_token * p.decode_parameters
        + k.flop_per_attention_element * (
            p.full_score_value_width * p.start_tokens
            + p.small_score_value_width * LEAST(p.start_tokens, p.small_window_tokens)
            + p.large_score_value_width * LEAST(p.start_tokens, p.large_window_tokens)
        ) AS decode_flop_per_token,
        GREATEST(LEAST(p.computed_tokens, p.small_window_tokens - p.cached_tokens), 0) AS small_growing_tokens,
        GREATEST(LEAST(p.computed_tokens, p.large_window_tokens - p.cached_tokens), 0) AS large_growing_tokens
    FROM positions AS p
    CROSS JOIN constants AS k
),
balances AS (
    SELECT
        s.*,
        s.weight_bytes_strict + s.streams * s.kv_bytes_strict - s.cards_at_work * s.cache_bytes AS step_balance_bytes,
        s.weight_bytes_strict + s.kv_bytes_strict - s.cards_at_work * s.cache_bytes AS token_balance_bytes,
        s.weight_bytes_strict - s.cards_at_work * s.cache_bytes AS pass_balance_bytes
    FROM sizes AS s
)
SELECT
    z.*,
    CASE WHEN z.step_balance_bytes > 0 THEN z.step_balance_bytes WHEN z.step_balance_bytes <= 0 THEN 0 END AS step_bytes_strict,
    CASE WHEN z.token_balance_bytes > 0 THEN z.token_balance_bytes WHEN z.token_balance_bytes <= 0 THEN 0 END AS token_bytes_strict,
    CASE WHEN z.pass_balance_bytes > 0 THEN z.pass_balance_bytes WHEN z.pass_balance_bytes <= 0 THEN 0 END AS pass_bytes_strict,
    z.weight_bytes + z.streams * z.kv_bytes AS step_bytes,
    k.flop_per_parameter_token * (z.decode_parameters - z.head_parameters) * z.computed_tokens
    + k.flop_per_parameter_token * z.head_parameters * k.one_token
    + k.flop_per_attention_element * (
        z.full_score_value_width * z.computed_tokens * (z.cached_tokens + (z.computed_tokens + k.one_token) * k.half)
        + z.small_score_value_width * (
            z.small_growing_tokens * (z.cached_tokens + (z.small_growing_tokens + k.one_token) * k.half)
            + (z.computed_tokens - z.small_growing_tokens) * z.small_window_tokens
        )
        + z.large_score_value_width * (
            z.large_growing_tokens * (z.cached_tokens + (z.large_growing_tokens + k.one_token) * k.half)
            + (z.computed_tokens - z.large_growing_tokens) * z.large_window_tokens
        )
    ) AS prefill_flops,
    CASE
        WHEN z.parallelism IN ('layer', 'pipeline') AND z.phase = 'decode' AND z.streams <= 1 THEN 1
        ELSE z.cards_at_work
    END AS cards_in_step,
    CASE
        WHEN z.parallelism IN ('layer', 'pipeline', 'data') THEN 1
        ELSE z.cards_at_work
    END AS cards_in_token
FROM balances AS z
CROSS JOIN constants AS k
