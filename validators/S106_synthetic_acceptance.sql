-- code: S106
-- slug: synthetic-acceptance
-- severity: error
-- over: package
-- asserts: No command fakes the acceptance of drafts.
-- equation: a faked draft emits no tokens of the model   (physics.md 6)
-- message: {record}: the command holds a switch for synthetic acceptance
-- fix: measure with a real draft
SELECT r.id AS record, r.tier, 'command' AS field, 'a switch that fakes accepted drafts' AS actual, 'a real draft' AS bound
FROM recipes AS r
WHERE r.command LIKE '%--spec-synth%' OR r.command LIKE '%LLAMA_ARG_SPEC_SYNTH%' OR r.command LIKE '%synthetic_acceptance%'
    OR r.command LIKE '%synthetic-acceptance%' OR r.command LIKE '%rejection_sample_method%synthetic%'
