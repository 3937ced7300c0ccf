-- code: M102
-- slug: kv-does-not-fit
-- severity: error
-- over: measured
-- asserts: Weights and the KV cache of the streams fit the memory of the cards.
-- equation: weights resident + b·KV(context) ≤ n·M   (physics.md 4)
-- worked: {resident_bytes_strict} of weights + {streams} × {kv_bytes_strict} of KV against {n_cards} ×
--     {card_memory_bytes}
-- unit: byte
-- message: {record}: {resident_bytes_strict} of weights and {streams} × {kv_bytes_strict} of KV do not fit the
--     {bound} of {n_cards} × {card_name}
-- fix: check concurrency and depth, declare the KV cache format, or declare host_offload
SELECT e.*, 'concurrency' AS field, e.resident_bytes_strict + e.streams * e.kv_bytes_strict AS actual, e.n_cards * e.card_memory_bytes AS bound,
    (e.resident_bytes_strict + e.streams * e.kv_bytes_strict) / (e.n_cards * e.card_memory_bytes) AS ratio
FROM efficiency AS e
WHERE e.tier <> 'claim' AND e.phase = 'decode' AND e.host_offload = 'none'
    AND e.resident_bytes_strict <= e.n_cards * e.card_memory_bytes
    AND e.resident_bytes_strict + e.streams * e.kv_bytes_strict > e.n_cards * e.card_memory_bytes
