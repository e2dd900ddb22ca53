"""Keep a worker from folding conversations that newer rules have folded, while two versions run side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Integer, bindparam, or_, select, update

from turnfold.contract.records import ConversationId, JobId
from turnfold.contract.tables import ConversationRow, JobRow, table
from turnfold.contract.tasks import JobState
from turnfold.database.database_clock import now_milliseconds
from turnfold_worker.adapters.sql.jobs import DUE, lapsed
from turnfold_worker.pipeline import settings

_conversation = table(ConversationRow)
_job = table(JobRow)

NEWER_MILLISECONDS: Final = 5_000
"""How long a job is left to workers with newer rules before those with older ones check it again."""

RULES: Final = bindparam("own_rules", callable_=lambda: settings.RULES_VERSION, type_=Integer)

MAY_FOLD: Final = _conversation.c.rules_version <= RULES
"""Match conversations that no newer rules than those of this process have folded."""

FOLDED_BY_US: Final[dict[str, Any]] = {"rules_version": RULES}
"""Values to set on a conversation that this process folds."""


def is_newer(version: int) -> bool:
    """Whether a version of the rules is newer than that of this process."""
    return version > settings.RULES_VERSION


def may_fold(connection: Connection, conversation: ConversationId) -> bool:
    """Whether this process may fold a conversation; True where it is deleted."""
    version = connection.scalar(select(_conversation.c.rules_version).where(_conversation.c.id == conversation))
    return not is_newer(version or 0)


def leave_to_newer(connection: Connection, jobs: Sequence[JobId], *, lease_milliseconds: int) -> None:
    """Postpone jobs of conversations that newer rules folded, so that this worker does not find them at once again."""
    if jobs:
        connection.execute(
            update(_job)
            .where(_job.c.id.in_(jobs), or_(DUE, lapsed(lease_milliseconds)))
            .values(state=str(JobState.DUE), claim=None, not_before=now_milliseconds() + NEWER_MILLISECONDS)
        )


def of_newer(connection: Connection, jobs: Sequence[JobId]) -> list[JobId]:
    """Return the jobs whose conversations newer rules have folded."""
    of_them = select(_job.c.id).join(_conversation, _conversation.c.id == _job.c.conversation)
    return [JobId(id_) for id_ in connection.scalars(of_them.where(_job.c.id.in_(jobs), ~MAY_FOLD))]
