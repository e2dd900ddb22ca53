"""Run all of Turnfold on one machine: Redis, a migrated database, workers, and optional web pages.

Used by `up`, `demo` and tests.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import urlsplit

from turnfold.contract.server_urls import urls_of
from turnfold.contract.tasks import Queue
from turnfold.redis.connections import connect, translated
from turnfold_worker.local import gateway_process
from turnfold_worker.local.flower_process import FlowerProcess, is_installed
from turnfold_worker.local.gateway_process import GatewayProcess
from turnfold_worker.local.redis_server import PortTaken, RedisNotStarted, RedisServer
from turnfold_worker.local.state import (
    close_to_others,
    forget_processes,
    kept_password,
    locked,
    read_settings,
    sqlite_file,
    write_settings,
)
from turnfold_worker.local.supervision import Supervisor
from turnfold_worker.local.worker_process import WorkerProcess
from turnfold_worker.operate import migrate
from turnfold_worker.settings import WorkerSettings

if TYPE_CHECKING:
    from types import TracebackType

STOP_SECONDS: Final = 10.0
"""How long each process may take to end before it is killed."""

LEAVING_SECONDS: Final = 10.0
"""How long to wait for the Redis of a run that was just killed."""

_ONE_OF_ITS_OWN: Final = "Without it and --redis-url, `turnfold up` starts its own"

_Child = RedisServer | WorkerProcess | FlowerProcess | GatewayProcess


class Stack:
    """The processes of one state folder. All of them end with `stop`, or when this process dies for any reason.

    >>> with Stack(Path("state")) as stack:  # doctest: +SKIP
    ...     turnfold = Turnfold.from_settings(stack.settings)
    """

    def __init__(
        self,
        folder: Path,
        *,
        environment: Mapping[str, str] | None = None,
        port: int | None = None,
        ingest_workers: int = 1,
        compress_workers: int = 1,
        flower: bool = False,
        flower_port: int | None = None,
        gateway: bool = False,
        gateway_port: int | None = None,
        tell: Callable[[str], None] = lambda _: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Configure the stack; `environment` (default: this process's) may name a Redis, broker or database to use.

        `port` is the embedded Redis's; by default the port of the last run in this folder, else a free one.
        `ingest_workers` and `compress_workers` are numbers of processes; with 0 there is no worker for those queues.
        `flower` starts Flower if it is installed, on `flower_port` or, like Redis, on the last port or a free one;
        `gateway` does the same for the HTTP gateway. `tell` receives progress messages, from any thread. `cancelled` is
        polled while `start` waits; when it returns True, `start` raises `Unavailable`.
        """
        self._folder = folder.expanduser().absolute()
        self._environment = dict(os.environ if environment is None else environment)
        self._port = port
        self._concurrency = {"ingest": ingest_workers, "compress": compress_workers}
        self._wants_flower = flower
        self._flower_port = flower_port
        self._wants_gateway = gateway
        self._gateway_port = gateway_port
        self._tell = tell
        self._cancelled = cancelled
        self._settings: WorkerSettings | None = None
        self._supervisor: Supervisor | None = None
        self._open = ExitStack()
        self._owns_folder = False
        self.redis: RedisServer | None = None
        """The embedded Redis; None when another one is used."""
        self.workers: dict[str, WorkerProcess] = {}
        """Workers by name: `ingest`, `compress`, and `refine` when a model is configured."""
        self.flower: FlowerProcess | None = None
        """Flower, if it was requested and is installed."""
        self.gateway: GatewayProcess | None = None
        """The HTTP gateway, if it was requested and is installed."""

    @property
    def settings(self) -> WorkerSettings:
        """Settings for connecting to the running services. Raises `RuntimeError` before `start`."""
        if self._settings is None:
            raise RuntimeError("the stack has no settings before it is started")
        return self._settings

    @property
    def variables(self) -> dict[str, str]:
        """The `TURNFOLD_*` variables with which another process connects to this stack."""
        return {
            "TURNFOLD_REDIS_URL": self.settings.redis_url,
            "TURNFOLD_DATABASE_URL": self.settings.database_url,
            "TURNFOLD_BROKER_URL": self.settings.effective_broker_url,
            "TURNFOLD_STATE_DIR": str(self._folder),
        }

    def start(self) -> None:
        """Start everything and wait until the workers consume.

        Raises `AlreadyRunning`, `RedisNotStarted`, `NotStarted` or `Unavailable`, and then leaves nothing running.
        """
        try:
            self._open.enter_context(locked(self._folder))
            self._owns_folder = True
            close_to_others(self._folder)
            # Left by a run that was killed.
            forget_processes(self._folder)
            self._start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """End every process, the gateway and the workers first. Idempotent; safe at any time."""
        if self._supervisor is not None:
            self._supervisor.stop()
            self._stop_processes()
            self._supervisor.join(timeout_seconds=STOP_SECONDS)
            self._supervisor = None
        self._stop_processes()
        if self._owns_folder:
            # A full disk must not prevent stopping.
            with suppress(OSError):
                forget_processes(self._folder)
        self._owns_folder = False
        self._open.close()

    def _stop_processes(self) -> None:
        if self.gateway is not None:
            # First, because its open requests need the other processes.
            self.gateway.stop(timeout_seconds=STOP_SECONDS)
        if self.workers:
            with ThreadPoolExecutor(len(self.workers)) as each:
                list(each.map(lambda worker: worker.stop(timeout_seconds=STOP_SECONDS), self.workers.values()))
        if self.flower is not None:
            # After the workers, so that it has seen them leave.
            self.flower.stop(timeout_seconds=STOP_SECONDS)
        if self.redis is not None:
            self.redis.stop(timeout_seconds=STOP_SECONDS)

    def as_json(self) -> dict[str, object]:
        """Return what `turnfold up --json` prints and `settings.json` contains."""
        processes = {name: child.pid for name, child in self._children()}
        return {
            "redis_url": self.settings.redis_url,
            "database_url": self.settings.database_url,
            "broker_url": self.settings.effective_broker_url,
            "flower_url": None if self.flower is None else self.flower.url,
            "gateway_url": None if self.gateway is None else self.gateway.url,
            "gateway_key": None if self.gateway is None else self.gateway.key,
            "refine": "on" if self.settings.refines else "off",
            "extract_model": self.settings.extract_model,
            "summarize_model": self.settings.summarize_model,
            "semantic": self.settings.semantic,
            "embedding_model": self.settings.embedding_model,
            "state_dir": str(self._folder),
            "pid": os.getpid(),
            "processes": processes,
        }

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _start(self) -> None:
        self._settings = self._with_redis(self._with_database(WorkerSettings.from_env(self._environment)))
        # All processes of this stack are new, so no older version is still running.
        servers = len(urls_of(self._settings.redis_url))
        migrate.upgrade(self._settings.database_url, shards=self._settings.shards, servers=servers, contract=True)
        environment = {**self._environment, **self.variables}
        watched = self._wants_flower and is_installed()
        flower = self._flower_process(environment) if watched else None
        self._start_gateway(environment)
        queues = {"ingest": [Queue.INGEST, Queue.MAINTENANCE], "compress": [Queue.COMPRESS]}
        for name, concurrency in self._concurrency.items():
            if concurrency > 0:
                self._tell(f"starting {concurrency} {name} worker process{'es' if concurrency > 1 else ''}")
                self.workers[name] = WorkerProcess(
                    name, queues[name], concurrency=concurrency, folder=self._folder, environment=environment,
                    task_events=watched,
                )  # fmt: skip
                self.workers[name].start()
        if self._settings.has_model and self._settings.refines:
            self._start_refining(environment, watched=watched)
        for worker in self.workers.values():
            worker.wait_until_ready(cancelled=self._cancelled)
        if flower is not None:
            # Only now, because it asks for the workers' queues once, at its start.
            self._tell("starting Flower")
            self.flower = flower
            flower.start()
            flower.wait_until_ready(cancelled=self._cancelled)
        elif self._wants_flower:
            self._tell("Flower is not installed: pip install 'turnfold-worker[flower]' adds a page to monitor tasks")
        if self.gateway is not None:
            self.gateway.wait_until_ready(cancelled=self._cancelled)
        if children := self._children():
            self._supervisor = Supervisor(children, tell=self._tell, changed=self._publish)
        self._publish()
        if self._supervisor is not None:
            self._supervisor.start()

    def _publish(self) -> None:
        """Write the connection settings and the current process ids to the state folder."""
        try:
            write_settings(self._folder, self.as_json())
        except OSError as error:
            self._tell(f"the settings in {self._folder} are outdated: {error.strerror}")

    def _start_gateway(self, environment: Mapping[str, str]) -> None:
        """Start the gateway, which gets ready while the workers do."""
        if not self._wants_gateway:
            return
        if not gateway_process.is_installed():
            self._tell("the HTTP gateway is not installed: pip install turnfold-gateway adds it, with a web page")
            return
        self._tell("starting the HTTP gateway")
        self.gateway = GatewayProcess(folder=self._folder, port=self._gateway_port, environment=environment)
        self.gateway.start()

    def _start_refining(self, environment: Mapping[str, str], *, watched: bool) -> None:
        """Start the worker that calls models: with threads, because it mostly waits for replies."""
        threads = self.settings.refine_threads
        self._tell(f"starting a refine worker: {self.settings.extract_model}, {self.settings.summarize_model}")
        self.workers["refine"] = WorkerProcess(
            "refine", [Queue.REFINE], concurrency=threads, folder=self._folder, environment=environment,
            task_events=watched, pool="threads",
        )  # fmt: skip
        self.workers["refine"].start()

    def _children(self) -> list[tuple[str, _Child]]:
        children: list[tuple[str, _Child]] = []
        if self.redis is not None:
            children.append(("redis", self.redis))
        children += self.workers.items()
        if self.flower is not None:
            children.append(("flower", self.flower))
        if self.gateway is not None:
            children.append(("gateway", self.gateway))
        return children

    def _flower_process(self, environment: Mapping[str, str]) -> FlowerProcess:
        """Prepare Flower. Raises `NotStarted` when its port is taken, before anything else is started."""
        password = kept_password(self._folder, "flower-password")
        flower = FlowerProcess(folder=self._folder, port=self._flower_port, password=password, environment=environment)
        flower.require_port()
        return flower

    def _with_database(self, settings: WorkerSettings) -> WorkerSettings:
        if not self._environment.get("TURNFOLD_DATABASE_URL"):
            return replace(settings, database_url=f"sqlite:///{self._folder / 'turnfold.db'}")
        return replace(settings, database_url=_absolute(settings.database_url))

    def _with_redis(self, settings: WorkerSettings) -> WorkerSettings:
        if self._environment.get("TURNFOLD_REDIS_URL"):
            self._tell("using the Redis server in TURNFOLD_REDIS_URL")
            # Checked here: a worker would retry for a minute, and report the problem only in its log.
            for url in urls_of(settings.redis_url):
                with (
                    closing(connect(url, timeout_seconds=settings.timeout_seconds)) as client,
                    translated("starting", remedy=_ONE_OF_ITS_OWN),
                ):
                    client.ping()
            return settings
        self._tell("starting Redis")
        self.redis = self._redis_server()
        try:
            self.redis.start(cancelled=self._cancelled)
        except PortTaken as error:
            raise RedisNotStarted(
                str(error), remedy="choose another with --port, or omit --port for a free one"
            ) from error
        return replace(settings, redis_url=self.redis.url)

    def _redis_server(self) -> RedisServer:
        password = kept_password(self._folder, "redis-password")
        last = urlsplit(str(read_settings(self._folder).get("redis_url", "")))
        if self._port is None and last.hostname == "127.0.0.1" and last.port is not None:
            # Reuse the port if it is free, so that exported settings stay valid.
            server = RedisServer(
                self._folder / "redis", port=last.port, password=password, lock_wait_seconds=LEAVING_SECONDS
            )
            try:
                server.start(cancelled=self._cancelled)
            except Exception:  # noqa: BLE001 - the next start says what is wrong, if it is not the port
                self._tell(f"port {last.port} is no longer available")
            else:
                return server
        return RedisServer(
            self._folder / "redis", port=self._port, password=password, lock_wait_seconds=LEAVING_SECONDS
        )


def _absolute(database_url: str) -> str:
    """Make the path of a SQLite URL absolute, because the workers run in the state folder."""
    from sqlalchemy import make_url

    file = sqlite_file(database_url)
    if file is None:
        return database_url
    return make_url(database_url).set(database=str(file.absolute())).render_as_string(hide_password=False)
