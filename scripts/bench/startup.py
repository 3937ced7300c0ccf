"""How long the command line takes from a cold start: medians of N processes.

python scripts/bench/startup.py [N]
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def seconds(command: list[str], count: int) -> tuple[float, float]:
    """Median and least of `count` runs; the first one warms the disk and does not count."""
    times = []
    for _ in range(count + 1):
        start = time.perf_counter()
        subprocess.run(command, cwd=ROOT, capture_output=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:]), min(times[1:])


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    recipe = sorted((ROOT / "data" / "recipes").glob("*/*/recipe.json"))[0].parent
    tool = str(Path(sys.executable).parent / "cardbook")
    for shown, command in {
        "python -c pass": [sys.executable, "-c", "pass"],
        "cardbook --help": [tool, "--help"],
        "cardbook check RECIPE": [tool, "check", str(recipe)],
        "cardbook wall": [tool, "wall", "--card", "rtx-3090", "--model", "llama-3.1-8b", "--quant", "gguf-q4-k-m"],
    }.items():
        median, least = seconds(command, count)
        print(f"{shown:24} median {median:.3f} s, least {least:.3f} s of {count}")


if __name__ == "__main__":
    main()
