"""Retry or skip one piece of a tenant's work, as `turnfold jobs` does, for callers without a command line."""

from __future__ import annotations

import re
from contextlib import closing
from typing import Final, Literal

from turnfold.contract.attention import Selection
from turnfold.database.engines import database
from turnfold.database.reader import Reader
from turnfold.errors import InvalidInput
from turnfold.redis.servers import InboxServers
from turnfold.settings import Settings
from turnfold_worker.adapters.redis.bell import RedisPublisher
from turnfold_worker.adapters.sql.parked import SqlParkedWork
from turnfold_worker.use_cases import jobs

_ID: Final = re.compile(r"(?:job|entry)-\d{1,18}")


def decide(settings: Settings, tenant: str, work_id: str, action: Literal["retry", "skip"]) -> str:
    """Retry or skip a piece of work and return the outcome as text.

    Raises `InvalidInput` for a malformed id, `WorkerError` when the database does not answer.
    """
    if not _ID.fullmatch(work_id):
        raise InvalidInput(f"{work_id[:40]!r} is not the id of a job or entry (such as job-12 or entry-3)")
    selection = Selection(tenant=tenant, ids=frozenset([work_id]))
    engine = database(settings, write=True)
    try:
        parked = SqlParkedWork(engine)
        if action == "skip":
            decided = jobs.skip(selection, parked=parked)
        else:
            with closing(InboxServers.of(settings, Reader(engine).layout)) as servers:
                decided = jobs.retry(selection, parked=parked, publisher=RedisPublisher(servers))
    finally:
        engine.dispose()
    return "; ".join(f"{one.work.id}: {one.outcome}" for one in decided) or f"{work_id}: no longer parked"
