-- code: W901
-- slug: unbounded
-- severity: incomplete
-- over: measured
-- asserts: Every row has a full bound.
-- equation: a bound that cannot be computed is reported, never passed   (physics.md 10)
-- worked: missing for a full bound: {unbounded_for}
-- message: {record}: no full bound for {phase} of {model} in {quant} on {card}: missing {unbounded_for}
-- fix: add the missing figure with its source (the file size to the checkpoint, the peak to the card, the
--     count to the recipe)
SELECT e.record, e.tier, e.card, e.model, e.quant, e.phase, 'phase' AS field, e.unbounded_for AS actual, 'a figure' AS bound, e.unbounded_for
FROM efficiency AS e
WHERE e.tier <> 'claim' AND e.unbounded_for IS NOT NULL
