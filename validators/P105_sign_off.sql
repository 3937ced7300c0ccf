-- code: P105
-- slug: sign-off
-- severity: error
-- over: package
-- asserts: A submitted recipe is signed off.
-- equation: Developer Certificate of Origin
-- message: {record}: not signed off
-- fix: sign off every commit (git commit -s) and set signed_off to true
SELECT r.id AS record, r.tier, 'signed_off' AS field, 'nothing' AS actual, 'true' AS bound
FROM recipes AS r
WHERE r.tier = 'submitted' AND r.signed_off IS NOT TRUE
