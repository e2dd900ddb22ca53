"""A timer in every worker that requests sweeps: progress needs neither beat nor any single process.

The parent process only publishes; the sweep itself runs in a child as a task. A parent that opened SQLite would pass
its lock state to every child that it forks.
"""

from __future__ import annotations

import logging
import threading
from typing import Any

from celery import bootsteps

from turnfold.contract import keys
from turnfold.contract.shards import Layout
from turnfold.contract.tasks import Queue, Task
from turnfold.redis.servers import InboxServers
from turnfold_worker.settings import WorkerSettings

_log = logging.getLogger(__name__)


class SweepTimer(bootsteps.StartStopStep):
    """Sends `turnfold.sweep` to a queue that this worker serves, whenever no sweep ran for an interval."""

    requires = {"celery.worker.components:Pool"}  # noqa: RUF012 - Celery's own form

    def __init__(self, parent: Any, **options: Any) -> None:
        super().__init__(parent, **options)
        self._stop = threading.Event()

    def start(self, parent: Any) -> None:
        settings = WorkerSettings.from_env()
        queues = sorted(parent.app.amqp.queues.consume_from)
        served = str(Queue.MAINTENANCE) if str(Queue.MAINTENANCE) in queues else queues[0]
        self.begin(parent.app, settings, served)

    def begin(self, app: Any, settings: WorkerSettings, queue: str) -> threading.Thread:
        """Start the thread that sends to `queue` until `stop`."""
        self._stop.clear()
        thread = threading.Thread(
            target=self._run, args=(app, settings, queue), name="turnfold-sweep-timer", daemon=True
        )
        thread.start()
        return thread

    def stop(self, parent: Any) -> None:  # noqa: ARG002
        self._stop.set()

    def _run(self, app: Any, settings: WorkerSettings, queue: str) -> None:
        servers = InboxServers.of(settings, Layout.unknown)
        interval = settings.sweep_seconds
        milliseconds = max(1, int(interval * 1_000))
        away = False
        while not self._stop.wait(interval):
            try:
                # The running sweep sets the mark, since a sweep waiting in a long queue does not count as done.
                # A mark with a lifetime above the interval dates from before the clock was set back.
                left = servers.first_answering("checking the last sweep", lambda client: client.pttl(keys.SWEEP))
                if not 0 <= left <= milliseconds:
                    app.send_task(
                        str(Task.SWEEP), queue=queue, expires=max(1.0, interval), ignore_result=True, retry=False
                    )
            except Exception as error:  # noqa: BLE001 - the timer outlives every outage
                if not away:
                    _log.warning(
                        "no sweeps are requested until Redis answers: %s", type(error.__cause__ or error).__name__
                    )
                away = True
            else:
                if away:
                    _log.warning("sweeps are requested again")
                away = False
        servers.close()
