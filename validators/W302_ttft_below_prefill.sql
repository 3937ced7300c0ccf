-- code: W302
-- slug: ttft-below-prefill
-- severity: incomplete
-- over: measured
-- asserts: The first token does not come before its prompt can be computed.
-- equation: TTFT ≥ max(FLOPs / (n·h·P), (W − n·C) / (n·B_max))   (physics.md 8)
-- worked: the larger of {prefill_compute_time_strict_s} (= {prefill_flops} / ({cards_at_work} ×
--     {peak_strict_flop_s})) and {pass_time_strict_s} (= {pass_bytes_strict} / ({cards_at_work} ×
--     {bandwidth_strict_bytes_s})) = {ttft_limit_s}; measured {ttft_s}
-- unit: second
-- message: {record}: first token after {actual}, but computing {computed_tokens} takes at least {bound} on
--     {n_cards} × {card_name}: {prefill_flops}
-- fix: declare cached_prompt_tokens (a repeated warm-up prompt is a prefix-cache hit), or check the prompt
--     length and the unit (ms or s)
SELECT e.*, 'ttft_s' AS field, e.ttft_s AS actual, e.ttft_limit_s AS bound,
    e.ttft_limit_s / e.ttft_s AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.ttft_s IS NOT NULL AND e.prompt_tokens IS NOT NULL
    AND e.ttft_s * k.reject_above < e.ttft_limit_s
