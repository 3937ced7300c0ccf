"""Read one JSON document the way a stranger's file must be read.

Size, depth and count are capped before anything is parsed. Nothing here judges: a
`Document` records what was found, and the rules F101 to F108 say what is wrong with it.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 32
MAX_VALUES = 200_000
MAX_NUMBER_CHARACTERS = 40


@dataclass
class Document:
    """What one file holds. `value` is None when the file could not be parsed.

    `problems` lists (kind, pointer, found) for: size, encoding, syntax, depth, count,
    duplicate-key, not-finite. Pointers are JSON Pointers (RFC 6901).
    """

    path: Path
    shown: str
    kind: str | None = None
    text: str = ""
    value: Any = None
    size: int = 0
    problems: list[tuple[str, str, str]] = field(default_factory=list)
    _line_of: dict[str, int] | None = None

    def line_of(self, pointer: str) -> int | None:
        """Line (from 1) of the value at `pointer`, or of the nearest value around it."""
        if self._line_of is None:
            self._line_of = _lines(self.text)
        return self._line_of.get(_nearest(pointer, self._line_of))


_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def _nearest(pointer: str, lines: dict[str, int]) -> str:
    while pointer and pointer not in lines:
        pointer = pointer.rpartition("/")[0]
    return pointer


def _lines(text: str) -> dict[str, int]:
    """Pointer to line, by one pass over the tokens; only made when a finding needs it."""
    lines: dict[str, int] = {"": 1}
    stack: list[list[Any]] = []  # [pointer, is_object, index, pending key]
    line, last = 1, 0
    for match in _TOKEN.finditer(text):
        line += text.count("\n", last, match.start())
        last = match.start()
        token = match.group()
        if token in "}]":
            if stack:
                stack.pop()
            continue
        if token in ",:":
            if token == "," and stack and not stack[-1][1]:
                stack[-1][2] += 1
            elif token == "," and stack:
                stack[-1][3] = None
            continue
        top = stack[-1] if stack else None
        if top and top[1] and top[3] is None:
            top[3] = token.strip('"').replace("~", "~0").replace("/", "~1")
            lines.setdefault(f"{top[0]}/{top[3]}", line)
            continue
        pointer = "" if top is None else f"{top[0]}/{top[3] if top[1] else top[2]}"
        lines.setdefault(pointer, line)
        if token in "{[":
            stack.append([pointer, token == "{", 0, None])
    return lines


def _depth(text: str) -> int:
    """Deepest nesting, counted without recursion; brackets inside strings do not count."""
    deepest = level = 0
    for match in re.finditer(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', text):
        token = match.group()
        if token in "{[":
            level += 1
            deepest = max(deepest, level)
        elif token in "}]":
            level -= 1
    return deepest


class _Strict:
    """Hooks for json.loads that note duplicate keys, non-finite and absurd numbers."""

    def __init__(self) -> None:
        self.problems: list[tuple[str, str, str]] = []
        self.values = 0

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        self.values += len(pairs)
        seen: dict[str, Any] = {}
        for key, value in pairs:
            if key in seen:
                self.problems.append(("duplicate-key", key, key))
            seen[key] = value
        return seen

    def constant(self, text: str) -> None:
        self.problems.append(("not-finite", "", text))

    def number(self, text: str) -> float | int | None:
        if len(text) > MAX_NUMBER_CHARACTERS:
            self.problems.append(("not-finite", "", text[:MAX_NUMBER_CHARACTERS] + "…"))
            return None
        if text.lstrip("-").isdigit():
            return int(text)
        value = float(text)
        if not math.isfinite(value):
            self.problems.append(("not-finite", "", text))
            return None
        return value


def parse(document: Document, data: bytes) -> Document:
    """Fill `document` from bytes."""
    document.size = len(data)
    try:
        document.text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        document.problems.append(("encoding", "", f"byte {error.object[error.start]:#04x} at offset {error.start}"))
        return document
    if document.text.startswith("\ufeff"):
        document.problems.append(("encoding", "", "a byte order mark"))
        return document
    depth = _depth(document.text)
    if depth > MAX_DEPTH:
        document.problems.append(("depth", "", f"{depth} levels"))
        return document
    hooks = _Strict()
    try:
        document.value = json.loads(
            document.text,
            object_pairs_hook=hooks.pairs,
            parse_constant=hooks.constant,
            parse_float=hooks.number,
            parse_int=hooks.number,
        )
    except (json.JSONDecodeError, RecursionError) as error:
        document.problems.append(("syntax", "", str(error)))
        return document
    document.problems += hooks.problems
    if hooks.values > MAX_VALUES:
        document.problems.append(("count", "", f"{hooks.values} values"))
    if not isinstance(document.value, dict):
        document.problems.append(("syntax", "", f"a {type(document.value).__name__} at the top, not an object"))
        document.value = None
    return document


def read(path: Path, shown: str, kind: str | None) -> Document:
    """Read a file; a file over `MAX_BYTES` is not read at all."""
    document = Document(path=path, shown=shown, kind=kind)
    if path.is_symlink():
        document.problems.append(("link", "", "a symbolic link"))
        return document
    try:
        document.size = path.stat().st_size
        if document.size > MAX_BYTES:
            document.problems.append(("size", "", f"{document.size} bytes"))
            return document
        data = path.read_bytes()
    except OSError as error:
        document.problems.append(("unreadable", "", error.strerror or type(error).__name__))
        return document
    return parse(document, data)
