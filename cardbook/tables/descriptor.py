"""datapackage.json: the Data Package v2 descriptor, generated but for its version."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from cardbook import schema
from cardbook.package import Package

FIRST_VERSION = "0.1.0"


def version(package: Package) -> str:
    """The data version; datapackage.json holds it, and nothing else does."""
    try:
        return str(json.loads(package.descriptor.read_text())["version"])
    except (OSError, ValueError, KeyError):
        return FIRST_VERSION


def resource(table: schema.Table, data: bytes) -> dict[str, Any]:
    """The descriptor of one table."""
    return {
        "name": table.name,
        "type": "table",
        "title": table.title,
        "description": table.description,
        "path": f"data/tables/{table.name}.csv",
        "scheme": "file",
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": len(data),
        "hash": "sha256:" + hashlib.sha256(data).hexdigest(),
        "schema": f"schemas/tables/{table.name}.json",
    }


def views(folder: Path) -> list[dict[str, Any]]:
    """The views in dependency order: name, SQL file, and the schema of their columns."""
    return [
        {"name": path.stem.partition("_")[2], "path": f"views/{path.name}", "schema": f"schemas/views/{path.stem.partition('_')[2]}.json"}
        for path in sorted(folder.glob("*.sql"))
    ]


def descriptor(package: Package, tables: dict[str, bytes]) -> bytes:
    """The bytes of datapackage.json for these tables."""
    found = schema.load(package.table_schemas)
    content = {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "cardbook",
        "title": "CardBook: measured LLM inference on named GPUs",
        "description": "Typed, unit-checked tables of GPU specifications, models, quantization formats and measured inference recipes. Rows that beat the roofline or hide the quality loss are rejected.",
        "version": version(package),
        "licenses": [{"name": "Apache-2.0", "title": "Apache License 2.0", "path": "https://www.apache.org/licenses/LICENSE-2.0"}],
        "keywords": ["LLM", "inference", "GPU", "benchmark", "roofline", "quantization"],
        "resources": [resource(found[name], data) for name, data in tables.items()],
        "cardbook:views": views(package.views),
    }
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()
