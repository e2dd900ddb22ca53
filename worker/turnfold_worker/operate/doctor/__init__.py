"""Checks of the invariants and of the surroundings: `turnfold doctor`. Changes nothing.

finding     what a check says
invariants  those that are queries
blocks      these over all conversations, block by block, as long as a time limit allows
samples     those that are computed, over the newest segments
servers     Redis, the database's server, clocks
workers     versions, a summarizer of one's own, the broker, its queues, who serves them
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
    """Every check, those of the database first; `reach` says of which conversations.

    A check that cannot be made is a finding too.
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
