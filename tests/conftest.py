"""Fixtures: a real Redis, a migrated database, and workers in this process or their own."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from support.celery_workers import CeleryWorker
from support.examples import ALL, register_profiles
from support.needed import skipping_on
from support.places import LAYOUT, servers
from support.postgresql import PostgresqlServer
from support.redis_cluster import RedisCluster, redis_cluster
from support.refinery import Refinery
from support.server_folders import fast_folder, own_folder
from support.shared_folds import folded_anew, share_folds
from support.shared_statements import share_statements
from support.together import FilesTogether
from turnfold import Turnfold
from turnfold.contract import keys
from turnfold.database.engines import connect
from turnfold.database.reader import Reader
from turnfold.errors import InvalidSettings
from turnfold.redis.connections import connect as connect_redis
from turnfold.redis.inbox import ProducerInbox
from turnfold.settings import Settings
from turnfold_worker.adapters.sentence_embedder import SentenceTransformerEmbedder, check_installed
from turnfold_worker.local.redis_server import RedisNotStarted, RedisServer, find_server
from turnfold_worker.operate import migrate
from turnfold_worker.operate.digest import digest
from turnfold_worker.ports.storage import SentenceEmbedder
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.testing import local_worker
from turnfold_worker.testing.model_server import OpenAIServer

LONGEST_SLEEP_SECONDS = 0.35
COLLECT_AFTER = 20_000
"""Allocations between two garbage collections, as in worker processes: a fold makes many objects and few cycles."""

Filling = Callable[[Turnfold, Callable[..., "LocalWorker"]], None]
"""Type of a function that fills an empty database, given a client and a worker factory."""

register_profiles()
share_statements()


LONGEST_FILES = (
    "test_kills", "test_upkeep_under_kills", "test_soak", "test_model_storm", "test_cluster_under_kills",
    "test_rolling_upgrade", "test_reshard_under_kills", "test_backup_and_restore", "test_patterns", "test_query_costs",
    "test_webhooks", "test_value_cases", "test_starts_and_ends", "test_command_line", "test_notes",
    "test_lazy_folds", "test_exports", "test_idle_search", "test_forget_during_drains", "test_reads_without_words",
    "test_refine", "test_sentence_vectors", "test_fold", "test_refine_command", "test_stable_prefixes",
    "test_edits", "test_forged_messages", "test_subjects", "test_models_that_fail", "test_doctor",
    "test_anchor_pages", "test_retention", "test_query_notes", "test_forked_processes", "test_expansions", "test_jobs",
    "test_cells_move", "test_flower", "test_celery_workers", "test_fairness", "test_away", "test_cells_gateway",
    "test_refold", "test_drain", "test_concurrent_readers", "test_expansion_counts", "test_imports", "test_streams",
    "test_migrations", "test_metrics", "test_content", "test_tail_anchors", "test_frameworks", "test_hash_seeds",
    "test_anchor_candidates", "test_far_repeats", "test_forget",
)  # fmt: skip
"""Files to start first, so that no process idles while the last one finishes; `test_webhooks` brings the gateway."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests long on all databases but that of their `daily_on` mark, and start the longest files first."""
    for test in items:
        marker, call = test.get_closest_marker("daily_on"), getattr(test, "callspec", None)
        if marker and call and call.params.get("database_url", marker.args[0]) != marker.args[0]:
            test.add_marker("long")
    begin = {name: number for number, name in enumerate(LONGEST_FILES)}
    items.sort(key=lambda test: begin.get(test.path.stem, len(begin)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FilesTogether | None:
    """Run groups of related files on one process where each file runs on a single one (`--dist loadfile`)."""
    return FilesTogether(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Freeze the collected tests, which live to the end, so that the garbage collector never walks them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(COLLECT_AFTER)


def pytest_configure(config: pytest.Config) -> None:
    """Share folds of the same turns between tests, and put temporary files into memory where there is enough of it."""
    share_folds()
    # Must run before the first request for a temporary folder.
    if (folder := fast_folder()) is not None:
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    """Fold anew in long tests and their fixtures, but not in tests that are long only for their database."""
    is_long = item.get_closest_marker("long") is not None and item.get_closest_marker("daily_on") is None
    if is_long or item.config.getoption("hypothesis_profile", None) == ALL:
        with folded_anew(item.nodeid):
            return (yield)
    return (yield)


@pytest.fixture(scope="session")
def redis_program() -> None:
    """Require the Redis server program. Skips without one, but fails where CI is set."""
    with skipping_on(RedisNotStarted):
        find_server()


@pytest.fixture(scope="session")
def redis_server(redis_program: None) -> Iterator[RedisServer]:
    """One real Redis for the whole run."""
    with own_folder() as folder, RedisServer(folder) as server:
        yield server


def leaked_of(left: dict[str, int]) -> list[str]:
    """Return the non-permanent keys without a lifetime, given the TTL of each key in seconds (-1: none)."""
    return [name for name, seconds in left.items() if seconds == -1 and name.split(":")[2] not in keys.PERMANENT]


@pytest.fixture(scope="session")
def redis_nodes(redis_program: None) -> Iterator[RedisCluster]:
    """One real Redis cluster of three primaries for the whole run."""
    with own_folder() as folder, redis_cluster(folder) as cluster:
        yield cluster


@pytest.fixture
def cluster_url(redis_nodes: RedisCluster) -> Iterator[str]:
    """An empty Redis cluster. Afterwards each key must have a lifetime or be of a permanent kind."""
    redis_nodes.clear()
    yield redis_nodes.url
    leaked = leaked_of(redis_nodes.keys())
    redis_nodes.clear()
    assert not leaked, f"keys without a lifetime: {leaked}"


@pytest.fixture(scope="session")
def embedder() -> SentenceTransformerEmbedder:
    """The real sentence model. Skips without its packages, but fails where CI is set."""
    with skipping_on(InvalidSettings):
        check_installed()
    return SentenceTransformerEmbedder()


@pytest.fixture
def server_folder() -> Iterator[Path]:
    """A folder for the servers of one test."""
    with own_folder() as folder:
        yield folder


@pytest.fixture
def redis_url(redis_server: RedisServer) -> Iterator[str]:
    """An empty Redis. Afterwards each key must have a lifetime or be of a permanent kind."""
    with redis_server.client() as client:
        client.flushall()
        yield redis_server.url
        leaked = leaked_of({name: int(client.ttl(name)) for name in client.scan_iter("tf:*")})
        client.flushall()
    assert not leaked, f"keys without a lifetime: {leaked}"


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgresqlServer]:
    """One real PostgreSQL for the whole run. Skips without its package, but fails where CI is set."""
    with own_folder() as folder:
        with skipping_on(ModuleNotFoundError):
            server = PostgresqlServer(folder)
        server.start(fsync=False)
        migrate.upgrade(server.create("template"), shards=LAYOUT.shards)
        yield server
        server.stop()


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty SQLite database of the current schema, migrated once and copied by hundreds of tests."""
    path = tmp_path_factory.mktemp("migrated") / "turnfold.db"
    migrate.upgrade(f"sqlite:///{path}", shards=LAYOUT.shards)
    return path


@pytest.fixture(scope="module")
def filled() -> Filling | None:
    """The function that fills the databases of a module, which overrides this. Each test starts from a copy."""
    return None


@pytest.fixture(scope="module")
def sqlite_template(request: pytest.FixtureRequest, migrated: Path, filled: Filling | None) -> Path:
    """The SQLite file that tests copy."""
    if filled is None:
        return migrated
    path = shutil.copy(migrated, request.getfixturevalue("tmp_path_factory").mktemp("filled") / "turnfold.db")
    fill(filled, request.getfixturevalue("redis_server"), f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """URL of the test's own migrated SQLite file."""
    return f"sqlite:///{shutil.copy(sqlite_template, tmp_path / 'turnfold.db')}"


@pytest.fixture(scope="module")
def postgresql_template(
    request: pytest.FixtureRequest, postgresql_server: PostgresqlServer, filled: Filling | None
) -> Iterator[str]:
    """Name of the PostgreSQL database that tests copy."""
    if filled is None:
        yield "template"
        return
    name = f"filled_{uuid.uuid4().hex}"
    fill(filled, request.getfixturevalue("redis_server"), postgresql_server.create(name, template="template"))
    yield name
    postgresql_server.drop(name)


@pytest.fixture
def postgresql_url(postgresql_server: PostgresqlServer, postgresql_template: str) -> Iterator[str]:
    """URL of the test's own migrated PostgreSQL database."""
    name = f"test_{uuid.uuid4().hex}"
    yield postgresql_server.create(name, template=postgresql_template)
    postgresql_server.drop(name)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_url(request: pytest.FixtureRequest) -> str:
    """URL of the test's own migrated database. Every test that requests one runs on both SQLite and PostgreSQL."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    """A read-only engine for inspecting stored rows."""
    engine = connect(database_url, write=False, timeout_seconds=10)
    yield engine
    engine.dispose()


@pytest.fixture
def reader(engine: Engine) -> Reader:
    """A reader such as the SDK uses, independent of the client."""
    return Reader(engine)


@pytest.fixture
def inbox(redis_url: str) -> Iterator[ProducerInbox]:
    """A producer's inbox, for entries that no client appends."""
    with connect_redis(redis_url, timeout_seconds=5) as client:
        yield ProducerInbox(servers(client))


@pytest.fixture
def settings(redis_url: str, database_url: str) -> Settings:
    """Settings of a producer without a doorbell: tests deliver the messages they want delivered."""
    return Settings(redis_url=redis_url, database_url=database_url, tenant="acme", doorbell=False)


@pytest.fixture
def tf(settings: Settings) -> Iterator[Turnfold]:
    """A client on real Redis and SQL."""
    with Turnfold(settings=settings) as client:
        yield client


class LocalWorker(local_worker.LocalWorker):
    """A worker's use cases in this process, on real Redis and SQL. Messages wait until they are delivered."""

    def digest(self, conversation: str, tenant: str = "acme") -> str:
        return digest(self.engine, tenant, conversation)


def fill(filled: Filling, redis_server: RedisServer, database_url: str) -> None:
    """Fill a database, and leave Redis empty."""
    settings = Settings(redis_url=redis_server.url, database_url=database_url, tenant="acme", doorbell=False)
    with redis_server.client() as client:
        client.flushall()
        with Turnfold(settings=settings) as tf, workers_of(redis_server.url, database_url) as make_worker:
            filled(tf, make_worker)
        client.flushall()


@contextmanager
def workers_of(redis_url: str, database_url: str) -> Iterator[Callable[..., LocalWorker]]:
    """Yield a function that makes workers in this process."""
    with ExitStack() as workers:

        def make(
            *, embedder: SentenceEmbedder | None = None, sleep: Callable[[float], None] = time.sleep, **values: float
        ) -> LocalWorker:
            # Workers driven step by step do not wait for further turns, and no batch ends early on a busy machine.
            values = {"fold_turns": 1, "slice_seconds": 3_600.0, **values}
            settings = WorkerSettings(redis_url=redis_url, database_url=database_url, **values)  # type: ignore[arg-type]
            client = connect_redis(redis_url, timeout_seconds=5)
            return workers.enter_context(LocalWorker.open(settings, client, embedder=embedder, sleep=sleep))

        yield make


@pytest.fixture
def make_worker(redis_url: str, database_url: str) -> Iterator[Callable[..., LocalWorker]]:
    """A function that makes workers in this process with the given settings."""
    with workers_of(redis_url, database_url) as make:
        yield make


@pytest.fixture
def local(make_worker: Callable[..., LocalWorker]) -> LocalWorker:
    """One worker in this process."""
    return make_worker()


@pytest.fixture
def celery_environment(redis_url: str, database_url: str, tmp_path: Path) -> dict[str, str]:
    """Environment of real worker processes, with short timers so that tests do not wait long for recovery."""
    return {
        "TURNFOLD_REDIS_URL": redis_url, "TURNFOLD_DATABASE_URL": database_url, "TURNFOLD_STATE_DIR": str(tmp_path),
        "TURNFOLD_LEASE_SECONDS": "2", "TURNFOLD_SWEEP_SECONDS": "0.5", "TURNFOLD_REPUBLISH_SECONDS": "2",
    }  # fmt: skip


@pytest.fixture
def start_worker(celery_environment: dict[str, str], tmp_path: Path) -> Iterator[Callable[..., CeleryWorker]]:
    """A function that starts real `celery worker` processes and kills them after the test: graceful stops are slow."""
    started: list[CeleryWorker] = []

    def start(name: str, *queues: str, children: int = 1, **environment: str) -> CeleryWorker:
        worker = CeleryWorker(name, queues, {**celery_environment, **environment}, tmp_path, children=children)
        started.append(worker)
        worker.start()
        return worker

    yield start
    for worker in started:
        worker.kill()


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A real HTTP server that speaks OpenAI's protocol and answers correctly unless told otherwise."""
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def make_refinery(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], openai_server: OpenAIServer
) -> Callable[..., Refinery]:
    """A function that makes workers with a model and the given settings. Long pauses are recorded, not slept."""
    return partial(refinery_of, tf, make_worker, openai_server)


def refinery_of(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], server: OpenAIServer, **values: object
) -> Refinery:
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        time.sleep(seconds if seconds < LONGEST_SLEEP_SECONDS else 0)

    values = {"call_seconds": 20, "republish_seconds": 0.001, "refine_idle_seconds": 0, "refine_segments": 2, **values}
    return Refinery(tf, make_worker(openai_base_url=server.base_url, sleep=sleep, **values), server, slept)


@pytest.fixture
def refinery(make_refinery: Callable[..., Refinery]) -> Refinery:
    """A worker with a model."""
    return make_refinery()
