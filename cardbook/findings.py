"""A finding: what a rule says about one row or one document."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

#: The fixed columns of a finding, in the order in which every format prints them.
COLUMNS = (
    "code", "slug", "severity", "record", "file", "line", "field",
    "actual", "limit", "ratio", "unit", "message", "fix",
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """`actual` and `limit` are in `unit` (a base unit) where they are numbers; `ratio` is
    actual over limit. `severity` is error or warning."""

    code: str
    slug: str
    severity: str
    record: str | None = None
    file: str | None = None
    line: int | None = None
    field: str | None = None
    actual: Any = None
    limit: Any = None
    ratio: float | None = None
    unit: str | None = None
    message: str = ""
    fix: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
