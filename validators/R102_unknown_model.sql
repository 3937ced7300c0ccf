-- code: R102
-- slug: unknown-model
-- severity: error
-- over: measured
-- asserts: Every row names a model that the package has.
-- message: {record}: model {actual} is not in the package
-- fix: use an id of `cardbook list models`, or add data/models/{actual}.json with its figures and their
--     source
SELECT e.record, e.tier, 'model' AS field, e.model AS actual
FROM efficiency AS e
LEFT JOIN models AS t ON e.model = t.id
WHERE e.model IS NOT NULL AND t.id IS NULL
