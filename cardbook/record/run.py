"""Run a contributor's own command, watch the machine, and hand back what was seen.

The command is the contributor's, given at the terminal; never one that was found in a file.
It is run without a shell, and nothing is written: what an interrupted run leaves behind is
nothing at all.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any

from cardbook.importers.base import MAX_RAW_BYTES
from cardbook.record import environment
from cardbook.record.scrub import scrub, scrub_argv
from cardbook.record.sensors import Sampler, open_sources

_CHUNK = 65_536
_PROGRESS_S = 5.0
_PATIENCE_S = 5.0

#: Where the command's own output and the progress go: a stream, or a function of text.
Out = IO[str] | Callable[[str], Any]


class RecordingError(Exception):
    """The command could not be recorded. `found`, `wanted`, `fix` as everywhere."""

    def __init__(self, found: str, wanted: str, fix: str) -> None:
        super().__init__(f"{found}; wanted {wanted}. {fix}")
        self.found, self.wanted, self.fix = found, wanted, fix


@dataclass(frozen=True)
class Recording:
    """One run of a command, without private data.

    `started_at` is ISO 8601 in UTC, `wall_s` in seconds; `environment` holds fields of a
    recipe (None where the machine does not say); `samples` is the summary of
    `sensors.Sampler.stop`, in watts, joules, bytes and hertz, over the whole command.
    `unmeasured` and `removed` are sentences for the contributor.
    """

    argv: list[str]
    exit_code: int
    stdout: bytes
    stderr: bytes
    started_at: str
    wall_s: float
    environment: dict[str, Any] = field(default_factory=dict)
    samples: dict[str, Any] = field(default_factory=dict)
    unmeasured: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


def record(argv: list[str], out: Out) -> Recording:
    """Run `argv` to its end, with its output copied to `out`, and return what was seen.

    Raises `RecordingError` when it cannot be started or prints more than a raw file may
    hold, and `KeyboardInterrupt` when it is interrupted: the command is then ended first.
    """
    if not argv:
        raise RecordingError("no command", "the command of the benchmark", "Give it after --.")
    say = _Say(out)
    sources, unmeasured = open_sources()
    facts = environment.facts(sources)
    sampler = Sampler(sources)
    started = datetime.now(UTC)
    begun = time.monotonic()
    child = _start(argv)
    readers = [_Reader(child.stdout, say), _Reader(child.stderr, say)]
    try:
        with _terminable():
            sampler.start()
            for reader in readers:
                reader.start()
            exit_code = _wait(child, say, sampler, begun)
            wall_s = time.monotonic() - begun
            # What the command left running may hold the pipes open for ever.
            for reader in readers:
                reader.join(timeout=_PATIENCE_S)
    finally:
        _end(child, left_over=any(reader.is_alive() for reader in readers))
        samples, also = sampler.stop()
        for reader in readers:
            if reader.is_alive():
                reader.join(timeout=_PATIENCE_S)
    for reader, stream in zip(readers, ("standard output", "standard error"), strict=True):
        if reader.overflowed:
            raise RecordingError(f"more than {MAX_RAW_BYTES} bytes on {stream}", "the summary of a benchmark", "Run it with less to print.")
    return _cleaned(argv, exit_code, [reader.data() for reader in readers], started, wall_s, facts, samples, unmeasured + also)


def _cleaned(
    argv: list[str],
    exit_code: int,
    streams: list[bytes],
    started: datetime,
    wall_s: float,
    facts: dict[str, Any],
    samples: dict[str, Any],
    unmeasured: list[str],
) -> Recording:
    words, removed = scrub_argv(argv)
    texts = []
    for data in streams:
        text, found = scrub(data.decode("utf-8", "replace"))
        texts.append(text)
        removed += [what for what in found if what not in removed]
    facts = facts | {"measured_on": started.date().isoformat()} | environment.engine_build("\n".join(texts))
    unmeasured = unmeasured + environment.missing(facts)
    return Recording(
        words,
        exit_code,
        texts[0].encode(),
        texts[1].encode(),
        started.isoformat(timespec="seconds"),
        wall_s,
        facts,
        samples,
        unmeasured,
        removed,
    )


def _start(argv: list[str]) -> subprocess.Popen[bytes]:
    try:
        # A session of its own, so that an interrupt can end all that the command started.
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=os.name == "posix")
    except OSError as error:
        raise RecordingError(f"{argv[0]!r}: {error.strerror or error}", "a command that can be started", "Check its name and path.") from error
    except ValueError as error:
        raise RecordingError(str(error), "a command that can be started", "Check its words.") from error


def _wait(child: subprocess.Popen[bytes], say: _Say, sampler: Sampler, begun: float) -> int:
    while True:
        try:
            return child.wait(timeout=_PROGRESS_S)
        except subprocess.TimeoutExpired:
            say.progress(time.monotonic() - begun, sampler.last)


def _end(child: subprocess.Popen[bytes], *, left_over: bool) -> None:
    """Ends the command and what it started, politely first. `left_over`: something still
    holds its output open."""
    for how in (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        if child.poll() is not None:
            break
        _signal(child, how)
        try:
            child.wait(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:
            continue
    if left_over:
        _signal(child, signal.SIGTERM)


def _signal(child: subprocess.Popen[bytes], how: int) -> None:
    try:
        if os.name == "posix":
            os.killpg(child.pid, how)
        elif child.poll() is None:
            child.terminate()
    except (ProcessLookupError, PermissionError):
        return


@contextmanager
def _terminable() -> Any:
    """Takes a polite end of this process as an interrupt, so that the command ends with it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _Say:
    """Copies text to the contributor, one writer at a time."""

    def __init__(self, out: Out) -> None:
        self._write: Callable[[str], Any] = out if callable(out) else out.write
        self._flush = getattr(out, "flush", None)
        self._lock = threading.Lock()

    def __call__(self, text: str) -> None:
        with self._lock:
            self._write(text)
            if self._flush:
                self._flush()

    def progress(self, seconds: float, last: dict[str, Any]) -> None:
        """A line such as `recording: 35 s, 312 W, 20.3 GB`."""
        parts = [f"{seconds:.0f} s"]
        if last.get("power_w") is not None:
            parts.append(f"{last['power_w']:.0f} W")
        if last.get("memory_used_bytes") is not None:
            parts.append(f"{last['memory_used_bytes'] / 1e9:.1f} GB")
        self(f"recording: {', '.join(parts)}\n")


class _Reader(threading.Thread):
    """Keeps what a stream says, up to the size of a raw file, and copies it as it comes."""

    def __init__(self, stream: IO[bytes] | None, say: _Say) -> None:
        super().__init__(daemon=True)
        assert stream is not None
        self._stream, self._say = stream, say
        self._parts: list[bytes] = []
        self._size = 0
        self.overflowed = False

    def run(self) -> None:
        with self._stream:
            self._read()

    def _read(self) -> None:
        while True:
            try:
                # As it comes, not when a buffer is full: a progress bar should move.
                part = os.read(self._stream.fileno(), _CHUNK)
            except (OSError, ValueError):
                return
            if not part:
                return
            self._size += len(part)
            if self._size > MAX_RAW_BYTES:
                self.overflowed = True
            else:
                self._parts.append(part)
            self._say(part.decode("utf-8", "replace"))

    def data(self) -> bytes:
        """All that was said, as it was said."""
        return b"".join(self._parts)
