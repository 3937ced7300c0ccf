"""Write a release: every form of one version in one folder, whole or not at all.

The folder is itself a package: `cardbook` run inside it finds tables, views and rules, and
`cardbook diff` takes it as either side. The same commit and libraries give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardbook import schema
from cardbook.package import Package
from cardbook.release import changes, diff, duckdbfile, metadata, parquet
from cardbook.release.version import parse

#: Folders of the package that a release carries as they are.
COPIED = ("data/tables", "schemas", "views", "validators")
SUMS = "SHA256SUMS"
#: What the sums and the descriptions cannot hold of themselves.
DATA_SUFFIXES = (".csv", ".parquet", ".duckdb")


class ReleaseError(Exception):
    """There is nothing to release; the message says why and what to do."""


@dataclass(frozen=True)
class Request:
    """`date` is ISO 8601; `previous` the release before this one, None for the first."""

    date: str
    url: str | None = None
    previous: Package | None = None


def release(package: Package, out: Path, request: Request) -> Path:
    """Write the release into `out`, which must not exist. Raises `ReleaseError`."""
    if out.exists():
        raise ReleaseError(f"{out} exists; a release is never written over")
    difference = None
    if request.previous is not None:
        difference = diff.compare(request.previous, package)
        if not difference.covered:
            raise ReleaseError(f"{changes.verdict(difference)}. Set the version in datapackage.json, or take the change back; `cardbook diff` lists it.")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as scratch:
        # The folder inside has usual permissions, unlike the private one around it.
        folder = Path(scratch) / "release"
        folder.mkdir()
        _fill(package, folder, request, difference)
        folder.rename(out)
    return out


def _fill(package: Package, folder: Path, request: Request, difference: diff.Difference | None) -> None:
    for name in COPIED:
        shutil.copytree(package.root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc", ".*"))
    for name in ("LICENSE",):
        if (package.root / name).is_file():
            shutil.copyfile(package.root / name, folder / name)
    parquet.write(package, folder / "parquet", parquet.connect(package))
    duckdbfile.write(package, folder)
    _text(folder / "CHANGES.md", _changes_markdown(package, difference))
    _text(folder / "CHANGES.json", changes.as_json(difference) if difference else metadata.as_json({"new": _version(package), "changes": []}))
    about = _about(package, request)
    _text(folder / "CITATION.cff", metadata.citation(about))
    files = {f.path: f for f in _files(folder)}
    data = {path: f for path, f in files.items() if path.endswith(DATA_SUFFIXES)}
    _text(folder / "datapackage.json", metadata.as_json(_descriptor(package, data)))
    _text(folder / "croissant.json", metadata.as_json(metadata.croissant(about, package, data)))
    _text(folder / "dataset.jsonld", metadata.as_json(metadata.dataset(about, package, data)))
    _text(folder / SUMS, "".join(f"{f.sha256}  {f.path}\n" for f in _files(folder)))


def _version(package: Package) -> str:
    return str(parse(json.loads(package.descriptor.read_text(encoding="utf-8"))["version"]))


def _about(package: Package, request: Request) -> metadata.About:
    said = json.loads(package.descriptor.read_text(encoding="utf-8"))
    url = request.url or f"urn:cardbook:{said['version']}"
    return metadata.About(said["title"], said["description"], said["version"], tuple(said["keywords"]), request.date, url)


def _changes_markdown(package: Package, difference: diff.Difference | None) -> str:
    head = f"# Changes in {_version(package)}\n\n"
    return head + (changes.as_text(difference, markdown=True, shown=200) if difference else "The first release.\n")


def _descriptor(package: Package, files: dict[str, metadata.File]) -> dict[str, Any]:
    """The package's descriptor with hashes and bytes of the files as they lie here. The other
    forms of the tables stand beside the resources: generic tools would read each as one more
    table, and guess its types."""
    content: dict[str, Any] = json.loads(package.descriptor.read_text(encoding="utf-8"))
    for resource in content["resources"]:
        file = files[resource["path"]]
        resource |= {"bytes": file.bytes, "hash": f"sha256:{file.sha256}"}
    tables = schema.load(package.table_schemas)
    forms: list[dict[str, Any]] = []
    for path, file in files.items():
        name, form = Path(path).stem, Path(path).suffix[1:]
        if form == "csv":
            continue
        said = {"name": name, "path": path, "format": form, "mediatype": file.media, "bytes": file.bytes, "hash": f"sha256:{file.sha256}"}
        forms.append(said | ({"schema": f"schemas/{'tables' if name in tables else 'views'}/{name}.json"} if form == "parquet" else {}))
    return content | {"cardbook:forms": forms}


def _files(folder: Path) -> list[metadata.File]:
    found = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        content = path.read_bytes()
        found.append(metadata.File(path.relative_to(folder).as_posix(), len(content), hashlib.sha256(content).hexdigest()))
    return found


def _text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def latest(folder: Path) -> Package | None:
    """The release with the highest version under `folder`; None where there is none."""
    found: list[tuple[Any, Package]] = []
    for place in folder.glob("*/datapackage.json"):
        package = Package(place.parent)
        try:
            found.append((parse(_version(package)), package))
        except (ValueError, KeyError, OSError):
            continue
    return max(found, key=lambda pair: pair[0])[1] if found else None


def verify(folder: Path) -> list[str]:
    """What is wrong with the files of a release: missing, changed or not listed."""
    listed = {path: digest for digest, path in (line.split("  ", 1) for line in (folder / SUMS).read_text(encoding="utf-8").splitlines())}
    there = {f.path: f.sha256 for f in _files(folder) if f.path != SUMS}
    wrong = [f"{path}: missing" for path in sorted(listed.keys() - there.keys())]
    wrong += [f"{path}: not listed" for path in sorted(there.keys() - listed.keys())]
    return wrong + [f"{path}: changed" for path in sorted(listed.keys() & there.keys()) if listed[path] != there[path]]
