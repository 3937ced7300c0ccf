# code: E103
# slug: command-disagrees
# severity: error
# over: document
# asserts: The command agrees with what the document says of context, shape, KV cache and cards.
# message: {field}: found {actual}, wanted {limit}
# fix: mend whichever of the two is wrong
from __future__ import annotations

from collections.abc import Iterator

from cardbook import evidence
from cardbook.documents.strict import Document
from cardbook.documents.validate import Problem
from cardbook.rules.run import Context
from cardbook.tables.rows import Compiled


def check(document: Document, compiled: Compiled, context: Context) -> Iterator[Problem]:
    if document.kind != "recipe" or not compiled.rows.get("recipes") or compiled.rows["recipes"][0]["tier"] != "submitted":
        return
    for column, ours, said in evidence.against_command(compiled.rows["recipes"][0], compiled.rows["measurements"]):
        yield Problem("", "/command", f"{column} {ours}", f"{said}, as the command says", "mend whichever of the two is wrong")
