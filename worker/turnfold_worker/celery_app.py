"""The Celery application: `celery -A turnfold_worker.celery_app worker`.

The settings were measured while killing workers, pool children and Redis. Even the best of them lose and repeat a few
messages, which is why a message is only a wake-up and never the record of work.
"""

from __future__ import annotations

import os
import sys

from celery import Celery, signals
from kombu.transport import TRANSPORT_ALIASES

from turnfold.contract.tasks import QUEUE_OF, Queue, Task
from turnfold.errors import InvalidSettings
from turnfold_worker.celery_parts.doorman import Doorman
from turnfold_worker.celery_parts.heartbeat_file import HeartbeatFile
from turnfold_worker.celery_parts.json_logs import write_json
from turnfold_worker.celery_parts.outage_log import Outages
from turnfold_worker.celery_parts.preload import preload
from turnfold_worker.celery_parts.remote_control import take_no_orders
from turnfold_worker.celery_parts.schema_gate import ENDED, check_schema
from turnfold_worker.celery_parts.sweep_timer import SweepTimer
from turnfold_worker.celery_parts.tracing import start_tracing
from turnfold_worker.settings import WorkerSettings

HARD_LIMIT_SECONDS = 300
VISIBILITY_SECONDS = 900
"""Above the hard limit, and equal on all workers: the smallest value that any worker sets applies to all."""


def _read_settings() -> tuple[WorkerSettings, str]:
    """Read the settings, and the broker's URL.

    Wrong ones end Celery's program here, since it would bury the message in a traceback.
    Elsewhere raises `InvalidSettings`.
    """
    try:
        read = WorkerSettings.from_env()
        read.check_one_cell()
        broker_url = read.effective_broker_url
    except InvalidSettings as error:
        if not sys.argv[0].endswith(("/celery", "/celery/__main__.py")):
            raise
        sys.stderr.write(f"{error}\n")
        raise SystemExit(ENDED) from None
    return read, broker_url


settings, _broker_url = _read_settings()
# A transport in which no malformed message ends a worker. Registered by name: a process that only publishes needs no
# Redis client.
TRANSPORT_ALIASES |= dict.fromkeys(("redis", "rediss"), "turnfold_worker.celery_parts.broker_transport:Transport")

app = Celery("turnfold", broker=_broker_url, include=["turnfold_worker.tasks"])
app.conf.update(
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "visibility_timeout": VISIBILITY_SECONDS, "unacked_restore_interval": 10, "unacked_restore_throttle": 1,
        "socket_timeout": 10, "socket_connect_timeout": 3, "socket_keepalive": True, "health_check_interval": 25,
        "priority_steps": [0],
    },
    task_time_limit=HARD_LIMIT_SECONDS,
    task_soft_time_limit=HARD_LIMIT_SECONDS - 30,
    worker_soft_shutdown_timeout=20,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    task_send_sent_event=False,
    task_queues=None,
    task_create_missing_queues=True,
    task_default_queue=str(Queue.INGEST),
    task_routes={str(task): {"queue": str(queue)} for task, queue in QUEUE_OF.items()},
    worker_hijack_root_logger=True,
    # Workers log ids; task arguments are ids too, so they may be logged.
    worker_redirect_stdouts=False,
)  # fmt: skip
app.steps["worker"].update((Doorman, SweepTimer))
app.steps["consumer"].add(HeartbeatFile)
outages = Outages()
signals.task_failure.connect(outages)
signals.celeryd_init.connect(take_no_orders)
# This signal is sent when the queues are known, before the pool forks.
signals.celeryd_after_setup.connect(check_schema)
signals.celeryd_after_setup.connect(preload)
if settings.log_format == "json":
    signals.after_setup_logger.connect(write_json)
    signals.after_setup_task_logger.connect(write_json)
if settings.otel:
    # In each child, since connections do not survive a fork; `worker_ready` serves workers whose tasks are threads.
    signals.worker_process_init.connect(start_tracing)
    signals.worker_ready.connect(start_tracing)

# Set by the environment rather than by a Celery setting, so that one variable moves all state.
if "TURNFOLD_STATE_DIR" in os.environ:
    app.conf.beat_schedule_filename = os.path.join(os.environ["TURNFOLD_STATE_DIR"], "beat")  # noqa: PTH118
app.conf.beat_schedule = {
    "sweep": {
        "task": str(Task.SWEEP), "schedule": settings.sweep_seconds, "options": {"expires": settings.sweep_seconds},
    },
}  # fmt: skip
if settings.keep_level0_days or settings.keep_search_days:
    app.conf.beat_schedule["expire"] = {"task": str(Task.EXPIRE), "schedule": 3_600.0, "options": {"expires": 3_600}}
