"""Child processes with a log that is kept across restarts and read from the start of the latest run."""

from __future__ import annotations

import signal
import time
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Final

from turnfold.errors import Unavailable
from turnfold_worker.local.child_process import ChildProcess, spawn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

READY_SECONDS: Final = 60.0

MOST_BYTES: Final = 10 * 1_048_576
"""Size above which a log is moved aside, replacing the previous one, when its process starts."""


class ProcessLog:
    """A log file for one process at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._start = 0

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Open the file for a process that is about to start."""
        if self.path.exists() and self.path.stat().st_size > MOST_BYTES:
            self.path.replace(self.path.with_suffix(".log.1"))
        with self.path.open("ab") as output:
            self._start = output.tell()
            yield output

    def said(self) -> bytes:
        """Return everything written since the file was last opened."""
        with self.path.open("rb") as log:
            log.seek(self._start)
            return log.read()

    def last_words(self) -> str:
        """Return the last three lines, for a message about a process that ended."""
        lines = [line.strip() for line in self.said().decode(errors="replace").splitlines() if line.strip()]
        return " / ".join(lines[-3:]) or f"no output in {self.path}"


class NotStarted(Unavailable):
    """Raised when a process ended, was not ready in time, or found its port taken; includes the end of its log."""


class LoggedProcess(ChildProcess):
    """A process with a log in a folder. A subclass decides when it is ready."""

    death_signal = signal.SIGTERM

    def __init__(
        self, title: str, command: Sequence[str], *, folder: Path, log: str, environment: Mapping[str, str]
    ) -> None:
        """Set up a process that messages call `title`; `log` is a file name, `environment` replaces this process's."""
        self.log = folder / log
        self._title = title
        self._log = ProcessLog(self.log)
        self._folder = folder
        self._command = command
        self._environment = environment

    def start(self) -> None:
        """Start the process and return at once. See `wait_until_ready`."""
        with self._log.opened() as output:
            self._process = spawn(
                self._command, output=output, folder=self._folder, environment=self._environment,
                death_signal=self.death_signal,
            )  # fmt: skip

    def wait_until_ready(self, *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Wait until the process is ready. Raises `NotStarted`, also when `cancelled` returns True."""
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end and not cancelled():
            if not self.running:
                msg = f"{self._title} exited before it was ready: {self._log.last_words()}"
                raise NotStarted(msg, remedy=f"see {self.log}")
            if self._is_ready():
                return
            time.sleep(0.05)
        raise NotStarted(f"{self._title} was not ready within {READY_SECONDS:.0f} s", remedy=f"see {self.log}")

    def _is_ready(self) -> bool:
        raise NotImplementedError
