"""Delete rows derived from turns that were changed or cut off: anchors, a model's text, replies."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, case, delete, func, null, select, update

from turnfold.contract.model_anchors import segment_of_model
from turnfold.contract.records import FAN_OUT, AnchorState, ConversationId
from turnfold.contract.tables import (
    AnchorPostingRow,
    AnchorRow,
    AnchorVectorRow,
    ConversationRow,
    JobRow,
    LevelRow,
    ModelNoteRow,
    NodeRow,
    ReplyRow,
    table,
)
from turnfold.contract.tasks import JobKind
from turnfold.database.rows import STATES
from turnfold_worker.adapters.sql import access as sql_access
from turnfold_worker.adapters.sql import model_notes as sql_model_notes
from turnfold_worker.adapters.sql import refined_turns as sql_refined_turns
from turnfold_worker.adapters.sql.anchors import RULES, count_model_anchors, find_again, unmark_over
from turnfold_worker.adapters.sql.turns import content_hash
from turnfold_worker.ports.models import subject_of_chapter

_conversation = table(ConversationRow)
_anchor = table(AnchorRow)
_anchor_posting = table(AnchorPostingRow)
_anchor_vector = table(AnchorVectorRow)
_node = table(NodeRow)
_level = table(LevelRow)
_note = table(ModelNoteRow)
_job = table(JobRow)
_reply = table(ReplyRow)

_AT_ONCE: Final = 500
_ACTIVE: Final = STATES.index(AnchorState.ACTIVE)


def drop_anchors(
    connection: Connection, conversation: ConversationId, which: ColumnElement[bool], *, relink: bool
) -> None:
    """Delete anchors. Anchors that they had superseded, answered or repeated become active again.

    With `relink` those keep the deleted anchor's id, until a refold has looked for other successors.
    """
    own = _anchor.c.conversation == conversation
    gone = connection.execute(select(_anchor.c.id, _anchor.c.body).where(own, which)).all()
    for start in range(0, len(gone), _AT_ONCE):
        ids = [row.id for row in gone[start : start + _AT_ONCE]]
        connection.execute(
            delete(_anchor_posting).where(
                _anchor_posting.c.conversation == conversation, _anchor_posting.c.anchor.in_(ids)
            )
        )
        connection.execute(delete(_anchor).where(own, _anchor.c.id.in_(ids)))
        by_hand = _anchor.c.settled_after.is_not(None)
        active_again: dict[str, Any] = {
            "state": case((by_hand, _anchor.c.state), else_=_ACTIVE), "ruled": case((by_hand, _ACTIVE), else_=null()),
        }  # fmt: skip
        if not relink:
            active_again["related"] = None
        again = connection.execute(
            update(_anchor)
            .where(own, _anchor.c.related.in_(ids))
            .values(active_again)
            .returning(_anchor.c.id, _anchor.c.body)
        ).all()  # fmt: skip
        find_again(connection, conversation, {row.id: row.body for row in again if row.id > 0})
        connection.execute(update(_anchor).where(own, _anchor.c.replaces.in_(ids)).values(replaces=None))
        unmark_over(connection, conversation, {segment_of_model(id_) for id_ in ids if id_ < 0})
    _drop_vectors(connection, conversation, {row.body for row in gone})
    count_anchors(connection, conversation)


def _drop_vectors(connection: Connection, conversation: ConversationId, texts: set[str]) -> None:
    """Delete vectors of texts that no anchor has any more."""
    wanted = sorted(texts)
    for start in range(0, len(wanted), _AT_ONCE):
        block = wanted[start : start + _AT_ONCE]
        kept = set(
            connection.scalars(
                select(_anchor.c.body).where(_anchor.c.conversation == conversation, _anchor.c.body.in_(block))
            )
        )
        hashes = [content_hash(text) for text in block if text not in kept]
        connection.execute(
            delete(_anchor_vector).where(
                _anchor_vector.c.conversation == conversation, _anchor_vector.c.text_hash.in_(hashes)
            )
        )


def count_anchors(connection: Connection, conversation: ConversationId) -> None:
    """Update the number of active anchors."""
    mine = (_anchor.c.conversation == conversation, RULES, _anchor.c.state == _ACTIVE)
    counted = select(func.count(), func.coalesce(func.sum(_anchor.c.tokens), 0)).select_from(_anchor).where(*mine)
    many, tokens = connection.execute(counted).one()
    connection.execute(
        update(_conversation).where(_conversation.c.id == conversation).values(anchor_count=many, anchor_tokens=tokens)
    )
    count_model_anchors(connection, conversation)


def drop_models_words(connection: Connection, conversation: ConversationId, first: int, last: int) -> None:
    """Delete a model's notes, levels, anchors and jobs on segments that it saw together, and on their chapters.

    Also deletes every reply, since any may quote any turn.
    """
    sizes = {f"refined_tokens_{level}": 0 for level in (1, 2, 3)}
    for height, lowest, highest in ((0, first, last), (1, first // FAN_OUT, last // FAN_OUT)):
        of_height = [
            and_(rows.c.height == height, rows.c.idx.between(lowest, highest)) for rows in (_level, _node, _note)
        ]
        connection.execute(
            delete(_level).where(
                _level.c.conversation == conversation, of_height[0], _level.c.refined == 1, _level.c.level > 0
            )
        )
        with sql_refined_turns.recounted(connection, conversation, first, last):
            connection.execute(
                update(_node)
                .where(_node.c.conversation == conversation, of_height[1], _node.c.refined != 0)
                .values(refined=0, **sizes)
            )
        sql_model_notes.drop(connection, conversation, of_height[2])
    drop_jobs(
        connection, conversation, JobKind.REFINE, subject_of_chapter(last // FAN_OUT),
        subject_of_chapter(first // FAN_OUT),
    )  # fmt: skip
    drop_anchors(
        connection, conversation, and_(_anchor.c.id < 0, _anchor.c.node_idx.between(first, last)), relink=False
    )
    drop_jobs(connection, conversation, JobKind.REFINE, first, last)
    drop_replies(connection, conversation)
    tell_sizes(connection, conversation)


def drop_replies(connection: Connection, conversation: ConversationId) -> None:
    """Delete the cached replies of models; requests are repeated where still needed."""
    connection.execute(delete(_reply).where(_reply.c.conversation == conversation))


def drop_jobs(
    connection: Connection, conversation: ConversationId, kind: JobKind, first: int | None, last: int | None = None
) -> None:
    """Delete the jobs on some subjects, None being no bound; a worker on one finds out when it writes."""
    subjects = [] if first is None else [_job.c.subject >= first]
    if last is not None:
        subjects.append(_job.c.subject <= last)
    connection.execute(delete(_job).where(_job.c.conversation == conversation, _job.c.kind == str(kind), *subjects))


def tell_sizes(connection: Connection, conversation: ConversationId) -> None:
    """Update the stored sizes of often-expanded segments, on which reads rely."""
    connection.execute(
        update(_conversation)
        .where(_conversation.c.id == conversation, _conversation.c.often.is_not(None))
        .values(often=None)
    )
    sql_access.tell_again(connection, conversation)
