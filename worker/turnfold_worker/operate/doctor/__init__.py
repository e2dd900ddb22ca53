"""Checks of the invariants and the environment for `turnfold doctor`. They change nothing.

finding     the result of a check
invariants  invariants that are SQL queries
blocks      runs the queries over all conversations, block by block, within a time limit
samples     invariants that are computed in Python, over the newest segments
servers     Redis, the database server, clocks
workers     versions, a custom summarizer, the broker, its queues and the workers that consume them
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from turnfold.redis.servers import InboxServers
from turnfold_worker.operate.doctor.blocks import Reach, check_invariants
from turnfold_worker.operate.doctor.finding import Finding, attempted
from turnfold_worker.operate.doctor.samples import check_samples
from turnfold_worker.operate.doctor.servers import check_clocks, check_database, check_redis, check_schema
from turnfold_worker.operate.doctor.workers import check_broker, check_summarizer, check_versions

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from turnfold_worker.settings import WorkerSettings


def diagnose(
    settings: WorkerSettings, engine: Callable[[], Engine], servers: Callable[[], InboxServers], reach: Reach
) -> list[Finding]:
    """Run every check, starting with the database's; `reach` selects the conversations.

    A check that cannot run is reported as a finding.
    """
    schema = attempted("schema", lambda: [check_schema(settings.database_url)])
    stored = schema[0].ok
    groups = [check_versions(), check_summarizer(settings.summarizer), schema]
    if stored:
        groups.append(attempted("database", lambda: [*check_invariants(engine(), reach), *check_samples(engine())]))
        groups.append(attempted("database", lambda: check_database(engine())))
    answers = attempted("redis", lambda: check_redis(servers(), lease_seconds=settings.lease_seconds))
    groups.append(answers)
    if stored and len(answers) > 1:
        groups.append(attempted("clocks", lambda: check_clocks(engine(), servers())))
    groups.append(attempted("broker", lambda: check_broker(settings.effective_broker_url, refines=settings.refines)))
    return [finding for group in groups for finding in group]


__all__ = ["Finding", "Reach", "diagnose"]
