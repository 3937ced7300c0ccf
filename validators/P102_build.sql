-- code: P102
-- slug: build
-- severity: incomplete
-- over: package
-- asserts: A recipe names the version or commit of the engine.
-- equation: rule 2: name the card, the build and the prompt
-- message: {record}: the version or commit of the engine is not given
-- fix: add engine_version
SELECT r.id AS record, r.tier, 'engine_version' AS field, 'nothing' AS actual, 'the version or commit of the engine' AS bound
FROM recipes AS r
WHERE r.engine_version IS NULL AND r.engine_commit IS NULL
