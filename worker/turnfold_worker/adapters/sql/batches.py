"""Batches of a provider in SQL: open batches, and the jobs that wait for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Engine, Update, delete, select, update

from turnfold.contract.records import ConversationId, JobId
from turnfold.contract.tables import ConversationRow, JobRow, ModelBatchRow, table
from turnfold.contract.tasks import JobKind, JobState
from turnfold.database.database_clock import now_milliseconds
from turnfold_worker.adapters.sql.errors import transaction
from turnfold_worker.adapters.sql.jobs import DUE
from turnfold_worker.adapters.sql.refine_sources import read_chapter, read_group
from turnfold_worker.ports.models import ChapterGroup, Group, Owner, RefineTarget, chapter_of_subject

_conversation = table(ConversationRow)
_job = table(JobRow)
_batch = table(ModelBatchRow)


class SqlBatches:
    """Batches and their jobs, for SQLite and PostgreSQL. Every method is one transaction."""

    def __init__(self, engine: Engine, target: RefineTarget) -> None:
        self._engine = engine
        self.target = target

    def take_for_batch(self, tenant: str, conversation: ConversationId | None, most: int) -> list[JobId]:
        """Take due jobs, important first, to wait for a batch."""
        mine: list[Any] = [DUE, _job.c.kind == str(JobKind.REFINE), _job.c.tenant == tenant]
        if conversation is not None:
            mine.append(_job.c.conversation == conversation)
        with transaction(self._engine) as connection:
            found = connection.scalars(
                select(_job.c.id).where(*mine).order_by(_job.c.priority.desc(), _job.c.id).limit(most)
            ).all()
            taken = connection.scalars(
                update(_job)
                .where(_job.c.id.in_(found), DUE)
                .values(state=str(JobState.BATCHED), not_before=now_milliseconds())
                .returning(_job.c.id)
            ).all()
        return [JobId(id_) for id_ in found if id_ in set(taken)]

    def give_back(self, jobs: Sequence[JobId]) -> None:
        """Return jobs that were taken for a batch: they become due again."""
        with transaction(self._engine) as connection:
            connection.execute(_release().where(_job.c.id.in_(jobs)))

    def batch_group(self, job: JobId) -> tuple[Owner, Group | ChapterGroup] | None:
        """Read the segments or the chapter of a job; None when they are gone."""
        with transaction(self._engine) as connection:
            row = connection.execute(
                select(_job.c.conversation, _job.c.tenant, _job.c.subject).where(_job.c.id == job)
            ).first()
            if row is None:
                return None
            conversation = ConversationId(row.conversation)
            chapter = chapter_of_subject(row.subject)
            group = (
                read_group(connection, conversation, self.target, row.subject)
                if chapter is None
                else read_chapter(connection, conversation, chapter)
            )
            return None if group is None else (Owner(conversation, row.tenant), group)

    def open_batches(self, tenant: str) -> list[tuple[str, int]]:
        """Return the open batches, each with its number of requests."""
        with transaction(self._engine) as connection:
            rows = connection.execute(
                select(_batch.c.id, _batch.c.requests).where(_batch.c.tenant == tenant).order_by(_batch.c.id)
            )
            return [(row.id, row.requests) for row in rows]

    def add_batch(self, tenant: str, batch: str, requests: int) -> None:
        with transaction(self._engine) as connection:
            connection.execute(_batch.insert().values(id=batch, tenant=tenant, requests=requests))

    def end_batch(self, batch: str) -> None:
        with transaction(self._engine) as connection:
            connection.execute(delete(_batch).where(_batch.c.id == batch))

    def owner(self, conversation: ConversationId) -> Owner | None:
        with transaction(self._engine) as connection:
            tenant = connection.scalar(select(_conversation.c.tenant).where(_conversation.c.id == conversation))
        return None if tenant is None else Owner(conversation, tenant)

    def release_batched(self, tenant: str) -> None:
        """Make jobs due that waited for batches."""
        with transaction(self._engine) as connection:
            connection.execute(_release().where(_job.c.kind == str(JobKind.REFINE), _job.c.tenant == tenant))


def _release() -> Update:
    """Update jobs that wait for a batch to due."""
    waits = _job.c.state == str(JobState.BATCHED)
    return update(_job).where(waits).values(state=str(JobState.DUE), not_before=now_milliseconds())
