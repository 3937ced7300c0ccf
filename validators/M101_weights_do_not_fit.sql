-- code: M101
-- slug: weights-do-not-fit
-- severity: error
-- over: measured
-- asserts: Weights fit the memory of the cards unless host offload is declared.
-- equation: weights resident ≤ n·M   (physics.md 4)
-- worked: {resident_bytes_strict} of weights against {n_cards} × {card_memory_bytes}; host_offload
--     {host_offload}
-- unit: byte
-- message: {record}: {actual} of weights do not fit the {bound} of {n_cards} × {card_name}, and no offload is
--     declared
-- fix: this needs at least {cards_needed} cards, or declare host_offload
SELECT e.*, 'n_cards' AS field, e.resident_bytes_strict AS actual, e.n_cards * e.card_memory_bytes AS bound,
    e.resident_bytes_strict / (e.n_cards * e.card_memory_bytes) AS ratio,
    CEIL(e.resident_bytes_strict / e.card_memory_bytes) AS cards_needed
FROM efficiency AS e
WHERE e.tier <> 'claim' AND e.host_offload IN ('none', 'kv') AND e.resident_bytes_strict > e.n_cards * e.card_memory_bytes
