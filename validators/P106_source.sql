-- code: P106
-- slug: source
-- severity: error
-- over: package
-- asserts: A reported recipe cites its source.
-- equation: every figure cites a public source that says it
-- message: {record}: a reported recipe without a source
-- fix: cite the public page in data/sources and name it
SELECT r.id AS record, r.tier, 'source' AS field, 'nothing' AS actual, 'a source' AS bound
FROM recipes AS r
WHERE r.tier = 'reported' AND r.source IS NULL
