-- code: R103
-- slug: unknown-quant
-- severity: error
-- over: measured
-- asserts: Every row names a quant that the package has.
-- message: {record}: quant {actual} is not in the package
-- fix: use an id of `cardbook list quants`, or add data/quants/{actual}.json with its figures and their
--     source
SELECT e.record, e.tier, 'quant' AS field, e.quant AS actual
FROM efficiency AS e
LEFT JOIN quants AS t ON e.quant = t.id
WHERE e.quant IS NOT NULL AND t.id IS NULL
