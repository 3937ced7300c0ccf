"""Type-check SQL dimensionally against the units of the package's columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardbook.package import Package
from cardbook.views import catalog

if TYPE_CHECKING:
    from cardbook.unitcheck import Checked, Column


def columns(package: Package) -> dict[str, dict[str, Column]]:
    """Every table and view with the unit and type of its columns."""
    from cardbook.unitcheck import Column

    found = {name: {f.name: Column(f.unit, f.type) for f in fields} for name, fields in catalog.relations(package).items()}
    for name in ("recipes", "measurements"):
        found[f"known_{name}"] = found[name]
    return found


def infer(package: Package, sql: str) -> dict[str, str | None]:
    """The unit of each output column of a query."""
    from cardbook import unitcheck

    return unitcheck.infer(sql, columns(package))


def check_query(package: Package, sql: str, file: str) -> Checked:
    """A contributor's own query."""
    from cardbook import unitcheck

    return unitcheck.check_sql(sql, columns(package), file=file)
