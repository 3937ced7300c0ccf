-- code: C101
-- slug: aggregate-against-streams
-- severity: error
-- over: measured
-- asserts: The rate over all streams is not above concurrency over TPOT, nor above concurrency times the rate
--     of a stream.
-- equation: aggregate ≤ c / TPOT   (physics.md 9)
-- worked: {tok_s} over all streams against {concurrency} streams at {tpot_s} a token or {tok_s_per_stream} a
--     stream
-- unit: token/second
-- message: {record}: {actual} over all streams is above the {bound} that {concurrency} streams at this TPOT or
--     rate a stream can give
-- fix: check concurrency, the unit of tpot (ms or s), and which rate is of one stream
SELECT e.record, e.tier, e.concurrency, e.tpot_s, 'tok_s' AS field, e.tok_s AS actual,
    LEAST(e.concurrency * k.one_token / e.tpot_s, e.concurrency * e.tok_s_per_stream) AS bound,
    e.tok_s / LEAST(e.concurrency * k.one_token / e.tpot_s, e.concurrency * e.tok_s_per_stream) AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.phase <> 'prefill' AND e.tok_s > LEAST(e.concurrency * k.one_token / e.tpot_s, e.concurrency * e.tok_s_per_stream) * (1 + k.agreement_tolerance)
