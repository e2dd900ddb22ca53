"""One `celery worker` as a child process."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from turnfold.errors import Unavailable
from turnfold_worker.local.child_process import ChildProcess, spawn
from turnfold_worker.local.process_log import ProcessLog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from turnfold.contract.tasks import Queue

READY_SECONDS: Final = 60.0

_READY: Final = b" ready."
"""What Celery says once it consumes."""


class WorkerNotStarted(Unavailable):
    """A worker ended, or said nothing, before it consumed; the message holds the end of its log."""


class WorkerProcess(ChildProcess):
    """A worker on some queues, with its log in a folder."""

    def __init__(
        self,
        name: str,
        queues: Sequence[Queue],
        *,
        concurrency: int,
        folder: Path,
        environment: Mapping[str, str],
        task_events: bool = False,
        pool: Literal["prefork", "threads"] = "prefork",
    ) -> None:
        """`environment` is the whole environment of the process. `task_events` tell Flower what tasks do."""
        self.name = name
        self.log = folder / f"{name}.log"
        self._log = ProcessLog(self.log)
        self._folder = folder
        self._environment = environment
        self._command = [
            sys.executable, "-m", "turnfold_worker.local.celery_program", "worker",
            "--queues", ",".join(queues), "--hostname", f"{name}@%h", "--pool", pool,
            "--concurrency", str(concurrency), "--loglevel", "INFO",
            # Talk among workers, of which nothing here makes use: it costs seconds at the start.
            "--without-gossip", "--without-mingle",
            *(["--task-events"] if task_events else []),
        ]  # fmt: skip

    def start(self) -> None:
        """Start it; returns at once. See `wait_until_ready`."""
        with self._log.opened() as output:
            # Its tasks may die anywhere; a gentle end would wait for a Redis that is gone as well.
            self._process = spawn(
                self._command, output=output, folder=self._folder, environment=self._environment,
                death_signal=signal.SIGKILL,
            )  # fmt: skip

    def wait_until_ready(self, *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Until it consumes. Raises `WorkerNotStarted`, also when `cancelled` says so."""
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end and not cancelled():
            if _READY in self._log.said():
                return
            if not self.running:
                msg = f"the worker {self.name} ended before it was ready: {self._log.last_words()}"
                raise WorkerNotStarted(msg, remedy=f"see {self.log}")
            time.sleep(0.05)
        msg = f"the worker {self.name} was not ready within {READY_SECONDS:.0f} s"
        raise WorkerNotStarted(msg, remedy=f"see {self.log}")
