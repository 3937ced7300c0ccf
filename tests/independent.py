"""A second derivation of the strict walls, in plain Python, from the documents.

It shares nothing with the package: it reads the JSON documents, has a unit parser of its own,
and writes the equations of physics.md out again. It exists to disagree.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PREFIX = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
BASES = (
    "1/token",
    "B/s",
    "byte/s",
    "FLOP/s",
    "TOPS",
    "OPS",
    "OP/s",
    "T/s",
    "Hz",
    "parameters",
    "parameter",
    "tokens",
    "token",
    "bit/parameter",
    "bytes",
    "byte",
    "bit",
    "B",
    "W",
)


def number(text: Any) -> float | None:
    """A quantity in base units."""
    if text is None or isinstance(text, int | float):
        return text
    match = re.fullmatch(r"\s*([0-9.eE+-]+)\s*(.*?)\s*", text)
    assert match, text
    value, unit = Fraction(match.group(1)), match.group(2)
    for base in BASES:
        if unit.endswith(base) and unit[: -len(base)] in PREFIX:
            return float(value * PREFIX[unit[: -len(base)]] * (10**12 if base == "TOPS" else 1))
    raise AssertionError(f"unit of {text!r}")


def documents(folder: str) -> dict[str, dict[str, Any]]:
    return {d["id"]: d for d in (json.loads(p.read_text()) for p in sorted((ROOT / "data" / folder).glob("*.json")))}


class World:
    def __init__(self) -> None:
        self.cards = documents("cards")
        self.models = documents("models")
        self.quants = documents("quants")
        self.kv = documents("kv_quants")
        self.engines = documents("engines")
        self.smallest_kv = min(number(k["element_size"]) for k in self.kv.values() if "element_size" in k and k["grade"] != "D")
        self.largest_cache: dict[str, float] = {}
        for card in self.cards.values():
            cache = self._own_cache(card)
            if cache is not None:
                self.largest_cache[card["kind"]] = max(self.largest_cache.get(card["kind"], 0), cache)

    @staticmethod
    def _own_cache(card: dict[str, Any]) -> float | None:
        l2, last = number(card.get("l2_cache")), number(card.get("last_level_cache"))
        if last is None and (l2 is None or card["kind"] not in ("gpu", "accelerator")):
            return None
        return (l2 or 0) + (last or 0) if card["kind"] == "cpu" else max(l2 or 0, last or 0)

    def cache(self, card: dict[str, Any]) -> float:
        own = self._own_cache(card)
        return own if own is not None else self.largest_cache.get(card["kind"], 0)

    def bandwidth(self, row: dict[str, Any]) -> float | None:
        card = self.cards[row["card"]]
        vendor = number(card.get("memory_bandwidth"))
        if card["grade"] == "D" or vendor is None:
            return None
        ratio = row.get("memory_clock_ratio")
        if ratio is None:
            if card.get("memory_socketed"):
                return None
            ratio = 1.0
        upper = max(vendor, number(card.get("memory_bandwidth_upper")) or vendor)
        return upper * (1.03 if card.get("memory_class") == "hbm" else 1.0) * ratio

    def peak(self, row: dict[str, Any]) -> float | None:
        card, quant = self.cards[row["card"]], self.quants[row["quant"]]
        engine = self.engines.get(row.get("engine"))
        paths = {p["path"] for p in quant.get("paths", ()) if engine is None or p["engine"] in ("any", engine["id"], engine.get("family"))}
        best, missing = 0.0, False
        known = {p["path"]: p for p in card.get("peaks", ())}
        for path in paths:
            peak = known.get(path)
            if peak is None:
                missing = True
            elif peak["grade"] == "D":
                return None
            else:
                best = max(best, *(number(peak[k]) for k in ("peak", "peak_operations", "peak_upper", "peak_operations_upper") if k in peak))
        if not best or (missing and not card.get("peaks_complete")):
            return None
        boost, top = number(card.get("boost_clock")), number(card.get("max_clock"))
        headroom = top / boost if boost and top else (1.10 if card["segment"] == "datacenter" else 1.25)
        return best * max(headroom, 1.0)

    def width(self, row: dict[str, Any]) -> float | None:
        """Bytes per parameter, the fewest."""
        quant, model = self.quants[row["quant"]], self.models[row["model"]]
        size = row.get("checkpoint_bytes")
        if size is None:
            bits = number(quant.get("bits_min"))
            return None if bits is None or quant["grade"] == "D" else bits / 8
        parameters, looked_up = number(model["parameters"]), self.lookup(model)
        readings = [size / parameters]
        widest, most = number(quant.get("embedding_bits_max")), number(quant.get("bits_max"))
        if widest is not None:
            readings.append((size - looked_up * widest / 8) / (parameters - looked_up))
        if most is not None:
            readings.append(most / 8)
        return max(min(readings), 0.0)

    @staticmethod
    def lookup(model: dict[str, Any]) -> float:
        unread = 0.0
        if model.get("experts"):
            unread = (model["experts"] - model["experts_per_token"]) * model["moe_layers"] * number(model["expert_parameters"])
        return number(model["parameters"]) - number(model["decode_parameters"]) - unread

    def kv_bytes(self, row: dict[str, Any], position: float) -> float | None:
        groups = self.models[row["model"]].get("attention_groups")
        if not groups:
            return None
        kind = self.kv.get(row.get("kv_quant") or "", {})
        width = number(kind.get("element_size")) or self.smallest_kv
        total = 0.0
        for g in groups:
            reach = position if "window" not in g else min(position, number(g["window"]))
            total += g["layers"] * (number(g.get("kv_elements_per_token")) or 0) * reach * width
            if g["kind"] == "state":
                total += g["layers"] * (g.get("state_elements") or 0) * (number(g.get("state_element_size")) or 0)
        return total

    def attention_flops(self, row: dict[str, Any], cached: float, new: int) -> float:
        """4·n_heads·d_h·Σ min(d + i, window): summed token by token, not by a closed form."""
        total = 0.0
        for g in self.models[row["model"]]["attention_groups"]:
            window = number(g.get("window"))
            reach = sum(cached + i if window is None else min(cached + i, window) for i in range(1, int(new) + 1))
            total += 2 * g["layers"] * (g.get("score_value_width") or 0) * reach
        return total

    def step(self, row: dict[str, Any], position: float, streams: float) -> float | None:
        width, kv = self.width(row), self.kv_bytes(row, position)
        if width is None or kv is None:
            return None
        weights = number(self.models[row["model"]]["decode_parameters"]) * width
        return max(0.0, weights + streams * kv - row["n_cards"] * self.cache(self.cards[row["card"]]))

    def tokens_per_step(self, row: dict[str, Any]) -> float | None:
        if row.get("speculation") in (None, "none"):
            return 1.0
        if row.get("accepted_per_step") is not None:
            return 1 + row["accepted_per_step"]
        return None if row.get("draft_tokens") is None else 1 + row["draft_tokens"]

    def decode_memory(self, row: dict[str, Any]) -> float | None:
        position = row.get("depth_tokens") if row.get("depth_tokens") is not None else row.get("prompt_tokens") or 0
        moved, rate, emitted = self.step(row, position, row["concurrency"]), self.bandwidth(row), self.tokens_per_step(row)
        if not moved or rate is None or emitted is None:
            return None
        alone = row.get("parallelism") in ("layer", "pipeline") and row["concurrency"] <= 1
        return row["concurrency"] * emitted * (1 if alone else row["n_cards"]) * rate / moved

    def decode_compute(self, row: dict[str, Any]) -> float | None:
        position = row.get("depth_tokens") if row.get("depth_tokens") is not None else row.get("prompt_tokens") or 0
        model, peak = self.models[row["model"]], self.peak(row)
        if peak is None or not model.get("attention_groups"):
            return None
        flops = 2 * number(model["decode_parameters"])
        for g in model["attention_groups"]:
            reach = position if "window" not in g else min(position, number(g["window"]))
            flops += 2 * g["layers"] * (g.get("score_value_width") or 0) * reach
        return row["n_cards"] * peak / flops

    def prefill_flops(self, row: dict[str, Any]) -> float | None:
        model = self.models[row["model"]]
        if not model.get("attention_groups"):
            return None
        cached = (row.get("depth_tokens") or 0) + (row.get("cached_prompt_tokens") or 0)
        new = row["prompt_tokens"] - (row.get("cached_prompt_tokens") or 0)
        head = number(model["embedding_parameters"])
        return 2 * (number(model["decode_parameters"]) - head) * new + 2 * head + self.attention_flops(row, cached, new)

    def prefill(self, row: dict[str, Any]) -> tuple[float | None, float | None]:
        """(compute wall, memory wall)"""
        new = row["prompt_tokens"] - (row.get("cached_prompt_tokens") or 0)
        flops, peak, width, rate = self.prefill_flops(row), self.peak(row), self.width(row), self.bandwidth(row)
        compute = None if flops is None or peak is None else new * row["n_cards"] * peak / flops
        memory = None
        if width is not None and rate is not None:
            moved = max(0.0, number(self.models[row["model"]]["decode_parameters"]) * width - row["n_cards"] * self.cache(self.cards[row["card"]]))
            memory = row["concurrency"] * new * row["n_cards"] * rate / moved if moved else None
        return compute, memory
