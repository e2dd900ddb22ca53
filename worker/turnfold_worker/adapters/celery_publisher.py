"""Publishing through Celery. What is published is only a wake-up: the work itself is in Redis streams and SQL."""

from __future__ import annotations

import logging

from celery import Celery
from kombu.exceptions import OperationalError

from turnfold.contract.records import ConversationId
from turnfold.contract.tasks import QUEUE_OF, Task, shown

_log = logging.getLogger(__name__)


class CeleryPublisher:
    """Implements `ports.Publisher`. A message that cannot be sent is dropped: a sweep sends it again."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def drain(self, shard: int) -> None:
        self._send(Task.DRAIN, shard)

    def compress(self, conversation: ConversationId) -> None:
        self._send(Task.COMPRESS, conversation)

    def erase(self, shard: int) -> None:
        self._send(Task.ERASE, shard)

    def _send(self, task: Task, argument: int) -> None:
        try:
            self._app.send_task(
                str(task), args=(argument,), queue=str(QUEUE_OF[task]), argsrepr=shown(task, argument),
                ignore_result=True, retry=False,
            )  # fmt: skip
        except (OperationalError, OSError) as error:
            _log.warning("%s(%s) was not published: %s", task, argument, type(error).__name__)
