"""Log outages that keep a worker from its work: Celery logs expected errors of tasks at `info` only."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, Final

from turnfold_worker.errors import Retryable

SAID_AGAIN_SECONDS: Final = 60.0

_log = logging.getLogger(__name__)


class Outages:
    """A receiver of Celery's `task_failure`: warns of each kind of outage when it begins, and then once a minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said: dict[str, float] = {}

    def __call__(self, exception: BaseException | None = None, **_: Any) -> None:
        if not isinstance(exception, Retryable):
            return
        message, now = str(exception), self._clock()
        if now - self._said.get(message, -SAID_AGAIN_SECONDS) >= SAID_AGAIN_SECONDS:
            # Only recent messages are kept: a message may contain a time.
            self._said = {one: at for one, at in self._said.items() if now - at < SAID_AGAIN_SECONDS}
            self._said[message] = now
            _log.warning("work waits: %s", message)
