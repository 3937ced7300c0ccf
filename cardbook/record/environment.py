"""What the machine is: card, driver, processor, operating system, and the engine's build.

A fact that cannot be read is None and is told to the contributor; nothing is derived from
names. Neither host names nor serials are read.
"""

from __future__ import annotations

import platform
import re
import shutil
import sys
from pathlib import Path
from typing import Any

from cardbook.record.devices import output_of

#: Keys of a recipe that `facts` fills, and how a contributor calls them.
KEYS = {
    "card_as_written": "the name of the card",
    "n_cards": "how many cards the run used",
    "driver": "the driver",
    "power_limit_w": "the power limit",
    "host": "the processor",
    "os": "the operating system",
    "memory_channels_used": "memory channels in use (read them off the board or its firmware)",
}
_LLAMA_BUILD = re.compile(r"^build: (\d{1,9}) \(([0-9a-f]{6,40})\)", re.MULTILINE)
_VLLM = re.compile(r"vLLM API server version (\d[\w.+-]{1,60})")
PROC = Path("/proc")
ETC = Path("/etc")


def facts(sources: list[Any]) -> dict[str, Any]:
    """Fields of a recipe by key, None where the machine does not say.

    `sources` are those of `sensors.open_sources`; power limits are in watts.
    """
    made: dict[str, Any] = dict.fromkeys(KEYS)
    cards = next((source.facts() for source in sources if hasattr(source, "facts")), None)
    if cards is None:
        cards = _apple()
    if cards is not None:
        made |= _of_cards(cards)
    made["driver"] = made["driver"] or _amdgpu(sources)
    made["host"] = processor()
    made["os"] = operating_system()
    return made


def missing(made: dict[str, Any]) -> list[str]:
    """How a contributor calls the facts that the machine does not say. Memory channels bound
    a run on the processor only."""
    return [name for key, name in KEYS.items() if made.get(key) is None and not (key == "memory_channels_used" and made.get("card_as_written"))]


def _of_cards(cards: dict[str, Any]) -> dict[str, Any]:
    """What all cards share. With several cards the command decides how many it used."""
    names, limits = set(cards["names"]), set(cards["power_limits_w"])
    return {
        "card_as_written": names.pop() if len(names) == 1 else None,
        # A part of a card (MIG) is not one card.
        "n_cards": 1 if len(cards["names"]) == 1 and not cards["mig"] else None,
        "driver": cards["driver"],
        "power_limit_w": limits.pop() if len(limits) == 1 else None,
    }


def _amdgpu(sources: list[Any]) -> str | None:
    """Version of the kernel module, where it has one of its own, and of ROCm."""
    if not any(source.name in ("amdgpu in /sys", "rocm-smi") for source in sources):
        return None
    rocm = _first_line(Path("/opt/rocm/.info/version"))
    module = _first_line(Path("/sys/module/amdgpu/version"))
    parts = [f"amdgpu {module}" if module else f"amdgpu of Linux {platform.release()}", f"ROCm {rocm}" if rocm else None]
    return ", ".join(part for part in parts if part)


def _apple() -> dict[str, Any] | None:
    """The graphics of a Mac; its memory is the machine's, and power asks for an administrator."""
    if sys.platform != "darwin" or not shutil.which("system_profiler"):
        return None
    text = output_of("system_profiler", "SPDisplaysDataType", timeout_s=30) or ""
    names = re.findall(r"^\s*Chipset Model: (.+)$", text, re.MULTILINE)
    return {"names": names, "driver": None, "power_limits_w": [None] * len(names), "mig": False} if names else None


def processor(proc: Path = PROC) -> str | None:
    """The model of the processor as the system names it, with the number of sockets above 1."""
    if sys.platform == "darwin":
        return (output_of("sysctl", "-n", "machdep.cpu.brand_string") or "").strip() or None
    try:
        text = (proc / "cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor() or None
    names = set(re.findall(r"^model name\s*: (.+)$", text, re.MULTILINE))
    sockets = len(set(re.findall(r"^physical id\s*: (\d+)$", text, re.MULTILINE)))
    if len(names) != 1:
        return platform.processor() or None
    name = names.pop().strip()
    return f"{sockets}x {name}" if sockets > 1 else name


def operating_system(etc: Path = ETC) -> str:
    """Name and version, and the kernel's release without its builder."""
    if sys.platform == "darwin":
        return f"macOS {platform.mac_ver()[0]}"
    if sys.platform == "win32":
        return f"Windows {platform.version()}"
    name = None
    try:
        text = (etc / "os-release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    match = re.search(r'^PRETTY_NAME="?([^"\n]+)"?$', text, re.MULTILINE)
    name = match.group(1) if match else platform.system()
    return f"{name}, Linux {platform.release()}"


def engine_build(output: str) -> dict[str, str]:
    """engine_version and engine_commit where the output of the command says them."""
    llama = set(_LLAMA_BUILD.findall(output))
    if len(llama) == 1:
        number, commit = llama.pop()
        return {"engine_version": number, "engine_commit": commit}
    vllm = set(_VLLM.findall(output))
    return {"engine_version": vllm.pop()} if len(vllm) == 1 else {}


def _first_line(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").split("\n", 1)[0].strip()[:60] or None
    except OSError:
        return None
