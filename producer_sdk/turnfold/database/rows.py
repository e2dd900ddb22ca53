"""Conversion of rows to the contract's records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from turnfold.assemble.by_value.top_anchors import RANK_OF_REPLACING, TopAnchors, binds, stands
from turnfold.assemble.pages import TurnPiece
from turnfold.assemble.turns import Turns, TurnsNotRead
from turnfold.contract.access import unpack_often
from turnfold.contract.overtaken import OvertakenIndex
from turnfold.contract.periods import as_utc, day_label
from turnfold.contract.records import (
    PINNED_RANK,
    Anchor,
    AnchorState,
    AnchorType,
    ConversationId,
    Importance,
    Node,
    Role,
    StoredTurn,
    TurnState,
)
from turnfold.contract.results import Head
from turnfold.contract.speakers import label_of
from turnfold.contract.tail_anchors import TailAnchors
from turnfold.contract.turn_limits import Shortening
from turnfold.contract.words import note_stems
from turnfold.database import statements

Row = tuple[Any, ...]
_SEQ, _ROLE, _NAME, _TOKENS, _CONTENT, _LENGTH, _HAS_PARTS = (
    [column.key for column in statements.turn_columns(capped=True)].index(name)
    for name in ("seq", "role", "name", "tokens", "content", "length", "has_parts")
)
KINDS: Final = tuple(AnchorType)
"""Anchor types, indexed by their number in SQL."""
STATES: Final = tuple(AnchorState)
"""Anchor states, indexed by their number in SQL."""


_ROLES: Final = {str(role): role for role in Role}
_IMPORTANCES: Final = {int(importance): importance for importance in Importance}
_TURN_STATES: Final = {int(state): state for state in TurnState}
"""Enumeration members by their value in SQL: a dict lookup takes a tenth of the time of a call of the class."""


def head_record(row: Any) -> Head:
    return Head(
        id=ConversationId(row.id), turn_count=row.turn_count, closed_seq=row.closed_seq, fold_seq=row.fold_seq,
        node_count=row.node_count, anchor_count=row.anchor_count + row.refined_anchors,
        anchor_tokens=row.anchor_tokens + row.refined_anchor_tokens, revision=row.revision, settings=row.settings or {},
        often=unpack_often(row.often), expired_seq=row.expired_seq, system_turns=row.system_turns,
        closed_tokens=sum((row.said or {}).values()),
    )  # fmt: skip


def node_record(row: Any) -> Node:
    """Convert a row to a node as shown: with the token counts of a model's levels where there are any."""
    node, refined_levels = rules_node_record(row), row.refined
    if not refined_levels:
        return node
    of_rules, of_model = node.tokens, (0, row.refined_tokens_1, row.refined_tokens_2, row.refined_tokens_3)
    first, second, third = (of_model[level] if refined_levels >> level & 1 else of_rules[level] for level in (1, 2, 3))
    return replace(node, tokens=(node.tokens[0], first, second, third), refined=refined_levels)


def rules_node_record(row: Any) -> Node:
    """Convert a row to a node as the rules made it."""
    return Node(
        height=row.height, idx=row.idx, first_seq=row.first_seq, last_seq=row.last_seq, slug=row.slug,
        tokens=(row.tokens_0, row.tokens_1, row.tokens_2, row.tokens_3), importance=row.importance,
        started_at=row.started_at, ended_at=row.ended_at,
    )  # fmt: skip


def anchor_record(row: Any) -> Anchor:
    return Anchor(
        id=row.id, type=KINDS[row.kind], text=row.body, turn_seq=row.seq, start=row.start_offset, end=row.end_offset,
        state=STATES[row.state], score=row.score, rank=row.rank, node_idx=row.node_idx, tokens=row.tokens,
        related=row.related, replaces=row.replaces, factors=row.factors,
        valid_from=row.valid_from, valid_to=row.valid_to,
    )  # fmt: skip


def said_anchor_record(row: Any) -> Anchor:
    """Convert a row to an anchor with its speaker and time."""
    anchor = anchor_record(row)
    if row.turn_id is None:
        return anchor
    day = day_label(row.created_at) if row.created_at is not None else ""
    said_on = None if row.created_at is None else as_utc(row.created_at).date()
    speaker = label_of(row.name, row.role)
    return replace(anchor, speaker=speaker, role=_ROLES[row.role], turn_id=row.turn_id, day=day, said_on=said_on)


def said_in_turn(anchor: Anchor, turn: Any | None) -> Anchor:
    """Return an anchor with the id and day of its turn."""
    if turn is None:
        return anchor
    said_on = None if turn.created_at is None else as_utc(turn.created_at).date()
    return replace(anchor, turn_id=turn.turn_id, said_on=said_on)


def top_anchor_record(row: Any) -> Anchor:
    """Convert a row of `statements.TOP_ANCHOR_ROWS` to an active anchor, with the fields that a context needs."""
    return Anchor(
        id=row.id, type=KINDS[row.kind], text=row.body, turn_seq=row.seq, start=row.start_offset,
        end=row.start_offset + len(row.body), score=row.score, tokens=row.tokens, rank=row.rank, replaced=row.replaced,
        replaced_seq=row.replaced_seq, speaker=label_of(row.name, row.role), role=_ROLES[row.role],
        day=day_label(row.created_at) if row.created_at is not None else "",
    )  # fmt: skip


def lazy_anchors(
    rows: Sequence[Row], named: Callable[[Row], Any], overtaken: OvertakenIndex, tail: TailAnchors
) -> TopAnchors:
    """Return the anchors of such rows and of the open tail, lazily, without superseded values."""
    of_tail = {anchor.id: anchor for anchor in tail.active}
    if tail:
        rows = _with_tail(rows, tail)
    if overtaken:
        rows = [row for row in rows if not overtaken.tells_value(row[3], note_stems(row[2]))]
    return TopAnchors(
        seqs=[row[3] for row in rows],
        tokens=[row[5] for row in rows],
        ranks=[row[6] + RANK_OF_REPLACING * (row[7] is not None) for row in rows],
        standing=[stands(KINDS[row[1]], row[8], row[2], rank=row[6], replaces=row[7] is not None) for row in rows],
        rules=[binds(row[6]) for row in rows],
        pinned=sum(row[6] >= PINNED_RANK for row in rows),
        make=lambda at: of_tail.get(rows[at][0]) or top_anchor_record(named(rows[at])),
    )


def _with_tail(rows: Iterable[Row], tail: TailAnchors) -> list[Row]:
    """Apply the tail's changes to the rows and add the tail's anchors, as if its segment were closed."""
    changes = {change.id: change for change in tail.changes}
    by_id = {anchor.id: anchor for anchor in tail.anchors}
    kept: list[Row] = []
    for row in rows:
        change = changes.get(row[0])
        if change is None:
            kept.append(row)
        elif change.state is AnchorState.ACTIVE:
            other = by_id.get(change.replaces or 0)
            if other is not None:
                kept.append((*row[:7], other.text, *row[8:-1], other.turn_seq))
            else:
                kept.append(row if change.replaces is not None else (*row[:7], None, *row[8:-1], None))
    for active in tail.active:
        kind = KINDS.index(active.type)
        kept.append(
            (
                active.id,
                kind,
                active.text,
                active.turn_seq,
                active.start,
                active.tokens,
                active.rank,
                active.replaced,
                active.score,
            )
        )
    kept.sort(key=lambda row: (row[6] + RANK_OF_REPLACING * (row[7] is not None), row[0]), reverse=True)
    return kept[: statements.TOP_ANCHORS]


def turn_record(row: Any) -> StoredTurn:
    parts: Mapping[str, Any] | None = row.parts
    return StoredTurn(
        seq=row.seq, turn_id=row.turn_id, role=_ROLES[row.role], content=row.content, name=row.name, parts=parts,
        importance=_IMPORTANCES[row.importance], created_at=row.created_at, metadata=row.metadata, tokens=row.tokens,
        state=_TURN_STATES[row.state],
    )  # fmt: skip


def _with_parts_flag(row: Any) -> StoredTurn:
    turn = turn_record(row)
    return replace(turn, without_parts=True) if row.has_parts and turn.parts is None else turn


def shortened_record(row: Any, short: Shortening) -> StoredTurn:
    """Convert a row of a statement that applied `short` to a turn."""
    turn = _with_parts_flag(row)
    return replace(turn, kept=short.head) if row.length > short.cap else turn


class Shapes(NamedTuple):
    """Turns without their text, in order: one list per column of `statements.OLDER_SHAPES`."""

    seqs: list[int]
    roles: list[str]
    names: list[str | None]
    tokens: list[int]
    parts: list[Any]
    """Parts as a context reads them."""
    with_parts: int = 0
    """Number of turns that have parts."""


NO_SHAPES: Final = Shapes([], [], [], [], [])


def shapes_of(row: Row) -> Shapes:
    """Parse the one row of `statements.OLDER_SHAPES`."""
    *lists, with_parts = row
    seqs, roles, names, tokens, parts = (json.loads(column) if column else [] for column in lists)
    return Shapes(seqs, roles, names, tokens, parts, with_parts)


def lazy_turns(older: Shapes, words: Sequence[Row], named: Callable[[Row], Any], short: Shortening) -> Turns:
    """Return a lazy sequence of turns: `older` ones, then rows of `statements.NEWEST_TURNS`, given newest first.

    `named` converts a row to a named tuple.
    """
    words = words[::-1]
    without_words = len(older.seqs)

    def make(at: int) -> StoredTurn:
        if at < without_words:
            raise TurnsNotRead
        return shortened_record(named(words[at - without_words]), short)

    def shape(at: int) -> StoredTurn:
        if at >= without_words:
            return make(at)
        parts = older.parts[at]
        return StoredTurn(
            seq=older.seqs[at], turn_id="", role=_ROLES[older.roles[at]], content="", name=older.names[at],
            parts=json.loads(parts) if isinstance(parts, str) else parts, tokens=older.tokens[at],
        )  # fmt: skip

    return Turns(
        seqs=older.seqs + [row[_SEQ] for row in words],
        tokens=older.tokens + [row[_TOKENS] for row in words],
        voices=[*zip(older.names, older.roles, strict=True), *[(row[_NAME], row[_ROLE]) for row in words]],
        has_parts=older.with_parts > 0 or any(row[_HAS_PARTS] for row in words),
        made=[None] * (without_words + len(words)),
        make=make,
        shape=shape,
    )


def longest_content(rows: Sequence[Row]) -> int:
    """Return the length of the longest turn of rows of `statements.NEWEST_TURNS`, in code points."""
    return max([row[_LENGTH] for row in rows], default=0)


def content_size(rows: Sequence[Row]) -> int:
    """Return the total length of the contents in such rows, in code points."""
    return sum([len(row[_CONTENT]) for row in rows])


def piece_record(row: Any) -> TurnPiece:
    return TurnPiece(_with_parts_flag(row), row.begins, row.length)
