-- code: D102
-- slug: retired-id-reused
-- severity: error
-- over: package
-- asserts: A retired record keeps its reason, and an active one has none.
-- equation: ids are never reused
-- message: {record}: status {actual} does not go with its retired_reason
-- fix: give a retired record its reason, and a new record a new id
SELECT r.id AS record, r.tier, 'status' AS field, COALESCE(r.status, 'active') AS actual, 'retired with a reason, or active without' AS bound
FROM recipes AS r
WHERE (r.status = 'retired') <> (r.retired_reason IS NOT NULL) OR (COALESCE(r.status, 'active') = 'active' AND r.retired_reason IS NOT NULL)
