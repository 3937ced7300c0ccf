"""Recording a command: a made-up benchmark, made-up sensors, and interrupts."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from cardbook.record import devices, environment, run, sensors
from cardbook.record.run import Recording, RecordingError, record
from tests.shared_files import ROOT


class Card:
    """A card that draws 100 W, then 300 W, and fills its memory."""

    name, interval_s = "made-up card", 0.02

    def __init__(self) -> None:
        self.reads = 0
        self.closed = False

    def read(self) -> dict[str, Any]:
        self.reads += 1
        return {
            "power_w": 100.0 if self.reads < 3 else 300.0,
            "memory_used_bytes": min(self.reads, 5) * 10**9,
            "sm_clock_hz": 1.5e9 if self.reads < 3 else 1.4e9,
            "memory_clock_hz": 2e9,
            "temperature_c": 60.0,
            "throttle_reasons": ["sw_power_cap"] if self.reads == 2 else [],
        }

    def facts(self) -> dict[str, Any]:
        return {"names": ["Made-up 9000"], "driver": "1.2, CUDA 13.1", "power_limits_w": [350.0], "mig": False}

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def benchmark(tmp_path: Path) -> list[str]:
    """A command that prints a result, a log, and who runs it."""
    script = tmp_path / "bench.py"
    script.write_text(
        textwrap.dedent(
            """
            import sys, time
            print("build: 4242 (0c1e570)", file=sys.stderr)
            print("loading /home/alice/models/tiny.gguf", file=sys.stderr, flush=True)
            time.sleep(0.3)
            print('{"tok_s": 12.5}')
            sys.exit(int(sys.argv[1]))
            """
        )
    )
    return [sys.executable, str(script)]


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Card:
    made = Card()
    monkeypatch.setattr(run, "open_sources", lambda: ([made], ["power of the processor (no)"]))
    return made


def test_what_a_run_leaves(benchmark: list[str], card: Card) -> None:
    out = io.StringIO()
    made = record([*benchmark, "0", "--api-key", "abc"], out)
    assert isinstance(made, Recording)
    assert made.exit_code == 0
    assert made.stdout == b'{"tok_s": 12.5}\n'
    assert b"/home/<home-folder>/models/tiny.gguf" in made.stderr
    assert made.argv[-2:] == ["--api-key", "<secret>"]
    assert {"home folder: alice", "secret: not shown"} <= set(made.removed)
    assert 0.3 < made.wall_s < 30
    assert made.started_at.endswith("+00:00")
    assert '{"tok_s": 12.5}' in out.getvalue() and "loading" in out.getvalue()
    assert made.unmeasured == ["power of the processor (no)"]
    assert card.closed
    facts = made.environment
    assert (facts["card_as_written"], facts["n_cards"], facts["driver"], facts["power_limit_w"]) == ("Made-up 9000", 1, "1.2, CUDA 13.1", 350.0)
    assert (facts["engine_version"], facts["engine_commit"], facts["memory_channels_used"]) == ("4242", "0c1e570", None)
    assert facts["measured_on"] == made.started_at[:10]


def test_what_the_sensors_saw(benchmark: list[str], card: Card) -> None:
    seen = record([*benchmark, "0"], lambda text: None).samples
    assert 100 < seen["mean_power_w"] < 300
    assert seen["peak_memory_bytes"] == 5 * 10**9
    assert seen["memory_before_bytes"] == 10**9
    assert seen["sm_clock_min_hz"] == 1.4e9
    assert seen["memory_clock_hz"] == 2e9
    assert seen["throttle_reasons"] == ["sw_power_cap"]
    assert seen["samples"] == card.reads
    assert seen["power_of"] == "cards (made-up card)"


def test_energy_is_the_area_under_the_power() -> None:
    series = [(0.0, {"power_w": 100.0}), (1.0, {"power_w": 200.0}), (4.0, {"power_w": 200.0})]
    unmeasured: list[str] = []
    made = sensors.summarise(series, "x", unmeasured)
    assert (made["energy_j"], made["mean_power_w"]) == (750.0, 187.5)
    assert unmeasured == ["memory: x does not say it for every card"]


def test_a_run_too_short_says_so() -> None:
    unmeasured: list[str] = []
    assert sensors.summarise([(0.0, {"power_w": 1.0})], "x", unmeasured) == {}
    assert unmeasured == ["x: the run was shorter than two samples"]


def test_a_sensor_that_dies_is_told(benchmark: list[str], card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> dict[str, Any]:
        raise OSError("fell off the bus")

    monkeypatch.setattr(card, "read", gone)
    made = record([*benchmark, "0"], io.StringIO())
    assert "made-up card stopped answering: fell off the bus" in made.unmeasured
    assert "mean_power_w" not in made.samples


def test_the_status_of_the_command(benchmark: list[str], card: Card) -> None:
    assert record([*benchmark, "3"], io.StringIO()).exit_code == 3


def test_a_command_that_is_not_there(card: Card) -> None:
    with pytest.raises(RecordingError) as caught:
        record(["no-such-benchmark"], io.StringIO())
    assert caught.value.found and caught.value.wanted and caught.value.fix
    with pytest.raises(RecordingError):
        record([], io.StringIO())


def test_words_of_the_command_are_no_shell(card: Card, tmp_path: Path) -> None:
    made = record([sys.executable, "-c", "import sys; print(sys.argv[1:])", "$(touch x)", ";", "a b"], io.StringIO())
    assert made.stdout == b"['$(touch x)', ';', 'a b']\n"


def test_too_much_output(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "MAX_RAW_BYTES", 1000)
    with pytest.raises(RecordingError, match="more than 1000 bytes on standard output"):
        record([sys.executable, "-c", "print('x' * 5000)"], io.StringIO())


INTERRUPTED = """
import sys
from cardbook.record import run
class Out:
    def write(self, text):
        print(text, end="", flush=True)
try:
    run.record([sys.executable, "-c", {child!r}], Out())
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(130)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_it_ends_the_command(how: int, tmp_path: Path) -> None:
    child = "import os, time; print('child', os.getpid(), flush=True); time.sleep(60)"
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED.format(child=child)], stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    assert process.stdout is not None
    pid = int(process.stdout.readline().split()[1])
    process.send_signal(how)
    said = process.stdout.read()
    assert process.wait(timeout=30) == 130
    process.stdout.close()
    assert "interrupted" in said
    assert list(tmp_path.iterdir()) == []
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the command lives on")


def _tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_files_of_amdgpu(tmp_path: Path) -> None:
    root = _tree(
        tmp_path,
        {
            "class/drm/card0/device/vendor": "0x8086\n",
            "class/drm/card1/device/vendor": "0x1002\n",
            "class/drm/card1/device/mem_info_vram_used": "17179869184\n",
            "class/drm/card1/device/hwmon/hwmon3/power1_average": "212000000\n",
            "class/drm/card1/device/hwmon/hwmon3/power1_cap": "315000000\n",
            "class/drm/card1/device/hwmon/hwmon3/freq1_input": "2482000000\n",
            "class/drm/card1/device/hwmon/hwmon3/freq2_input": "1249000000\n",
            "class/drm/card1/device/hwmon/hwmon3/temp1_input": "61000\n",
        },
    )
    source = devices.AmdFiles(root)
    assert source.read() == {
        "power_w": pytest.approx(212.0),
        "memory_used_bytes": 17179869184,
        "sm_clock_hz": 2482e6,
        "memory_clock_hz": 1249e6,
        "temperature_c": 61.0,
    }
    assert source.facts()["power_limits_w"] == [pytest.approx(315.0)]
    made = environment.facts([source])
    assert made["card_as_written"] is None and made["n_cards"] == 1
    assert made["power_limit_w"] == pytest.approx(315.0)


def test_a_card_that_says_nothing_leaves_no_sum(tmp_path: Path) -> None:
    files = {f"class/drm/card{i}/device/{name}": text for i in (0, 1) for name, text in (("vendor", "0x1002"), ("mem_info_vram_used", "5"))}
    files["class/drm/card0/device/hwmon/hwmon0/power1_average"] = "100000000"
    made = devices.AmdFiles(_tree(tmp_path, files)).read()
    assert made["power_w"] is None
    assert made["memory_used_bytes"] == 10


def test_the_energy_counter_starts_again(tmp_path: Path) -> None:
    zone = "class/powercap/intel-rapl:0/"
    root = _tree(tmp_path, {zone + "name": "package-0", zone + "max_energy_range_uj": "1000000000", zone + "energy_uj": "999000000"})
    source = devices.Rapl(root)
    assert source.read() == {"cpu_energy_j": 0.0}
    (root / zone / "energy_uj").write_text("4000000")
    made = source.read()
    assert made["cpu_energy_j"] == pytest.approx(5.0)
    assert sensors.summarise([(0.0, {"cpu_energy_j": 0.0}), (2.0, made)], "RAPL", []) == {"cpu_energy_j": pytest.approx(5.0), "cpu_power_w": pytest.approx(2.5)}


def test_absent_devices_say_why(tmp_path: Path) -> None:
    for kind in (devices.AmdFiles, devices.Rapl):
        with pytest.raises(OSError, match=r"no amdgpu card|shows no energy counter"):
            kind(tmp_path)


def test_nvml_of_two_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    class Error(Exception):
        pass

    class Memory:
        used = 3 * 2**30

    class Library:
        NVMLError = Error
        NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU, nvmlMemory_v2 = 1, 2, 0, 2

        def __getattr__(self, name: str) -> Any:
            answers: dict[str, Any] = {
                "nvmlInit": None,
                "nvmlShutdown": None,
                "nvmlDeviceGetCount": 2,
                "nvmlDeviceGetPowerUsage": 250_000,
                "nvmlDeviceGetMemoryInfo": Memory(),
                "nvmlDeviceGetTemperature": 70,
                "nvmlDeviceGetCurrentClocksThrottleReasons": 0x4 | 0x1,
                "nvmlDeviceGetName": "NVIDIA GeForce RTX 3090",
                "nvmlDeviceGetEnforcedPowerLimit": 230_000,
                "nvmlSystemGetCudaDriverVersion_v2": 13010,
                "nvmlSystemGetDriverVersion": "590.48.01",
            }

            def call(*args: Any) -> Any:
                if name == "nvmlDeviceGetHandleByIndex":
                    return args[0]
                if name == "nvmlDeviceGetClockInfo":
                    return 1695 if args[1] == 1 else 9501
                if name not in answers:
                    raise Error(name)
                return answers[name]

            return call

    monkeypatch.setitem(sys.modules, "pynvml", Library())
    source = devices.Nvml()
    assert source.read() == {
        "power_w": 500.0,
        "memory_used_bytes": 6 * 2**30,
        "sm_clock_hz": 1695e6,
        "memory_clock_hz": 9501e6,
        "temperature_c": 70,
        "throttle_reasons": ["sw_power_cap"],
    }
    made = environment.facts([source])
    assert made["card_as_written"] == "NVIDIA GeForce RTX 3090"
    assert made["n_cards"] is None  # of two cards the command may have used one
    assert made["driver"] == "590.48.01, CUDA 13.1"
    assert made["power_limit_w"] == 230.0


def test_the_processor(tmp_path: Path) -> None:
    text = "".join(f"processor\t: {i}\nmodel name\t: AMD EPYC 9654 96-Core Processor\nphysical id\t: {i % 2}\n\n" for i in range(4))
    assert environment.processor(_tree(tmp_path, {"cpuinfo": text})) == "2x AMD EPYC 9654 96-Core Processor"


def test_the_operating_system(tmp_path: Path) -> None:
    if sys.platform != "linux":
        pytest.skip("the name of a Linux")
    made = environment.operating_system(_tree(tmp_path, {"os-release": 'NAME="X"\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n'}))
    assert made.startswith("Debian GNU/Linux 12 (bookworm), Linux ")


@pytest.mark.parametrize(
    ("output", "build"),
    [
        ("build: 4242 (0c1e570) with cc", {"engine_version": "4242", "engine_commit": "0c1e570"}),
        ("INFO vLLM API server version 0.9.1", {"engine_version": "0.9.1"}),
        ("build: 1 (0c1e570)\nbuild: 2 (0c1e571)", {}),
        ("nothing", {}),
    ],
)
def test_the_build_of_the_engine(output: str, build: dict[str, str]) -> None:
    assert environment.engine_build(output) == build
