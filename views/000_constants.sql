-- The only place where a number enters the physics. One row; every column is a literal with
-- the unit that its schema declares, so that no view or rule carries a bare factor.
-- Sources: physics.md 0 to 9 (headrooms: facts on memory and clocks, section 0; reject and
-- warn lines, section 12). A multiply-add is two operations.
SELECT
    CAST(1 AS DOUBLE) AS one_step,
    CAST(1 AS DOUBLE) AS one_token,
    CAST(1 AS DOUBLE) AS one_request,
    CAST(1 AS DOUBLE) AS plain_tokens_per_step,
    CAST(0.5 AS DOUBLE) AS half,
    CAST(8 AS DOUBLE) AS bits_per_byte,
    CAST(2 AS DOUBLE) AS flop_per_parameter_token,
    CAST(2 AS DOUBLE) AS flop_per_attention_element,
    CAST(1 AS DOUBLE) AS flop_per_op,
    CAST(2 AS DOUBLE) AS default_kv_element_bytes,
    CAST(1.03 AS DOUBLE) AS hbm_bandwidth_headroom,
    CAST(1 AS DOUBLE) AS other_bandwidth_headroom,
    CAST(1.25 AS DOUBLE) AS consumer_clock_headroom,
    CAST(1.10 AS DOUBLE) AS datacenter_clock_headroom,
    CAST(1.03 AS DOUBLE) AS reject_above,
    CAST(1 AS DOUBLE) AS warn_above,
    CAST(0.05 AS DOUBLE) AS low_below,
    CAST(1.25 AS DOUBLE) AS board_power_headroom,
    CAST(0.05 AS DOUBLE) AS consistency_tolerance,
    CAST(0.20 AS DOUBLE) AS agreement_tolerance,
    CAST(0.001 AS DOUBLE) AS rounding_tolerance,
    CAST(256 AS DOUBLE) AS long_prompt_tokens
