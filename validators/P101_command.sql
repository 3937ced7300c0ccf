-- code: P101
-- slug: command
-- severity: incomplete
-- over: package
-- asserts: A recipe names the exact command.
-- equation: rule 2: name the card, the build and the prompt
-- message: {record}: the exact command is not given
-- fix: add command
SELECT r.id AS record, r.tier, 'command' AS field, 'nothing' AS actual, 'the exact command' AS bound
FROM recipes AS r
WHERE r.command IS NULL
