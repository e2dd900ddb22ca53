"""A file that a worker touches while it can take messages: a probe checks its age instead of asking the broker.

`celery inspect ping` is a broadcast: every worker receives every worker's check, so the cost grows with the square of
the number of workers. The age of a file is seen by the container alone.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any, Final

from celery import bootsteps

from turnfold_worker.settings import WorkerSettings

INTERVAL_SECONDS: Final = 5.0

_log = logging.getLogger(__name__)


class HeartbeatFile(bootsteps.StartStopStep):
    """Touches `TURNFOLD_HEARTBEAT_FILE` from the consumer's own loop, so that a hanging loop stops touching it.

    A step of the consumer: while the broker is away there is no consumer, and the file gets old.
    """

    requires = {"celery.worker.consumer.tasks:Tasks"}  # noqa: RUF012 - Celery's own form

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._timer: Any = None

    def start(self, parent: Any) -> None:
        path = WorkerSettings.from_env().heartbeat_file
        if path:
            _touch(Path(path))
            self._timer = parent.timer.call_repeatedly(INTERVAL_SECONDS, _touch, (Path(path),))

    def stop(self, parent: Any) -> None:  # noqa: ARG002
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _touch(path: Path) -> None:
    try:
        path.touch()
    except OSError as error:
        _log.warning("the heartbeat file %s cannot be touched: %s", path, error)
