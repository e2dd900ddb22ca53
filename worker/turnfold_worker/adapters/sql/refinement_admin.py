"""Administration of refining: request it, repeat it with other models, and undo it."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Engine, and_, delete, func, or_, select, update

from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId
from turnfold.contract.tables import AnchorRow, ConversationRow, JobRow, LevelRow, NodeRow, table
from turnfold.contract.tasks import JobState
from turnfold.database.database_clock import now_milliseconds
from turnfold_worker.adapters.sql import access as sql_access
from turnfold_worker.adapters.sql import anchors as sql_anchors
from turnfold_worker.adapters.sql import model_notes as sql_model_notes
from turnfold_worker.adapters.sql import model_outlines as sql_model_outlines
from turnfold_worker.adapters.sql import refine_jobs as sql_refine_jobs
from turnfold_worker.adapters.sql.errors import transaction
from turnfold_worker.adapters.sql.jobs import DUE
from turnfold_worker.adapters.sql.refine_jobs import REFINES
from turnfold_worker.ports.models import RefineCounts, RefineTarget

_conversation = table(ConversationRow)
_node = table(NodeRow)
_level = table(LevelRow)
_anchor = table(AnchorRow)
_job = table(JobRow)

CONVERSATIONS_AT_ONCE: Final = 500
GROUPS_AT_ONCE: Final = 200


class SqlRefinementAdmin:
    """Refining as operators manage it, in SQLite and PostgreSQL. Every method is one transaction."""

    def __init__(self, engine: Engine, target: RefineTarget) -> None:
        self._engine = engine
        self._target = target

    def conversations(self, tenant: str, *, after: int = 0) -> list[ConversationId]:
        """Return conversations of a tenant that have segments, in order, some hundred at a time."""
        with transaction(self._engine) as connection:
            rows = connection.scalars(
                select(_conversation.c.id)
                .where(_conversation.c.tenant == tenant, _conversation.c.id > after, _conversation.c.node_count > 0)
                .order_by(_conversation.c.id)
                .limit(CONVERSATIONS_AT_ONCE)
            )
            return [ConversationId(id_) for id_ in rows]

    def find(self, address: Address) -> ConversationId | None:
        """Return a conversation's id."""
        with transaction(self._engine) as connection:
            return connection.scalar(
                select(_conversation.c.id).where(
                    _conversation.c.tenant == address.tenant, _conversation.c.external_id == address.conversation
                )
            )

    def ask(self, conversation: ConversationId) -> int:
        """Make jobs due for everything that the current models and prompts have not refined; return how many."""
        with transaction(self._engine) as connection:
            count = connection.scalar(select(_conversation.c.node_count).where(_conversation.c.id == conversation)) or 0
            due = 0
            span = GROUPS_AT_ONCE * self._target.segments
            for first in range(0, count, span):
                due += sql_refine_jobs.add(
                    connection, conversation, self._target, first=first, last=first + span - 1, again=False,
                    fewer_after=0,
                )  # fmt: skip
            waiting = or_(_job.c.state == str(JobState.PARKED), and_(DUE, _job.c.not_before > now_milliseconds()))
            now = update(_job).where(_job.c.conversation == conversation, REFINES, waiting).values(
                state=str(JobState.DUE), attempts=0, error=None, not_before=now_milliseconds()
            )  # fmt: skip
            return due + int(connection.execute(now).rowcount)

    def counts(self, tenant: str, conversation: ConversationId | None) -> RefineCounts:
        """Count the refine jobs by state and error."""
        mine = [REFINES, _job.c.tenant == tenant]
        if conversation is not None:
            mine.append(_job.c.conversation == conversation)
        with transaction(self._engine) as connection:
            rows = connection.execute(select(_job.c.state, func.count()).where(*mine).group_by(_job.c.state))
            by_state = {state: number for state, number in rows}  # noqa: C416 - rows are no pairs to the type checker
            errors = connection.execute(
                select(_job.c.error, func.count())
                .where(*mine, _job.c.error.is_not(None), _job.c.state != str(JobState.DONE))
                .group_by(_job.c.error)
                .order_by(_job.c.error)
            )
            return RefineCounts(
                **{str(state): by_state.get(str(state), 0) for state in JobState if state is not JobState.LATER},
                errors={row.error: row[1] for row in errors},
            )

    def undo(self, conversation: ConversationId) -> tuple[int, int]:
        """Remove all text of models, and return how many levels and anchors; that of the rules is left.

        Replies stay cached, so that repeating is free.
        """
        with transaction(self._engine) as connection:
            moved = update(_conversation).where(_conversation.c.id == conversation)
            connection.execute(
                moved.values(
                    revision=_conversation.c.revision + 1, refined_anchors=0, refined_anchor_tokens=0, refined_turns=0,
                    updated_at=func.current_timestamp(),
                )
            )  # fmt: skip
            # A worker on one of the jobs finds out when it writes.
            connection.execute(delete(_job).where(_job.c.conversation == conversation, REFINES))
            levels = connection.execute(
                delete(_level).where(_level.c.conversation == conversation, _level.c.refined == 1)
            ).rowcount
            sql_model_notes.drop_all(connection, conversation)
            sql_model_outlines.drop(connection, conversation)
            anchors = connection.execute(
                delete(_anchor).where(_anchor.c.conversation == conversation, _anchor.c.id < 0)
            ).rowcount
            sql_anchors.unmark(connection, conversation)
            connection.execute(
                update(_node)
                .where(_node.c.conversation == conversation, _node.c.refined != 0)
                .values(refined=0, refined_tokens_1=0, refined_tokens_2=0, refined_tokens_3=0)
            )
            sql_access.tell_again(connection, conversation)
            return levels, anchors
