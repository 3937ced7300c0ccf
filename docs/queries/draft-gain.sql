SELECT card, n_cards AS cards, model, quant, engine, speculation, draft_tokens AS gamma, COUNT(*) AS rows,
    ROUND(MEDIAN(speed_up), 2) AS median_speed_up, ROUND(MAX(speed_up), 2) AS best_speed_up, ROUND(MAX(speed_up_cap), 2) AS cap
FROM speculation_gain
GROUP BY ALL ORDER BY rows DESC, card, model, quant, speculation, gamma LIMIT 25
