-- Theoretical occupancy of profiled kernels (identity 6, physics.md 7): warps are allocated
-- whole, registers and shared memory in units, and the scarcest resource decides how many
-- blocks an SM holds. Claims with a launch in them are kernels without a measurement.
WITH launches AS (
    SELECT
        CONCAT(k.recipe, '/', CAST(k.kernel AS VARCHAR)) AS record,
        k.name,
        k.arch,
        k.threads_per_block,
        k.registers_per_thread,
        k.shared_memory_bytes,
        k.theoretical_occupancy,
        k.achieved_occupancy
    FROM kernels AS k
    UNION ALL
    SELECT
        CONCAT('claim/', c.id) AS record,
        c.id AS name,
        c.arch,
        c.threads_per_block,
        c.registers_per_thread,
        c.shared_memory_bytes,
        NULL AS theoretical_occupancy,
        NULL AS achieved_occupancy
    FROM claims AS c
    WHERE c.arch IS NOT NULL AND c.threads_per_block IS NOT NULL
),
allocated AS (
    SELECT
        l.*,
        s.max_warps_per_sm,
        s.max_blocks_per_sm,
        s.max_threads_per_block,
        s.max_registers_per_thread,
        s.shared_memory_per_block_optin_bytes,
        s.shared_memory_per_block_bytes,
        s.registers_per_sm,
        s.sub_partitions,
        s.shared_memory_per_sm_bytes,
        CEIL(CEIL(l.threads_per_block / s.warp_threads) / s.warp_allocation_granularity) * s.warp_allocation_granularity AS warps_per_block,
        CASE
            WHEN s.register_allocation_scope = 'warp'
                THEN CEIL(l.registers_per_thread * s.warp_threads / s.register_allocation_unit) * s.register_allocation_unit
            ELSE CEIL(l.registers_per_thread / s.register_allocation_unit) * s.register_allocation_unit * s.warp_threads
        END AS registers_per_warp,
        CEIL((COALESCE(l.shared_memory_bytes, 0) + s.shared_memory_reserved_bytes) / s.shared_memory_allocation_unit_bytes) * s.shared_memory_allocation_unit_bytes AS block_shared_memory_bytes
    FROM launches AS l
    INNER JOIN sm_limits AS s ON l.arch = s.arch
    WHERE s.grade <> 'D'
),
limits AS (
    SELECT
        a.*,
        FLOOR(a.max_warps_per_sm / a.warps_per_block) AS blocks_by_warps,
        CASE WHEN a.registers_per_warp > 0
            THEN FLOOR(FLOOR(a.registers_per_sm / a.sub_partitions / a.registers_per_warp) * a.sub_partitions / a.warps_per_block)
            ELSE a.max_blocks_per_sm
        END AS blocks_by_registers,
        CASE WHEN a.block_shared_memory_bytes > 0
            THEN FLOOR(a.shared_memory_per_sm_bytes / a.block_shared_memory_bytes)
            ELSE a.max_blocks_per_sm
        END AS blocks_by_shared_memory
    FROM allocated AS a
),
resident AS (
    SELECT
        m.*,
        CASE
            WHEN m.threads_per_block > m.max_threads_per_block OR m.registers_per_thread > m.max_registers_per_thread
                OR m.shared_memory_bytes > COALESCE(m.shared_memory_per_block_optin_bytes, m.shared_memory_per_block_bytes) THEN 0
            ELSE LEAST(m.blocks_by_warps, m.blocks_by_registers, m.blocks_by_shared_memory, m.max_blocks_per_sm)
        END AS blocks_per_sm
    FROM limits AS m
)
SELECT
    r.record,
    r.name,
    r.arch,
    r.threads_per_block,
    r.registers_per_thread,
    r.shared_memory_bytes,
    r.theoretical_occupancy,
    r.achieved_occupancy,
    r.warps_per_block,
    r.registers_per_warp,
    r.block_shared_memory_bytes,
    r.blocks_per_sm,
    r.blocks_per_sm * r.warps_per_block AS resident_warps,
    r.blocks_per_sm * r.warps_per_block / r.max_warps_per_sm AS occupancy,
    CASE
        WHEN r.threads_per_block > r.max_threads_per_block THEN 'threads per block'
        WHEN r.registers_per_thread > r.max_registers_per_thread THEN 'registers per thread'
        WHEN r.shared_memory_bytes > COALESCE(r.shared_memory_per_block_optin_bytes, r.shared_memory_per_block_bytes) THEN 'shared memory per block'
        WHEN r.blocks_per_sm = r.blocks_by_registers THEN 'registers'
        WHEN r.blocks_per_sm = r.blocks_by_shared_memory THEN 'shared memory'
        WHEN r.blocks_per_sm = r.blocks_by_warps THEN 'warps'
        ELSE 'blocks'
    END AS limited_by
FROM resident AS r
