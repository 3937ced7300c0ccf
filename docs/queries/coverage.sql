SELECT
    (SELECT COUNT(*) FROM recipes) AS recipes,
    (SELECT COUNT(*) FROM measurements) AS measurements,
    (SELECT COUNT(DISTINCT card) FROM recipes) AS cards,
    (SELECT COUNT(DISTINCT model) FROM recipes) AS models,
    (SELECT COUNT(DISTINCT quant) FROM recipes) AS quants,
    (SELECT COUNT(DISTINCT engine) FROM recipes) AS engines,
    (SELECT COUNT(*) FROM quality) AS quality_figures,
    (SELECT COUNT(*) FROM claims) AS claims
