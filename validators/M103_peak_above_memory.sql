-- code: M103
-- slug: peak-above-memory
-- severity: error
-- over: measured
-- asserts: Peak memory is not above the memory of the cards.
-- equation: peak ≤ n·M   (physics.md 4)
-- worked: a peak of {peak_memory_bytes} against {n_cards} × {card_memory_bytes}
-- unit: byte
-- message: {record}: a peak of {actual} is more than the {bound} of {n_cards} × {card_name}
-- fix: check the unit (GB is 10⁹ byte, GiB is 2³⁰) and the number of cards; the peak is over all cards,
--     without host memory
SELECT e.*, 'peak_memory_bytes' AS field, e.peak_memory_bytes AS actual, e.n_cards * e.card_memory_bytes AS bound,
    e.peak_memory_bytes / (e.n_cards * e.card_memory_bytes) AS ratio
FROM efficiency AS e
WHERE e.peak_memory_bytes > e.n_cards * e.card_memory_bytes
