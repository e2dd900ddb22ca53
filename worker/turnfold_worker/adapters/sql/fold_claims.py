"""Claim fold jobs: one by name, or several of many tenants together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, takewhile
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Select, and_, bindparam, case, or_, select, update
from sqlalchemy.sql.dml import ReturningUpdate

from turnfold.contract.records import ConversationId, JobId
from turnfold.contract.tables import ConversationRow, JobRow, table
from turnfold.contract.tasks import JobState
from turnfold.database.database_clock import now_milliseconds
from turnfold_worker.adapters.sql.jobs import DUE, fold_job, lapsed, taken_by
from turnfold_worker.adapters.sql.postings import POSTINGS
from turnfold_worker.adapters.sql.rules_guard import is_newer, leave_to_newer, may_fold
from turnfold_worker.adapters.sql.turns import BACKFILL, LATER, fold_due
from turnfold_worker.ports.messages import FoldClaim

_conversation = table(ConversationRow)
_job = table(JobRow)

_TRY_MILLISECONDS: Final = 1_000
"""Time after which a try that left no error counts as failed: a hundred times the time to fold a segment."""
MOST_CLAIMED: Final = 50
"""Conversations that one task folds together."""
_CLAIMED_TOKENS: Final = 8_000
"""Rough number of unfolded tokens per task: half a second of work, after which others get their turn."""


def _one_more(lease_milliseconds: int) -> ColumnElement[int]:
    """Count this try, unless the last claimer may still be working, under a lease that was too short."""
    now, taken_at = now_milliseconds(), _job.c.lease_until - lease_milliseconds
    again = and_(_job.c.attempts > 0, _job.c.error.is_(None), taken_at.between(now - _TRY_MILLISECONDS, now))
    return case((again, _job.c.attempts), else_=_job.c.attempts + 1)


def claim(
    connection: Connection, conversation: ConversationId, token: str, *, lease_milliseconds: int
) -> FoldClaim | None:
    """Claim the fold job of a conversation, unless newer rules than ours have folded it."""
    if not may_fold(connection, conversation):
        return None
    taken = (
        update(_job)
        .where(fold_job(conversation), or_(LATER, DUE, lapsed(lease_milliseconds)))
        .values({**taken_by(token, lease_milliseconds), "attempts": _one_more(lease_milliseconds)})
        .returning(_job.c.attempts, _job.c.error)
    )
    row = connection.execute(taken).first()
    if row is None and _is_due_by_loss(connection, conversation):
        row = connection.execute(taken).first()
    return None if row is None else FoldClaim(conversation, token, row.attempts, row.error)


def hurry(connection: Connection, conversation: ConversationId) -> None:
    """Make a postponed fold job due now, or one that rebuilds lost postings."""
    hurried = connection.execute(
        update(_job).where(fold_job(conversation), LATER).values(state=str(JobState.DUE), not_before=now_milliseconds())
    )
    if not hurried.rowcount:
        _is_due_by_loss(connection, conversation)


def _is_due_by_loss(connection: Connection, conversation: ConversationId) -> bool:
    """Make a fold due that rebuilds dropped postings; a conversation from an archive may have no job yet."""
    lost = POSTINGS.standing(connection, conversation) is not None
    return lost and fold_due(connection, [conversation])


def begin_backfill(connection: Connection) -> bool:
    """Make some backfill folds due, which wait until nothing else is; False where there are none."""
    chosen = select(_job.c.id).where(LATER, BACKFILL).order_by(_job.c.not_before).limit(MOST_CLAIMED)
    begun = connection.execute(
        update(_job)
        .where(_job.c.id.in_(chosen.with_for_update(skip_locked=True).scalar_subquery()), LATER)
        .values(state=str(JobState.DUE), not_before=now_milliseconds())
    )  # fmt: skip
    return bool(begun.rowcount)


# Built once a process: SQLAlchemy takes longer to build these than the database to run them.
@lru_cache(maxsize=4)
def _free(lease_milliseconds: int) -> Select[Any]:
    """Select the claimable jobs among some; jobs that others are claiming now are skipped."""
    return (
        select(
            _job.c.id, _job.c.tenant, _job.c.conversation, _job.c.attempts, _job.c.state,
            _conversation.c.unfolded_tokens, _conversation.c.rules_version,
        )
        .join(_conversation, _conversation.c.id == _job.c.conversation)
        .where(_job.c.id.in_(bindparam("jobs", expanding=True)), or_(DUE, lapsed(lease_milliseconds)))
        .with_for_update(of=_job, skip_locked=True)
    )  # fmt: skip


@lru_cache(maxsize=4)
def _taken(lease_milliseconds: int, *, again: bool) -> ReturningUpdate[Any]:
    """Claim some jobs; with `again`, one that was tried before, whose try counts from the start."""
    attempts = _one_more(lease_milliseconds) if again else _job.c.attempts
    return (
        update(_job)
        .where(_job.c.id.in_(bindparam("jobs", expanding=True)), or_(DUE, lapsed(lease_milliseconds)))
        .values({**taken_by(bindparam("token"), lease_milliseconds), "attempts": attempts})
        .returning(_job.c.conversation, _job.c.attempts, _job.c.error)
    )


def claim_together(
    connection: Connection, due: Sequence[JobId], token: str, *, lease_milliseconds: int
) -> tuple[list[FoldClaim], str]:
    """Claim the due fold jobs that one task folds; also return the tenant served last.

    Tenants take turns, job by job. A job that was tried before is taken alone, and its try counted before the work: a
    conversation that kills its worker takes no other one with it, and is detected.
    """
    if not due:
        return [], ""
    found = connection.execute(_free(lease_milliseconds), {"jobs": due}).all()
    newer = [JobId(row.id) for row in found if is_newer(row.rules_version)]
    leave_to_newer(connection, newer, lease_milliseconds=lease_milliseconds)
    rows = _in_turn([row for row in found if not is_newer(row.rules_version)], due)
    tried = next((row for row in rows if row.attempts or row.state == JobState.RUNNING), None)
    taken = [tried] if tried is not None else rows[: _so_many(rows)]
    if not taken:
        return [], ""
    claimed = connection.execute(
        _taken(lease_milliseconds, again=tried is not None), {"jobs": [row.id for row in taken], "token": token}
    )
    claims = {row.conversation: FoldClaim(row.conversation, token, row.attempts or 1, row.error) for row in claimed}
    return [claims[row.conversation] for row in taken if row.conversation in claims], taken[-1].tenant


def give_back_untouched(connection: Connection, claims: Sequence[FoldClaim]) -> None:
    """Give back jobs that were claimed but not begun: they keep their places."""
    connection.execute(
        update(_job)
        .where(_job.c.conversation.in_([one.conversation for one in claims]), _job.c.claim == claims[0].claim)
        .values(state=str(JobState.DUE), claim=None)
    )


def _in_turn(rows: Sequence[Any], order: Sequence[JobId]) -> list[Any]:
    """Order jobs round robin: the first of each tenant, then the second of each, and so on."""
    place = {job: number for number, job in enumerate(order)}
    served: Counter[str] = Counter()
    ranked = []
    for row in sorted(rows, key=lambda row: place[row.id]):
        ranked.append((served[row.tenant], row))
        served[row.tenant] += 1
    return [row for _, row in sorted(ranked, key=lambda one: one[0])]


def _so_many(rows: Sequence[Any]) -> int:
    """Return how many rows make the work of one task: at least one."""
    tokens = accumulate(row.unfolded_tokens for row in rows)
    few = sum(1 for _ in takewhile(lambda sum_: sum_ <= _CLAIMED_TOKENS, tokens))
    return min(max(1, few), MOST_CLAIMED)
