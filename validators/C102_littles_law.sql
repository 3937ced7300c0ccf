-- code: C102
-- slug: littles-law
-- severity: error
-- over: measured
-- asserts: Requests in flight do not exceed the stated concurrency.
-- equation: in flight = request rate × latency ≤ concurrency   (physics.md 9)
-- worked: {request_rate_per_s} × {e2e_s} against a concurrency of {concurrency}
-- unit: 1
-- message: {record}: {request_rate_per_s} at {e2e_s} each means {actual} in flight, above the concurrency of
--     {bound}
-- fix: check the unit of the latency, and that the rate is the achieved one
SELECT e.record, e.tier, e.concurrency, e.request_rate_per_s, e.e2e_s, 'concurrency' AS field, e.request_rate_per_s * e.e2e_s / k.one_request AS actual, e.concurrency AS bound,
    e.request_rate_per_s * e.e2e_s / (k.one_request * e.concurrency) AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.request_rate_per_s * e.e2e_s / k.one_request > e.concurrency * (1 + k.agreement_tolerance)
