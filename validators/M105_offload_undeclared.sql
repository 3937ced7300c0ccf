-- code: M105
-- slug: offload-undeclared
-- severity: incomplete
-- over: measured
-- asserts: Weights that do not fit the cards lie on the host, and the row says so.
-- equation: weights resident ≤ n·M   (physics.md 4)
-- worked: {resident_bytes_strict} of weights against {n_cards} × {card_memory_bytes}; host_offload
--     {host_offload}
-- unit: byte
-- message: {record}: {actual} of weights do not fit the {bound} of {n_cards} × {card_name}; host_offload is not
--     declared
-- fix: declare host_offload, or this needs at least {cards_needed} cards
SELECT e.*, 'host_offload' AS field, e.resident_bytes_strict AS actual, e.n_cards * e.card_memory_bytes AS bound,
    e.resident_bytes_strict / (e.n_cards * e.card_memory_bytes) AS ratio,
    CEIL(e.resident_bytes_strict / e.card_memory_bytes) AS cards_needed
FROM efficiency AS e
WHERE e.tier <> 'claim' AND e.host_offload IS NULL AND e.resident_bytes_strict > e.n_cards * e.card_memory_bytes
