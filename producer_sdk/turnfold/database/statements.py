"""The statements of a read, built once. The cost of none depends on the length of the conversation.

Those of a query are in `query_statements`; rare ones are built where they are used, in `read_transaction`.
"""

from __future__ import annotations

import re
from typing import Any, Final

from sqlalchemy import (
    BindParameter,
    Boolean,
    ColumnElement,
    Integer,
    Select,
    Text,
    TextClause,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    null,
    or_,
    select,
    text,
    type_coerce,
    union,
)

from turnfold.contract.configuration import TITLE
from turnfold.contract.model_anchors import IDS_A_SEGMENT
from turnfold.contract.outlines import FIRST_CHAPTER_TIER, FIRST_TIER, FRAME_PART, MODEL_PART
from turnfold.contract.results import MOST_SYSTEM_TEXTS
from turnfold.contract.tables import (
    ANCHOR_ORDER,
    AnchorRow,
    ConversationRow,
    NodeRow,
    TurnRow,
    standing,
    table,
)
from turnfold.contract.turn_limits import TURNS_A_READ
from turnfold.database.lists import LIKE_ESCAPE, among, among_texts, listed

TOP_ANCHORS: Final = 64
TEXTS_A_STATEMENT: Final = 64
conversation = table(ConversationRow)
turn = table(TurnRow)
node = table(NodeRow)
anchor = table(AnchorRow)

HEAD_COLUMNS: Final = (
    conversation.c.id, conversation.c.turn_count, conversation.c.closed_seq, conversation.c.fold_seq,
    conversation.c.node_count, conversation.c.anchor_count, conversation.c.anchor_tokens,
    conversation.c.refined_anchors, conversation.c.refined_anchor_tokens, conversation.c.revision,
    conversation.c.settings, conversation.c.often, conversation.c.expired_seq, conversation.c.system_turns,
    conversation.c.said,
)  # fmt: skip

HEAD: Final = select(*HEAD_COLUMNS).where(
    conversation.c.tenant == bindparam("tenant"), conversation.c.external_id == bindparam("external_id")
)

NODE_COLUMNS: Final = (
    node.c.height, node.c.idx, node.c.first_seq, node.c.last_seq, node.c.slug, node.c.importance, node.c.refined,
    node.c.tokens_0, node.c.tokens_1, node.c.tokens_2, node.c.tokens_3, node.c.refined_tokens_1,
    node.c.refined_tokens_2, node.c.refined_tokens_3, node.c.started_at, node.c.ended_at,
)  # fmt: skip

OUTLINE: Final = text(
    "SELECT part, body FROM outline WHERE conversation = :conversation AND part <= :last_part AND "  # noqa: S608 - a constant
    f"(part < {FIRST_TIER} OR NOT EXISTS (SELECT 1 FROM model_outline WHERE conversation = :conversation)) "
    "UNION ALL SELECT part, body FROM model_outline WHERE conversation = :conversation AND (part <= :last_part "
    f"OR part BETWEEN {FIRST_CHAPTER_TIER} AND :last_part + {FIRST_CHAPTER_TIER - FIRST_TIER}) "
    "ORDER BY part"
)
"""Parts of the outline, with a model's notes if it wrote any."""

FRAME: Final = text(
    f"SELECT part, body FROM outline WHERE conversation = :conversation AND part = {FRAME_PART} "  # noqa: S608 - a constant
    f"UNION ALL SELECT part, body FROM model_outline WHERE conversation = :conversation AND part = {MODEL_PART}"
)
"""The frame of the outline: its cover, invalid statements, and everything about the open tail."""

FIRST_AFTER: Final = (
    select(turn.c.seq)
    .where(turn.c.conversation == bindparam("conversation"), turn.c.created_at >= bindparam("moment"))
    .order_by(turn.c.created_at, turn.c.seq)
    .limit(1)
)
"""The first turn at or after a moment."""

ANCHOR_COLUMNS: Final = (
    anchor.c.id, anchor.c.kind, anchor.c.body, anchor.c.seq, anchor.c.start_offset, anchor.c.end_offset,
    anchor.c.state, anchor.c.score, anchor.c.rank, anchor.c.node_idx, anchor.c.tokens, anchor.c.related,
    anchor.c.replaces, anchor.c.factors, anchor.c.valid_from, anchor.c.valid_to, anchor.c.filler,
)  # fmt: skip
_taking = anchor.alias("taking")
# A wide integer: 64 times a SMALLINT overflows.
_first_of_model: Final = IDS_A_SEGMENT * (cast(anchor.c.filler, Integer) + 1) - 1
_model_ended_it: Final = and_(anchor.c.filler < 0, anchor.c.state == 0)
CLOSED_IN: Final = case((_model_ended_it, _first_of_model), else_=anchor.c.related)
"""Id of the anchor that closed this one: by the rules, or a model's first one of the segment that invalidated it.
For joins: with the lookup of `CLOSED_BY`, PostgreSQL would scan all anchors."""
_taking_its_place: Final = (
    select(func.max(_taking.c.id))
    .where(
        _taking.c.conversation == anchor.c.conversation, _taking.c.replaces == anchor.c.id,
        _taking.c.id.between(_first_of_model - (IDS_A_SEGMENT - 1), _first_of_model),
    )
    .correlate(anchor)
    .scalar_subquery()
)  # fmt: skip
CLOSED_BY: Final = case(
    (_model_ended_it, func.coalesce(_taking_its_place, _first_of_model)), else_=anchor.c.related
).label("closed_by")
"""Like `CLOSED_IN`, but for a model's, the anchor that replaces this one if there is one: for few anchors."""
WHO_AND_WHEN: Final = (turn.c.turn_id, turn.c.role, turn.c.name, turn.c.created_at)
"""Columns of an anchor's turn."""

ACTIVE: Final = anchor.c.state == literal_column("0")
"""A literal, because a partial index is not used for a bound parameter."""

_replaced: Final = anchor.alias("replaced")
LEDGER_COLUMNS: Final = (
    anchor.c.id, anchor.c.kind, anchor.c.body, anchor.c.seq, anchor.c.start_offset, anchor.c.tokens,
    anchor.c.rank, _replaced.c.body.label("replaced"), anchor.c.score, turn.c.role, turn.c.name,
    turn.c.created_at, _replaced.c.seq.label("replaced_seq"),
)  # fmt: skip
"""Columns that a context shows of an anchor or sorts by: each further column costs a read as much as ten turns."""
_order: Final[ColumnElement[int]] = literal_column(
    "(" + re.sub(r"\b(rank|replaces)\b", r"anchor.\1", ANCHOR_ORDER) + ")"
)
"""Written as in the index."""
ANCHORS_BY_RANK: Final = (_order.desc(), anchor.c.id.desc())
"""Best first."""
TOP_ANCHOR_ROWS: Final = (
    select(*LEDGER_COLUMNS)
    .outerjoin_from(
        anchor,
        _replaced,
        and_(
            _replaced.c.conversation == anchor.c.conversation,
            _replaced.c.id == anchor.c.replaces,
            # A later anchor of the same turn that this one replaced is named only while it is still active.
            or_(
                _replaced.c.state == literal_column("0"), _replaced.c.seq != anchor.c.seq, _replaced.c.id < anchor.c.id
            ),
        ),
    )
    .join(turn, and_(turn.c.conversation == anchor.c.conversation, turn.c.seq == anchor.c.seq))
    .where(anchor.c.conversation == bindparam("conversation"), ACTIVE, anchor.c.filler == 0)
    .order_by(*ANCHORS_BY_RANK)
    # A literal: for a bound limit PostgreSQL would plan for any number of rows.
    .limit(literal_column(str(TOP_ANCHORS)))
)


_TURN: Final = (
    turn.c.seq, turn.c.turn_id, turn.c.role, turn.c.name, turn.c.importance, turn.c.created_at, turn.c.tokens,
    turn.c.state,
)  # fmt: skip
_parts_length: Final = func.length(cast(turn.c.parts, Text))
_has_parts: Final = turn.c.parts.is_not(None)
_content_length: Final = func.length(turn.c.content)
"""In code points."""


def turn_columns(*, capped: bool) -> tuple[Any, ...]:
    """Return the columns of a turn; if `capped`, truncated to what a context reads."""
    return shortened_columns(parts=True) if capped else (*_TURN, turn.c.content, turn.c.parts, turn.c.metadata)


def _number(name: str) -> BindParameter[int]:
    return bindparam(name, type_=Integer, unique=False)


def _parts_if(condition: Any) -> Any:
    return type_coerce(case((condition, turn.c.parts), else_=None), turn.c.parts.type).label("parts")


def shortened_columns(*, parts: bool) -> tuple[Any, ...]:
    """Return the columns of a turn as limited by `turn_limits.Shortening`; without `parts` if only text is shown."""
    head, tail = _number("head"), _number("tail")
    content = case(
        (_content_length <= head + tail, turn.c.content),
        else_=func.substr(turn.c.content, 1, head, type_=Text)
        + func.substr(turn.c.content, _content_length - tail + 1),
    )
    longest = case((turn.c.seq >= _number("newest_from"), _number("long_parts")), else_=_number("parts"))
    if parts:
        kept: tuple[Any, ...] = (_parts_if(_parts_length <= longest), _has_parts.label("has_parts"))
    else:
        kept = (null().label("parts"), null().label("has_parts"))
    return (*_TURN, content.label("content"), _content_length.label("length"), *kept, null().label("metadata"))


def _piece_columns() -> tuple[Any, ...]:
    """Return the columns of at most `:cap` code points of a turn; the first one starts at `:offset`, with all parts."""
    at_first = turn.c.seq == _number("first_seq")
    begins = case((at_first, _number("offset")), else_=0)
    content = func.substr(turn.c.content, begins + 1, _number("cap"))
    parts = _parts_if(case((at_first, _number("offset") == 0), else_=_parts_length <= _number("cap")))
    return (
        *_TURN, content.label("content"), _content_length.label("length"), begins.label("begins"), parts,
        _has_parts.label("has_parts"), turn.c.metadata,
    )  # fmt: skip


OF_CONVERSATION: Final = turn.c.conversation == bindparam("conversation")
TURN_PART: Final = select(
    *_TURN, func.substr(turn.c.content, _number("begin") + 1, _number("length")).label("content"),
    null().label("parts"), null().label("metadata"),
).where(OF_CONVERSATION, turn.c.seq == _number("seq"))  # fmt: skip
"""At most `:length` code points of a turn, from `:begin` on."""

NEWEST_TURNS: Final = (
    select(*turn_columns(capped=True))
    .where(OF_CONVERSATION, turn.c.seq > bindparam("after_seq"))
    .order_by(turn.c.seq.desc())
    .limit(literal_column(str(TURNS_A_READ)))
)

TURNS_UP_TO: Final = (
    select(*turn_columns(capped=True))
    .where(OF_CONVERSATION, turn.c.seq.between(_number("from_seq"), _number("last_seq")))
    .order_by(turn.c.seq.desc())
    .limit(literal_column(str(TURNS_A_READ)))
)
"""Like `NEWEST_TURNS`, up to a turn: for a rewind that is not stored yet."""

_older: Final = (
    select(
        turn.c.seq, turn.c.role, turn.c.name, turn.c.tokens, _parts_if(_parts_length <= _number("parts")),
        case((_has_parts, 1)).label("has_parts"),
    )
    .where(OF_CONVERSATION, turn.c.seq > bindparam("after_seq"), turn.c.seq <= _number("before_words"))
    .order_by(turn.c.seq)
    .limit(literal_column(str(TURNS_A_READ)))
    .subquery("older")
)  # fmt: skip
OLDER_SHAPES: Final = select(
    *[listed(column).label(column.key) for column in _older.c if column.key != "has_parts"],
    func.count(_older.c.has_parts).label("with_parts"),
)
"""Data for selecting among the newest turns whose text is not read: speaker, tokens, tool calls. In one row, a list
per column: as separate rows, these few numbers would take a third of the whole read."""

TURNS_BETWEEN: Final = (
    select(*_piece_columns())
    .where(OF_CONVERSATION, turn.c.seq.between(_number("first_seq"), _number("last_seq")))
    .order_by(turn.c.seq)
    .limit(_number("most"))
)

TURNS_AFTER: Final = (
    select(*turn_columns(capped=False))
    .where(OF_CONVERSATION, turn.c.seq > bindparam("after_seq"))
    .order_by(turn.c.seq)
    .limit(_number("most"))
)
"""Untruncated turns, page by page."""

CONVERSATIONS_AFTER: Final = (
    select(
        conversation.c.external_id, conversation.c.turn_count, conversation.c.fold_seq, conversation.c.closed_seq,
        conversation.c.anchor_count, conversation.c.updated_at,
        conversation.c.settings[TITLE].as_string().label("title"),
    )
    .where(
        conversation.c.tenant == bindparam("tenant"), conversation.c.external_id > bindparam("after"),
        standing(),
    )
    .order_by(conversation.c.external_id)
    .limit(_number("most"))
)  # fmt: skip
"""Conversations of a tenant by name, page by page, except those under deletion."""

_PATTERN: Final = func.lower(bindparam("pattern", type_=Text))
CONVERSATIONS_CONTAINING: Final = CONVERSATIONS_AFTER.where(
    or_(
        func.lower(conversation.c.external_id).like(_PATTERN, escape=LIKE_ESCAPE),
        func.lower(conversation.c.settings[TITLE].as_string()).like(_PATTERN, escape=LIKE_ESCAPE),
    )
)
"""Conversations whose name or title contains some words: scans the tenant's rows until the page is full."""

# Must match the condition of the partial index for it to be used.
_OF_OPERATORS: Final = and_(OF_CONVERSATION, literal_column("role IN ('system', 'developer')", Boolean))


def _where_said(edge: Any) -> Select[int]:
    """Select the first or last occurrence of each operator text."""
    return select(edge(turn.c.seq)).where(_OF_OPERATORS).group_by(turn.c.content)


SYSTEM_TURNS: Final = (
    select(*turn_columns(capped=False))
    .where(_OF_OPERATORS, turn.c.seq.in_(union(_where_said(func.min), _where_said(func.max))))
    .order_by(turn.c.seq)
    .limit(literal_column(str(2 * MOST_SYSTEM_TEXTS + 1)))
)
"""Operator turns, untruncated: the first and last occurrence of each text, as a client may resend it per request."""

TURN_SIZES: Final = (
    select(turn.c.seq, turn.c.tokens)
    .where(OF_CONVERSATION, turn.c.seq.between(_number("first_seq"), _number("last_seq")))
    .order_by(turn.c.seq)
    .limit(_number("most"))
)

NAMES_BETWEEN: Final = select(turn.c.name).where(
    OF_CONVERSATION, turn.c.name.is_not(None), turn.c.seq.between(_number("first_seq"), _number("last_seq"))
)


def _texts() -> TextClause:
    rows = ", ".join(f"(:h{i}, :i{i}, :l{i}, :r{i})" for i in range(TEXTS_A_STATEMENT))
    return text(
        f"WITH want(height, idx, level, refined) AS (VALUES {rows}) "  # noqa: S608 - parameters only
        "SELECT l.height, l.idx, l.level, l.body FROM want w JOIN level l ON l.conversation = :conversation "
        "AND l.height = w.height AND l.idx = w.idx AND l.level = w.level AND l.refined = w.refined"
    )


TEXTS: Final = _texts()
"""Padded to 64 rows with a height of -1, so that there is one constant statement with one cached plan."""

TURN_IDS: Final = select(turn.c.seq, turn.c.turn_id).where(OF_CONVERSATION, among(turn.c.seq, "numbers"))
STORED_SEQS: Final = select(turn.c.turn_id, turn.c.seq).where(OF_CONVERSATION, among_texts(turn.c.turn_id, "ids"))
"""`ids` as one JSON text: psycopg parses a statement with hundreds of parameters anew at each read."""

HEAD_AND_STORED: Final = (
    select(*HEAD_COLUMNS, turn.c.turn_id)
    .select_from(
        conversation.outerjoin(turn, and_(turn.c.conversation == conversation.c.id, among_texts(turn.c.turn_id, "ids")))
    )
    .where(conversation.c.tenant == bindparam("tenant"), conversation.c.external_id == bindparam("external_id"))
)
"""The head, and which inbox turns it has: one statement, so that both are of one state."""
