-- Little's law for serving rows (physics.md 9): requests in flight = request rate × latency,
-- and the share of output in the tokens that pass (to split input + output throughput).
SELECT
    e.record,
    e.tier,
    e.concurrency,
    e.request_rate_per_s,
    e.e2e_s,
    e.request_rate_per_s * e.e2e_s / k.one_request AS in_flight,
    e.request_rate_per_s * e.e2e_s / (k.one_request * e.concurrency) AS in_flight_over_concurrency,
    e.generated_tokens / NULLIF(e.prompt_tokens + e.generated_tokens, 0) AS output_share,
    e.rate_tok_s
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.phase = 'serve'
