"""`cardbook release`."""

from __future__ import annotations

import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from cardbook.package import Package


@click.command("release")
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The folder to make  [default: dist/cardbook-VERSION].")
@click.option(
    "--previous",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="The release before  [default: the newest under releases/].",
)
@click.option("--first", is_flag=True, help="There is no release before.")
@click.option("--date", metavar="YYYY-MM-DD", help="Date of publication  [default: SOURCE_DATE_EPOCH, else the last commit].")
@click.option("--url", help="Where the release can be had.")
@click.option(
    "--verify",
    "verified",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Compare a release with its checksums and write nothing.",
)
def command(out: Path | None, previous: Path | None, first: bool, date: str | None, url: str | None, verified: Path | None) -> None:
    """Write a complete release: CSV, Parquet, DuckDB, descriptions, checksums and changes.

    Refused when the version in datapackage.json does not cover the change since the last one.
    """
    from cardbook.package import locate
    from cardbook.release import build, diff
    from cardbook.tables import descriptor

    if verified is not None:
        _verify(verified)
        return
    package = locate()
    _current(package)
    version = descriptor.version(package)
    try:
        before = None if first else diff.package_at(previous) if previous else build.latest(package.root / "releases")
        made = build.release(package, out or package.root / "dist" / f"cardbook-{version}", build.Request(_date(package, date), url, before))
    except (build.ReleaseError, ValueError) as error:
        click.echo(f"refused: {error}", err=True)
        raise click.exceptions.Exit(1) from error
    click.echo(f"{made}: version {version}" + ("" if before else ", no release before it"))


def _current(package: Package) -> None:
    """Only what the documents say is released."""
    from cardbook.tables import build

    if not package.is_clone:
        raise click.UsageError("a release is made inside a clone")
    built = build.compile_package(package)
    tables = [name for name in build.stale(package, built) if name.startswith(("data/tables/", "schemas/", "datapackage.json"))]
    if tables:
        raise click.UsageError(f"{tables[0]} is stale: run `cardbook build` and commit first")


def _date(package: Package, given: str | None) -> str:
    """The date of publication: never the clock's, which would make every build another."""
    if given is not None:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", given):
            raise click.UsageError("--date: YYYY-MM-DD is wanted")
        return given
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch and epoch.isdigit():
        return datetime.fromtimestamp(int(epoch), UTC).strftime("%Y-%m-%d")
    try:
        said = subprocess.run(["git", "log", "-1", "--format=%cs"], cwd=package.root, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise click.UsageError("no commit to take the date from: give --date YYYY-MM-DD") from error
    return said


def _verify(folder: Path) -> None:
    from cardbook.release import build

    if not (folder / build.SUMS).is_file():
        raise click.UsageError(f"{folder} has no {build.SUMS}")
    wrong = build.verify(folder)
    for line in wrong:
        click.echo(line)
    if wrong:
        raise click.exceptions.Exit(1)
    click.echo("every file is as released")
