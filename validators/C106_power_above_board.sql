-- code: C106
-- slug: power-above-board
-- severity: error
-- over: measured
-- asserts: Mean power is not above the power limit or board power of the cards.
-- equation: power ≤ n · 1.25 · limit   (physics.md 9)
-- worked: {mean_power_w} against {n_cards} × {power_limit_w} (limit) or {board_power_w} (board)
-- unit: watt
-- message: {record}: a mean of {actual} is more than {n_cards} × {card_name} can draw ({bound})
-- fix: give the power of the cards, not of the whole system (power_scope), and check the unit
SELECT e.record, e.tier, e.card_name, e.n_cards, 'mean_power_w' AS field, e.mean_power_w AS actual,
    e.n_cards * COALESCE(e.power_limit_w, e.board_power_w) * k.board_power_headroom AS bound,
    e.mean_power_w / (e.n_cards * COALESCE(e.power_limit_w, e.board_power_w) * k.board_power_headroom) AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.mean_power_w > e.n_cards * COALESCE(e.power_limit_w, e.board_power_w) * k.board_power_headroom
