"""Drop postings and levels of idle conversations, and write them again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Engine,
    Integer,
    ScalarSelect,
    Select,
    Table,
    and_,
    bindparam,
    delete,
    func,
    literal_column,
    or_,
    select,
    update,
)

from turnfold.contract.dropped_postings import MARK
from turnfold.contract.passages import LAST_TURN, PLACES, bundle_of, number_of
from turnfold.contract.posting_pieces import Posted
from turnfold.contract.records import ConversationId, Method
from turnfold.contract.tables import (
    ConversationRow,
    LevelRow,
    MetaRow,
    NodeRow,
    PassageRow,
    PostingRow,
    TenantQuotaRow,
    TurnMemoRow,
    TurnVectorRow,
    UtcDateTime,
    standing,
    table,
)
from turnfold.database.database_clock import now_milliseconds
from turnfold_worker.adapters.sql import refolds as sql_refolds
from turnfold_worker.adapters.sql.errors import transaction
from turnfold_worker.adapters.sql.postings import POSTINGS
from turnfold_worker.adapters.sql.rules_guard import MAY_FOLD, RULES
from turnfold_worker.adapters.sql.turns import insert_new
from turnfold_worker.errors import Refused
from turnfold_worker.pipeline.fold import FoldedNode
from turnfold_worker.pipeline.notes.search_rows import Bundle
from turnfold_worker.ports.messages import DroppedSegment, Tail

_conversation = table(ConversationRow)
_level = table(LevelRow)
_meta = table(MetaRow)
_node = table(NodeRow)
_passage = table(PassageRow)
_posting = table(PostingRow)
_memo = table(TurnMemoRow)
_quota = table(TenantQuotaRow)
_vector = table(TurnVectorRow)

_DAY: Final = timedelta(days=1)
LOOKED_AT_ONCE: Final = 10_000
"""Conversations that one scan covers, in the order of their ids."""
SEGMENTS_AT_ONCE: Final = 5_000
"""Segments whose postings one transaction drops; a single conversation may exceed it."""
CONVERSATIONS_AT_ONCE: Final = 200
MOST_ID: Final = 2**63 - 1
REACHED_KEY: Final = "search_looked_to"
"""Key in `meta` of the conversation that the last scan for idle ones reached."""

_of_block = _conversation.alias("block")
_BLOCK: Final = (
    select(_of_block.c.id)
    .where(_of_block.c.id > bindparam("after"))
    .order_by(_of_block.c.id)
    .limit(bindparam("most", type_=Integer))
    .subquery("block_ids")
)
END_OF_BLOCK: Final = select(func.max(_BLOCK.c.id))
# A scalar subquery per row: for EXISTS under OR, PostgreSQL would read the whole table.
_marked = (
    select(_posting.c.number)
    .where(_posting.c.conversation == _conversation.c.id, _posting.c.number == MARK)
    .correlate(_conversation)
    .scalar_subquery()
    .is_not(None)
)


def _first(rows: Select[Any], of: Table) -> ScalarSelect[Any]:
    """Select the first of some rows for each row `of` a table, as a scalar subquery: see `_marked`."""
    return rows.limit(literal_column("1")).correlate(of).scalar_subquery()


_remembered = _first(select(_memo.c.seq).where(_memo.c.conversation == _conversation.c.id), _conversation).is_not(None)
_IDLE: Final = and_(
    standing(),
    _conversation.c.updated_at <= bindparam("until", type_=UtcDateTime),
    # All its turns are folded, and can be folded again.
    _conversation.c.fold_seq == _conversation.c.turn_count,
    _conversation.c.expired_seq == 0,
    or_(and_(_conversation.c.node_count > 0, ~_marked), _remembered),
)
IDLE: Final = (
    select(_conversation.c.id, _conversation.c.node_count)
    .where(_conversation.c.id > bindparam("after"), _conversation.c.id <= bindparam("last"), _IDLE)
    .order_by(_conversation.c.id)
)  # fmt: skip
DROPPED_LEVELS: Final = (1, 2)
"""The levels to drop. Level 3 stays: it is short, and later chapters are made from it."""
_of_rules = and_(_level.c.refined == 0, _level.c.level.in_(DROPPED_LEVELS))
_other_method = _first(
    select(_node.c.idx).where(_node.c.conversation == _conversation.c.id, _node.c.method != Method.RULES), _conversation
)
_any_vector = _first(select(_vector.c.seq).where(_vector.c.conversation == _conversation.c.id), _conversation)
_own_retention = (
    select(_quota.c.retention_days)
    .where(_quota.c.tenant == _conversation.c.tenant)
    .correlate(_conversation)
    .scalar_subquery()
)
_COME_BACK: Final = and_(
    _conversation.c.rules_version == RULES, _other_method.is_(None), _any_vector.is_(None),
    # Where retention removes the text of turns, the levels must stay.
    func.coalesce(_own_retention, 0) == 0,
)  # fmt: skip
_LOCK_IDLE: Final = (
    select(
        _conversation.c.id,
        and_(_conversation.c.node_count > 0, ~_marked).label("has_postings"),
        _COME_BACK.label("comes_back"),
    )
    .where(_conversation.c.id.in_(bindparam("conversations", expanding=True)), _IDLE)
    .order_by(_conversation.c.id)
    .with_for_update(of=_conversation)
)
_DROP_LEVELS: Final = delete(_level).where(
    _level.c.conversation.in_(bindparam("conversations", expanding=True)), _of_rules
)
_words = select(_level.c.idx).where(
    _level.c.conversation == _node.c.conversation, _level.c.height == 0, _level.c.idx == _node.c.idx, _of_rules
)
_told_of_no_more = _first(
    select(_node.c.idx).where(
        _node.c.conversation == _conversation.c.id, _node.c.height == 0, _first(_words, _node).is_(None)
    ),
    _conversation,
)
LOST_LEVELS: Final = select(_conversation.c.id).where(
    _conversation.c.id.in_(bindparam("conversations", expanding=True)), _marked, _told_of_no_more.is_not(None)
)
_DROP_MEMOS: Final = delete(_memo).where(_memo.c.conversation.in_(bindparam("conversations", expanding=True)))
_LOCK_SEEN: Final = (
    select(_conversation.c.id)
    .where(
        _conversation.c.id == bindparam("of_conversation"), _conversation.c.node_count == bindparam("nodes"),
        _conversation.c.edit_revision == bindparam("edited"), MAY_FOLD,
    )
    .with_for_update()
)  # fmt: skip


class SqlIdleSearch:
    """Search rows of idle conversations in SQLite and PostgreSQL, by the database's clock.

    Conversations are scanned by primary key, thousands at a time, so that folds maintain no index for this.
    """

    def __init__(self, engine: Engine, *, read_engine: Engine, levels: bool = False) -> None:
        """With `levels`, levels are dropped too."""
        self._engine = engine
        self._read_engine = read_engine
        self._levels = levels

    def reached(self) -> ConversationId:
        """Return the conversation after which the next scan starts."""
        with transaction(self._read_engine) as connection:
            value = connection.scalar(select(_meta.c.value).where(_meta.c.key == REACHED_KEY))
        return ConversationId(min(int(value), MOST_ID) if value and value.isdecimal() else 0)

    def note_reached(self, last: ConversationId) -> None:
        """Let the next scan start after a conversation."""
        with transaction(self._engine) as connection:
            insert = insert_new(connection, _meta).values(key=REACHED_KEY, value=str(last))
            connection.execute(
                insert.on_conflict_do_update(index_elements=["key"], set_={"value": insert.excluded.value})
            )

    def idle(
        self, keep_days: float, *, after: ConversationId
    ) -> tuple[list[list[ConversationId]], ConversationId | None]:
        """Return idle conversations, in lists for `drop`, and the last one scanned.

        The last is None when there are no more conversations.
        """
        with transaction(self._read_engine) as connection:
            last = connection.scalar(END_OF_BLOCK, {"after": after, "most": LOOKED_AT_ONCE})
            if last is None:
                return [], None
            until = _long_ago(connection, keep_days)
            rows = connection.execute(IDLE, {"after": after, "last": last, "until": until}).all()
        return _in_lists([(ConversationId(row.id), row.node_count) for row in rows]), ConversationId(last)

    def drop(self, conversations: Sequence[ConversationId], keep_days: float) -> int:
        """Drop the postings of conversations, and memos of their open tails; return the number of conversations."""
        with transaction(self._engine) as connection:
            idle = {"conversations": list(conversations), "until": _long_ago(connection, keep_days)}
            rows = connection.execute(_LOCK_IDLE, idle).all()
            if not rows:
                return 0
            connection.execute(_DROP_MEMOS, {"conversations": [row.id for row in rows]})
            if whole := [ConversationId(row.id) for row in rows if row.has_postings]:
                POSTINGS.drop(connection, whole)
            if self._levels and (again := [row.id for row in rows if row.has_postings and row.comes_back]):
                connection.execute(_DROP_LEVELS, {"conversations": again})
            return len(rows)

    def without_levels(self, conversations: Sequence[ConversationId]) -> list[ConversationId]:
        """Return the conversations whose dropped levels are not all back."""
        with transaction(self._read_engine) as connection:
            return [*connection.scalars(LOST_LEVELS, {"conversations": list(conversations)})]


def _long_ago(connection: Connection, days: float) -> datetime:
    now = connection.scalar(select(now_milliseconds())) or 0
    return datetime.fromtimestamp(now / 1_000, UTC) - days * _DAY


def _in_lists(sizes: Sequence[tuple[ConversationId, int]]) -> list[list[ConversationId]]:
    lists: list[list[ConversationId]] = []
    room = 0
    for conversation, segments in sizes:
        if not lists or segments > room or len(lists[-1]) == CONVERSATIONS_AT_ONCE:
            lists.append([])
            room = SEGMENTS_AT_ONCE
        lists[-1].append(conversation)
        room -= segments
    return lists


def dropped_segment(connection: Connection, conversation: ConversationId, idx: int) -> DroppedSegment | None:
    """Read what the postings of a segment are rebuilt from; None where there is no such segment."""
    row = connection.execute(
        select(_node.c.method, _node.c.first_seq, _node.c.last_seq).where(
            _node.c.conversation == conversation, _node.c.height == 0, _node.c.idx == idx
        )
    ).first()
    if row is None:
        return None
    first, last = number_of(row.first_seq, 0), number_of(min(row.last_seq, LAST_TURN), PLACES - 1)
    bundles = connection.execute(
        select(_passage.c.bundle, _passage.c.body, _passage.c.times)
        .where(_passage.c.conversation == conversation, _passage.c.bundle.between(bundle_of(first), bundle_of(last)))
        .order_by(_passage.c.bundle)
    )
    try:
        closed = sql_refolds.closed_segment(connection, conversation, idx)
    except Refused:
        closed = None
    levels = select(_level.c.level).where(
        _level.c.conversation == conversation, _level.c.height == 0, _level.c.idx == idx, _of_rules
    )
    return DroppedSegment(
        idx=idx, method=Method(row.method), closed=closed,
        has_levels=connection.scalar(levels.limit(literal_column("1"))) is not None,
        stored=[Bundle(bundle.bundle, bytes(bundle.body), bundle.times) for bundle in bundles],
    )  # fmt: skip


def write_again(
    connection: Connection, seen: Tail, idx: int, postings: Sequence[Posted], nodes: Sequence[FoldedNode]
) -> bool:
    """Write the postings of the first segment without any, and the missing levels of `nodes`.

    False when the conversation is in another state.
    """
    wanted = {"of_conversation": seen.conversation, "nodes": seen.node_count, "edited": seen.edit_revision}
    if connection.scalar(_LOCK_SEEN, wanted) is None or POSTINGS.standing(connection, seen.conversation) != idx:
        return False
    POSTINGS.append_again(connection, seen.conversation, idx, postings, segments=seen.node_count)
    for node in nodes:
        _write_levels_again(connection, seen.conversation, node)
    if idx + 1 == seen.node_count:
        # The conversation is in use: its update time marks it as no longer idle.
        used = update(_conversation).where(_conversation.c.id == seen.conversation)
        connection.execute(used.values(updated_at=func.current_timestamp()))
    return True


def _write_levels_again(connection: Connection, conversation: ConversationId, folded: FoldedNode) -> None:
    """Write the missing levels of a node with their sizes: newer rules may word them differently."""
    key = {"conversation": conversation, "height": folded.node.height, "idx": folded.node.idx}
    rows = [{**key, "level": level, "refined": 0, "body": folded.levels[level]} for level in DROPPED_LEVELS]
    written = connection.execute(insert_new(connection, _level).values(rows).on_conflict_do_nothing())
    if written.rowcount:
        _, detailed, brief, _ = folded.node.tokens
        connection.execute(
            update(_node)
            .where(*(_node.c[name] == value for name, value in key.items()))
            .values(tokens_1=detailed, tokens_2=brief)
        )
