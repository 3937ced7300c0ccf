-- code: W304
-- slug: kv-transfer-above-link
-- severity: error
-- over: package
-- asserts: KV moved between pools fits the named link.
-- equation: KV(I) · request rate ≤ link bandwidth   (physics.md 8)
-- unit: request/second
-- message: {record}: {actual} at {kv_bytes_strict} of KV a request is more than {link_name} carries
--     ({bandwidth_bytes_s} a card)
-- fix: check the link, the request rate and the prompt length
SELECT e.record, e.tier, e.card_name, e.prompt_tokens, 'request_rate_per_s' AS field, e.request_rate_per_s AS actual,
    l.bandwidth_bytes_s * k.one_request / e.kv_bytes_strict AS bound,
    e.request_rate_per_s * e.kv_bytes_strict / (l.bandwidth_bytes_s * k.one_request) AS ratio,
    e.kv_bytes_strict, l.name AS link_name, l.bandwidth_bytes_s
FROM efficiency AS e
INNER JOIN measurements AS m ON e.record = CONCAT(m.recipe, '/', m.measurement)
INNER JOIN recipes AS r ON m.recipe = r.id
INNER JOIN links AS l ON r.link = l.id
CROSS JOIN constants AS k
WHERE e.prefill_cards IS NOT NULL AND e.decode_cards IS NOT NULL AND l.grade <> 'D'
    AND e.request_rate_per_s * e.kv_bytes_strict > k.reject_above * l.bandwidth_bytes_s * k.one_request * LEAST(e.prefill_cards, e.decode_cards)
