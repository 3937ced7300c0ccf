-- code: Q102
-- slug: baseline-missing
-- severity: error
-- over: package
-- asserts: A quality figure that publishes a recipe has a baseline.
-- equation: a delta needs its baseline
-- message: {record}: the quality figures of {model} in {quant} have no baseline
-- fix: give the value of the unquantized model on the same metric, dataset and tool
SELECT q.recipe AS record, q.tier, 'checkpoint' AS field, q.checkpoint AS actual, 'a figure with its baseline' AS bound, q.model, q.quant
FROM recipe_quality AS q
WHERE q.closeness <> 'none' AND q.closeness <> 'native' AND q.figures_with_baseline = 0
