"""Find jobs that are due or were left by a dead worker, fairly among tenants."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    Integer,
    Select,
    Update,
    bindparam,
    column,
    not_,
    or_,
    select,
    text,
    update,
)

from turnfold.contract.records import JobId
from turnfold.contract.tables import JobRow, table
from turnfold.contract.tasks import JobKind, JobState
from turnfold.database.database_clock import now_milliseconds
from turnfold_worker.adapters.sql.jobs import DUE, lapsed
from turnfold_worker.adapters.sql.turns import BACKFILL, LATER

_job = table(JobRow)

LOOKS: Final = 4
"""Times that a claim is retried because another worker took the job found."""

TENANTS_AT_ONCE: Final = 2_000
"""Tenants that one query for due jobs covers."""

# A loose index scan from tenant to tenant, independent of the number of jobs of each.
_WAITING: Final = (
    text(
        """
        WITH RECURSIVE waiting(step, tenant) AS (
          SELECT 1, (SELECT MIN(tenant) FROM job WHERE state = 'due' AND kind = :kind AND tenant > :after)
          UNION ALL
          SELECT step + 1,
                 (SELECT MIN(tenant) FROM job WHERE state = 'due' AND kind = :kind AND tenant > waiting.tenant)
          FROM waiting WHERE waiting.tenant IS NOT NULL AND step < :most
        )
        SELECT step, tenant,
               (SELECT MIN(not_before) FROM job
                WHERE state = 'due' AND kind = :kind AND tenant = waiting.tenant) AS earliest,
               (SELECT MAX(not_before) FROM job
                WHERE state = 'due' AND kind = :kind AND tenant = waiting.tenant) AS latest
        FROM waiting WHERE tenant IS NOT NULL
        """
    )
    .columns(column("step"), column("tenant"), column("earliest"), column("latest"))
    .subquery()
)
_TENANTS: Final = select(_WAITING, now_milliseconds().label("now")).order_by(_WAITING.c.step)


@lru_cache(maxsize=16)
def _stuck(kind: JobKind, lease_milliseconds: int) -> Select[int]:
    """Select the first `most` jobs with expired leases. Cached, since each claim runs it with the same settings."""
    return (
        select(_job.c.id)
        .where(_job.c.kind == str(kind), lapsed(lease_milliseconds))
        .order_by(_job.c.lease_until)
        .limit(bindparam("most", type_=Integer))
    )


def due_in_turn(
    connection: Connection, kind: JobKind, most: int, *, after: str, lease_milliseconds: int, longest_milliseconds: int,
    first: tuple[ColumnElement[Any], ...] = (),
) -> tuple[list[JobId], str]:  # fmt: skip
    """Return up to `most` due jobs, of tenants after `after`, else from the first on, and the tenant reached.

    `longest_milliseconds` is the longest that a job of this kind is postponed; `first` orders a tenant's jobs, before
    their times do.
    """
    left = connection.scalars(_stuck(kind, lease_milliseconds), {"most": max(1, most // 2)})
    found = [JobId(id_) for id_ in left]
    for start in dict.fromkeys((after, "")):
        reached: str | None = start
        while reached is not None:
            reached = _add_overdue(connection, kind, found, most, reached, longest_milliseconds, first)
            if found:
                return found, reached or ""
    return [], ""


def is_any_due(connection: Connection, kind: JobKind, *, lease_milliseconds: int, longest_milliseconds: int) -> bool:
    """Whether `due_in_turn` would find any job; for folds, also whether a backfill job waits."""
    return bool(connection.scalar(_any_due(kind, lease_milliseconds, longest_milliseconds)))


@lru_cache(maxsize=16)
def _any_due(kind: JobKind, lease_milliseconds: int, longest_milliseconds: int) -> Select[bool]:
    """Make one statement of up to three index lookups."""
    looks = [
        select(_job.c.id).where(DUE, _job.c.kind == str(kind), _come(longest_milliseconds)),
        select(_job.c.id).where(_job.c.kind == str(kind), lapsed(lease_milliseconds)),
    ]
    if kind is JobKind.COMPRESS:
        looks.append(select(_job.c.id).where(LATER, BACKFILL))
    return select(or_(*(look.exists() for look in looks)))


def _add_overdue(
    connection: Connection, kind: JobKind, found: list[JobId], most: int, after: str, longest_milliseconds: int,
    first: tuple[ColumnElement[Any], ...],
) -> str | None:  # fmt: skip
    """Add due jobs of tenants after `after`, up to `most`; return the tenant reached, None at the end.

    Tenants share the room evenly; a single one gets all of it. Work is bounded by `TENANTS_AT_ONCE` and `most`,
    however many jobs are due.
    """
    rows = connection.execute(_TENANTS, {"kind": str(kind), "after": after, "most": TENANTS_AT_ONCE}).all()
    now = rows[0].now if rows else 0
    ahead = now + 2 * longest_milliseconds
    """Later times date from before the clock was set back."""
    waiting = {row.tenant: row.latest > ahead for row in rows if row.earliest <= now or row.latest > ahead}
    tenants = list(waiting)[: most - len(found)]
    chosen = {
        tenant: (_of_tenant(kind, first, put_off=waiting[tenant]), {"of_tenant": tenant, "now": now, "ahead": ahead})
        for tenant in tenants
    }
    found += _shared(connection, chosen, most - len(found))
    if len(tenants) < len(waiting):
        return tenants[-1] if tenants else after
    return rows[-1].tenant if len(rows) == TENANTS_AT_ONCE else None


def _come(longest_milliseconds: int) -> ColumnElement[bool]:
    """Match jobs whose time has come, or that were postponed before the clock was set back."""
    now = now_milliseconds()
    return or_(_job.c.not_before <= now, _job.c.not_before > now + 2 * longest_milliseconds)


def ripen(connection: Connection, most: int, *, longest_milliseconds: int) -> None:
    """Make postponed jobs due whose time has come, or that were postponed before the clock was set back."""
    connection.execute(_ripened(most, longest_milliseconds))


@lru_cache(maxsize=16)
def _ripened(most: int, longest_milliseconds: int) -> Update:
    """Cached, since each sweep runs the statement with the same settings."""
    chosen = (
        select(_job.c.id)
        .where(LATER, not_(BACKFILL), _come(longest_milliseconds))
        .order_by(_job.c.not_before)
        .limit(most)
    )
    # Jobs that a drain is postponing right now are skipped.
    chosen = chosen.with_for_update(skip_locked=True)
    return (
        update(_job)
        .where(_job.c.id.in_(chosen.scalar_subquery()), LATER)
        .values(state=str(JobState.DUE), not_before=now_milliseconds())
    )


@lru_cache(maxsize=16)
def _of_tenant(kind: JobKind, first: tuple[ColumnElement[Any], ...], *, put_off: bool) -> Select[int]:
    """Select due jobs of a tenant; with `put_off`, also those postponed before the clock was set back."""
    come = _job.c.not_before <= bindparam("now", type_=BigInteger)
    return (
        select(_job.c.id)
        .where(
            DUE, _job.c.kind == str(kind), _job.c.tenant == bindparam("of_tenant"),
            or_(come, _job.c.not_before > bindparam("ahead", type_=BigInteger)) if put_off else come,
        )
        .order_by(*first, _job.c.not_before, _job.c.id)
        .limit(bindparam("room", type_=Integer))
        .offset(bindparam("taken", type_=Integer))
    )  # fmt: skip


def _shared(
    connection: Connection, waiting: Mapping[str, tuple[Select[int], Mapping[str, Any]]], most: int
) -> list[JobId]:
    """Return jobs of each tenant in equal shares; unused shares are distributed among tenants with more jobs."""
    found: list[JobId] = []
    hungry = dict.fromkeys(waiting, 0)
    while hungry and len(found) < most:
        # Rounded down: rounded up, the first tenants would leave nothing for the last.
        share, still = max(1, (most - len(found)) // len(hungry)), {}
        for tenant, taken in hungry.items():
            room = min(share, most - len(found))
            statement, of_tenant = waiting[tenant]
            asked = {**of_tenant, "room": room, "taken": taken}
            more = [JobId(id_) for id_ in connection.scalars(statement, asked)] if room else []
            found += more
            if len(more) == room:
                still[tenant] = taken + room
        hungry = still
    return found
