"""Where the data package lies: a clone, or the copy that a wheel carries."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


class PackageError(Exception):
    """The data package is not where it should be; the message says what to do."""


@dataclass(frozen=True)
class Package:
    """Paths of one data package."""

    root: Path

    @property
    def data(self) -> Path:
        return self.root / "data"

    @property
    def tables(self) -> Path:
        return self.root / "data" / "tables"

    @property
    def table_schemas(self) -> Path:
        return self.root / "schemas" / "tables"

    @property
    def view_schemas(self) -> Path:
        return self.root / "schemas" / "views"

    @property
    def document_schemas(self) -> Path:
        return self.root / "schemas" / "documents"

    @property
    def views(self) -> Path:
        return self.root / "views"

    @property
    def validators(self) -> Path:
        return self.root / "validators"

    @property
    def descriptor(self) -> Path:
        return self.root / "datapackage.json"

    @property
    def is_clone(self) -> bool:
        """True where the documents are there too, not only the compiled tables."""
        return (self.data / "recipes").is_dir()


def _looks_like_package(folder: Path) -> bool:
    return (folder / "datapackage.json").is_file() and (folder / "schemas" / "tables").is_dir()


@lru_cache(maxsize=8)
def locate(start: Path | None = None) -> Package:
    """The package around `start` (a file or folder), else around the working folder, else the
    clone this code lies in, else the copy inside the installed wheel.

    Raises `PackageError` when there is none.
    """
    here = Path(__file__).resolve().parent
    places = [] if start is None else [start.resolve(), *start.resolve().parents]
    cwd = Path.cwd()
    for folder in (*places, cwd, *cwd.parents, here.parent, here / "_package"):
        if _looks_like_package(folder):
            return Package(folder)
    raise PackageError(
        "no data package found (a folder with datapackage.json and schemas/tables). Run inside a clone of CardBook, or reinstall the cardbook wheel."
    )
