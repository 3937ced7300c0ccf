"""Find and remove what says who measured, and where: people, hosts, home folders, addresses,
serials, identifiers of devices, keys.

Loopback addresses, version numbers and the time stamps of llama.cpp's logs (`0.01.234.567 I`)
look like addresses and are none. A serial that is all zeros, or N/A, says nothing.
"""

from __future__ import annotations

import csv
import getpass
import ipaddress
import re
import socket
from collections.abc import Iterator, Sequence
from functools import partial

_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_OWNERS = "|".join(f"(?<={owner}{sign})" for owner in ("hf", "hub", "auth", "access", "api", "github", "bearer") for sign in "_-")
#: Kind → pattern, in the order in which they are applied. The groups `keep`, where there are
#: such, stay in the text. Every repetition is bounded, so that no text takes much longer than
#: its length.
PATTERNS: dict[str, re.Pattern[str]] = {
    "secret": re.compile(
        rf"(?P<keep>(?:(?:api|access|secret|private)[_-]?key|(?:(?<![A-Za-z_-])|(?<=--)|{_OWNERS})token|password|passwd|secret)[\"']?(?:\s{{0,4}}[=:]\s{{0,4}}|\s{{1,4}})[\"']?)"
        r"(?=[A-Za-z_.-]{0,60}\d)(?!\$|<)[A-Za-z0-9_.-]{12,200}"
        r"|(?P<keep2>\bBearer\s{1,4})[A-Za-z0-9_.~+/=-]{12,2000}"
        r"|\b(?:hf_|sk-|sk_|ghp_|gho_|github_pat_|glpat-|xox[bp]-)[A-Za-z0-9_-]{16,200}|\bAKIA[A-Z0-9]{16}\b"
        r"|\beyJ[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,2000}\.[A-Za-z0-9_-]{10,2000}"
        r"|(?P<keep3>://)(?!\$|<)[^@\s/:]{1,64}:[^@\s/:]{1,200}(?=@)",
        re.IGNORECASE,
    ),
    "home folder": re.compile(
        r"(?P<keep>/(?:home|Users|run/media|media)/|[A-Za-z]:(?:\\{1,2}|/)Users(?:\\{1,2}|/))"
        r"(?!\$|<|(?:shared|Public|Default|user|username|ubuntu|runner|jovyan|vscode)(?![\w.-]))[^\s/\\\"'<>$:,;]{1,64}"
    ),
    "shell prompt": re.compile(r"^(?:\(\w{1,40}\) ?)?[\w.-]{1,64}@[\w.-]{1,64}(?=:[~/])", re.MULTILINE),
    "mail address": re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){0,4}\.[A-Za-z]{2,24}\b"),
    "device identifier": re.compile(
        r"\b(?:GPU|MIG)-[0-9a-f]{8}-[0-9a-f-]{20,30}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
        r"|(?P<keep>\b(?:unique[_ ]?id|GPU PDI|fabric[_ ]?guid|cluster[_ ]?uuid)[\"']?\s{0,60}[:=>]\s{0,4}[\"']?)(?:0x)?[0-9a-f]{8,32}\b",
        re.IGNORECASE,
    ),
    "serial number": re.compile(r"(?P<keep>serial(?:[_ ]?(?:number|no))?[\"']?\s{0,60}[:=>]\s{0,4}[\"']?)(?=[A-Z-]{0,30}\d)[A-Z0-9-]{5,40}\b", re.IGNORECASE),
    "hardware address": re.compile(r"(?<![\w:-])(?:(?:[0-9a-f]{2}:){5}|(?:[0-9a-f]{2}-){5})[0-9a-f]{2}(?![\w:-])", re.IGNORECASE),
    "network address": re.compile(
        rf"(?<![\w.])(?:{_OCTET}\.){{3}}{_OCTET}(?!\.?\w)"
        r"|(?<![\w:.])(?:[23][0-9a-f]{3}|f[cd][0-9a-f]{2}|fe[89ab][0-9a-f])(?::[0-9a-f]{0,4}){2,7}(?![\w:])",
        re.IGNORECASE,
    ),
    "host name": re.compile(
        r"(?P<keep>\b(?:https?|wss?|tcp|grpc|ssh)://(?:[^@\s/]{1,80}@)?)(?!localhost\b|host\b|<|\$)"
        r"(?:(?=\w*[A-Za-z])[\w-]{1,63}(?=[:/\s\"']|$)|[\w.-]{1,200}\.(?:lan|local|internal|intranet|corp|home)\b)",
        re.IGNORECASE,
    ),
}
#: What a text must hold for its pattern to be tried at all.
_SIGNS = {
    "home folder": ("home/", "users", "media/"),
    "shell prompt": ("@",),
    "mail address": ("@",),
    "serial number": ("serial",),
    "host name": ("://",),
}
#: Columns whose values are private, whatever tool wrote the CSV.
COLUMNS = {
    "serial": "serial number",
    "gpu_serial": "serial number",
    "platform.chassis_serial_number": "serial number",
    "hostname": "host name",
    "host name": "host name",
}
_KEEPS = ("keep", "keep2", "keep3")
_LOG_TIME = re.compile(r"\d{1,3}\.\d\d\.\d{3}\.\d{3}")
_LEVEL = re.compile(r"\s+[DIWE]\b")
_VERSION = re.compile(
    r"(?:version|driver|\bv|release|build|cuda|cudnn|rocm|nccl|rccl|tensorrt|cublas|firmware|toolkit|python|==|[>~]=|-)[\s:=\"'(]*$", re.IGNORECASE
)
_SECRET_FLAG = re.compile(r"--?(?:[\w-]*(?:api|access|secret)[_-]?key|[\w-]*token|password|passwd|secret)", re.IGNORECASE)
_COUNTED_TOKENS = re.compile(r"--?[\w-]*(?:max|min|num|new|n|prompt|output|input|batched|eos|bos|pad)[\w-]*token|--?tokens?$", re.IGNORECASE)


def _harmless(kind: str, text: str, match: re.Match[str]) -> bool:
    found = match.group()
    if kind in ("device identifier", "serial number"):
        return not re.search(r"[1-9a-f]", found[len(_kept(match)) :].lower().removeprefix("gpu-").removeprefix("mig-").removeprefix("0x"))
    if kind != "network address":
        return False
    if ":" in found:
        return not _is_ipv6(found)
    if found.startswith(("127.", "0.", "255.")) or _VERSION.search(text[max(0, match.start() - 24) : match.start()]):
        return True
    return bool(_LOG_TIME.fullmatch(found) and _LEVEL.match(text, match.end()))


def _is_ipv6(text: str) -> bool:
    try:
        return not ipaddress.IPv6Address(text).is_loopback
    except ValueError:
        return False


def _kept(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return next((groups[name] for name in _KEEPS if groups.get(name)), "")


def _patterns(text: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    lower = text.lower()
    for kind, pattern in PATTERNS.items():
        if kind not in _SIGNS or any(sign in lower for sign in _SIGNS[kind]):
            yield kind, pattern


def find_personal_data(text: str) -> list[tuple[str, str]]:
    """(kind, what was found) for all that should not be published; of a secret only the
    beginning is told."""
    made = []
    for kind, pattern in _patterns(text):
        for match in pattern.finditer(text):
            if not _harmless(kind, text, match):
                found = match.group() if kind == "home folder" else match.group()[len(_kept(match)) :]
                made.append((kind, f"{found[:4]}…" if kind == "secret" else found))
    return made


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


class _Placeholders:
    """Placeholders that keep apart what was apart, and a count of each."""

    def __init__(self) -> None:
        self.removed: dict[tuple[str, str], int] = {}
        self._places: dict[tuple[str, str], int] = {}
        self._kinds: dict[str, int] = {}

    def put(self, kind: str, found: str) -> str:
        key = (kind, found)
        self.removed[key] = self.removed.get(key, 0) + 1
        if key not in self._places:
            self._places[key] = self._kinds[kind] = self._kinds.get(kind, 0) + 1
        place = self._places[key]
        return f"<{kind.replace(' ', '-')}{'' if place == 1 else f'-{place}'}>"

    def told(self) -> list[str]:
        """Of a secret only its kind is told."""
        shown = ((f"{kind}: {'not shown' if kind == 'secret' else found}", count) for (kind, found), count in self.removed.items())
        return [f"{text} ({count} times)" if count > 1 else text for text, count in shown]


def scrub(text: str) -> tuple[str, list[str]]:
    """`text` with placeholders in place of private data, and what was removed, as
    "kind: what (times)". Different things of one kind get different placeholders."""
    places = _Placeholders()
    for kind, word in (*_column_values(text), *own_words()):
        text = re.sub(rf"(?<![\w-]){re.escape(word)}(?![\w-])", partial(_word, places, kind), text)
    for kind, pattern in _patterns(text):
        text = pattern.sub(partial(_found, places, kind), text)
    return text, places.told()


def _word(places: _Placeholders, kind: str, match: re.Match[str]) -> str:
    return places.put(kind, match.group())


def _found(places: _Placeholders, kind: str, match: re.Match[str]) -> str:
    if _harmless(kind, match.string, match):
        return match.group()
    kept = _kept(match)
    return kept + places.put(kind, match.group()[len(kept) :])


def scrub_argv(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of a command without private data, and what was removed. The word after a
    flag such as --api-key is a secret whatever it looks like."""
    made: list[str] = []
    removed: list[str] = []
    secret = False
    for word in argv:
        flag, equals, value = word.partition("=")
        names_secret = _SECRET_FLAG.fullmatch(flag) is not None and not _COUNTED_TOKENS.match(flag)
        if secret and not word.startswith("-"):
            clean, found = "<secret>", ["secret: not shown"]
        elif names_secret and equals and value:
            clean, found = f"{flag}=<secret>", ["secret: not shown"]
        else:
            clean, found = scrub(word)
        secret = names_secret and not equals
        made.append(clean)
        removed.extend(what for what in found if what not in removed)
    return made, removed


def _column_values(text: str) -> Iterator[tuple[str, str]]:
    """(kind, value) of the private columns of a CSV, at most 64 of them."""
    seen: set[str] = set()
    lines = text.splitlines()
    for start, line in enumerate(lines[:20]):
        names = [cell.strip().strip('"').lower() for cell in line.split(",")]
        wanted = {names.index(name): kind for name, kind in COLUMNS.items() if name in names}
        if not wanted or len(names) < 2:
            continue
        try:
            for row in csv.reader(lines[start + 1 :], skipinitialspace=True):
                for index, kind in wanted.items():
                    value = row[index].strip() if index < len(row) else ""
                    if len(value) > 3 and value not in seen and re.search(r"[1-9A-Za-z]", value) and not re.match(r"\[?N/A|127\.|localhost|<", value):
                        seen.add(value)
                        yield kind, value
                if len(seen) >= 64:
                    return
        except csv.Error:
            return
        return
