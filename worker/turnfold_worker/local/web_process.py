"""A web server as a child process, on a fixed port of 127.0.0.1, with its log in a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit
from urllib.request import ProxyHandler, build_opener

from turnfold_worker.local.local_port import free_port, is_free
from turnfold_worker.local.process_log import LoggedProcess, NotStarted
from turnfold_worker.local.state import read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def chosen_port(folder: Path, setting: str, wanted: int | None) -> int:
    """Return `wanted`, else the last run's port from the folder's settings if it is free, else any free port."""
    if wanted is not None:
        return wanted
    last = urlsplit(str(read_settings(folder).get(setting) or "")).port
    return last if last is not None and is_free(last) else free_port()


class WebProcess(LoggedProcess):
    """A server that is ready when its health path answers. A subclass supplies its command and environment."""

    title: ClassVar[str]
    """Name used in messages."""
    health_path: ClassVar[str]
    if_taken: ClassVar[str]
    """Remedy when the port is in use."""

    def __init__(
        self, command: Sequence[str], *, folder: Path, log: str, port: int, environment: Mapping[str, str]
    ) -> None:
        super().__init__(self.title, command, folder=folder, log=log, environment=environment)
        self.port = port

    def require_port(self) -> None:
        """Raise `NotStarted` when the port is in use."""
        if not is_free(self.port):
            raise NotStarted(f"port {self.port} is in use", remedy=self.if_taken)

    def start(self) -> None:
        """Start the server and return at once. Raises `NotStarted` when its port is in use. See `wait_until_ready`."""
        self.require_port()
        super().start()

    def _is_ready(self) -> bool:
        # Bypasses any proxy that the environment names.
        opener = build_opener(ProxyHandler({}))
        try:
            with opener.open(f"http://127.0.0.1:{self.port}{self.health_path}", timeout=1):
                return True
        except OSError:
            return False
