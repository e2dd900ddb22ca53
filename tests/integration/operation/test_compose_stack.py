"""The workers' image in a container, with pytest-celery's stock broker, network and nodes."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import docker
import pytest
import requests
from pytest_celery import CeleryBrokerCluster, CeleryTestSetup, CeleryWorkerContainer, RedisTestBroker
from pytest_docker_tools import build, container, fxtr

from support.celery_nodes import TurnfoldSetup
from turnfold import Turnfold

pytestmark = [pytest.mark.docker, pytest.mark.long, pytest.mark.timeout(1_200)]

ROOT = Path(__file__).parents[3]
QUEUES = "turnfold.ingest,turnfold.compress,turnfold.maintenance"


@pytest.fixture(scope="session")
def docker_client() -> Iterator[docker.DockerClient]:
    """The client for all containers, images and networks here. Skips without an engine, even in CI, which has none."""
    client, reason = _engine()
    if client is None:
        pytest.skip(f"no Docker engine answers, and in CI none is there to answer: {reason}")
    with closing(client):
        yield client


def _engine() -> tuple[docker.DockerClient | None, str]:
    with warnings.catch_warnings():
        # docker leaks a socket on a failed connection; collect it while its warning is ignored.
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            client = docker.from_env()
            client.ping()
        except (docker.errors.DockerException, requests.RequestException) as error:
            reason = str(error)
        else:
            return client, ""
        gc.collect()
        return None, reason


class WorkerContainer(CeleryWorkerContainer):
    """Turnfold's worker, whose log says `ready.` as every worker's does."""

    @classmethod
    def command(cls, *_: str, **__: Any) -> list[str]:
        worker = f"exec celery -A turnfold_worker.celery_app worker -n {cls.worker_name()}@%h -Q {QUEUES} -l INFO"
        return ["sh", "-c", f"turnfold migrate && {worker}"]


turnfold_worker_image = build(path=str(ROOT), dockerfile="ops/worker.Dockerfile", tag="turnfold-worker:test")

default_worker_container = container(
    image="{turnfold_worker_image.id}",
    environment=fxtr("default_worker_env"),
    network="{default_pytest_celery_network.name}",
    command=WorkerContainer.command(),
    wrapper_class=WorkerContainer,
    timeout=120,
)


@pytest.fixture
def celery_setup_cls() -> type[CeleryTestSetup]:
    return TurnfoldSetup


@pytest.fixture
def celery_broker_cluster(celery_redis_broker: RedisTestBroker) -> CeleryBrokerCluster:
    """Redis only: by default, pytest-celery also runs the tests on RabbitMQ."""
    return CeleryBrokerCluster(celery_redis_broker)


@pytest.fixture
def celery_backend_cluster() -> None:
    """None, because Turnfold's tasks store no results."""


@pytest.fixture
def default_worker_env(celery_worker_cluster_config: Mapping[str, Any]) -> dict[str, str]:
    (redis_url,) = celery_worker_cluster_config["celery_broker_cluster_config"]["urls"]
    return {"TURNFOLD_REDIS_URL": redis_url, "TURNFOLD_DATABASE_URL": "sqlite:////var/lib/turnfold/turnfold.db"}


def test_turns_appended_outside_are_stored_and_folded_inside_the_image(celery_setup: CeleryTestSetup) -> None:
    assert celery_setup.ready(control=True, docker=True)
    redis_url = celery_setup.broker.config()["host_url"]

    # A producer needs no database to append; the worker's log shows what became of its turns.
    with Turnfold(redis_url=redis_url, database_url="sqlite:////nowhere") as tf:
        tf.append("c", [{"role": "user", "content": f"We decided to launch on the {n}th."} for n in range(60)])
        celery_setup.worker.assert_log_exists("turns stored: 60")
        celery_setup.worker.assert_log_exists("conversations folded: 1")
