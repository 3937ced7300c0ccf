-- code: R104
-- slug: unknown-engine
-- severity: error
-- over: measured
-- asserts: Every row names a engine that the package has.
-- message: {record}: engine {actual} is not in the package
-- fix: use an id of `cardbook list engines`, or add data/engines/{actual}.json with its figures and their
--     source
SELECT e.record, e.tier, 'engine' AS field, e.engine AS actual
FROM efficiency AS e
LEFT JOIN engines AS t ON e.engine = t.id
WHERE e.engine IS NOT NULL AND t.id IS NULL
