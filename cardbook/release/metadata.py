"""What catalogues read: Croissant, schema.org, and the citation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cardbook import schema
from cardbook.package import Package

MEDIA = {".csv": "text/csv", ".parquet": "application/vnd.apache.parquet", ".duckdb": "application/vnd.duckdb", ".json": "application/json"}
LICENCE = "https://spdx.org/licenses/Apache-2.0"
CREATOR = {"@type": "Organization", "name": "CardBook maintainers"}
_TYPES = {"string": "sc:Text", "number": "sc:Float", "integer": "sc:Integer", "boolean": "sc:Boolean"}

#: The context that Croissant 1.0 prescribes.
CONTEXT: dict[str, Any] = {
    "@language": "en", "@vocab": "https://schema.org/", "citeAs": "cr:citeAs", "column": "cr:column", "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/", "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"}, "dct": "http://purl.org/dc/terms/", "examples": {"@id": "cr:examples", "@type": "@json"},
    "equivalentProperty": "cr:equivalentProperty", "samplingRate": "cr:samplingRate",
    "extract": "cr:extract", "field": "cr:field", "fileProperty": "cr:fileProperty", "fileObject": "cr:fileObject", "fileSet": "cr:fileSet",
    "format": "cr:format", "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath", "key": "cr:key", "md5": "cr:md5",
    "parentField": "cr:parentField", "path": "cr:path", "recordSet": "cr:recordSet", "references": "cr:references", "regex": "cr:regex",
    "repeated": "cr:repeated", "replace": "cr:replace", "sc": "https://schema.org/", "separator": "cr:separator", "source": "cr:source",
    "subField": "cr:subField", "transform": "cr:transform",
}  # fmt: skip


@dataclass(frozen=True)
class File:
    """One file of a release."""

    path: str
    bytes: int
    sha256: str

    @property
    def media(self) -> str:
        return next((media for suffix, media in MEDIA.items() if self.path.endswith(suffix)), "text/plain")


@dataclass(frozen=True)
class About:
    """What the release says of itself; `date` is ISO 8601, `url` where it can be had."""

    title: str
    description: str
    version: str
    keywords: tuple[str, ...]
    date: str
    url: str

    @property
    def cite(self) -> str:
        return f"CardBook maintainers ({self.date[:4]}). {self.title}, version {self.version}. {self.url}"


def as_json(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def croissant(about: About, package: Package, files: Mapping[str, File]) -> dict[str, Any]:
    """A Croissant 1.0 description: every data file, and every table as a record set over its CSV."""
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "CardBook",
        "description": about.description,
        "version": about.version,
        "datePublished": about.date,
        "license": LICENCE,
        "url": about.url,
        "creator": CREATOR,
        "keywords": list(about.keywords),
        "citeAs": about.cite,
        "distribution": [_file_object(f) for f in files.values()],
        "recordSet": [_record_set(t) for t in schema.load(package.table_schemas).values()],
    }


def _file_object(file: File) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "contentUrl": file.path,
        "contentSize": f"{file.bytes} B",
        "encodingFormat": file.media,
        "sha256": file.sha256,
    }


def _record_set(table: schema.Table) -> dict[str, Any]:
    keys = [{"@id": f"{table.name}/{k}"} for k in table.primary_key]
    references = {k.field: f"{k.table}/{k.target}" for k in table.foreign_keys}
    fields = []
    for f in table.fields:
        field: dict[str, Any] = {
            "@type": "cr:Field",
            "@id": f"{table.name}/{f.name}",
            "name": f"{table.name}/{f.name}",
            "description": f.description + (f" [{f.unit}]" if f.unit else ""),
            "dataType": _TYPES[f.type],
            "source": {"fileObject": {"@id": f"data/tables/{table.name}.csv"}, "extract": {"column": f.name}},
        }
        if f.name in references:
            field["references"] = {"field": {"@id": references[f.name]}}
        fields.append(field)
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.description,
        "key": keys if len(keys) > 1 else keys[0],
        "field": fields,
    }


def dataset(about: About, package: Package, files: Mapping[str, File]) -> dict[str, Any]:
    """A schema.org Dataset, as search engines read it."""
    seen: dict[str, schema.Field] = {}
    for table in schema.load(package.table_schemas).values():
        for f in table.fields:
            if f.type in ("number", "integer") and f.unit:
                seen.setdefault(f.name, f)
    return {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": about.title,
        "alternateName": "CardBook",
        "description": about.description,
        "version": about.version,
        "datePublished": about.date,
        "license": LICENCE,
        "url": about.url,
        "isAccessibleForFree": True,
        "creator": CREATOR,
        "keywords": list(about.keywords),
        "variableMeasured": [{"@type": "PropertyValue", "name": f.name, "description": f.description, "unitText": f.unit} for f in seen.values()],
        "distribution": [
            {"@type": "DataDownload", "contentUrl": f.path, "encodingFormat": f.media, "contentSize": f"{f.bytes} B", "sha256": f.sha256}
            for f in files.values()
        ],
    }


def citation(about: About) -> str:
    """CITATION.cff."""
    keywords = "".join(f"  - {json.dumps(k, ensure_ascii=False)}\n" for k in about.keywords)
    return (
        "cff-version: 1.2.0\n"
        "message: If you use these data, cite them with their version.\n"
        "type: dataset\n"
        f"title: {json.dumps(about.title, ensure_ascii=False)}\n"
        f"abstract: {json.dumps(about.description, ensure_ascii=False)}\n"
        "authors:\n  - name: CardBook maintainers\n"
        f"version: {about.version}\n"
        f"date-released: {about.date}\n"
        "license: Apache-2.0\n"
        f"keywords:\n{keywords}" + (f"url: {json.dumps(about.url)}\n" if about.url.startswith("http") else "")
    )
