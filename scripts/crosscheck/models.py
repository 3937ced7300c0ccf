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

#: KerasHub preset → model. Presets with a vision tower count it.
KERAS = {
    "llama2_7b_en": "llama-2-7b", "llama3_8b_en": "llama-3-8b", "llama3.1_8b": "llama-3.1-8b", "llama3.2_1b": "llama-3.2-1b", "llama3.2_3b": "llama-3.2-3b",
    "mistral_7b_en": "mistral-7b-v0.1", "mistral_0.3_7b_en": "mistral-7b-v0.3", "magistral_small_2506_en": "mistral-small-24b", "mixtral_8_7b_en": "mixtral-8x7b",
    "gemma2_2b_en": "gemma-2-2b", "gemma2_9b_en": "gemma-2-9b", "gemma2_27b_en": "gemma-2-27b", "gemma3_270m": "gemma-3-270m", "gemma3_1b": "gemma-3-1b",
    "gemma3_4b_text": "gemma-3-4b", "gemma3_12b_text": "gemma-3-12b", "gemma3_27b_text": "gemma-3-27b", "phi3_mini_4k_instruct_en": "phi-3-mini-4k",
    "qwen2.5_0.5b_en": "qwen2.5-0.5b", "qwen2.5_3b_en": "qwen2.5-3b", "qwen2.5_7b_en": "qwen2.5-7b", "qwen2.5_instruct_32b_en": "qwen2.5-32b", "qwen2.5_instruct_72b_en": "qwen2.5-72b",
    "qwen2.5_coder_1.5b": "qwen2.5-coder-1.5b", "qwen2.5_coder_7b": "qwen2.5-coder-7b", "qwen2.5_math_7b_en": "deepseek-r1-distill-qwen-7b", "qwen3_0.6b_en": "qwen3-0.6b",
    "qwen3_1.7b_en": "qwen3-1.7b", "qwen3_4b_en": "qwen3-4b", "qwen3_8b_en": "qwen3-8b", "qwen3_14b_en": "qwen3-14b", "qwen3_32b_en": "qwen3-32b", "qwen3_moe_30b_a3b_en": "qwen3-30b-a3b",
    "qwen3_moe_235b_a22b_en": "qwen3-235b-a22b", "qwen3_5_0.8b": "qwen3.5-0.8b", "qwen3_5_2b": "qwen3.5-2b", "qwen3_5_4b": "qwen3.5-4b", "qwen3_5_9b": "qwen3.5-9b",
    "qwen3_5_27b": "qwen3.5-27b", "qwen3_6_27b": "qwen3.6-27b", "qwen3_8_27b": "qwen3.8-27b", "gpt_oss_20b_en": "gpt-oss-20b", "gpt_oss_120b_en": "gpt-oss-120b", "smollm3_3b_en": "smollm3-3b",
}  # fmt: skip

#: LitGPT name → model.
LITGPT = {
    "Llama-2-7b{}-hf": "llama-2-7b", "Llama-2-13b{}-hf": "llama-2-13b", "Llama-2-70b{}-hf": "llama-2-70b", "Llama-3-8B{}": "llama-3-8b", "Llama-3-70B{}": "llama-3-70b",
    "Llama-3.1-8B{}": "llama-3.1-8b", "Llama-3.1-70B{}": "llama-3.1-70b", "Llama-3.1-405B{}": "llama-3.1-405b", "Llama-3.2-1B{}": "llama-3.2-1b", "Llama-3.2-3B{}": "llama-3.2-3b",
    "Llama-3.3-70B-Instruct": "llama-3.3-70b", "R1-Distill-Llama-8B": "deepseek-r1-distill-llama-8b", "R1-Distill-Llama-70B": "deepseek-r1-distill-llama-70b",
    "CodeLlama-34b-hf": "codellama-34b", "open_llama_3b": "openllama-3b", "open_llama_7b": "llama-1-7b", "open_llama_13b": "llama-1-13b", "Mistral-7B-v0.3": "mistral-7b-v0.3",
    "Mistral-Large-Instruct-2407": "mistral-large-2407", "Mistral-Large-Instruct-2411": "mistral-large-2411", "QwQ-32B": "qwq-32b", "Qwen3-30B-A3B": "qwen3-30b-a3b",
    "Qwen3-235B-A22B": "qwen3-235b-a22b", "Qwen3-32B": "qwen3-32b", "Qwen3-0.6B{}": "qwen3-0.6b", "Qwen3-1.7B{}": "qwen3-1.7b", "Qwen3-4B{}": "qwen3-4b", "Qwen3-8B{}": "qwen3-8b",
    "Qwen3-14B{}": "qwen3-14b", "Qwen2.5-0.5B{}": "qwen2.5-0.5b", "Qwen2.5-1.5B{}": "qwen2.5-1.5b", "Qwen2.5-3B{}": "qwen2.5-3b", "Qwen2.5-7B{}": "qwen2.5-7b", "Qwen2.5-14B{}": "qwen2.5-14b",
    "Qwen2.5-32B{}": "qwen2.5-32b", "Qwen2.5-72B{}": "qwen2.5-72b", "Gemma-2-2b": "gemma-2-2b", "Gemma-2-9b": "gemma-2-9b", "Gemma-2-27b": "gemma-2-27b", "Gemma-3-1b-it": "gemma-3-1b",
    "Gemma-3-4b-it": "gemma-3-4b", "Gemma-3-12b-it": "gemma-3-12b", "Gemma-3-27b-it": "gemma-3-27b", "phi-4": "phi-4", "Phi-4-mini-instruct": "phi-4-mini", "Phi-3-mini-4k-instruct": "phi-3-mini-4k",
    "Phi-3.5-mini-instruct": "phi-3.5-mini", "tiny-llama-1.1b{}": "tinyllama-1.1b", "SmolLM2-135M{}": "smollm2-135m", "SmolLM2-360M{}": "smollm2-360m", "SmolLM2-1.7B{}": "smollm2-1.7b",
}  # fmt: skip

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
    found, compared = [], 0
    root = package("litgpt", args.folder)
    places = {"litgpt": root, "keras_hub": package("keras_hub", args.folder)}
    for name, shape in litgpt_shapes(root) if root else ():
        model = LITGPT.get(name)
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
        model = KERAS.get(preset)
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
