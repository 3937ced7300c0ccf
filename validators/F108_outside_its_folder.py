# code: F108
# slug: outside-its-folder
# severity: error
# over: document
# asserts: The path is the identity: id and folder agree, and a document names no file outside its own folder.
# message: {field}: found {actual}, wanted {limit}
# fix: keep everything inside the folder of the record
from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from cardbook.documents import places
from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+")


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    if any(kind == "link" for kind, _, _ in document.problems):
        yield Problem("", "", "a symbolic link", "a file", "put the file itself there")
    if not isinstance(document.value, dict) or document.kind is None:
        return
    wanted = places.expected_id(document.kind, document.path)
    if document.value.get("id") != wanted:
        yield Problem("", "/id", repr(document.value.get("id")), f"{wanted!r}, as the path says", "rename the file or mend the id")
    if document.kind == "recipe":
        yield from _recipe(document)


def _recipe(document: Document) -> Iterator[Problem]:
    card = document.value.get("card")
    folder = document.path.parent.parent.name
    if document.path.parts[-4:-3] == ("recipes",) and card != folder:
        yield Problem("", "/card", repr(card), f"{folder!r}, as the folder says", "move the recipe or mend the card")
    raw = document.value.get("raw_output")
    if isinstance(raw, str):
        if PurePosixPath(raw).name != raw or raw in (".", "..") or set(raw) - PLAIN:
            yield Problem("", "/raw_output", repr(raw), "the plain name of a file in the same folder", "put the file beside recipe.json")
        elif (document.path.parent / raw).is_symlink():
            yield Problem("", "/raw_output", "a symbolic link", "a file", "put the file itself there")
