"""A `celery worker` as a child process."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Final, Literal

from turnfold_worker.local.process_log import LoggedProcess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from turnfold.contract.tasks import Queue


_READY: Final = b" ready."
"""Celery's log message once it consumes."""


class WorkerProcess(LoggedProcess):
    """A worker for some queues: ready once it consumes."""

    # Its tasks can be killed at any point; a graceful exit would wait for a Redis that is gone as well.
    death_signal = signal.SIGKILL

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
        """Take the process's whole `environment`. `task_events` sends task events for Flower."""
        self.name = name
        command = [
            sys.executable, "-m", "turnfold_worker.local.celery_program", "worker",
            "--queues", ",".join(queues), "--hostname", f"{name}@%h", "--pool", pool,
            "--concurrency", str(concurrency), "--loglevel", "INFO",
            # Communication among workers, which is not used here and takes seconds at the start.
            "--without-gossip", "--without-mingle",
            *(["--task-events"] if task_events else []),
        ]  # fmt: skip
        super().__init__(f"the worker {name}", command, folder=folder, log=f"{name}.log", environment=environment)

    def _is_ready(self) -> bool:
        return _READY in self._log.said()
