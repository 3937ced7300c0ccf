-- code: O102
-- slug: launch-impossible
-- severity: error
-- over: package
-- asserts: A block fits the limits of its SM.
-- equation: at least one block fits an SM   (physics.md 7)
-- unit: 1
-- message: {record}: kernel {name} cannot launch on {arch}: {threads_per_block} threads, {registers_per_thread}
--     registers and {shared_memory_bytes} of shared memory a block exceed its {limited_by}
-- fix: check the launch figures and the architecture
SELECT o.record, 'threads_per_block' AS field, o.name, o.arch, o.blocks_per_sm AS actual, CAST(1 AS DOUBLE) AS bound, o.threads_per_block, o.registers_per_thread, o.shared_memory_bytes, o.limited_by
FROM occupancy AS o
WHERE o.blocks_per_sm IS NOT NULL AND (o.blocks_per_sm >= 1) IS NOT TRUE
