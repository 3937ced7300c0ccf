"""Expectations that follow from the table schemas: nothing here is written by hand for a table.

The compiled CSV is read as text, so that a type is tested and not bent by the reader.
"""

from __future__ import annotations

from pathlib import Path

from cardbook import schema
from cardbook.package import Package
from cardbook.views import database
from expectations.model import Expect, Judged, between, not_null, some_rows

#: How `cardbook build` writes each type; a spreadsheet that saved the file writes otherwise.
TYPES = {"integer": r"^-?\d+$", "number": r"^-?\d+(\.\d+)?([eE][-+]?\d+)?$", "boolean": r"^(true|false)$"}
#: No profile is in the corpus yet; an empty table of any other name means that the build lost it.
MAY_BE_EMPTY = frozenset({"kernels"})


def of_field(field: schema.Field) -> list[Expect]:
    """What the schema says of one column, on its text."""
    found = []
    if field.type in TYPES:
        found.append(Expect("ExpectColumnValuesToMatchRegex", {"column": field.name, "regex": TYPES[field.type]}, f"the schema says {field.type}"))
    if field.required:
        found.append(not_null(field.name, "the schema says required"))
    if "enum" in field.constraints:
        found.append(Expect("ExpectColumnValuesToBeInSet", {"column": field.name, "value_set": field.constraints["enum"]}, "the schema lists the values"))
    if "pattern" in field.constraints:
        found.append(Expect("ExpectColumnValuesToMatchRegex", {"column": field.name, "regex": field.constraints["pattern"]}, "the schema gives the pattern"))
    return found


def of_table(table: schema.Table) -> tuple[Expect, ...]:
    """What the schema says of a table, on its text."""
    found = [Expect("ExpectTableColumnsToMatchOrderedList", {"column_list": table.names}, "the columns of the schema, in its order")]
    if table.name not in MAY_BE_EMPTY:
        found.append(some_rows("an empty table passes every other expectation"))
    for field in table.fields:
        found += of_field(field)
    if len(table.primary_key) == 1:
        found.append(Expect("ExpectColumnValuesToBeUnique", {"column": table.primary_key[0]}, "the primary key"))
    elif table.primary_key:
        found.append(Expect("ExpectCompoundColumnsToBeUnique", {"column_list": list(table.primary_key)}, "the primary key"))
    return tuple(found)


def as_text(path: Path) -> str:
    """The table function that reads a compiled CSV with every value text and absent ones null."""
    return f"read_csv({database.quoted(path)}, header = true, all_varchar = true, delim = ',', quote = '\"', escape = '\"')"


def tables(package: Package) -> list[Judged]:
    """Every compiled table as text."""
    db = database.empty()
    found = []
    for name, table in schema.load(package.table_schemas).items():
        rows = db.execute(f"SELECT * FROM {as_text(package.tables / f'{name}.csv')}").df()
        found.append(Judged(f"table-{name}", table.title, rows, of_table(table), table.primary_key))
    return found


def bounds(package: Package) -> list[Judged]:
    """The numeric limits of the schemas, on typed columns; only tables that have any."""
    db = database.empty()
    found = []
    for name, table in schema.load(package.table_schemas).items():
        fields = [f for f in table.fields if f.type in ("number", "integer") and {"minimum", "maximum", "exclusiveMinimum"} & set(f.constraints)]
        if not fields:
            continue
        columns = ", ".join([*(f'"{k}"' for k in table.primary_key), *(f'TRY_CAST("{f.name}" AS DOUBLE) AS "{f.name}"' for f in fields)])
        rows = db.execute(f"SELECT {columns} FROM {as_text(package.tables / f'{name}.csv')}").df()
        found.append(Judged(f"bounds-{name}", f"{table.title}: limits of the schema", rows, tuple(_bound(f) for f in fields), table.primary_key))
    return found


def _bound(field: schema.Field) -> Expect:
    low, strict = field.constraints.get("minimum"), field.constraints.get("exclusiveMinimum")
    expect = between(field.name, strict if low is None else low, field.constraints.get("maximum"), "the schema gives the limit")
    return Expect(expect.kind, {**expect.arguments, "strict_min": low is None and strict is not None}, expect.reason)


def keys(package: Package) -> Judged:
    """One row a foreign key: how many of its values find no record."""
    db = database.empty()
    database.load_tables(db, package)
    parts = [
        f"SELECT '{table.name}' AS child, '{key.field}' AS field, '{key.table}' AS parent, CAST(COUNT(c.\"{key.field}\") AS DOUBLE) AS filled, "
        f'CAST(COALESCE(SUM(CASE WHEN c."{key.field}" IS NOT NULL AND p.k IS NULL THEN 1 ELSE 0 END), 0) AS DOUBLE) AS dangling '
        f'FROM "{table.name}" AS c LEFT JOIN (SELECT DISTINCT "{key.target}" AS k FROM "{key.table}") AS p ON c."{key.field}" = p.k'
        for table in schema.load(package.table_schemas).values()
        for key in table.foreign_keys
    ]
    rows = db.execute(" UNION ALL ".join(parts) + " ORDER BY child, field").df()
    return Judged(
        "keys", "Foreign keys", rows, (some_rows("the schemas have foreign keys"), between("dangling", 0, 0, "every key finds its record")), ("child", "field")
    )
