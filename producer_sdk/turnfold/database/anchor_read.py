"""Anchors of a conversation, read in blocks in order of mention; those of the open tail separately."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

from sqlalchemy import Connection, Integer, Select, and_, bindparam, select

from turnfold.contract.model_anchors import as_models_leave_it
from turnfold.contract.outlines import tail_anchors_of, unpack_outline
from turnfold.contract.records import FIRST_TAIL_ANCHOR, Anchor, AnchorState
from turnfold.contract.results import Head
from turnfold.contract.tail_anchors import TailAnchors
from turnfold.contract.wanted_anchors import LAST_TURN, WantedAnchors
from turnfold.database import statements
from turnfold.database.lists import among
from turnfold.database.rows import KINDS, STATES, said_anchor_record, said_in_turn

BLOCK: Final = 1_000
"""Anchors per block."""

_anchor = statements.anchor
SAID_ANCHORS: Final = (
    select(*statements.ANCHOR_COLUMNS, *statements.WHO_AND_WHEN)
    .outerjoin_from(
        _anchor, statements.turn,
        and_(statements.turn.c.conversation == _anchor.c.conversation, statements.turn.c.seq == _anchor.c.seq),
    )
    .where(_anchor.c.conversation == bindparam("conversation"))
)  # fmt: skip
"""Anchors with their turn's speaker and time."""
_CLOSED: Final = select(_anchor.c.id, statements.CLOSED_BY).where(
    _anchor.c.conversation == bindparam("conversation"), among(_anchor.c.id, "ids")
)
"""A separate statement: within that of the anchors, PostgreSQL plans for all anchors of the conversation."""
_BY_ID: Final = SAID_ANCHORS.where(among(_anchor.c.id, "ids"))
ANCHORS_OF_TURNS: Final = SAID_ANCHORS.where(among(_anchor.c.seq, "turns"))
_BETWEEN: Final = SAID_ANCHORS.where(
    _anchor.c.seq.between(bindparam("first", type_=Integer), bindparam("last", type_=Integer)),
    among(_anchor.c.kind, "kinds"), among(_anchor.c.state, "states"),
)  # fmt: skip
# The columns of the unique key of spans, so that its index provides the order.
_IN_ORDER: Final = (
    _anchor.c.seq, _anchor.c.start_offset, _anchor.c.end_offset, _anchor.c.kind, _anchor.c.refined,
)  # fmt: skip
ANCHORS_IN_ORDER: Final = _BETWEEN.order_by(*_IN_ORDER).limit(bindparam("most", type_=Integer))
ANCHORS_OF_IDS: Final = _BETWEEN.where(among(_anchor.c.id, "ids")).order_by(*_IN_ORDER)


class AnchorRead:
    """Reads the anchors of a conversation, in one transaction."""

    def __init__(self, connection: Connection, head: Head) -> None:
        self._connection = connection
        self._head = head
        self._tail: TailAnchors | None = None

    @property
    def tail(self) -> TailAnchors:
        """Anchors of the open tail, with their turn's id and day, and their changes to stored ones."""
        # Not a cached property: before Python 3.12 its lock is shared by all instances, here during a database call.
        if self._tail is None:
            self._tail = self._read_tail()
        return self._tail

    def _read_tail(self) -> TailAnchors:
        frame = self._connection.execute(statements.FRAME, {"conversation": self._head.id})
        outline = unpack_outline((row.part, row.body) for row in frame)
        tail = tail_anchors_of(outline, self._head.closed_seq)
        if not tail:
            return tail
        turn = statements.turn
        seqs = sorted({anchor.turn_seq for anchor in tail.anchors})
        said_in = self._connection.execute(
            select(turn.c.seq, turn.c.turn_id, turn.c.created_at).where(
                statements.OF_CONVERSATION, turn.c.seq.in_(seqs)
            ),
            {"conversation": self._head.id},
        )
        rows = {row.seq: row for row in said_in}
        named = [said_in_turn(anchor, rows.get(anchor.turn_seq)) for anchor in tail.anchors]
        return replace(tail, anchors=tuple(named))

    def blocks(self, wanted: WantedAnchors, *, states_differ: bool = False) -> Iterator[tuple[Anchor, ...]]:
        """Yield stored anchors of the wanted types, turns and ids, in blocks of whole turns, ignoring the tail.

        Besides the wanted states, active ones are included, as the open tail may have closed them; `states_differ`
        includes all.
        """
        states = {AnchorState.ACTIVE, *wanted.states} if not states_differ else {*AnchorState}
        parameters: dict[str, int | str] = {
            "conversation": self._head.id, "first": wanted.first_turn, "last": wanted.last_turn,
            "kinds": ",".join(str(KINDS.index(kind)) for kind in sorted(wanted.types)),
            "states": ",".join(str(STATES.index(state)) for state in sorted(states)),
        }  # fmt: skip
        if wanted.ids is not None:
            yield self._anchors(ANCHORS_OF_IDS, {**parameters, "ids": _listed(filter(_is_stored, wanted.ids))})
            return
        most = min(wanted.limit + 1, BLOCK)
        first = wanted.first_turn
        while first <= wanted.last_turn:
            block = self._anchors(ANCHORS_IN_ORDER, {**parameters, "first": first, "most": most})
            if len(block) < most:
                yield block
                return
            last = block[-1].turn_seq
            whole = tuple(anchor for anchor in block if anchor.turn_seq < last)
            if whole:
                yield whole
                first = last
            else:
                # One turn has more anchors than a block.
                every = {**parameters, "first": last, "last": last, "most": LAST_TURN}
                yield self._anchors(ANCHORS_IN_ORDER, every)
                first = last + 1

    def of_turns(self, seqs: Collection[int]) -> tuple[Anchor, ...]:
        """Return the anchors of some turns, in any state, with the tail's changes applied."""
        if not seqs:
            return ()
        stored = self._anchors(ANCHORS_OF_TURNS, {"conversation": self._head.id, "turns": _listed(seqs)})
        return tuple(anchor for anchor in self.tail.applied_to(stored) if anchor.turn_seq in seqs)

    def linked(self, anchors: Iterable[Anchor]) -> tuple[Anchor, ...]:
        """Return the anchors that closed the given ones or were replaced by them, unless given as well."""
        known, named = set[int](), set[int]()
        for anchor in anchors:
            known.add(anchor.id)
            named.update(id_ for id_ in (anchor.related, anchor.replaces) if id_ is not None)
        others = named - known
        if not others:
            return ()
        return self._anchors(_BY_ID, {"conversation": self._head.id, "ids": _listed(filter(_is_stored, others))})

    def _anchors(self, statement: Select[tuple[object, ...]], parameters: dict[str, int | str]) -> tuple[Anchor, ...]:
        rows = self._connection.execute(statement, parameters).all()
        records = said_anchors(self._connection, self._head, rows)
        return tuple(sorted(records, key=attrgetter("turn_seq", "start", "id")))


def said_anchors(connection: Connection, head: Head, rows: Sequence[Any]) -> list[Anchor]:
    """Convert rows of `SAID_ANCHORS` to anchors, closed where a model found them to be over."""
    over = _listed(row.id for row in rows if row.filler < 0)
    closed = connection.execute(_CLOSED, {"conversation": head.id, "ids": over}).all() if over else ()
    closed_by = {row.id: row.closed_by for row in closed}
    return [as_models_leave_it(said_anchor_record(row), row.filler, closed_by.get(row.id)) for row in rows]


def _is_stored(id_: int) -> bool:
    """False for ids of the open tail, and for numbers that no column can store."""
    return abs(id_) < FIRST_TAIL_ANCHOR


def _listed(ids: Iterable[int]) -> str:
    return ",".join(map(str, sorted(ids)))
