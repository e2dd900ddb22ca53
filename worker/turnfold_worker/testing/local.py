"""A Turnfold whose worker is the test process: in memory, or on a Redis that runs for the test."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from turnfold.client import Turnfold
from turnfold.contract.tasks import Task
from turnfold.errors import InvalidInput, InvalidSettings
from turnfold.read.arguments import settings_from
from turnfold.redis.connections import connect
from turnfold.redis.servers import InboxServers
from turnfold.resources import Resources
from turnfold_worker.local.redis_server import RedisServer
from turnfold_worker.operate import migrate
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.testing.local_worker import LocalWorker, servers_of
from turnfold_worker.wiring import sentence_embedder

if TYPE_CHECKING:
    import redis
    from sqlalchemy import Engine

    from turnfold.contract.results import ErasureReceipt, Expansion, Status, SubjectReceipt
    from turnfold.read.polling import Wait
    from turnfold.redis.inbox import Seen
    from turnfold_worker.testing.model_server import OpenAIServer

_Result = TypeVar("_Result")

_DEFAULTS: Final[Mapping[str, Any]] = {
    # The next sweep publishes a job whose message was lost, and tasks run to their end.
    "republish_seconds": 0.001, "fold_turns": 1, "slice_seconds": 3_600.0, "call_seconds": 5.0,
    # Each sweep asks every shard, and one process drains them one after the other.
    "shards": 16,
}  # fmt: skip

_LONGEST_PAUSE_SECONDS: Final = 0.05
"""Longest pause between two calls to a model: a test's server needs no patience."""

_MEMORY: Final = "/dev/shm"  # noqa: S108 - a file system in memory


class LocalTurnfold(Turnfold):
    """A `Turnfold` whose worker is this process and works only when called or waited for."""

    def __init__(
        self, settings: WorkerSettings, worker: LocalWorker, open_redis: Callable[[], redis.Redis], *, reachable: bool
    ) -> None:
        super().__init__(settings=settings)
        self._resources = _LocalResources(settings, worker, open_redis)
        self._worker = worker
        self._reachable = reachable

    @property
    def environment(self) -> dict[str, str]:
        """The `TURNFOLD_*` variables with which `from_env`, here and in other processes, reaches an embedded one.

        Raises `InvalidInput` for one in memory, which cannot be reached from outside.
        """
        if not self._reachable:
            msg = "an in-memory Turnfold has no address"
            raise InvalidInput(msg, remedy="pass the client to the code under test, or use embedded()")
        return {
            "TURNFOLD_REDIS_URL": self._settings.redis_url, "TURNFOLD_DATABASE_URL": self._settings.database_url,
            "TURNFOLD_TENANT": self._tenant, "TURNFOLD_DOORBELL": "off",
        }  # fmt: skip

    @property
    def engine(self) -> Engine:
        """The database, for inspecting stored rows."""
        return self._worker.engine

    def drain_now(self) -> int:
        """Store the entries of all inboxes, of every tenant, without folding; return the number of new turns."""
        return self._worker.drain()

    def fold_now(self) -> None:
        """Store, fold and erase everything pending, of every tenant, as workers would. Calls no model."""
        self._resources.access().flush()
        self._worker.fold()

    def refine_now(self) -> None:
        """As `fold_now`, then let the model do due refine jobs. A failed one becomes due again later.

        Raises `InvalidSettings` where no model was given.
        """
        if self._worker.worker.refining is None:
            msg = "refining needs a model"
            raise InvalidSettings(msg, remedy="use in_memory(model=OpenAIServer()) or openai_base_url=")
        self._resources.access().flush()
        self._worker.settle()

    def expire_now(self) -> int:
        """Remove the text of turns older than `keep_level0_days`, as workers do each hour; return how many."""
        return self._worker.worker.expire()

    # Work that workers do while a client waits is done here, after a first check.

    def _wait(self, conversation_id: str) -> Wait[Status]:
        return _WorkingWait(super()._wait(conversation_id), self.fold_now)

    def _begin_erasure(self, conversation_id: str, seen: Seen | None = None) -> Wait[ErasureReceipt]:
        return _WorkingWait(super()._begin_erasure(conversation_id, seen), self.fold_now)

    def _begin_subject_erasure(self, subject: str) -> Wait[SubjectReceipt]:
        return _WorkingWait(super()._begin_subject_erasure(subject), self.fold_now)

    def _begin_reconstruction(self, conversation_id: str, marker: str, *, max_tokens: int | None) -> Wait[Expansion]:
        wait = super()._begin_reconstruction(conversation_id, marker, max_tokens=max_tokens)
        return _WorkingWait(wait, self._worker.reconstruct)


class _LocalResources(Resources):
    """Connections of a client whose messages go to a worker in this process."""

    def __init__(self, settings: WorkerSettings, worker: LocalWorker, open_redis: Callable[[], redis.Redis]) -> None:
        super().__init__(settings)
        self._worker_settings = settings
        self.rings_elsewhere = True
        self._worker = worker
        self._open = open_redis

    def _open_redis(self) -> InboxServers:
        return servers_of(self._worker_settings, self._open(), self.stored_layout)

    def ring(self, task: Task, *arguments: int) -> None:
        self._worker.receive(task, *arguments)


class _WorkingWait(Generic[_Result]):
    """Works after each check that finds no result."""

    def __init__(self, wait: Wait[_Result], work: Callable[[], None]) -> None:
        self._wait = wait
        self._work = work

    def look(self) -> _Result | None:
        outcome = self._wait.look()
        if outcome is None:
            self._work()
            outcome = self._wait.look()
        return outcome

    def give_up(self, timeout_seconds: float) -> _Result:
        return self._wait.give_up(timeout_seconds)


@contextmanager
def in_memory(*, model: OpenAIServer | None = None, **values: Any) -> Iterator[LocalTurnfold]:
    """Make a Turnfold without a server: fakeredis with our scripts, and a SQLite file that is deleted at the end.

    `values` are settings by name (`tenant`, `max_turn_bytes` …), of a client or a worker; the environment is not read.
    With a `model`, `refine_now` refines. Raises `InvalidSettings` for an unknown name, and without fakeredis.
    """
    open_redis = fake_redis()
    place = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    with (
        TemporaryDirectory(prefix="turnfold-", dir=place) as folder,
        _opened(_settings(Path(folder), model, values), open_redis, reachable=False) as turnfold,
    ):
        yield turnfold


@contextmanager
def embedded(*, model: OpenAIServer | None = None, **values: Any) -> Iterator[LocalTurnfold]:
    """Make a Turnfold on a private Redis, a child process that ends with this one, and on a SQLite file.

    Takes the arguments of `in_memory`. Raises `Unavailable`, which says what to install, where there is no Redis
    server.
    """
    with TemporaryDirectory(prefix="turnfold-") as folder, RedisServer(Path(folder) / "redis") as server:
        settings = _settings(Path(folder), model, {"redis_url": server.url, **values})
        open_redis = partial(connect, settings.redis_url, timeout_seconds=settings.timeout_seconds)
        with _opened(settings, open_redis, reachable=True) as turnfold:
            yield turnfold


def _settings(folder: Path, model: OpenAIServer | None, values: Mapping[str, Any]) -> WorkerSettings:
    places = {"database_url": f"sqlite:///{folder / 'turnfold.db'}"}
    if model is not None:
        places["openai_base_url"] = model.base_url
    return settings_from({**_DEFAULTS, **places, **values}, WorkerSettings)


@contextmanager
def _opened(
    settings: WorkerSettings, open_redis: Callable[[], redis.Redis], *, reachable: bool
) -> Iterator[LocalTurnfold]:
    migrate.upgrade(settings.database_url, shards=settings.shards, contract=True)
    with (
        closing(open_redis()) as client,
        LocalWorker.open(settings, client, embedder=sentence_embedder(settings), sleep=_sleep_briefly) as worker,
        LocalTurnfold(settings, worker, open_redis, reachable=reachable) as turnfold,
    ):
        yield turnfold


def _sleep_briefly(seconds: float) -> None:
    time.sleep(min(seconds, _LONGEST_PAUSE_SECONDS))


def fake_redis() -> Callable[[], redis.Redis]:
    """Return a factory for clients of one in-process Redis."""
    # fakeredis runs scripts with lupa, but only complains at the first script.
    if missing := [package for package in ("fakeredis", "lupa") if find_spec(package) is None]:
        msg = f"in_memory() needs {' and '.join(missing)}"
        raise InvalidSettings(msg, remedy="pip install 'turnfold-worker[testing]'")
    import fakeredis

    # As in `connections.connect`: bytes, over RESP2.
    return partial(fakeredis.FakeRedis, server=fakeredis.FakeServer(), protocol=2)
