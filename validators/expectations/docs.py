"""Make the Data Docs readable without a network, and the same bytes for the same data.

Great Expectations' pages load Bootstrap, jQuery, Vega, fonts and a logo from eight hosts. They
go: without scripts nothing is folded away, and a small stylesheet lays the pages out. The
index, which is drawn by a script, is written anew.
"""

from __future__ import annotations

import html
import re
from datetime import date
from pathlib import Path

from expectations.model import Judged
from expectations.runner import Failure

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 78rem; padding: 1rem; color: #222; background: #fff; }
a { color: #0b5394; } nav ul, ol.breadcrumb { list-style: none; padding: 0; } ol.breadcrumb li { display: inline; margin-right: 1em; }
table { border-collapse: collapse; width: 100%; margin: .5rem 0 1.5rem; } td, th { border: 1px solid #ccc; padding: .3rem .5rem; text-align: left; vertical-align: top; }
th { background: #f3f3f3; } .text-success, .pass { color: #1b6e2f; } .text-danger, .fail { color: #a61b1b; font-weight: 600; }
.badge-secondary, .badge-info { background: #eee; border-radius: .2rem; padding: 0 .3rem; } pre { white-space: pre-wrap; }
img { max-height: 2.5rem; } .fas.fa-check-circle::before { content: "✓"; } .fas.fa-times::before { content: "✗"; }
@media (prefers-color-scheme: dark) { body { background: #161616; color: #ddd; } a { color: #8ab4f8; } th { background: #2a2a2a; }
  .badge-secondary, .badge-info { background: #333; } .text-success, .pass { color: #7ccf8f; } .text-danger, .fail { color: #ff8a80; } }
"""

_REMOTE = (
    re.compile(r"<script\b.*?</script\s*>", re.DOTALL | re.IGNORECASE),
    re.compile(r"<link\b[^>]*>", re.IGNORECASE),
    re.compile(r"<img\b[^>]*>", re.IGNORECASE),
    re.compile(r"<style\b.*?</style\s*>", re.DOTALL | re.IGNORECASE),
    re.compile(r"<footer\b.*?</footer\s*>", re.DOTALL | re.IGNORECASE),
)
_LINK = re.compile(r"<a\b[^>]*href=[\"']https?://[^>]*>(.*?)</a\s*>", re.DOTALL | re.IGNORECASE)
_MOMENT = re.compile(r"\b\d{8}T\d{6}\.\d{6}Z")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<=[-_\"'#])[0-9a-f]{32}(?![0-9a-f])")


def offline(page: str, style: str, day: date) -> str:
    """A page that loads nothing but the stylesheet `style`, with its random ids counted and the
    moments of the run cut to its day."""
    for pattern in _REMOTE:
        page = pattern.sub("", page)
    page = _LINK.sub(r"\1", page)
    page = _MOMENT.sub(f"{day:%Y%m%d}T000000.000000Z", page)
    found: dict[str, str] = {}
    page = _UUID.sub(lambda m: found.setdefault(m.group(0), f"id-{len(found) + 1}"), page)
    return page.replace("</head>", f'<link rel="stylesheet" href="{style}">\n</head>', 1)


def rewrite(out: Path, day: date) -> None:
    """Rewrite every page under `out` and drop the assets that none of them loads any more."""
    import shutil

    shutil.rmtree(out / "static", ignore_errors=True)
    (out / "offline.css").write_text(STYLE.lstrip(), encoding="utf-8")
    for path in sorted(out.rglob("*.html")):
        up = "../" * (len(path.relative_to(out).parts) - 1)
        path.write_text(offline(path.read_text(encoding="utf-8"), f"{up}offline.css", day), encoding="utf-8")


def index(out: Path, title: str, sets: list[Judged], failures: list[Failure]) -> None:
    """The first page: every set with its verdict, every threshold with its reason."""
    pages = {p.stem.removeprefix("rows-"): p.relative_to(out).as_posix() for p in out.glob("validations/**/*.html")}
    failed = {f.judged for f in failures}
    parts = [f"<!doctype html>\n<html lang=en><head><meta charset=utf-8><title>{html.escape(title)}</title>"]
    parts.append(f'<link rel="stylesheet" href="offline.css"></head>\n<body><h1>{html.escape(title)}</h1>')
    if failures:
        parts.append("<h2>What failed</h2>" + "".join(f"<pre class=fail>{html.escape(f.text())}</pre>\n" for f in failures))
    parts.append("<h2>Sets of rows</h2>\n<table><tr><th>set</th><th>rows</th><th>expectations</th><th>verdict</th></tr>")
    for s in sets:
        name = html.escape(s.title)
        link = f'<a href="{html.escape(pages[s.name])}">{name}</a>' if s.name in pages else name
        verdict = "<td class=fail>failed" if s.name in failed else "<td class=pass>passed"
        parts.append(f"<tr><td>{link}<td>{len(s.rows)}<td>{len(s.expects)}{verdict}</tr>")
    parts.append("</table>\n<h2>Thresholds and their reasons</h2>\n<table><tr><th>set</th><th>expectation</th><th>reason</th></tr>")
    for s in sets:
        for e in s.expects if not s.name.startswith(("table-", "bounds-")) else ():
            wanted = ", ".join(f"{k}={v}" for k, v in e.arguments.items() if v is not None)
            parts.append(f"<tr><td>{html.escape(s.title)}<td>{html.escape(f'{e.kind}({wanted})')}<td>{html.escape(e.reason)}</tr>")
    parts.append("</table></body></html>\n")
    (out / "index.html").write_text("\n".join(parts), encoding="utf-8")
