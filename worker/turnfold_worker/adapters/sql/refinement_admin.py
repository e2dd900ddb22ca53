"""What a person asks of refining: do it, do it again with other models, and undo it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine, delete, func, select, update

from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId
from turnfold.contract.tables import AnchorRow, ConversationRow, LevelRow, NodeRow, table
from turnfold_worker.adapters.sql import access as sql_access
from turnfold_worker.adapters.sql import anchors as sql_anchors
from turnfold_worker.adapters.sql import model_notes as sql_model_notes
from turnfold_worker.adapters.sql import model_outlines as sql_model_outlines
from turnfold_worker.adapters.sql import refine_jobs as sql_refine_jobs
from turnfold_worker.adapters.sql.errors import transaction
from turnfold_worker.ports.models import RefineCounts, RefineTarget

_conversation = table(ConversationRow)
_node = table(NodeRow)
_level = table(LevelRow)
_anchor = table(AnchorRow)

CONVERSATIONS_AT_ONCE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What undoing removed."""

    levels: int
    anchors: int


class SqlRefinementAdmin:
    """For SQLite and PostgreSQL. Every method is one transaction."""

    def __init__(self, engine: Engine, target: RefineTarget) -> None:
        self._engine = engine
        self._target = target

    def conversations(self, tenant: str, *, after: int = 0) -> list[ConversationId]:
        """Conversations of a tenant that have segments, in order, some hundred at a time."""
        with transaction(self._engine) as connection:
            rows = connection.scalars(
                select(_conversation.c.id)
                .where(_conversation.c.tenant == tenant, _conversation.c.id > after, _conversation.c.node_count > 0)
                .order_by(_conversation.c.id)
                .limit(CONVERSATIONS_AT_ONCE)
            )
            return [ConversationId(id_) for id_ in rows]

    def find(self, address: Address) -> ConversationId | None:
        """A conversation's id."""
        with transaction(self._engine) as connection:
            return connection.scalar(
                select(_conversation.c.id).where(
                    _conversation.c.tenant == address.tenant, _conversation.c.external_id == address.conversation
                )
            )

    def ask(self, conversation: ConversationId) -> int:
        """Jobs for all that the models and prompts in force have not made yet; how many became due."""
        with transaction(self._engine) as connection:
            return sql_refine_jobs.ask(connection, conversation, self._target)

    def counts(self, tenant: str, conversation: ConversationId | None) -> RefineCounts:
        """Where the jobs stand."""
        with transaction(self._engine) as connection:
            return sql_refine_jobs.counts(connection, tenant, conversation)

    def undo(self, conversation: ConversationId) -> Undone:
        """Remove all that models wrote: the rules' words are left. Replies stay, so that doing it again is free."""
        with transaction(self._engine) as connection:
            moved = update(_conversation).where(_conversation.c.id == conversation)
            connection.execute(
                moved.values(
                    revision=_conversation.c.revision + 1, refined_anchors=0, refined_anchor_tokens=0, refined_turns=0,
                    updated_at=func.current_timestamp(),
                )
            )  # fmt: skip
            sql_refine_jobs.forget(connection, conversation)
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
            return Undone(levels=levels, anchors=anchors)
