-- code: R101
-- slug: unknown-card
-- severity: error
-- over: measured
-- asserts: Every row names a card that the package has.
-- message: {record}: card {actual} is not in the package
-- fix: use an id of `cardbook list cards`, or add data/cards/{actual}.json with its figures and their
--     source
SELECT e.record, e.tier, 'card' AS field, e.card AS actual
FROM efficiency AS e
LEFT JOIN cards AS t ON e.card = t.id
WHERE e.card IS NOT NULL AND t.id IS NULL
