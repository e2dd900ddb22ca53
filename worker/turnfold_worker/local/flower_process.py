"""Flower as a child process: a page on this machine, behind a password, that shows what workers do."""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final
from urllib.request import ProxyHandler, build_opener

from turnfold.errors import Unavailable
from turnfold_worker.local.child_process import ChildProcess, spawn
from turnfold_worker.local.local_port import free_port, is_free
from turnfold_worker.local.process_log import ProcessLog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

USER: Final = "turnfold"
READY_SECONDS: Final = 60.0

MOST_TASKS: Final = 10_000
"""Tasks that Flower remembers; older ones are forgotten."""
SAVE_SECONDS: Final = 60
"""How often it writes what it remembers to disk, besides at its end."""
INSPECT_SECONDS: Final = 3
"""How long it waits for all workers' answers about their queues."""
OFFLINE_SECONDS: Final = 600
"""How long a worker that is gone stays in the list."""

TASK_COLUMNS: Final = ("name", "args", "result", "state", "received", "runtime", "worker", "uuid")


class FlowerNotStarted(Unavailable):
    """Flower ended, or did not answer, or its port is taken; the message holds the end of its log."""


def is_installed() -> bool:
    """True with the extra `flower`."""
    return find_spec("flower") is not None


class FlowerProcess(ChildProcess):
    """Flower on a port of 127.0.0.1, read-only, with its log and what it remembers in a folder."""

    def __init__(self, *, folder: Path, port: int | None, password: str, environment: Mapping[str, str]) -> None:
        """`environment` is the whole environment of the process; `port` None takes a free one."""
        self.port = free_port() if port is None else port
        self.log = folder / "flower.log"
        self._log = ProcessLog(self.log)
        self._folder = folder
        self._password = password
        # Flower reads every FLOWER_* variable: with somebody's own it could be without a password, or elsewhere.
        mine = {name: value for name, value in environment.items() if not name.startswith("FLOWER_")}
        # A variable, because the list of processes shows arguments to everyone.
        self._environment = {**mine, "FLOWER_BASIC_AUTH": f"{USER}:{password}"}
        self._command = [
            sys.executable, "-m", "turnfold_worker.local.celery_program", "flower",
            "--address=127.0.0.1", f"--port={self.port}", "--read-only",
            "--persistent", f"--db={folder / 'flower.db'}", f"--state-save-interval={SAVE_SECONDS * 1_000}",
            f"--max-tasks={MOST_TASKS}", f"--purge-offline-workers={OFFLINE_SECONDS}",
            f"--tasks-columns={','.join(TASK_COLUMNS)}", f"--inspect-timeout={INSPECT_SECONDS * 1_000}",
        ]  # fmt: skip

    @property
    def url(self) -> str:
        """Where it is, with the user and the password in it."""
        return f"http://{USER}:{self._password}@127.0.0.1:{self.port}/"

    def require_port(self) -> None:
        """Raise `FlowerNotStarted` when its port is taken."""
        if not is_free(self.port):
            msg = f"port {self.port} is taken"
            raise FlowerNotStarted(msg, remedy="choose another one with --flower-port, or leave Flower out")

    def start(self) -> None:
        """Start it; returns at once. Raises `FlowerNotStarted` when its port is taken. See `wait_until_ready`."""
        self.require_port()
        with self._log.opened() as output:
            self._process = spawn(self._command, output=output, folder=self._folder, environment=self._environment)

    def wait_until_ready(self, *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Until it answers. Raises `FlowerNotStarted`, also when `cancelled` says so."""
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end and not cancelled():
            if not self.running:
                msg = f"Flower ended before it answered: {self._log.last_words()}"
                raise FlowerNotStarted(msg, remedy=f"see {self.log}")
            if self._answers():
                return
            time.sleep(0.05)
        msg = f"Flower did not answer within {READY_SECONDS:.0f} s"
        raise FlowerNotStarted(msg, remedy=f"see {self.log}")

    def _answers(self) -> bool:
        # Never through a proxy that the environment names.
        opener = build_opener(ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{self.port}/healthcheck", timeout=1):
                return True
        except OSError:
            return False
