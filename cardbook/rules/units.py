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
    problems: list[Problem] = []
    for view in catalog.views(package.views):
        declared = {f.name: f.unit for f in catalog.view_fields(package)[view.name]}
        problems += unitcheck.check_sql(view.sql, tables, declared=declared, file=f"views/{view.path.name}", introduces_units=view.name == "constants").problems
    for rule in model.load(package.validators):
        if rule.sql is not None:
            checked = unitcheck.check_sql(rule.sql, tables, file=f"validators/{rule.path.name}")
            problems += checked.problems
    return problems
