"""Real `celery worker` processes that a test may kill; they are forked, because the tests start hundreds of them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from support.forked_programs import ForkedProgram, is_forkable
from support.waiting import wait_until

READY = " ready."


class CeleryWorker:
    """A parent process and its pool; restartable."""

    def __init__(
        self,
        name: str,
        queues: Sequence[str],
        environment: Mapping[str, str],
        folder: Path,
        *,
        children: int = 1,
        application: str = "turnfold_worker.celery_app",
        anew: bool = False,
    ) -> None:
        """`anew` starts a fresh Python, as production does; for measurements, since a fork shares imported memory."""
        self.name = name
        self.log = folder / f"{name}.log"
        self._environment = {**os.environ, **environment}
        self._arguments = [
            "celery", "-A", application, "worker", "-Q", ",".join(queues),
            "-n", f"{name}@%h", "--concurrency", str(children), "--pool", "prefork", "--loglevel", "INFO",
            "--without-mingle", "--without-gossip",
        ]  # fmt: skip
        self._is_forked = not anew and is_forkable(self._environment)
        self._process: ForkedProgram | subprocess.Popen[bytes] | None = None
        self._said_before = 0
        self._orphaned: list[int] = []

    def start(self, *, wait: bool = True) -> None:
        """Start the worker; with `wait`, block until it accepts messages."""
        self._said_before = self.log.stat().st_size if self.log.exists() else 0
        if self._is_forked:
            self._process = ForkedProgram("celery.__main__:main", self._arguments, self._environment, log=self.log)
        else:
            command = [sys.executable, "-m", *self._arguments]
            with self.log.open("ab") as output:
                self._process = subprocess.Popen(
                    command, env=self._environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
                )
        if wait:
            self.wait_until_ready()

    def wait_until_ready(self) -> None:
        """Wait until the worker accepts messages. Fails after a minute."""
        wait_until(lambda: self.ready, what=f"worker {self.name} is ready, see {self.log}")

    @property
    def ready(self) -> bool:
        """Return whether the worker runs and has logged since its last start that it is ready."""
        return self.running and READY in self.log.read_bytes()[self._said_before :].decode(errors="replace")

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def exit_code(self) -> int | None:
        """Exit code of the parent; None while it runs."""
        return None if self._process is None else self._process.poll()

    @property
    def pid(self) -> int | None:
        """Process id of the parent while it runs, else None."""
        return self._process.pid if self._process is not None and self.running else None

    def children(self) -> list[psutil.Process]:
        """Return the pool's processes."""
        if self._process is None:
            return []
        try:
            return psutil.Process(self._process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def processes(self) -> list[int]:
        """Return the ids of the parent and its pool."""
        if self._process is None:
            return []
        return [self._process.pid, *(child.pid for child in self.children())]

    def freeze(self) -> None:
        """Stop every process where it is, with SIGSTOP."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        """Resume every process, with SIGCONT."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def kill(self) -> None:
        """Kill -9 the parent and its remaining children."""
        if self._process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def kill_parent(self) -> None:
        """Kill -9 the parent alone; its children finish their tasks and then exit, since no parent sends them more."""
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        self._orphaned.append(self._process.pid)

    def kill_child(self, number: int = 0) -> bool:
        """Kill -9 one child of the pool; return False if there is none."""
        children = self.children()
        if not children:
            return False
        try:
            children[number % len(children)].kill()
        except psutil.NoSuchProcess:
            return False
        return True

    def stop(self) -> None:
        """Send SIGTERM, then SIGKILL."""
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(20)
        self.kill()
