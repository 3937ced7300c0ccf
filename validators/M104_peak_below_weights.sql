-- code: M104
-- slug: peak-below-weights
-- severity: error
-- over: measured
-- asserts: Peak memory is not below the weights that must be resident.
-- equation: peak ≥ weights resident   (physics.md 4)
-- worked: a peak of {peak_memory_bytes} against {resident_bytes_strict} of weights
-- unit: byte
-- message: {record}: a peak of {actual} is less than the {bound} of weights that must lie on {n_cards} ×
--     {card_name}
-- fix: give the peak over all cards, or declare host_offload
SELECT e.*, 'peak_memory_bytes' AS field, e.peak_memory_bytes AS actual, e.resident_bytes_strict AS bound,
    e.peak_memory_bytes / e.resident_bytes_strict AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.host_offload = 'none' AND e.unified_memory IS NOT TRUE
    AND e.peak_memory_bytes * k.reject_above < e.resident_bytes_strict
