"""Publishing through Celery. What is published is only a wake-up: the work itself is in Redis streams and SQL."""

from __future__ import annotations

import logging
from typing import Final

from celery import Celery
from kombu.connection import Connection
from kombu.exceptions import ChannelError, OperationalError

from turnfold.contract.records import ConversationId, JobId
from turnfold.contract.tasks import QUEUE_OF, Queue, Task, shown

_log = logging.getLogger(__name__)

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
        self._connection: Connection | None = None
        """For looking at queues. Not from Celery's pool: kombu shares pools between apps, and whoever closes one closes
        it for all."""

    def drain(self, shard: int) -> None:
        self._send(Task.DRAIN, shard)

    def compress(self, conversation: ConversationId) -> None:
        self._send(Task.COMPRESS, conversation)

    def refold(self, job: JobId) -> None:
        self._send(Task.REFOLD, job)

    def refine(self, job: JobId) -> None:
        self._send(Task.REFINE, job)

    def erase(self, shard: int) -> None:
        self._send(Task.ERASE, shard)

    def backlog(self) -> int:
        return self._length(Queue.COMPRESS)

    def refine_backlog(self) -> int:
        return self._length(Queue.REFINE)

    def _length(self, queue: Queue) -> int:
        try:
            if self._connection is None:
                self._connection = self._app.connection_for_write()
            return queue_length(self._connection, queue)
        except (OperationalError, OSError) as error:
            _log.warning("the length of %s is not known: %s", queue, type(error).__name__)
            self.close()
            return 0

    def close(self) -> None:
        """Close the connection that looks at queues; a later look opens another."""
        if self._connection is not None:
            self._connection.release()  # type: ignore[no-untyped-call]  # kombu is typed in part
            self._connection = None

    def _send(self, task: Task, argument: int) -> None:
        try:
            self._app.send_task(
                str(task), args=(argument,), queue=str(QUEUE_OF[task]), argsrepr=shown(task, argument),
                expires=self._expires_seconds, ignore_result=True, retry=False,
            )  # fmt: skip
        except (OperationalError, OSError) as error:
            _log.warning("%s(%s) was not published: %s", task, argument, type(error).__name__)
