-- code: C110
-- slug: unusually-low
-- severity: warning
-- over: package
-- asserts: A recipe far below its expected wall says why.
-- equation: below 5 % of the wall   (physics.md 9)
-- worked: {rate_tok_s} of {expected_wall_tok_s}: {fraction_of_expected_wall}
-- unit: token/second
-- message: {record}: {actual} is {ratio} of the expected wall of {bound} on {n_cards} × {card_name}
-- fix: say why in low_reason, or check the unit and the phase
SELECT e.record, e.tier, e.card_name, e.n_cards, 'tok_s' AS field, e.rate_tok_s AS actual, e.expected_wall_tok_s AS bound, e.fraction_of_expected_wall AS ratio
FROM efficiency AS e
INNER JOIN measurements AS m ON e.record = CONCAT(m.recipe, '/', m.measurement)
INNER JOIN recipes AS r ON m.recipe = r.id
CROSS JOIN constants AS k
WHERE e.phase = 'decode' AND COALESCE(e.host_offload, 'none') = 'none' AND r.low_reason IS NULL AND e.fraction_of_expected_wall < k.low_below
