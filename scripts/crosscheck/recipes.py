"""Checkpoints and recipes against arithmetic: file bytes, parameters and the bits of the format.

    python scripts/crosscheck/recipes.py

A file smaller than its narrowest tensors times the parameters, or larger than 16 bits a parameter and half again,
is a wrong size, model or format. A recipe's bytes have to be those of the checkpoint that it names.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from common import ROOT, Difference, documents, finish, parser

NAME = "recipes"
_SLACK = 0.97
_WIDEST_BITS = 24


def main() -> None:
    args = parser(__doc__).parse_args()
    models, quants = documents("models", "models"), documents("quants", "quants")
    checkpoints = documents("checkpoints", "checkpoints")
    found, compared = [], 0
    for ident, checkpoint in checkpoints.items():
        size = checkpoint.get("tensor_size") or checkpoint.get("file_size")
        model, quant = models.get(checkpoint["model"]), quants.get(checkpoint["quant"])
        if not size or model is None or quant is None:
            continue
        count = checkpoint.get("parameters") or model["parameters"]
        per_weight = 8 * float(size) / float(count)
        compared += 1
        low, high = quant.get("bits_min"), 33.0 if checkpoint["quant"] == "f32" else _WIDEST_BITS
        if low is not None and per_weight < _SLACK * float(low):
            found.append(Difference(f"{NAME}/{ident}/bits", f"{per_weight:.3f} bit", f"{float(low):g} bit at least", f"the format {checkpoint['quant']}"))
        if per_weight > high:
            found.append(Difference(f"{NAME}/{ident}/bits", f"{per_weight:.3f} bit", f"{high:g} bit at most", "any weight format"))
    for path in sorted((ROOT / "data" / "recipes").glob("*/*/recipe.json")):
        recipe = json.loads(path.read_text(encoding="utf-8"))
        named = checkpoints.get(recipe.get("checkpoint", ""))
        if named is None:
            continue
        compared += 1
        if (named["model"], named["quant"]) != (recipe["model"], recipe["quant"]):
            ours, theirs = f"{recipe['model']} {recipe['quant']}", f"{named['model']} {named['quant']}"
            found.append(Difference(f"{NAME}/{recipe['id']}/checkpoint", ours, theirs, named["id"]))
    finish(NAME, found, compared, args.list)


if __name__ == "__main__":
    main()
