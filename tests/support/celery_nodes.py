"""Run pytest-celery's nodes as local processes, so that its API needs no Docker engine.

Its nodes call a container without checking its type. Which methods they call is not documented, hence the narrow pin of
pytest-celery in pyproject.toml.
"""

from __future__ import annotations

import signal as signals
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import psutil
from celery import Celery
from pytest_celery import CeleryTestSetup, CeleryTestWorker

from support.celery_workers import CeleryWorker
from turnfold_worker.local.redis_server import RedisServer


class Process(Protocol):
    """The common interface of `CeleryWorker` and `RedisServer`."""

    @property
    def pid(self) -> int | None: ...
    @property
    def running(self) -> bool: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def kill(self) -> None: ...


class LocalContainer:
    """A process with the methods of a container; it, too, can be restarted after it has died."""

    def __init__(self, name: str, process: Process, log: Path) -> None:
        self.name = name
        self._process = process
        self._log = log

    @property
    def status(self) -> str:
        return "running" if self._process.running else "exited"

    def ready(self) -> bool:
        return self._process.running

    def logs(self) -> str:
        """Return the logs of all its runs."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def reload(self) -> None:
        """Do nothing: unlike a container's, these attributes are never cached."""

    def kill(self, signal: str | int = "SIGKILL") -> None:
        """Send SIGKILL to every process, as to a container; send any other signal to the first process only."""
        number = signals.Signals[signal] if isinstance(signal, str) else signals.Signals(signal)
        if number is signals.SIGKILL:
            self._process.kill()
        elif self._process.pid is not None:
            psutil.Process(self._process.pid).send_signal(number)

    def restart(self, timeout: float = 0) -> None:
        """Stop the process gracefully if it runs, start it, and wait until it is ready."""
        self._process.stop()
        self._process.start()

    def teardown(self) -> None:
        self._process.kill()


class RedisContainer(LocalContainer):
    """The broker."""

    def __init__(self, server: RedisServer) -> None:
        super().__init__("redis", server, server.log)
        self._server = server

    @property
    def celeryconfig(self) -> dict[str, str | int]:
        url = self._server.url
        return {"url": url, "host_url": url, "hostname": "127.0.0.1", "port": self._server.port, "vhost": "0"}


class WorkerContainer(LocalContainer):
    """A worker's parent process and its children."""

    def __init__(self, worker: CeleryWorker) -> None:
        super().__init__(worker.name, worker, worker.log)
        self._worker = worker

    def ready(self) -> bool:
        return self._worker.ready

    def worker_name(self) -> str:
        return self.name

    def processes(self) -> Sequence[psutil.Process]:
        """Return the parent and its children; an empty list when the worker is dead."""
        return [psutil.Process(self._worker.pid), *self._worker.children()] if self._worker.pid is not None else []


class WorkerNode(CeleryTestWorker):
    """Answers from this machine what pytest-celery's node reads from its container."""

    def hostname(self) -> str:
        return f"{self.worker_name}@{socket.gethostname()}"

    def get_running_processes_info(
        self, columns: list[str] | None = None, filters: Mapping[str, str] | None = None
    ) -> list[dict[str, Any]]:
        rows = [process.as_dict(columns) for process in self.container.processes()]
        return [row for row in rows if all(row.get(name) == value for name, value in (filters or {}).items())]


class TurnfoldSetup(CeleryTestSetup):
    """A setup whose app has the worker's configuration and the test's broker."""

    @classmethod
    def update_app_config(cls, app: Celery) -> None:
        from turnfold_worker.celery_app import app as worker_app

        app.conf.update({**worker_app.conf.changes, "broker_url": app.conf.broker_url})

    def ready(self, ping: bool = False, control: bool = False, docker: bool = True) -> bool:  # noqa: FBT002 - pytest-celery's
        """Also require, unlike the original, that every worker answers a control ping when `control` is set."""
        return super().ready(ping=ping, docker=docker) and (not control or self._all_answer())

    def _all_answer(self) -> bool:
        expected = {worker.hostname() for worker in self.worker_cluster}
        replies = self.app.control.ping(timeout=10, limit=len(expected))
        return expected == {name for reply in replies for name in reply}

    def teardown(self) -> None:
        self.app.pool.force_close_all()
        self.app.close()
