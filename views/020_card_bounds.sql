-- What a card can do at most, one row a card (physics.md 0).
--   B_max = highest credible bandwidth × headroom of the memory class   byte/s
--   C     = bytes that can stay on chip between steps: the larger of L2 and last-level cache,
--           on a host L2 + L3 (its L3 holds what L2 gave up). Not known: the largest cache of
--           any card of the kind, which is still a true bound.
--   h     = max clock / clock of the quoted peak where both are known, else by segment
-- Figures graded D bound nothing and are null here.
WITH caches AS (
    SELECT
        id AS card,
        kind,
        CASE
            WHEN kind = 'cpu' THEN COALESCE(l2_cache_bytes, 0) + COALESCE(last_level_cache_bytes, 0)
            ELSE GREATEST(COALESCE(l2_cache_bytes, 0), COALESCE(last_level_cache_bytes, 0))
        END AS cache_bytes
    FROM cards
    WHERE
        last_level_cache_bytes IS NOT NULL
        OR (l2_cache_bytes IS NOT NULL AND kind IN ('gpu', 'accelerator'))
),
largest AS (
    SELECT kind, MAX(cache_bytes) AS cache_bytes FROM caches GROUP BY kind
)
SELECT
    c.id AS card,
    c.name AS card_name,
    c.kind AS card_kind,
    c.memory_socketed,
    CASE WHEN c.grade <> 'D' THEN c.memory_bandwidth_bytes_s END AS bandwidth_bytes_s,
    CASE WHEN c.grade <> 'D'
        THEN GREATEST(c.memory_bandwidth_bytes_s, COALESCE(c.memory_bandwidth_upper_bytes_s, c.memory_bandwidth_bytes_s))
            * CASE WHEN c.memory_class = 'hbm' THEN k.hbm_bandwidth_headroom ELSE k.other_bandwidth_headroom END
    END AS bandwidth_strict_bytes_s,
    COALESCE(own.cache_bytes, l.cache_bytes, 0) AS cache_bytes,
    GREATEST(
        CASE
            WHEN c.max_clock_hz IS NOT NULL AND c.boost_clock_hz IS NOT NULL THEN c.max_clock_hz / c.boost_clock_hz
            WHEN c.segment = 'datacenter' THEN k.datacenter_clock_headroom
            ELSE k.consumer_clock_headroom
        END,
        1
    ) AS clock_headroom,
    GREATEST(c.memory_bytes, COALESCE(c.memory_visible_bytes, c.memory_bytes)) AS memory_bytes,
    c.unified_memory,
    c.board_power_w,
    c.peaks_complete,
    c.unverified
FROM cards AS c
CROSS JOIN constants AS k
LEFT JOIN caches AS own ON c.id = own.card
LEFT JOIN largest AS l ON c.kind = l.kind
