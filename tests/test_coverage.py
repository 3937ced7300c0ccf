"""`cardbook coverage` and the view of independent measurements, on few documents and figures
worked by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cardbook.package import Package
from cardbook.tables import build
from cardbook.views import database
from tests import small
from tests.shell import sh

EIGHT = {
    "id": "gguf-q8-0", "name": "Q8_0", "family": "gguf-type", "bits_min": "8.5 bit/parameter", "bits": "8.5 bit/parameter", "grade": "A", "source": "physics",
    "paths": [{"engine": "any", "path": "int8"}],
}  # fmt: skip
CHECKPOINT_8 = small.CHECKPOINT | {"id": "llama-3.1-8b.gguf-q8-0", "quant": "gguf-q8-0", "tensor_size": "8540000000 byte"}


def card(identity: str, memory: str) -> dict[str, Any]:
    return small.CARD | {"id": identity, "name": identity, "memory": memory}


def put_recipe(package: Package, identity: str, **changes: Any) -> None:
    document = small.recipe(identity, **changes)
    small.put(package, f"recipes/{document['card']}/{identity}/recipe.json", document)


def decode(rate: float, **changes: Any) -> list[dict[str, Any]]:
    """One decode measurement; a key set to None is left out."""
    row = {"name": "tg128", "phase": "decode", "generated_tokens": "128 tokens", "depth": "0 tokens", "concurrency": 1, "rate": f"{rate} tok/s"}
    return [{k: v for k, v in (row | changes).items() if v is not None}]


def source(package: Package, identity: str, repository: str | None) -> str:
    document = {"id": identity, "title": identity, "kind": "repository", "repository": repository, "path": f"{identity}.md"}
    small.put(package, f"sources/{identity}.json", {k: v for k, v in document.items() if v is not None})
    return identity


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return small.make(tmp_path / "package")


def compiled(package: Package) -> Package:
    build.write(package, build.compile_package(package))
    return package


def sections(text: str) -> dict[str, list[list[str]]]:
    """Heading → rows of cells, without the names of the columns."""
    found = {}
    for block in text.strip().split("\n\n"):
        title, *lines = block.splitlines()
        found[title.split(",")[0].split(" (")[0]] = [line.split() for line in lines[2:]]
    return found


@pytest.fixture
def covered(package: Package) -> Package:
    """Three cards, one model, two formats: Q4_K_M everywhere, Q8_0 on the card of 24 GiB only."""
    small.put(package, "quants/gguf-q8-0.json", EIGHT)
    small.put(package, "checkpoints/llama-3.1-8b.gguf-q8-0.json", CHECKPOINT_8)
    for identity, memory in (("card-6", "6 GiB"), ("card-8", "8 GiB")):
        small.put(package, f"cards/{identity}.json", card(identity, memory))
        put_recipe(package, f"on-{identity}", card=identity)
    put_recipe(package, "eight", quant="gguf-q8-0", checkpoint="llama-3.1-8b.gguf-q8-0")
    return compiled(package)


def test_measured_is_counted(covered: Package) -> None:
    found = sections(sh("cardbook coverage", cwd=covered.root).stdout)
    # 3 cards, 1 model, 2 formats; (24 GiB, Q4), (24 GiB, Q8), (6 GiB, Q4), (8 GiB, Q4); 4 recipes.
    assert found["covered"] == [["3", "1", "2", "4", "4"]]
    assert found["measured"] == [
        ["llama-3.1-8b", "gguf-q4-k-m", "3", "3", "same", "file"],
        ["llama-3.1-8b", "gguf-q8-0", "1", "1", "none"],
    ]


def test_a_hole_is_what_the_card_could_hold(covered: Package) -> None:
    # Q8_0: 7504924672 parameters × 8.5 bit / 8 = 7.97 GB. 8 GiB are 8.59 GB, 6 GiB are 6.44 GB.
    assert sections(sh("cardbook coverage", cwd=covered.root).stdout)["missing"] == [["card-8", "llama-3.1-8b", "gguf-q8-0", "1", "1"]]
    # Two cards of 6 GiB hold it.
    put_recipe(covered, "two-of-six", card="card-6", cards=2)
    found = sections(sh("cardbook coverage", cwd=compiled(covered).root).stdout)["missing"]
    # card-6 now has two recipes, and goes first: 2 × 1 against 1 × 1.
    assert found == [["card-6", "llama-3.1-8b", "gguf-q8-0", "2", "1"], ["card-8", "llama-3.1-8b", "gguf-q8-0", "1", "1"]]


def test_one_card_and_one_model_can_be_asked(covered: Package) -> None:
    found = sections(sh("cardbook coverage --card card-8", cwd=covered.root).stdout)
    assert found["covered"] == [["1", "1", "1", "1", "1"]]
    assert [row[0] for row in found["independent second measurements per card"]] == ["card-8"]
    found = sections(sh("cardbook coverage --model another", cwd=covered.root).stdout)
    assert found["covered"] == [["0", "0", "0", "0", "0"]]


def test_checkpoints_without_a_figure_wait(covered: Package) -> None:
    found = sections(sh("cardbook coverage", cwd=covered.root).stdout)
    assert found["checkpoints that wait for a quality figure"] == [["llama-3.1-8b", "gguf-q8-0", "1"]]


def test_figures_are_ranked_by_the_rows_they_publish(covered: Package) -> None:
    def row(model: str, quant: str, card: str, source: str, reason: str = "no quality figure") -> str:
        return json.dumps({"model": model, "quant": quant, "card": card, "source": source, "reason": reason})

    rows = [row("m1", "q4", "a", "s1"), row("m1", "q8", "a", "s1"), row("m1", "q8", "b", "s1"), row("m1", "q8", "b", "s2"), row("m2", "q4", "a", "s1")]
    # A figure does not help a row that waits for its card.
    rows += [row("m3", "q4", "x", "s1", "unknown card")] * 9
    (covered.root / "waiting.jsonl").write_text("\n".join(rows) + "\n")
    title = "quality figures that would publish most waiting rows"
    found = sections(sh("cardbook coverage --rows waiting.jsonl", cwd=covered.root).stdout)[title]
    assert found == [["m1", "q8", "3", "2", "2"], ["m1", "q4", "1", "1", "1"], ["m2", "q4", "1", "1", "1"]]
    found = sections(sh("cardbook coverage --rows waiting.jsonl --card b --limit 1", cwd=covered.root).stdout)[title]
    assert found == [["m1", "q8", "2", "1", "2"]]


@pytest.mark.parametrize("line", ["{", "[]", '{"model": "m1"}', "3"])
def test_a_line_that_is_no_row_is_named(covered: Package, line: str) -> None:
    (covered.root / "waiting.jsonl").write_text('{"model": "m1", "quant": "q4"}\n' + line + "\n")
    done = sh("cardbook coverage --rows waiting.jsonl", cwd=covered.root)
    assert done.returncode != 0 and "waiting.jsonl:2" in done.stderr and "Traceback" not in done.stderr


def standings(package: Package, columns: str = "standing, origins, measurements") -> list[tuple[Any, ...]]:
    """The decode groups of the Q4_K_M recipes."""
    return database.connect(compiled(package)).execute(f"SELECT {columns} FROM graduation WHERE phase = 'decode' ORDER BY ALL").fetchall()


def measured_by(package: Package, *rates: tuple[str, str | None, float], **changes: Any) -> None:
    """Recipes of one configuration: source, its repository, decode rate."""
    (package.data / "recipes/rtx-3090/one/recipe.json").unlink(missing_ok=True)
    for n, (identity, repository, rate) in enumerate(rates):
        put_recipe(package, f"r{n}", source=source(package, identity, repository), measurements=decode(rate, **changes))


def test_two_owners_that_agree_graduate(package: Package) -> None:
    measured_by(package, ("a", "lab/one", 100.0), ("b", "desk/two", 120.0))
    # 120 / 100 - 1 = 0.2, the tolerance itself.
    assert standings(package, "standing, origins, measurements, slowest_tok_s, fastest_tok_s, ROUND(disagreement, 3)") == [
        ("graduated", 2, 2, 100.0, 120.0, 0.2)
    ]


def test_two_owners_that_differ_are_disputed(package: Package) -> None:
    measured_by(package, ("a", "lab/one", 100.0), ("b", "desk/two", 121.0))
    assert standings(package) == [("disputed", 2, 2)]


def test_two_files_of_a_repository_are_one_source(package: Package) -> None:
    measured_by(package, ("a", "lab/one", 100.0), ("b", "lab/one", 105.0))
    assert standings(package) == [("single", 1, 2)]


def test_a_slow_run_beside_a_good_one_of_the_same_source_does_not_dispute(package: Package) -> None:
    measured_by(package, ("a", "lab/one", 100.0), ("b", "lab/one", 50.0), ("c", "desk/two", 104.0))
    assert standings(package) == [("graduated", 2, 3)]


@pytest.mark.parametrize("other", [{"generated_tokens": "256 tokens"}, {"depth": "4096 tokens"}, {"concurrency": 2}])
def test_another_shape_is_another_configuration(package: Package, other: dict[str, Any]) -> None:
    measured_by(package, ("a", "lab/one", 100.0))
    put_recipe(package, "other", source=source(package, "b", "desk/two"), measurements=decode(101.0, **other))
    assert standings(package) == [("single", 1, 1), ("single", 1, 1)]


@pytest.mark.parametrize("other", [{"engine": "vllm"}, {"speculation": "mtp"}, {"cards": 2, "parallelism": "layer"}, {"speculation": None}])
def test_another_set_up_is_another_configuration(package: Package, other: dict[str, Any]) -> None:
    small.put(package, "engines/vllm.json", small.ENGINE | {"id": "vllm", "name": "vLLM"})
    measured_by(package, ("a", "lab/one", 100.0))
    put_recipe(package, "other", source=source(package, "b", "desk/two"), measurements=decode(101.0), **other)
    assert standings(package) == [("single", 1, 1), ("single", 1, 1)]
