"""GenAI-Perf: `profile_export_genai_perf.json` and `.csv` (0.0.16).

Tokens are the client's count and nothing of the server's stands beside it: only the length
that was asked for (`output_tokens.mean`) can show that the count is another one. The CSV
does not even have that, so its rates are left out. Of cached prompts there is no sign.
"""

from __future__ import annotations

from cardbook.importers import serving, serving_metrics
from cardbook.importers.base import RawOutput, Reading, Refused
from cardbook.importers.serving import Section, Side
from cardbook.importers.serving_metrics import Metrics

NAME = "genai-perf"
_FIX = "Give profile_export_genai_perf.json of the same run."
_SIDES = (
    Side(r"genai-perf profile ", "the command alone", _FIX),
    Side(r"(?s)(?!\{).{0,15000}?(?:NVIDIA GenAI-Perf \||Running Perf Analyzer)", "what GenAI-Perf prints, rounded", _FIX),
)


def recognise(raw: RawOutput) -> bool:
    """True for the two exports, and for the side files that `read` refuses."""
    text = raw.text
    if '"perf_analyzer"' in text and '"output_token_throughput"' in text:
        return True
    if text.startswith("Metric,avg,min,max,p99,"):
        return "Time To First Token (ms)" in text
    return serving.is_side(raw, _SIDES)


def read(raw: RawOutput) -> list[Reading]:
    """One reading, one measurement. Raises `Refused`."""
    serving.refuse_side(raw, _SIDES, "profile_export_genai_perf.json")
    reading = Reading(NAME)
    if raw.text.startswith("Metric,"):
        box = serving_metrics.from_csv(raw, NAME)
    else:
        box = Section(raw, serving.parse_json(raw, NAME), NAME)
        serving.refuse_faked_acceptance(raw)
    metrics = Metrics(box)
    one = serving_metrics.measure(metrics)
    reading.measurements.append(one)
    config = box.maybe("input_config")
    _model(config, reading)
    stimulus = config.maybe("perf_analyzer").maybe("stimulus")
    serving.put(one, concurrency=stimulus.number("concurrency"))
    asked = config.maybe("input").maybe("output_tokens").number("mean")
    if serving_metrics.check_output_count(one, reading, asked if asked else None, "the client asked for"):
        serving.note(one, "output tokens are the client's count, and as many as were asked for")
    goodput = metrics.get("request_goodput", "request/second")
    if goodput is not None and "tok_s" in one.values:  # its limits on ITL use the same count of tokens
        serving.note(one, f"goodput {goodput:.4g} requests/s within the limits that the client was given")
    reading.questions.append(("tool_version", "Which version of GenAI-Perf? The file does not say."))
    return [serving.finish(reading)]


def _model(config: Section, reading: Reading) -> None:
    names = config.value.get("model_names")
    if not isinstance(names, list):
        return
    if len(names) > 1:
        raise Refused("a run over several models", "one model in a run", "Run the benchmark for one model.", line=config.line("model_names"))
    if names and isinstance(names[0], str):
        reading.recipe["model_as_written"] = names[0]
