-- code: Q103
-- slug: other-checkpoint
-- severity: warning
-- over: package
-- asserts: The quality figure is of the very checkpoint that ran.
-- equation: same file, or same model and quant scheme
-- message: {record}: the quality figure is of {quality_checkpoint}, another file of {model} in {quant}
-- fix: evaluate the file that ran, or name it
SELECT q.recipe AS record, q.tier, 'checkpoint' AS field, q.checkpoint AS actual, q.quality_checkpoint AS bound, q.model, q.quant, q.quality_checkpoint
FROM recipe_quality AS q
WHERE q.closeness = 'same model and quant'
