"""Models against configurations that packages ship: `python scripts/crosscheck/models.py`.

LitGPT (shapes), KerasHub (parameter counts) and llama-models (shapes) are read where they are installed, as text:
nothing of them is imported beyond their tables. `--folder` names a folder with unpacked wheels.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from common import JSON, Difference, differs, documents, finish, parser

NAME = "models"

#: Names in the packages → our models. KerasHub counts the vision tower where a preset has one.
NAMES = Path(__file__).with_name("models.json")

_SHAPE = {
    "n_layer": "layers",
    "n_embd": "hidden_size",
    "n_head": "heads",
    "n_query_groups": "kv_heads",
    "head_size": "head_dim",
    "n_expert": "experts",
    "n_expert_per_token": "experts_per_token",
}


def package(name: str, folder: Path | None) -> Path | None:
    """Where a package lies, without importing it."""
    if folder is not None:
        return next((p for p in folder.glob(f"*/{name}") if p.is_dir()), None)
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def literal(node: ast.AST) -> Any:
    """A constant, also an f-string with its holes shown as {}; None for what is computed."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def litgpt_shapes(root: Path) -> Iterator[tuple[str, JSON]]:
    tree = ast.parse((root / "config.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            entry = {k.arg: literal(k.value) for k in node.keywords if k.arg}
            if isinstance(entry.get("name"), str) and "n_layer" in entry:
                yield entry["name"], entry


def keras_counts(root: Path) -> Iterator[tuple[str, int]]:
    for path in sorted(root.glob("src/models/*/*presets*.py")):
        for match in re.finditer(r'"([\w.]+)": \{\s*"metadata": \{(.*?)"params": ([\d_]+)', path.read_text(encoding="utf-8"), re.S):
            yield match.group(1), int(match.group(3).replace("_", ""))


def main() -> None:
    made = parser(__doc__)
    made.add_argument("--folder", type=Path, help="folder with unpacked wheels, one a subfolder")
    args = made.parse_args()
    models = documents("models", "models")
    names = json.loads(NAMES.read_text(encoding="utf-8"))
    found, compared = [], 0
    root = package("litgpt", args.folder)
    places = {"litgpt": root, "keras_hub": package("keras_hub", args.folder)}
    for name, shape in litgpt_shapes(root) if root else ():
        model = names["litgpt"].get(name)
        if model is None:
            continue
        for key, ours in _SHAPE.items():
            other, mine = shape.get(key), models[model].get(ours)
            if not isinstance(other, int) or not other or mine is None:
                continue
            compared += 1
            if differs(mine, other, 0):
                found.append(Difference(f"{NAME}/{model}/{ours}", mine, other, f"litgpt {name}"))
    root = places["keras_hub"]
    for preset, count in keras_counts(root) if root else ():
        model = names["keras_hub"].get(preset)
        if model is None:
            continue
        compared += 1
        if differs(models[model]["parameters"], count, 1e-3):
            found.append(Difference(f"{NAME}/{model}/parameters", int(models[model]["parameters"]), count, f"keras-hub {preset}"))
    missing = [name for name, place in places.items() if place is None]
    if missing:
        print(json.dumps({"not installed, not compared": missing}), file=sys.stderr)
    if len(missing) == len(places):
        raise SystemExit("nothing to compare with: pip install litgpt keras-hub, or --folder")
    finish(NAME, found, compared, args.list)


if __name__ == "__main__":
    main()
