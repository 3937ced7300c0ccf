SELECT sentence, verdict, ROUND(claimed_over_identity, 3) AS claimed_over_identity
FROM claim_verdicts
ORDER BY verdict, claimed_over_identity DESC
