"""Read a release with whatever versions are installed here; run by tests/test_readers.py with the
oldest ones that docs/contracts.md promises. Prints rows by table and reader as JSON."""

import json
import sys
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet

release = Path(sys.argv[1])
names = [resource["name"] for resource in json.loads((release / "datapackage.json").read_text())["resources"]]
db = duckdb.connect()
db.execute(f"ATTACH '{release / 'cardbook.duckdb'}' AS book (READ_ONLY)")
db.execute("USE book")
assert db.execute("SELECT COUNT(*) FROM efficiency WHERE fraction_of_wall > 0").fetchone()[0] > 0
parquet = {name: str(release / f"parquet/{name}.parquet") for name in names}
for name in names:
    assert pyarrow.parquet.read_schema(parquet[name]).metadata[b"cardbook"]
print(
    json.dumps(
        {
            "versions": {m.__name__: m.__version__ for m in (duckdb, pandas, polars, pyarrow)},
            "duckdb": {n: db.execute(f'SELECT COUNT(*) FROM "{n}"').fetchone()[0] for n in names},
            "pandas": {n: len(pandas.read_parquet(parquet[n])) for n in names},
            "polars": {n: polars.read_parquet(parquet[n]).height for n in names},
            "pyarrow": {n: pyarrow.parquet.read_table(parquet[n]).num_rows for n in names},
        }
    )
)
