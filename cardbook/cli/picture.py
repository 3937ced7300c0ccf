"""The picture of the README: decode rows of each card as a fraction of the strict wall."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

if TYPE_CHECKING:
    import duckdb

QUERY = """
SELECT card_name, MEDIAN(fraction_of_wall) AS median, MAX(fraction_of_wall) AS best, COUNT(*) AS rows
FROM efficiency
WHERE phase = 'decode' AND fraction_of_wall IS NOT NULL AND COALESCE(host_offload, 'none') = 'none' AND tier <> 'claim'
GROUP BY card_name HAVING COUNT(*) >= 8 ORDER BY best DESC, card_name LIMIT 20
"""
LEFT, WIDTH, ROW, TOP = 220, 520, 22, 46


def fraction_of_wall(db: duckdb.DuckDBPyConnection) -> str:
    """An SVG: a bar to the best row of a card, a tick at the median, a line at the wall."""
    rows = db.execute(QUERY).fetchall()
    height = TOP + ROW * len(rows) + 30
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 90}" height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="100%" height="100%" fill="#ffffff"/><text x="{LEFT}" y="18" font-size="14">Decode, as a fraction of the strict wall</text>',
        f'<text x="{LEFT}" y="36" fill="#555555">bar: best row of the card; tick: median; line: no honest run is above it</text>',
    ]
    for index, (name, median, best, count) in enumerate(rows):
        y = TOP + ROW * index
        parts.append(f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{escape(str(name))}</text>')
        parts.append(f'<rect x="{LEFT}" y="{y + 3}" width="{WIDTH * min(best, 1.03):.1f}" height="{ROW - 8}" fill="#4c78a8"/>')
        parts.append(f'<rect x="{LEFT + WIDTH * min(median, 1.03) - 1:.1f}" y="{y + 1}" width="3" height="{ROW - 4}" fill="#f58518"/>')
        parts.append(f'<text x="{LEFT + WIDTH * min(best, 1.03) + 6:.1f}" y="{y + 14}" fill="#333333">{best:.2f} of {count} rows</text>')
    bottom = TOP + ROW * len(rows)
    parts.append(f'<line x1="{LEFT + WIDTH}" y1="{TOP - 4}" x2="{LEFT + WIDTH}" y2="{bottom}" stroke="#d62728" stroke-width="2"/>')
    parts.append(f'<text x="{LEFT + WIDTH}" y="{bottom + 16}" text-anchor="middle" fill="#d62728">the wall</text></svg>')
    return "\n".join(parts) + "\n"
