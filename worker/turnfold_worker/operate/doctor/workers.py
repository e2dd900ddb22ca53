"""Checks of the installed versions, the broker, its queues, and the workers that consume them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from turnfold.contract.tasks import QUEUE_OF, Queue
from turnfold.errors import InvalidSettings, Unavailable
from turnfold.redis.errors import refusal
from turnfold_worker.operate.doctor.finding import Finding, judged
from turnfold_worker.summarizers import load_summarizer

if TYPE_CHECKING:
    from celery import Celery
    from kombu.connection import Connection

ANSWER_SECONDS: Final = 1.0
"""How long workers have to report the queues they consume."""
PACKAGES: Final = ("celery", "kombu", "redis", "sqlalchemy", "psycopg")


def check_versions() -> list[Finding]:
    """Check that both distributions have the same version."""
    versions = {name: _version(name) for name in ("turnfold", "turnfold-worker", *PACKAGES)}
    return [
        judged(
            "versions", ok=versions["turnfold"] == versions["turnfold-worker"],
            detail=", ".join(f"{name} {found}" for name, found in versions.items() if found),
            remedy="install turnfold and turnfold-worker of the same version",
        )
    ]  # fmt: skip


def check_summarizer(name: str) -> list[Finding]:
    """Check that the configured summarizer can be imported on this machine; no finding when none is configured."""
    problem = ""
    try:
        if name:
            load_summarizer(name)
    except InvalidSettings as error:
        problem = str(error)
    remedy = "install it where the workers run, or correct TURNFOLD_SUMMARIZER: until then nothing is refined"
    return [judged("summarizer", ok=not problem, detail=problem or name, remedy=remedy)] if name else []


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def check_broker(broker_url: str, *, refines: bool) -> list[Finding]:
    """Check that the broker answers, its queues are short, and each queue with work has a worker. Raises `Unavailable`.

    `refines` tells whether a model is in use; without one, the refine queue needs no worker.
    """
    from celery import Celery

    app = Celery("turnfold-doctor", broker=broker_url, set_as_current=False)
    app.conf.broker_transport_options = {
        "socket_connect_timeout": 1, "socket_timeout": 5, "priority_steps": [0],
        # Closing the connection waits for a running poll of the broker, which takes a second by default.
        "polling_interval": 0.05,
    }  # fmt: skip
    with _translated(), app.connection_for_write() as connection:
        connection.ensure_connection(max_retries=1, interval_start=0)
        return [_check_lengths(connection), *_check_workers(app, connection, refines=refines)]


@contextmanager
def _translated() -> Iterator[None]:
    from kombu.exceptions import OperationalError
    from redis import RedisError, ResponseError

    try:
        yield
    except (OperationalError, OSError, RedisError) as error:
        # A refusal by Redis arrives either directly or as the cause of Celery's error.
        refused = next((each for each in (error, error.__cause__) if isinstance(each, ResponseError)), None)
        if refused is not None:
            why, remedy = refusal(refused)
            raise Unavailable(f"the broker refused: {why}", remedy=remedy) from error
        msg = "the broker does not answer"
        raise Unavailable(msg, remedy="is it running, and is TURNFOLD_BROKER_URL right?") from error


def _check_lengths(connection: Connection) -> Finding:
    from turnfold.redis.doorbell import MOST_MESSAGES, queue_length

    lengths: dict[Queue, int] = {}
    for queue in dict.fromkeys(QUEUE_OF.values()):
        with connection.channel() as channel:  # type: ignore[no-untyped-call]  # kombu is only partly typed
            lengths[queue] = queue_length(connection, channel, queue) or 0
    longest = max(lengths, key=lambda queue: lengths[queue])
    return judged(
        "broker: queues are short", ok=lengths[longest] < MOST_MESSAGES,
        detail=", ".join(f"{queue} {length}" for queue, length in lengths.items()),
        remedy=f"start workers, or more of them, with -Q {longest}",
    )  # fmt: skip


def _check_workers(app: Celery, connection: Connection, *, refines: bool) -> list[Finding]:
    inspect = app.control.inspect(timeout=ANSWER_SECONDS, connection=connection)
    served: dict[str, list[dict[str, str]]] = inspect.active_queues() or {}
    queues = {queue["name"] for held in served.values() for queue in held}
    needed = [queue for queue in dict.fromkeys(QUEUE_OF.values()) if refines or queue is not Queue.REFINE]
    missing = [str(queue) for queue in needed if str(queue) not in queues]
    return [
        judged(
            "workers: some answer", ok=bool(served),
            detail=", ".join(sorted(served)) or f"none within {ANSWER_SECONDS:g} s",
            remedy="start workers: `turnfold up`, or celery -A turnfold_worker.celery_app worker",
        ),
        judged(
            "workers: each queue is served", ok=not missing,
            detail=f"no worker serves {', '.join(missing)}" if missing else ", ".join(sorted(queues)),
            remedy=f"start a worker with -Q {','.join(missing)}",
        ),
    ]  # fmt: skip
