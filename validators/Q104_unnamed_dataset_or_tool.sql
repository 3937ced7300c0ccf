-- code: Q104
-- slug: unnamed-dataset-or-tool
-- severity: warning
-- over: package
-- asserts: A quality figure names its dataset and its tool.
-- equation: figures compare on one metric, dataset and tool only
-- message: {record}: the figure does not name its tool
-- fix: name the tool, or say in source_note that the source does not
SELECT CONCAT(q.evaluation, '/', CAST(q.figure AS VARCHAR)) AS record, 'tool' AS field, 'no tool' AS actual, 'the tool that scored it' AS bound
FROM quality AS q
WHERE q.tool IS NULL
