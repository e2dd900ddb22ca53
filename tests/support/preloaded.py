"""Imports that all forks of `support.forked_programs` share. Reads no settings and opens no connections."""

from __future__ import annotations

import gc
from importlib import import_module
from pkgutil import walk_packages

import turnfold_gateway
from turnfold.contract.tasks import Queue
from turnfold_worker.celery_parts.preload import load

# Modules that Celery, kombu and SQLAlchemy import by name when a worker starts.
for name in (
    "celery.apps.worker", "celery.bin.celery", "celery.bin.worker", "celery.concurrency.prefork",
    "celery.worker.consumer", "kombu.transport.redis", "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "turnfold_worker.celery_parts.broker_transport", "turnfold_worker.celery_parts.doorman",
    "turnfold_worker.celery_parts.heartbeat_file", "turnfold_worker.celery_parts.outage_log",
    "turnfold_worker.celery_parts.remote_control", "turnfold_worker.celery_parts.schema_gate",
    "turnfold_worker.celery_parts.sweep_timer",
    *(module.name for module in walk_packages(turnfold_gateway.__path__, f"{turnfold_gateway.__name__}.")),
):  # fmt: skip
    import_module(name)
load([*Queue])
# Keep garbage collection in a fork from scanning the shared modules.
gc.freeze()
