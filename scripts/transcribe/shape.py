"""One row of shared/rows → a configuration and a measurement, the part that all sources share."""

from __future__ import annotations

import re
from typing import Any

import names
from common import JSON, number, plain, quantity, slug, spreadsheet_safe

LLAMA_TOOLS = ("llama-bench", "llama-batched-bench", "llama-sweep-bench")
SCRUB = re.compile(r"\(?rig: <user> \(([^()]*(?:\([^()]*\)[^()]*)*)\)")


class Skip(Exception):
    """The row is no measurement, or not one that can be trusted; the text is the reason."""


def scrub(text: str) -> str:
    """Without the placeholders that stand for people."""
    text = SCRUB.sub(r"rig: \1", text)
    text = re.sub(r"/(?:run/media|home|Users|mnt/[a-z]+/home)/[^/\s]+", "${HOME}", text)
    text = re.sub(r"\s*@?<(user|alias|host|name|path)>['’]?s?\s*", " ", text)
    text = re.sub(r"\[\s*efschu/", "[", text)
    text = re.sub(r"/(home|Users)/[A-Za-z0-9_.-]+", "${HOME}", text).replace("<address>", "${ADDRESS}")
    return re.sub(r"\s+", " ", text).strip(" ;,")


def segments(row: JSON) -> list[str]:
    return [spreadsheet_safe(s) for s in (scrub(part) for part in (row.get("notes") or "").split("; ")) if s]


def version(text: str | None) -> tuple[str | None, str | None]:
    """(version, commit): llama.cpp prints "0253fb21f (9187)"."""
    if not text:
        return None, None
    found = re.fullmatch(r"([0-9a-f]{7,12}) \((\d+)\)", text)
    if found:
        return found.group(2), found.group(1)
    found = re.fullmatch(r"(?:commit )?([0-9a-f]{7,40})", text)
    if found:
        return None, found.group(1)
    found = re.fullmatch(r"(b\d+) \(([0-9a-f]{7,12})\)", text) or re.fullmatch(r"(b\d+) / ([0-9a-f]{7,12})", text)
    if found:
        return found.group(1), found.group(2)
    return text, None


def parallelism(row: JSON) -> str | None:
    n, text = row["n_cards"], (row["parallelism"] or "").lower()
    if n == 1:
        return "none"
    rig = re.fullmatch(r"tp (\d+) pp (\d+) dp (\w+) instances (\d+)", text)
    if rig:
        tp, pp = int(rig.group(1)), int(rig.group(2))
        copies = int(rig.group(4)) * (int(rig.group(3)) if rig.group(3).isdigit() else 1)
        kinds = [k for k, many in (("tensor", tp), ("pipeline", pp), ("data", copies)) if many > 1]
        return kinds[0] if len(kinds) == 1 else "mixed" if kinds else "none"
    if not text:
        return None
    if text.startswith("hyb"):
        return "mixed"
    if text.startswith("layer"):
        return "layer"
    if re.match(r"tp\b|tensor", text):
        return "tensor"
    if re.match(r"pp\b|pipeline", text):
        return "pipeline"
    if re.match(r"ep\b|expert", text):
        return "expert"
    return "unknown"


def speculation(text: str | None) -> tuple[str | None, float | None, str | None]:
    """(kind, drafted tokens per step, draft) of the words of a row."""
    if not text:
        return None, None, None
    low = text.lower()
    if low.startswith("none"):
        return "none", None, None
    gamma = re.search(r"(?:n=|k=|mode mtp-)(\d+)", low)
    drafted = float(gamma.group(1)) if gamma else None
    if low.startswith("mtp"):
        return "mtp", drafted, None
    if "two-stage" in low:
        return "other", drafted, None
    if "dflash" in low:
        return "draft", drafted, "DFlash"
    if low.startswith("draft"):
        return "draft", drafted, None
    if low.startswith("ngram"):
        return "ngram", None if "mod" in low else drafted, None
    if "spec decoding" in low:
        return "other", None, None
    return "other", drafted, None


def acceptance(text: Any, kind: str | None) -> tuple[float | None, float | None]:
    """(accepted ÷ drafted, accepted per step without the bonus token), only where a row gives one figure."""
    if text is None or kind in (None, "none"):
        return None, None
    words = str(text)
    if re.fullmatch(r"[01](\.\d+)?", words):
        return float(words), None
    rate = re.search(r"accepted/drafted (\d+(?:\.\d+)?) ?%", words)
    length = re.search(r"(?:mean acceptance|accept)_?\s?length (\d+\.\d+) \(counts the bonus", words)
    return (
        round(float(rate.group(1)) / 100, 6) if rate else None,
        round(float(length.group(1)) - 1, 6) if length else None,
    )


def offload(row: JSON, tool: str | None) -> str | None:
    text, command = (row.get("offload") or "").lower(), row.get("command") or ""
    if text.startswith("experts") or "routed experts" in text or re.search(r"-ot \S*exps|--n-cpu-moe|-ncmoe|--cpu-moe", command):
        return "experts"
    if text.startswith("all weights") or text.startswith("layers") or text.startswith("partial"):
        return "layers"
    if text:
        return "unknown"
    layers = row.get("n_gpu_layers")
    if layers is None:
        found = re.search(r"(?:-ngl|--n-gpu-layers|--gpu-layers)[ =](\d+)", command)
        layers = int(found.group(1)) if found else None
    if layers is None:
        return None
    if layers == -1 or layers >= 99:
        return "none"
    return "layers" if layers == 0 else "unknown"


def phase_and_rates(row: JSON) -> tuple[str, JSON]:
    """The phase of CardBook and the rates, by what the source says its figure counts."""
    rate, kind, phase = row["tok_s"], row["tok_s_kind"] or "", row["phase"]
    streams = row["concurrency"]
    if rate is None:
        raise Skip("no speed in the row (out of memory, failed)")
    if rate <= 0:
        raise Skip("a rate of zero")
    out: JSON = {}
    text = quantity(rate, "tok/s")
    if phase == "total" and kind == "aggregate_total":
        return "serve", {"total_rate": text}
    if phase == "total":
        phase = "serve"
    if kind == "unknown":
        raise Skip("the source could not say what its rate counts")
    if kind.startswith("as written"):
        if streams not in (None, 1):
            raise Skip("per stream or aggregate not stated, and more than one stream")
        out["rate"] = text
    elif kind in ("per_stream", "single_stream_wall"):
        out["rate" if streams in (None, 1) else "rate_per_stream"] = text
    elif kind in ("aggregate_output", "prefill"):
        out["rate"] = text
    else:
        raise Skip(f"unread kind of rate: {kind}")
    if kind == "single_stream_wall":
        phase = "serve"
    if row.get("tok_s_stddev"):
        out["rate_stddev"] = quantity(row["tok_s_stddev"], "tok/s")
    return phase, out


def measurement(row: JSON, median: bool = False) -> JSON:
    """The part of the row that differs inside a configuration; `median` says what the latencies are."""
    phase, rates = phase_and_rates(row)
    kind, _, _ = speculation(row["speculation"])
    accepted, per_step = acceptance(row["acceptance"], kind)
    out: JSON = {
        "phase": phase,
        "prompt_tokens": quantity(row["n_prompt"] or None, "tokens"),
        "generated_tokens": quantity(row["n_gen"] or None, "tokens"),
        "depth": quantity(row["depth"], "tokens") if phase != "serve" or row["depth"] else None,
        "concurrency": None if row["concurrency"] is None else plain(row["concurrency"]),
        "ubatch": quantity(row["ubatch"], "tokens") if phase == "prefill" else None,
        **rates,
        "acceptance_rate": None if accepted is None else plain(accepted),
        "accepted_per_step": quantity(per_step, "token/step"),
    }
    if phase == "prefill":
        out["acceptance_rate"] = out["accepted_per_step"] = None
    suffix = "_p50" if median else ""
    for key in ("ttft", "tpot", "e2e"):
        out[key + suffix] = quantity(row[key + "_s"], "s")
    if kind not in (None, "none"):
        out["tpot_p50"] = None
    return out


def name_of(m: JSON, extra: str | None = None) -> str:
    def count(key: str) -> str | None:
        return m[key].split()[0] if m.get(key) else None

    parts = []
    prompt, generated, depth, streams = count("prompt_tokens"), count("generated_tokens"), count("depth"), m.get("concurrency")
    if m["phase"] == "prefill":
        parts.append(f"pp{prompt or ''}")
    elif m["phase"] == "decode":
        parts.append(f"tg{generated or ''}")
    else:
        parts.append("serve")
        parts += [f"in{prompt}"] if prompt else []
        parts += [f"out{generated}"] if generated else []
    if depth and depth != "0":
        parts.append(f"d{depth}")
    if streams is not None and (streams != 1 or m["phase"] == "serve"):
        parts.append(f"c{number(streams)}")
    if extra:
        parts.append(slug(extra))
    return "-".join(parts)


def configuration(row: JSON, tool: str | None) -> JSON:
    """The part of the row that all measurements of a recipe share, with the keys of the document."""
    model = names.model(row)
    card = names.card(row)
    if not card:
        raise Skip("card not resolved")
    if not model:
        raise Skip("model not resolved")
    quant = names.quant(row)
    if not quant:
        raise Skip("quant not stated or not resolved")
    engine = names.engine(row["engine"])
    if not engine:
        raise Skip("engine not named or not resolved")
    if row["n_cards"] is None:
        raise Skip("number of cards not stated")
    for text in (row["model_as_written"], row["quant_as_written"]):
        if text and names.VARIANT.search(text) and "distill" not in model:
            raise Skip("fine-tune or cut-down variant filed under its parent model")
    kv, kv_note = names.kv(row["kv_type"], model)
    kind, drafted, draft = speculation(row["speculation"])
    if kind is None and tool in LLAMA_TOOLS:
        kind = "none"
    engine_version, commit = version(row["engine_version"])
    layers = row["n_gpu_layers"]
    split = parallelism(row)
    if split is None and tool == "llama-bench" and row["n_cards"] > 1:
        split = "layer"
    return {
        "card": card,
        "cards": row["n_cards"],
        "parallelism": split,
        "model": model,
        "quant": quant,
        "kv_quant": kv,
        "engine": engine,
        "engine_version": engine_version,
        "engine_commit": commit,
        "backend": row["backend"] or None,
        "driver": row["driver"],
        "os": row["os"],
        "command": spreadsheet_safe(scrub(row["command"])) if row["command"] else None,
        "gpu_layers": plain(layers) if layers is not None and layers >= 0 else None,
        "flash_attention": row["flash_attention"],
        "host_offload": offload(row, tool),
        "speculation": kind,
        "draft_model": draft,
        "draft_tokens": quantity(drafted, "token/step"),
        "power_limit": quantity(float(row["power_limit_w"]) if row["power_limit_w"] else None, "W"),
        "measured_on": date(row["measured_on"]),
        "tool": tool,
        "_kv_note": kv_note,
    }


MONTHS = {m: i + 1 for i, m in enumerate(["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])}


def date(text: str | None) -> str | None:
    """ISO 8601, day only."""
    if not text:
        return None
    if re.match(r"\d{4}-\d{2}-\d{2}", text):
        return text[:10]
    found = re.fullmatch(r"(\d{1,2}) ([A-Z][a-z]+) (\d{4})", text)
    if found:
        return f"{found.group(3)}-{MONTHS[found.group(2)[:3].lower()]:02d}-{int(found.group(1)):02d}"
    if re.fullmatch(r"\d{10}", text):
        from datetime import UTC, datetime

        return datetime.fromtimestamp(int(text), UTC).date().isoformat()
    return text if re.fullmatch(r"\d{4}(-\d{2})?", text) else None
