"""Find and remove what says who measured, and where: people, hosts, home folders, addresses.

Loopback addresses, version numbers and the time stamps of llama.cpp's logs (`0.01.234.567 I`)
look like addresses and are none.
"""

from __future__ import annotations

import getpass
import re
import socket
from collections.abc import Iterator

_IPV4 = r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.])"
#: Kind → pattern. The group `keep`, where there is one, stays in the text.
PATTERNS: dict[str, re.Pattern[str]] = {
    "home folder": re.compile(r"(?P<keep>/(?:home|Users)/|[A-Za-z]:\\Users\\)(?!\$|<|shared\b)[^\s/\\\"'<>$]+"),
    "mail address": re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]*\w"),
    "device identifier": re.compile(r"\bGPU-[0-9a-f]{8}-[0-9a-f-]{20,}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE),
    "hardware address": re.compile(r"(?<![\w:])(?:[0-9a-f]{2}:){5}[0-9a-f]{2}(?![\w:])", re.IGNORECASE),
    "network address": re.compile(_IPV4),
    "secret": re.compile(r"(?P<keep>(?:api[_-]?key|token|password|secret)[\"']?\s*[=:]\s*[\"']?)(?!\$|<|None\b|none\b|null\b)[A-Za-z0-9_-]{12,}|\b(?:hf|sk|ghp)_[A-Za-z0-9]{16,}", re.IGNORECASE),
}  # fmt: skip
_LOG_TIME = re.compile(r"\s+[DIWE]\b")
_VERSION = re.compile(r"(?:version|driver|v|release|build|cuda|rocm)[\s:=\"']*$", re.IGNORECASE)


def _harmless(kind: str, text: str, match: re.Match[str]) -> bool:
    if kind != "network address":
        return False
    found = match.group()
    if found.startswith(("127.", "0.0.0.0")) or _VERSION.search(text[max(0, match.start() - 16) : match.start()]):
        return True
    line_start = text.rfind("\n", 0, match.start()) + 1
    return not text[line_start : match.start()].strip() and bool(_LOG_TIME.match(text, match.end()))


def _matches(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    for kind, pattern in PATTERNS.items():
        for match in pattern.finditer(text):
            if not _harmless(kind, text, match):
                yield kind, match


def find_personal_data(text: str) -> list[tuple[str, str]]:
    """(kind, what was found) for all that should not be published."""
    return [(kind, match.group()) for kind, match in _matches(text)]


def own_words() -> list[tuple[str, str]]:
    """(kind, word) for the user name and host name of this machine, where they tell anything."""
    words = []
    for kind, read in (("user name", getpass.getuser), ("host name", socket.gethostname)):
        try:
            word = read()
        except (OSError, KeyError):
            continue
        if len(word) > 3 and word.lower() not in ("root", "user", "ubuntu", "admin", "localhost", "runner"):
            words.append((kind, word))
    return words


def scrub(text: str) -> tuple[str, list[str]]:
    """`text` with placeholders in place of private data, and what was removed, by kind."""
    removed: dict[str, int] = {}
    for kind, pattern in PATTERNS.items():

        def replace(match: re.Match[str], kind: str = kind) -> str:
            if _harmless(kind, match.string, match):
                return match.group()
            removed[kind] = removed.get(kind, 0) + 1
            return f"{match.groupdict().get('keep') or ''}<{kind.replace(' ', '-')}>"

        text = pattern.sub(replace, text)
    for kind, word in own_words():
        text, count = re.subn(rf"(?<![\w-]){re.escape(word)}(?![\w-])", f"<{kind.replace(' ', '-')}>", text)
        if count:
            removed[kind] = removed.get(kind, 0) + count
    return text, [f"{kind} ({count} times)" for kind, count in removed.items()]
