-- How close each row came (physics.md 5): fraction of the strict wall and of the expected one,
-- which wall binds, arithmetic intensity I = FLOPs / bytes, ridge point P / B, and the roofline
-- min(P, I·B) with the fraction of it that was attained.
WITH work AS (
    SELECT
        w.*,
        w.rate_tok_s / w.wall_tok_s AS fraction_of_wall,
        w.rate_tok_s / w.expected_wall_tok_s AS fraction_of_expected_wall,
        CASE
            WHEN w.wall_tok_s IS NULL THEN NULL
            WHEN w.wall_tok_s = w.decode_compute_wall_tok_s THEN 'compute'
            WHEN w.wall_tok_s = w.prefill_compute_wall_tok_s THEN 'compute'
            WHEN w.wall_tok_s = w.serve_compute_wall_tok_s THEN 'compute'
            ELSE 'memory'
        END AS bound_by,
        CASE
            WHEN w.phase = 'prefill' THEN w.prefill_flops / w.computed_tokens
            WHEN w.phase = 'decode' THEN w.decode_flop_per_token
            ELSE w.serve_flop_per_token
        END AS flop_per_token,
        CASE
            WHEN w.phase = 'prefill' THEN w.streams * w.prefill_flops / NULLIF(w.weight_bytes, 0)
            ELSE w.decode_flop_per_token * w.tokens_per_step * k.one_step / NULLIF(w.stream_step_bytes, 0)
        END AS intensity_flop_per_byte,
        w.peak_flop_s / w.bandwidth_bytes_s AS ridge_flop_per_byte
    FROM walls AS w
    CROSS JOIN constants AS k
)
SELECT
    x.*,
    CASE
        WHEN x.intensity_flop_per_byte < x.ridge_flop_per_byte THEN 'memory'
        WHEN x.intensity_flop_per_byte >= x.ridge_flop_per_byte THEN 'compute'
    END AS roofline_side,
    LEAST(x.peak_flop_s, x.intensity_flop_per_byte * x.bandwidth_bytes_s) AS attainable_flop_s,
    x.rate_tok_s * x.flop_per_token / (x.cards_at_work * LEAST(x.peak_flop_s, x.intensity_flop_per_byte * x.bandwidth_bytes_s)) AS fraction_of_attainable
FROM work AS x
