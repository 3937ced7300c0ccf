"""Weight and KV formats against the block sizes of the gguf package: `python scripts/crosscheck/quants.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from common import Difference, differs, documents, finish, parser

NAME = "quants"


def main() -> None:
    from gguf.constants import GGML_QUANT_SIZES

    args = parser(__doc__).parse_args()
    sizes = {kind.name.lower().replace("_", "-"): size for kind, size in GGML_QUANT_SIZES.items()}
    found, compared = [], 0
    for ident, quant in documents("quants", "quants").items():
        name = ident.removeprefix("gguf-type-") if ident.startswith("gguf-type-") else ident if ident in ("f16", "bf16", "f32") else None
        if name and name in sizes:
            weights, size = sizes[name]
            for key, value in (("block", weights), ("block_size", size), ("bits_min", 8 * size / weights)):
                if quant.get(key) is not None:
                    compared += 1
                    if differs(quant[key], value, 1e-9):
                        found.append(Difference(f"{NAME}/{ident}/{key}", quant[key], value, "gguf"))
        # A preset never takes fewer bits than its narrowest tensor, which is the block of a type below it.
        base = ident.removeprefix("gguf-").replace("-m", "").replace("-s", "").replace("-l", "") if quant["family"] == "gguf-preset" else None
        if base and base in sizes and quant.get("bits_min") is not None:
            weights, size = sizes[base]
            compared += 1
            if quant["bits_min"] > 8 * size / weights + 1e-9:
                found.append(Difference(f"{NAME}/{ident}/bits_min", quant["bits_min"], 8 * size / weights, f"gguf {base}"))
    for ident, quant in documents("kv_quants", "kv_quants").items():
        if ident in sizes and quant.get("element_size") is not None:
            weights, size = sizes[ident]
            compared += 1
            if differs(quant["element_size"], size / weights, 1e-9):
                found.append(Difference(f"{NAME}/kv/{ident}/element_size", quant["element_size"], size / weights, "gguf"))
    finish(NAME, found, compared, args.list)


if __name__ == "__main__":
    main()
