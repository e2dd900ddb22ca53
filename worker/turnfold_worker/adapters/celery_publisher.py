"""Publishing through Celery. What is published is only a wake-up: the work itself is in Redis streams and SQL."""

from __future__ import annotations

import logging
from typing import Final

from celery import Celery
from kombu.connection import Connection
from kombu.exceptions import ChannelError, OperationalError

from turnfold.contract.tasks import QUEUE_OF, TASK_OF, JobKind, Queue, Task, shown

_log = logging.getLogger(__name__)

MOST_MESSAGES: Final = 100
"""Of a queue whose worker is away, above which nothing is added: one message is enough for whoever comes."""
_NOT_FOUND: Final = "404"


def queue_length(connection: Connection, queue: Queue) -> int:
    """Messages that wait in a queue, by a passive declaration; 0 for one that nobody has used.

    Raises kombu's `OperationalError` when the broker does not answer.
    """
    try:
        with connection.channel() as channel:  # type: ignore[no-untyped-call]  # kombu is typed in part
            return int(channel.queue_declare(queue=str(queue), passive=True).message_count)
    except ChannelError as error:
        if str(getattr(error, "reply_code", "")) == _NOT_FOUND:
            return 0
        raise OperationalError(type(error).__name__) from error
    except (*connection.connection_errors, *connection.channel_errors) as error:
        raise OperationalError(type(error).__name__) from error


class CeleryPublisher:
    """Implements `ports.Publisher`. A message that cannot be sent is dropped: a sweep sends it again."""

    def __init__(self, app: Celery, *, expires_seconds: float) -> None:
        """A message that nobody took within `expires_seconds` is worth nothing: a sweep has sent another by then."""
        self._app = app
        self._expires_seconds = expires_seconds

    def drain(self, shard: int) -> None:
        self._send(Task.DRAIN, shard)

    def erase(self, shard: int) -> None:
        self._send(Task.ERASE, shard)

    def work(self, kind: JobKind) -> None:
        task = TASK_OF[kind]
        if self._length(QUEUE_OF[task]) < MOST_MESSAGES:
            self._send(task)

    def _length(self, queue: Queue) -> int:
        try:
            # Not from Celery's pool: kombu shares pools between apps, and whoever closes one closes it for all.
            with self._app.connection_for_write() as connection:
                return queue_length(connection, queue)
        except (OperationalError, OSError) as error:
            _log.warning("the length of %s is not known: %s", queue, type(error).__name__)
            return 0

    def _send(self, task: Task, *arguments: int) -> None:
        try:
            self._app.send_task(
                str(task), args=arguments, queue=str(QUEUE_OF[task]), argsrepr=shown(task, *arguments),
                expires=self._expires_seconds, ignore_result=True, retry=False,
            )  # fmt: skip
        except (OperationalError, OSError) as error:
            _log.warning("%s was not published: %s", task, type(error).__name__)
