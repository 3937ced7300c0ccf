-- code: C107
-- slug: energy-against-power
-- severity: error
-- over: measured
-- asserts: Energy is power times duration.
-- equation: E = P · t   (physics.md 9)
-- worked: {energy_j} against {mean_power_w} × {duration_s}
-- unit: watt*second
-- message: {record}: {actual} is not the {bound} of power × duration
-- fix: check the units (Wh or J) and the duration
SELECT e.record, e.tier, 'energy_j' AS field, e.energy_j AS actual, e.mean_power_w * e.duration_s AS bound, e.energy_j / (e.mean_power_w * e.duration_s) AS ratio
FROM efficiency AS e
CROSS JOIN constants AS k
WHERE e.energy_j > e.mean_power_w * e.duration_s * (1 + k.agreement_tolerance) OR e.energy_j * (1 + k.agreement_tolerance) < e.mean_power_w * e.duration_s
