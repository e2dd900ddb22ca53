"""A web server as a child process: on a port of 127.0.0.1 that it keeps, with its log in a folder."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar, Final
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from turnfold_worker.local.child_process import ChildProcess, spawn
from turnfold_worker.local.local_port import free_port, is_free
from turnfold_worker.local.process_log import ProcessLog
from turnfold_worker.local.state import read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from turnfold.errors import Unavailable

READY_SECONDS: Final = 60.0


def chosen_port(folder: Path, setting: str, wanted: int | None) -> int:
    """`wanted`; without it the last one's, whose URL is a setting of the folder, while it is free; or a free one."""
    if wanted is not None:
        return wanted
    last = urlsplit(str(read_settings(folder).get(setting) or "")).port
    return last if last is not None and is_free(last) else free_port()


class WebProcess(ChildProcess):
    """A server that is ready when it answers. A subclass says which, and makes its command and environment."""

    title: ClassVar[str]
    """As messages name it."""
    health_path: ClassVar[str]
    not_started: ClassVar[type[Unavailable]]
    """It ended, or did not answer, or its port is taken; the message holds the end of its log."""
    if_taken: ClassVar[str]
    """What to do when its port is taken."""

    def __init__(
        self, command: Sequence[str], *, folder: Path, log: str, port: int, environment: Mapping[str, str]
    ) -> None:
        """`log` is the name of its file in the folder, `environment` the whole environment of the process."""
        self.port = port
        self.log = folder / log
        self._log = ProcessLog(self.log)
        self._folder = folder
        self._command = command
        self._environment = environment

    def require_port(self) -> None:
        """Raise `not_started` when its port is taken."""
        if not is_free(self.port):
            raise self.not_started(f"port {self.port} is taken", remedy=self.if_taken)

    def start(self) -> None:
        """Start it; returns at once. Raises `not_started` when its port is taken. See `wait_until_ready`."""
        self.require_port()
        with self._log.opened() as output:
            self._process = spawn(self._command, output=output, folder=self._folder, environment=self._environment)

    def wait_until_ready(self, *, cancelled: Callable[[], bool] = lambda: False) -> None:
        """Until it answers. Raises `not_started`, also when `cancelled` says so."""
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end and not cancelled():
            if not self.running:
                msg = f"{self.title} ended before it answered: {self._log.last_words()}"
                raise self.not_started(msg, remedy=f"see {self.log}")
            if self._answers():
                return
            time.sleep(0.05)
        raise self.not_started(f"{self.title} did not answer within {READY_SECONDS:.0f} s", remedy=f"see {self.log}")

    def _answers(self) -> bool:
        # Never through a proxy that the environment names.
        opener = build_opener(ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{self.port}{self.health_path}", timeout=1):
                return True
        except OSError:
            return False
