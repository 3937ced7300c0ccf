"""Transcribe published quality figures into data/quality, with their checkpoints and sources.

    python scripts/transcribe/quality.py ROWS

Reads ROWS/quality.jsonl, the accuracy that ROWS/mlperf.jsonl carries, and sheets/*.json (tables read
by hand from public pages, values as printed). Only figures on the same metric, dataset and tool are subtracted.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import names
from common import DATA, JSON, known, ordered, read_rows, slug, write

#: Metrics that compare with the baseline by their nature.
RELATIVE = frozenset(
    [
        "perplexity_ratio",
        "kl_divergence",
        "kl_divergence_median",
        "kl_divergence_p99",
        "kl_divergence_max",
        "top1_agreement",
        "recovery",
        "delta_probability_rms",
        "delta_probability_mean",
        "ln_perplexity_ratio",
    ]
)
METRICS = {
    "kl_divergence_mean": "kl_divergence", "average": "accuracy_average", "perplexity": "perplexity", "top1_agreement": "top1_agreement",
}  # fmt: skip
KV = {"fp8": "fp8-e4m3", "q4": "exl2-exl3-q4", "fp16": None}
EXTRA_QUANTS = {"AQLM 1x16": "aqlm-1x16", "AQLM 2x8": "aqlm-2x8", "AQLM 8x8": "aqlm-8x8"}

#: MLPerf Inference: what the 16-bit or 32-bit reference scores (submission checker), in percent.
MLPERF_REFERENCE = {
    "llama2-70b": {"ROUGE1": "44.4312", "ROUGE2": "22.0352", "ROUGEL": "28.6162"},
    "llama3.1-405b": {"ROUGEL": "21.6666", "exact_match": "90.1335"},
    "llama3.1-8b": {"ROUGE1": "38.7792", "ROUGE2": "15.9075", "ROUGEL": "24.4957"},
    "mixtral-8x7b": {"ROUGE1": "45.5989", "ROUGE2": "23.3526", "ROUGEL": "30.4608", "gsm8k_accuracy": "73.66", "mbxp_accuracy": "60.16"},
    "deepseek-r1": {"exact_match": "81.3582"},
}
MLPERF_METRIC = {
    "ROUGE1": ("rouge1", ""), "ROUGE2": ("rouge2", ""), "ROUGEL": ("rougeL", ""), "exact_match": ("exact_match", ""),
    "gsm8k_accuracy": ("accuracy", "GSM8K part"), "mbxp_accuracy": ("accuracy", "MBXP part"),
}  # fmt: skip
MLPERF_DATA = {
    "llama2-70b": ("OpenOrca (MLPerf)", 24576), "llama3.1-405b": ("LongBench, LongDataCollections, Ruler, GovReport (MLPerf)", 8313),
    "llama3.1-8b": ("CNN/DailyMail (MLPerf)", 13368), "mixtral-8x7b": ("OpenOrca, GSM8K, MBXP (MLPerf)", 15000),
    "deepseek-r1": ("MLPerf reasoning set", 4388),
}  # fmt: skip


def exact(text: str, scale: int) -> Decimal:
    """A printed value, also "107/150", as the number it stands for."""
    if "/" in text:
        part = Fraction(text)
        return Decimal(part.numerator) / Decimal(part.denominator)
    return Decimal(text) / scale


def plain(value: Decimal) -> int | float:
    short = float(f"{value:.12g}")
    return int(short) if short.is_integer() else short


class Book:
    """Evaluations by id, with the checkpoints and sources they cite."""

    def __init__(self) -> None:
        self.evaluations: dict[str, JSON] = {}
        self.checkpoints: dict[str, JSON] = {}
        self.sources: dict[str, JSON] = {}

    def source(self, ident: str, facts: JSON) -> str:
        full = f"rows-quality-{ident}"
        self.sources[full] = ordered({"id": full, **facts}, "sources")
        return full

    def checkpoint(self, model: str, quant: str, label: str | None, source: str, **facts: Any) -> str:
        ident = re.sub(r"[^a-z0-9._-]+", "-", ".".join(x for x in (model, quant, slug(label) if label else None) if x).lower())
        native = names.native(model, quant) and not label
        self.checkpoints.setdefault(
            ident,
            ordered(
                {
                    "id": ident, "model": model, "quant": quant, "quantizer": label, "native": True if native else None, "source": source,
                    "note": "The baseline of quality figures: the release itself, or a lossless 16-bit conversion of a 16-bit release" if native else None,
                    **facts,
                },
                "checkpoints",
            ),
        )  # fmt: skip
        return ident

    def add(self, ident: str, document: JSON, figure: JSON) -> None:
        document = {k: v for k, v in document.items() if v is not None}
        known = self.evaluations.setdefault(ident, {"id": ident, **document, "figures": []})
        same = {k: v for k, v in known.items() if k not in ("id", "figures")}
        if same != document:
            raise SystemExit(f"evaluation {ident} has two heads: {same} and {document}")
        if figure not in known["figures"]:
            known["figures"].append(figure)

    def evaluation(self, stem: str, checkpoint: str, kv: str | None, context: int | None) -> str:
        tail = "".join(f".{x}" for x in (f"kv-{kv}" if kv else None, f"c{context}" if context else None) if x)
        return f"{stem}.{checkpoint}{tail}"


def figure(metric: str, dataset: str, value: Decimal, *, error: Decimal | None = None, baseline: Decimal | None = None,
           baseline_checkpoint: str | None = None, delta: bool = True, **more: Any) -> JSON:  # fmt: skip
    return ordered(
        {
            "metric": metric, "dataset": dataset, "value": plain(value),
            "standard_error": None if error is None else plain(error),
            "baseline": None if baseline is None else plain(baseline),
            "baseline_checkpoint": baseline_checkpoint,
            "delta": plain(value - baseline) if baseline is not None and delta else None,
            **more,
        },
        "quality",
    )  # fmt: skip


def read_sheet(book: Book, path: Path) -> None:
    sheet = json.loads(path.read_text())
    source = book.source(sheet["id"], sheet["source"])
    head = {k: sheet.get(k) for k in ("tool", "tool_version", "engine", "measured_on")}
    for block in sheet["blocks"]:
        for quant, label, metric, dataset, value, error, base, extra in cells(block):
            scale = block.get("scale", 1)
            kv = extra.get("kv")
            model = block["model"]
            ident = book.checkpoint(model, quant, label, source)
            bq = block.get("baseline_quant")
            base_id = book.checkpoint(model, bq, None, source) if bq else None
            context = block.get("context")
            document = {
                "checkpoint": ident, "context": f"{context} tokens" if context else None, "kv_quant": kv, **head, "source": source,
            }  # fmt: skip
            note = "; ".join(x for x in (block.get("note"), extra.get("note")) if x) or None
            book.add(
                book.evaluation(sheet["id"], ident, kv, context),
                document,
                figure(
                    metric, dataset, exact(value, scale), error=exact(error, scale) if error else None,
                    baseline=exact(base, scale) if base else None, baseline_checkpoint=base_id,
                    split=block.get("split"), samples=block.get("samples"), shots=block.get("shots"), note=note,
                ),
            )  # fmt: skip


def cells(block: JSON) -> Any:
    """(quant, label, metric, dataset, value, error, baseline, extra) of both forms of a block."""
    for row in block.get("rows", ()):
        extra = row[-1] if isinstance(row[-1], dict) else {}
        row = [x for x in row if not isinstance(x, dict)]
        error = row[3] if len(row) > 3 else None
        yield row[0], row[1], block["metric"], block["dataset"], row[2], error, block.get("baseline"), extra
    for quant, label, values in block.get("tables", ()):
        for (metric, dataset), value, base in zip(block["columns"], values, block.get("baselines") or [None] * len(values), strict=True):
            yield quant, label, metric, dataset, value, None, base, {}


def read_mlperf(book: Book, rows: list[JSON]) -> None:
    source = book.source(
        "mlperf-v5.1",
        {"title": "MLPerf Inference v5.1 results: accuracy of each submission", "kind": "repository", "url": "https://github.com/mlcommons/inference_results_v5.1",
         "repository": "mlcommons/inference_results_v5.1", "path": "summary_results.json", "revision": "965182b03376a00fcae415c54e560e1c83937932",
         "note": "Reference scores: tools/submission/submission_checker/constants.py of mlcommons/inference at 001d64ca"},
    )  # fmt: skip
    for row in rows:
        notes = row["notes"] or ""
        scenario = re.search(r"(\w+) scenario, closed", notes)
        accuracy = re.search(r"accuracy: ([^;]+)", notes)
        benchmark = re.sub(r"-99(\.9)?$", "", row["model_as_written"])
        quant = row["quant"]
        if not (scenario and accuracy and quant and row["model"] and benchmark in MLPERF_REFERENCE):
            continue
        submitter = row["source_url"].split("/closed/")[-1].split("/")[0]
        system = slug(row["source_url"].rsplit("/", 1)[-1])
        ident = book.checkpoint(row["model"], quant, f"mlperf-{submitter}", source)
        base_id = book.checkpoint(row["model"], {"llama-2-70b": "f16", "deepseek-r1": "fp8-block128"}.get(row["model"], "bf16"), None, source)
        dataset, samples = MLPERF_DATA[benchmark]
        document = {
            "checkpoint": ident, "tool": "mlperf loadgen and reference evaluation", "tool_version": "v5.1", "source": source,
            "source_note": row["source_url"].split("/tree/main/")[-1],
        }  # fmt: skip
        for name, value in re.findall(r"(\w+): ([\d.]+)", accuracy.group(1)):
            base = MLPERF_REFERENCE[benchmark].get(name)
            if base is None:
                continue
            metric, part = MLPERF_METRIC[name]
            book.add(
                f"mlperf-v5.1.{ident}.{system}",
                document,
                figure(
                    metric, f"{dataset}{', ' + part if part else ''}", exact(value, 100), baseline=exact(base, 100), baseline_checkpoint=base_id,
                    split=f"{row['model_as_written']}, {scenario.group(1)}", samples=samples,
                ),
            )  # fmt: skip


def read_rows_quality(book: Book, rows: list[JSON]) -> Counter[str]:
    skipped: Counter[str] = Counter()
    sixteen = {
        (r["source"], r["model"], r["metric"], r["dataset"], r["tool_version"]): r["value"]
        for r in rows if r["quant"] == "f16" and r["metric"] == "perplexity" and not r["kv_type"] and r["source"] == "llamacpp-perplexity-readme"
    }  # fmt: skip
    for row in rows:
        if not row["model"]:
            skipped["quality row: model not resolved"] += 1
            continue
        written = row["quant_as_written"] or ""
        quant = row["quant"] or EXTRA_QUANTS.get(written) or ("onnx-" + slug(written.replace("ONNX", "")) if row["source"] == "modelopt-windows" else None)
        if not quant:
            skipped["quality row: quant not resolved"] += 1
            continue
        repo = re.match(r"https://github\.com/([^/]+/[^/]+)/blob/[^/]+/(.+)", row["source_url"])
        ref = row["source_ref"] if re.fullmatch(r"[0-9a-f]{40}", row["source_ref"] or "") else None
        source = book.source(
            row["source"],
            {"title": f"{row['source'].replace('-', ' ')}: published quality figures", "kind": "repository", "url": row["source_url"],
             "repository": repo.group(1) if repo else None, "path": repo.group(2) if repo else None, "revision": ref},
        )  # fmt: skip
        label = label_of(row)
        ident = book.checkpoint(row["model"], quant, label, source)
        kv = KV.get(row["kv_type"]) if row["kv_type"] else None
        metric = METRICS.get(row["metric"], "accuracy")
        dataset = row["dataset"] or "text of the source (not named)"
        dataset = re.sub(r"^lm-eval (task )?", "", dataset)
        base = row["baseline_value"]
        base_quant = {"bf16": "bf16", "f16": "f16", "fp16": "f16", "native": "bf16"}.get(row["baseline_quant"] or "")
        note = None
        if row["source"] == "llamacpp-perplexity-readme" and metric == "perplexity":
            found = sixteen.get((row["source"], row["model"], row["metric"], row["dataset"], row["tool_version"]))
            base = found if base is None else base
            if row["model"] == "llama-2-7b" and quant == "gguf-q2-k":
                base, note = None, "The source's value contradicts its own ratio to the 16-bit model; no difference is given"
        if row["baseline_quant"] == "same weights, fp16 cache":
            base_quant = quant
        if metric in RELATIVE:
            base = None
        base_id = book.checkpoint(row["model"], base_quant, label if base_quant == quant else None, source) if base_quant else None
        value = Decimal(repr(row["value"])) if not isinstance(row["value"], int) else Decimal(row["value"])
        if quant == base_quant and not kv and metric not in RELATIVE:
            base = None
        document = {
            "checkpoint": ident, "context": f"{row['n_ctx']} tokens" if row["n_ctx"] else None, "kv_quant": kv, "tool": tool_of(row),
            "tool_version": row["tool_version"], "engine": {"llama-perplexity": "llama.cpp", "exllamav2": "exllamav2"}.get(row["tool"] or ""), "source": source,
        }  # fmt: skip
        stem = row["source"]
        if row["source"] == "llamacpp-perplexity-readme":
            stem = f"{stem}-{slug(row['tool_version'] or 'old')}"
        book.add(
            book.evaluation(stem, ident, kv, row["n_ctx"]), document,
            figure(
                metric, dataset, value, error=Decimal(repr(row["value_stderr"])) if row["value_stderr"] is not None else None,
                baseline=Decimal(repr(base)) if base is not None else None, baseline_checkpoint=base_id, samples=row["n_samples"], note=note,
                shots=5 if "5-shot" in dataset else None,
            ),
        )  # fmt: skip
    return skipped


def tool_of(row: JSON) -> str | None:
    if row["tool"]:
        return str(row["tool"])
    return {"aqlm-readme": "AQLM evaluation", "trtllm-accuracy-references": "TensorRT-LLM accuracy tests", "modelopt-windows": "ModelOpt MMLU"}.get(
        row["source"]
    )


def label_of(row: JSON) -> str | None:
    """What tells two checkpoints of one model and quant apart."""
    written, method = row["quant_as_written"] or "", row["engine_or_method"] or ""
    if row["source"] == "exllamav2-qcache" and row["bpw"]:
        return f"{row['bpw']:g}bpw"
    if row["source"].startswith("auto-round"):
        instruct = "-instruct" if "instruct" in (row["model_as_written"] or "").lower() else ""
        return slug(f"autoround{instruct}-{written}-{'tuned' if 'tuned' in method.lower() or 'tuning' in written.lower() else 'rtn'}")
    if row["source"] == "aqlm-readme" and "instruct" in (row["model_as_written"] or "").lower():
        return "instruct"
    imatrix = re.search(r"imatrix ([\w.]+ ?[\w.]*)|\b(WT \d+\.?\d*[mk]?)\b", f"{written} {method} {row['notes'] or ''}", re.I)
    if imatrix and row["source"] == "llamacpp-perplexity-readme":
        return slug("imatrix-" + (imatrix.group(1) or imatrix.group(2)))
    if row["source"] == "modelopt-windows" and "onnx" in method.lower():
        return None
    return None


def drop_unknown(book: Book) -> Counter[str]:
    """Leave out what refers to a model or format that has no document yet; the counts say so."""
    ids = {"model": known("models"), "quant": known("quants")}
    kv_quants = known("kv_quants")
    absent: Counter[str] = Counter()
    for ident, checkpoint in list(book.checkpoints.items()):
        missing = next((f"{key} {checkpoint[key]}" for key, have in ids.items() if checkpoint[key] not in have), None)
        if missing:
            absent[f"{missing} has no document yet"] += 1
            del book.checkpoints[ident]
    for ident, document in list(book.evaluations.items()):
        if document["checkpoint"] not in book.checkpoints:
            del book.evaluations[ident]
            continue
        for figure in document["figures"]:
            if figure.get("baseline_checkpoint") not in (None, *book.checkpoints):
                del figure["baseline_checkpoint"]
        kv_quant = document.get("kv_quant")
        if kv_quant is not None and kv_quant not in kv_quants:
            absent[f"kv_quant {kv_quant} has no document yet"] += 1
            del book.evaluations[ident]
    return absent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rows", type=Path, help="folder of *.jsonl")
    args = parser.parse_args()
    book = Book()
    skipped = read_rows_quality(book, read_rows(args.rows / "quality.jsonl"))
    read_mlperf(book, read_rows(args.rows / "mlperf.jsonl"))
    for path in sorted((Path(__file__).parent / "sheets").glob("*.json")):
        read_sheet(book, path)
    absent = drop_unknown(book)
    shutil.rmtree(DATA / "quality", ignore_errors=True)
    for path in [*(DATA / "checkpoints").glob("*.json"), *(DATA / "sources").glob("rows-quality-*.json")]:
        if path.name.startswith("rows-quality-") or '"source": "rows-quality-' in path.read_text():
            path.unlink()
    for ident, document in book.evaluations.items():
        model = book.checkpoints[document["checkpoint"]]["model"]
        head = ordered({k: v for k, v in document.items() if k not in ("id", "figures")}, "quality")
        write(DATA / "quality" / model / f"{ident}.json", {"id": ident, **head, "figures": document["figures"]})
    for ident, document in book.checkpoints.items():
        write(DATA / "checkpoints" / f"{ident}.json", document)
    for ident, document in book.sources.items():
        write(DATA / "sources" / f"{ident}.json", document)
    figures = sum(len(d["figures"]) for d in book.evaluations.values())
    models = {book.checkpoints[d["checkpoint"]]["model"] for d in book.evaluations.values()}
    print(f"figures: {figures} in {len(book.evaluations)} evaluations over {len(models)} models")
    for reason, count in (skipped + absent).most_common():
        print(f"  {count}  {reason}")


if __name__ == "__main__":
    main()
