"""What an importer is: one tool's raw output in, one `Reading` out.

An importer reads text and numbers; it never guesses. What the file does not say stays
`None` and becomes a question. Figures are in coherent base units (byte, second, token,
watt) and named as the fields of `schemas/tables/measurements.json`, so that nothing
downstream converts anything. An importer raises `Refused` when a file cannot be told
right (cut off, mixed, of an unknown version); it never prints and never writes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

MAX_RAW_BYTES = 20 * 1024 * 1024


class Refused(Exception):
    """The file cannot become a draft.

    `found` is what the file holds, `wanted` what was needed, `fix` what to do about it.
    """

    def __init__(self, found: str, wanted: str, fix: str, *, line: int | None = None) -> None:
        super().__init__(f"{found}; wanted {wanted}. {fix}")
        self.found, self.wanted, self.fix, self.line = found, wanted, fix, line


@dataclass(frozen=True)
class RawOutput:
    """One raw file, already read and within `MAX_RAW_BYTES`. `text` is its UTF-8 text."""

    path: Path
    data: bytes
    text: str


@dataclass
class Measurement:
    """One measurement. `values` holds fields of the table `measurements` in base units.

    Keys in use: phase (prefill, decode, serve), prompt_tokens, generated_tokens,
    depth_tokens, concurrency, ubatch_tokens, tok_s, tok_s_per_stream, tok_s_stddev,
    tok_s_min, tok_s_max, total_tok_s, request_rate_per_s, requests, duration_s, ttft_s, tpot_s, e2e_s,
    {ttft,tpot,e2e}_{p50,p90,p95,p99}_s, cached_prompt_tokens, draft_tokens,
    acceptance_rate (accepted / drafted), accepted_per_step (without the bonus token),
    peak_memory_bytes, mean_power_w, energy_j, repeats, note (what a reader should know:
    requests that failed, goodput against its limits).
    tok_s is over all streams: prompt tokens computed per second in prefill, output tokens
    per second in decode and serve; input + output goes to total_tok_s.
    """

    values: dict[str, Any]
    label: str | None = None
    line: int | None = None


@dataclass
class Quality:
    """One quality figure: fields of the table `quality`, in base units (ratios, nats).

    Keys in use: metric, value, standard_error, baseline, dataset, split, context_tokens,
    samples, shots, note, tool, tool_version, quant_as_written, baseline_quant_as_written.
    """

    values: dict[str, Any]


@dataclass
class Kernel:
    """One profiled kernel: fields of the table `kernels`.

    Keys in use: name, arch, threads_per_block, blocks, registers_per_thread,
    shared_memory_bytes (static and dynamic, per block), theoretical_occupancy,
    achieved_occupancy, duration_s, flops, memory_bytes_moved, clock_hz.
    """

    values: dict[str, Any]


@dataclass
class Reading:
    """What one raw file says.

    `recipe` holds fields of the table `recipes` that the file itself states, plus the
    words as written: card_as_written, model_as_written, quant_as_written (resolution to
    ids is the caller's). Keys in use there: engine, engine_version, engine_commit, backend,
    driver, os, command, n_cards, parallelism, tensor_parallel, kv_quant_as_written,
    flash_attention, context_tokens, speculation, draft_model, draft_tokens, host_offload,
    power_limit_w, measured_on (ISO date), prefix_cache, checkpoint_bytes, parameters, gpu_layers,
    prompt (what the prompts were).
    `sensors` is what a monitor saw. Keys in use: card_as_written, driver, n_cards, samples (per
    card), power_w (of all cards, mean over the samples), memory_used_bytes (of all cards, the
    highest sample; whatever process holds it), and of one card, None where cards differ:
    memory_total_bytes, power_limit_w, sm_clock_max_hz, memory_clock_max_hz; sm_clock_hz and
    memory_clock_hz (means; a memory clock is not a data rate), temperature_c (highest),
    throttle_reasons (list of names), mig (bool), mig_profiles, mig_instances (memory of each),
    cards (the same keys of each card, where there are several). Serials and UUIDs are never kept.
    `questions` names what the contributor must add, one field a question: (field, question).
    `lost` says which figures were left out on purpose, and why (for example client-side
    token counts): (field, reason).
    """

    tool: str
    tool_version: str | None = None
    recipe: dict[str, Any] = field(default_factory=dict)
    measurements: list[Measurement] = field(default_factory=list)
    quality: list[Quality] = field(default_factory=list)
    kernels: list[Kernel] = field(default_factory=list)
    sensors: dict[str, Any] = field(default_factory=dict)
    questions: list[tuple[str, str]] = field(default_factory=list)
    lost: list[tuple[str, str]] = field(default_factory=list)


class Importer(Protocol):
    """What a module in `cardbook.importers` offers (module-level names)."""

    NAME: str

    def recognise(self, raw: RawOutput) -> bool:
        """True when the content (never the file name) is this tool's. Cheap, and never raises."""
        ...

    def read(self, raw: RawOutput) -> list[Reading]:
        """One reading per configuration (card × model × quant × flags) in the file.

        Raises `Refused`.
        """
        ...
