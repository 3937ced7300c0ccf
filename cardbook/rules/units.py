"""Type-check every view and every rule of the package dimensionally (U104)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cardbook.package import Package
from cardbook.rules import model
from cardbook.views import catalog
from cardbook.views.units import columns

if TYPE_CHECKING:
    from cardbook.unitcheck import Problem


def check_all(package: Package) -> list[Problem]:
    """Every view against the units that its schema declares, and every rule (U104)."""
    from cardbook import unitcheck

    tables = columns(package)
    by_name = catalog.units_by_column(package)
    problems: list[Problem] = []
    for view in catalog.views(package.views):
        declared = {f.name: f.unit for f in catalog.view_fields(package)[view.name]}
        problems += unitcheck.check_sql(view.sql, tables, declared=declared, file=f"views/{view.path.name}", introduces_units=view.name == "constants").problems
    for rule in model.load(package.validators):
        if rule.sql is not None:
            own: dict[str, str | None] = {"ratio": "1"}
            if rule.unit:
                # A rule may name the other record in `bound`, which has no unit.
                kinds = unitcheck.infer(rule.sql, tables)
                own |= {name: rule.unit for name in ("actual", "bound") if kinds.get(name)}
            declared = {**by_name, **own}
            problems += unitcheck.check_sql(rule.sql, tables, declared=declared, partial=True, file=f"validators/{rule.path.name}").problems
    return problems
