"""A worker or gateway on a database with another schema exits at once and names the remedy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from migrations.test_expand_and_contract import at_version_1
from migrations.test_migrations import postgresql_url, run, sqlite_url  # noqa: F401 - fixtures
from support.celery_workers import CeleryWorker
from support.child_processes import child_environment
from support.forked_programs import ForkedProgram
from support.waiting import wait_until
from turnfold import Settings, Turnfold
from turnfold.contract.tasks import Queue
from turnfold.database.engines import connect
from turnfold_worker.celery_parts.schema_gate import ENDED
from turnfold_worker.operate import migrate

QUEUES = [str(queue) for queue in (Queue.INGEST, Queue.COMPRESS, Queue.MAINTENANCE)]
CONVERSATION = "chat-1"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def database_url(request: pytest.FixtureRequest) -> str:
    """An empty database."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


def ended_with(worker: CeleryWorker) -> tuple[int | None, str]:
    """Return the exit code and the log of a worker that ends at its start."""
    worker.start(wait=False)
    wait_until(lambda: not worker.running, what=f"the worker ends, see {worker.log}")
    return worker.exit_code, worker.log.read_text()


def serve_only(database_url: str, version: int) -> None:
    run(
        database_url,
        f"UPDATE meta SET value = '{version}' WHERE key = 'schema_version'",
        f"UPDATE meta SET value = '{version}' WHERE key = 'schema_expanded'",
    )


@pytest.mark.processes
@pytest.mark.daily_on("sqlite")
def test_a_worker_takes_no_task_of_a_database_that_is_too_old_or_too_new(
    redis_url: str,
    database_url: str,
    celery_environment: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    at_version_1(database_url, monkeypatch)
    worker = CeleryWorker("all", QUEUES, celery_environment, tmp_path)
    request.addfinalizer(worker.kill)
    with Turnfold(settings=Settings(redis_url=redis_url, database_url=database_url)) as tf:
        tf.append(CONVERSATION, [{"role": "user", "content": "We must use PostgreSQL."}])

        code, log = ended_with(worker)
        assert code == ENDED
        assert "database serves schema version 1, but workers of this version write 2: run `turnfold migrate`" in log

        migrate.upgrade(database_url, contract=True)
        serve_only(database_url, 9)
        code, log = ended_with(worker)
        assert code == ENDED
        assert "serves schema version 9, but workers of this version write 2: upgrade Turnfold here" in log
        assert "received" not in log, "a task was taken"

        serve_only(database_url, 2)
        worker.start()
        wait_until(lambda: stored(database_url) == 1, what=f"it is stored, see {worker.log}")


@pytest.mark.processes
@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"TURNFOLD_SWEEP_SECONDS": "often"}, "TURNFOLD_SWEEP_SECONDS must be a number, not 'often'"),
        ({"TURNFOLD_CELL": "eu"}, "TURNFOLD_CELL is set, but TURNFOLD_CELLS is not"),
        ({"TURNFOLD_REDIS_URL": "redis+cluster://h:1"}, "names a cluster, which Celery cannot use as a broker"),
    ],
)
def test_a_worker_ends_with_the_message_about_a_wrong_setting(variables: dict[str, str], message: str) -> None:
    ended = subprocess.run(
        [Path(sys.executable).with_name("celery"), "--app=turnfold_worker.celery_app", "worker"],
        env=child_environment(**variables), capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert ended.returncode == ENDED
    assert message in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def stored(database_url: str) -> int:
    engine = connect(database_url, write=False, timeout_seconds=5)
    with engine.connect() as connection:
        number: int = connection.exec_driver_sql("SELECT COUNT(*) FROM turn").scalar_one()
    engine.dispose()
    return number


@pytest.mark.processes
@pytest.mark.long
def test_a_process_that_met_no_database_at_its_start_looks_again_before_its_first_task(
    redis_url: str,
    sqlite_url: str,  # noqa: F811 - a fixture
    tmp_path: Path,
    start_worker: Callable[..., CeleryWorker],
) -> None:
    migrate.upgrade(sqlite_url)
    serve_only(sqlite_url, 9)
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    elsewhere = path.rename(path.with_suffix(".away"))
    worker = start_worker("all", *QUEUES, TURNFOLD_DATABASE_URL=sqlite_url)
    assert "the schema will be checked when the database answers" in worker.log.read_text()

    elsewhere.rename(path)

    wait_until(
        lambda: "work waits: the database serves schema version 9" in worker.log.read_text(),
        what=f"the worker meets the schema, see {worker.log}",
    )  # fmt: skip


@pytest.mark.processes
@pytest.mark.parametrize(
    ("version", "remedy"), [(0, "run `turnfold migrate`"), (9, "upgrade Turnfold here")], ids=["too old", "too new"]
)
def test_a_gateway_does_not_serve_a_database_that_is_too_old_or_too_new(
    redis_url: str,
    sqlite_url: str,  # noqa: F811 - a fixture
    tmp_path: Path,
    version: int,
    remedy: str,
) -> None:
    migrate.upgrade(sqlite_url)
    serve_only(sqlite_url, version)
    environment = child_environment(TURNFOLD_REDIS_URL=redis_url, TURNFOLD_DATABASE_URL=sqlite_url)

    log = tmp_path / "gateway.log"

    ended = ForkedProgram(
        "turnfold_gateway.cli:main", ["turnfold-gateway", "serve", "--port", "0"], environment, log=log
    )

    assert ended.wait(120) == ENDED
    assert f"serves schema version {version}, but this SDK reads 1 to 2: {remedy}" in " ".join(log.read_text().split())
    assert "Traceback" not in log.read_text()
