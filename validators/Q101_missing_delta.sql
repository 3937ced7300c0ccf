-- code: Q101
-- slug: missing-delta
-- severity: error
-- over: package
-- asserts: A recipe is published when its checkpoint has a quality figure, or is the native release.
-- equation: rule 5: publish the quality drop next to the tok/s
-- message: {record}: {model} in {quant} has no quality figure
-- fix: add data/quality/{model}/<id>.json for its checkpoint, or mark the checkpoint native when it is the
--     release; `cardbook coverage` lists what others wait for
SELECT q.recipe AS record, q.tier, 'checkpoint' AS field, q.checkpoint AS actual, 'a quality figure against a baseline' AS bound, q.model, q.quant
FROM recipe_quality AS q
WHERE q.closeness = 'none'
