-- What a model costs to read, keep and compute, one row a model (physics.md 1 and 3).
-- A model's attention groups become at most three: without a window, with its smaller and
-- with its larger window. Widths are summed over the layers of the group.
WITH windows AS (
    SELECT model, MIN(window_tokens) AS small_window_tokens, MAX(window_tokens) AS large_window_tokens
    FROM attention_groups
    GROUP BY model
),
groups AS (
    SELECT
        g.model,
        w.small_window_tokens,
        w.large_window_tokens,
        SUM(CASE WHEN g.window_tokens IS NULL THEN g.layers * COALESCE(g.kv_elements_per_token, 0) ELSE 0 END) AS full_kv_elements_per_token,
        SUM(CASE WHEN g.window_tokens = w.small_window_tokens THEN g.layers * COALESCE(g.kv_elements_per_token, 0) ELSE 0 END) AS small_kv_elements_per_token,
        SUM(CASE WHEN g.window_tokens = w.large_window_tokens AND g.window_tokens > w.small_window_tokens THEN g.layers * COALESCE(g.kv_elements_per_token, 0) ELSE 0 END) AS large_kv_elements_per_token,
        SUM(CASE WHEN g.window_tokens IS NULL THEN g.layers * COALESCE(g.score_value_width, 0) ELSE 0 END) AS full_score_value_width,
        SUM(CASE WHEN g.window_tokens = w.small_window_tokens THEN g.layers * COALESCE(g.score_value_width, 0) ELSE 0 END) AS small_score_value_width,
        SUM(CASE WHEN g.window_tokens = w.large_window_tokens AND g.window_tokens > w.small_window_tokens THEN g.layers * COALESCE(g.score_value_width, 0) ELSE 0 END) AS large_score_value_width,
        SUM(CASE WHEN g.kind = 'state' THEN g.layers * COALESCE(g.state_elements, 0) * COALESCE(g.state_element_bytes, 0) ELSE 0 END) AS state_bytes,
        MAX(g.window_ignored_by) AS window_ignored_by
    FROM attention_groups AS g
    INNER JOIN windows AS w ON g.model = w.model
    GROUP BY g.model, w.small_window_tokens, w.large_window_tokens
)
SELECT
    m.id AS model,
    CASE WHEN m.grade <> 'D' THEN m.parameters END AS parameters,
    CASE WHEN m.grade <> 'D' THEN m.decode_parameters END AS decode_parameters,
    CASE WHEN m.tied_embeddings THEN 0 ELSE m.embedding_parameters END AS untied_embedding_parameters,
    m.embedding_parameters AS head_parameters,
    COALESCE(m.experts, 0) AS experts,
    COALESCE(m.experts_per_token, 0) AS experts_per_token,
    COALESCE(m.moe_layers * m.expert_parameters, 0) AS parameters_per_expert,
    m.parameters - m.decode_parameters
        - COALESCE((m.experts - m.experts_per_token) * m.moe_layers * m.expert_parameters, 0) AS lookup_parameters,
    g.full_kv_elements_per_token,
    g.small_kv_elements_per_token,
    g.large_kv_elements_per_token,
    g.full_score_value_width,
    g.small_score_value_width,
    g.large_score_value_width,
    COALESCE(g.small_window_tokens, 0) AS small_window_tokens,
    COALESCE(g.large_window_tokens, 0) AS large_window_tokens,
    COALESCE(g.state_bytes, 0) AS state_bytes,
    g.window_ignored_by
FROM models AS m
LEFT JOIN groups AS g ON m.id = g.model
