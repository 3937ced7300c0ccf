-- code: O101
-- slug: achieved-above-theoretical
-- severity: error
-- over: package
-- asserts: Achieved occupancy is not above the theoretical one.
-- equation: achieved ≤ resident warps / warps per SM   (physics.md 7)
-- unit: 1
-- message: {record}: kernel {name} on {arch} reached an occupancy of {actual}, but {resident_warps} warps
--     ({bound}) is all that {limited_by} allow
-- fix: check block size, registers and shared memory, and the architecture
SELECT o.record, 'achieved_occupancy' AS field, o.name, o.arch, o.achieved_occupancy AS actual, o.occupancy AS bound, o.achieved_occupancy / NULLIF(o.occupancy, 0) AS ratio, o.resident_warps, o.limited_by
FROM occupancy AS o
CROSS JOIN constants AS k
WHERE o.achieved_occupancy > o.occupancy * (1 + k.consistency_tolerance)
