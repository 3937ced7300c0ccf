-- code: P103
-- slug: driver
-- severity: incomplete
-- over: package
-- asserts: A recipe names the driver.
-- equation: rule 2: name the card, the build and the prompt
-- message: {record}: the driver is not given
-- fix: add driver
SELECT r.id AS record, r.tier, 'driver' AS field, 'nothing' AS actual, 'the driver' AS bound
FROM recipes AS r
WHERE r.driver IS NULL
