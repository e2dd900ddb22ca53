"""Reads of work that needs attention and of model usage, from `job`, `parked_entry` and the usage tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import date
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Table, and_, literal_column, or_, select

from turnfold.contract.attention import Selection, Usage, Work, WorkKind, WorkState
from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId
from turnfold.contract.tables import TENANT_USAGE, USAGE, ConversationRow, JobRow, ParkedEntryRow, standing, table
from turnfold.contract.tasks import EntryState, JobKind, JobState
from turnfold.database.database_clock import now_milliseconds

OVERDUE_MILLISECONDS: Final = 60_000
"""Delay after which a due job, or one with an expired lease, is listed as overdue."""

_conversation = table(ConversationRow)
_job = table(JobRow)
_entry = table(ParkedEntryRow)

# Literals, as in the partial indexes, which would not be used otherwise.
_DUE: Final = _job.c.state == literal_column("'due'")
_RUNNING: Final = _job.c.state == literal_column("'running'")
_PARKED: Final = _job.c.state == literal_column("'parked'")
_WAITING: Final = _entry.c.state == str(EntryState.PARKED)
_KINDS: Final = {
    JobKind.COMPRESS: WorkKind.COMPRESS, JobKind.REFOLD: WorkKind.REFOLD, JobKind.REFINE: WorkKind.REFINE,
}  # fmt: skip
_ORDER: Final = tuple(WorkKind)


def work_needing_attention(connection: Connection, selection: Selection) -> list[Work]:
    """Return work that is parked, failing or overdue, by conversation, in a stable order."""
    now = connection.scalar(select(now_milliseconds())) or 0
    works = [*_jobs(connection, selection, now), *_entries(connection, selection, now)]
    works.sort(key=lambda work: (work.tenant, work.conversation_id, _ORDER.index(work.kind), work.row))
    return works[: selection.most]


def _jobs(connection: Connection, selection: Selection, now: int) -> Iterator[Work]:
    late = now - OVERDUE_MILLISECONDS
    # Refine jobs wait for rate limits, caps and models, which is no sign of trouble.
    waits = _job.c.kind == str(JobKind.REFINE)
    overdue = and_(~waits, or_(and_(_DUE, _job.c.not_before < late), and_(_RUNNING, _job.c.lease_until < late)))
    failing = and_(or_(_DUE, _RUNNING), _job.c.error.is_not(None))
    statement = (
        select(_job, _conversation.c.external_id, overdue.label("overdue"))
        .join(_conversation, _conversation.c.id == _job.c.conversation)
        .where(or_(_PARKED, overdue, failing), *_selected(selection, _job.c.id, "job-"))
        .order_by(_job.c.tenant, _conversation.c.external_id, _job.c.id)
        .limit(selection.most)
    )
    for row in connection.execute(statement):
        since = row.lease_until if row.state == JobState.RUNNING else row.not_before
        state = WorkState.OVERDUE if row.overdue else WorkState.FAILING
        kind = _KINDS[JobKind(row.kind)]
        yield Work(
            id=f"job-{row.id}", kind=kind,
            state=WorkState.PARKED if row.state == JobState.PARKED else state, tenant=row.tenant,
            conversation_id=row.external_id, conversation=ConversationId(row.conversation),
            number=None if kind is WorkKind.COMPRESS else row.subject + 1, attempts=row.attempts, error=row.error,
            age_seconds=_age(now, since),
        )  # fmt: skip


def _entries(connection: Connection, selection: Selection, now: int) -> Iterator[Work]:
    columns = (_entry.c.id, _entry.c.seq, _entry.c.attempts, _entry.c.error, _entry.c.parked_at)
    statement = (
        select(*columns, _conversation.c.id.label("conversation"), _conversation.c.tenant, _conversation.c.external_id)
        .join(_conversation, _conversation.c.id == _entry.c.conversation)
        .where(_WAITING, standing(), *_selected(selection, _entry.c.id, "entry-"))
        .order_by(_conversation.c.tenant, _conversation.c.external_id, _entry.c.id)
        .limit(selection.most)
    )
    for row in connection.execute(statement):
        yield Work(
            id=f"entry-{row.id}", kind=WorkKind.ENTRY, state=WorkState.PARKED, tenant=row.tenant,
            conversation_id=row.external_id, conversation=ConversationId(row.conversation), number=row.seq,
            attempts=row.attempts, error=row.error, age_seconds=_age(now, row.parked_at),
        )  # fmt: skip


def _age(now: int, since: int) -> float | None:
    """Return the age in seconds, at least 0; None if `since` is 0, which means not recorded."""
    return round(max(0, now - since) / 1_000, 1) if since else None


def _selected(selection: Selection, id_: Any, prefix: str) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if selection.tenant is not None:
        conditions.append(_conversation.c.tenant == selection.tenant)
    if selection.address is not None:
        conditions += _of(selection.address)
    if selection.ids is not None:
        conditions.append(
            id_.in_([int(id_given.removeprefix(prefix)) for id_given in selection.ids if id_given.startswith(prefix)])
        )
    return conditions


def _of(address: Address) -> list[ColumnElement[bool]]:
    return [_conversation.c.tenant == address.tenant, _conversation.c.external_id == address.conversation]


def usage_since(
    connection: Connection, tenant: str, since: date, *, conversation_id: str | None = None, each: bool = False
) -> list[Usage]:
    """Return usage by day and model since a day: of the tenant, of one conversation, or of `each` of them."""
    if conversation_id is None and not each:
        mine = (TENANT_USAGE.c.tenant == tenant, TENANT_USAGE.c.model != "", TENANT_USAGE.c.day >= since)
        return [_usage(row, None) for row in _usage_rows(connection, TENANT_USAGE, mine)]
    conditions = [_conversation.c.tenant == tenant, USAGE.c.day >= since]
    if conversation_id is not None:
        conditions.append(_conversation.c.external_id == conversation_id)
    return [_usage(row, row.external_id) for row in _usage_rows(connection, USAGE, conditions)]


def _usage_rows(connection: Connection, rows: Table, conditions: Sequence[Any]) -> Sequence[Any]:
    statement = select(rows)
    if rows is USAGE:
        statement = select(rows, _conversation.c.external_id).join(
            _conversation, _conversation.c.id == USAGE.c.conversation
        )
    order = [rows.c.day, *([_conversation.c.external_id] if rows is USAGE else []), rows.c.model]
    return connection.execute(statement.where(*conditions).order_by(*order)).all()


def _usage(row: Any, conversation_id: str | None) -> Usage:
    names = [field.name for field in fields(Usage) if field.name != "conversation_id"]
    return Usage(conversation_id=conversation_id, **{name: getattr(row, name) for name in names})
