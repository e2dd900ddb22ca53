"""The anchors that were active at an earlier turn, in two statements with a bounded number of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, and_, bindparam, literal_column, select

from turnfold.assemble.by_value.top_anchors import RANK_OF_REPLACING
from turnfold.contract.model_anchors import as_models_leave_it
from turnfold.contract.records import Anchor, AnchorState
from turnfold.contract.results import Head
from turnfold.contract.tail_anchors import TailAnchors
from turnfold.database.rows import said_anchor_record
from turnfold.database.statements import (
    ACTIVE,
    ANCHOR_COLUMNS,
    ANCHORS_BY_RANK,
    CLOSED_IN,
    TOP_ANCHORS,
    WHO_AND_WHEN,
    anchor,
    turn,
)
from turnfold.dates.validity import BY_ANOTHER, reopened

_NEWEST: Final = 512
"""Newest anchors up to the turn that are considered."""
_BEST: Final = 256
"""Best currently active anchors, of which those up to the turn are considered as well."""
_MOST_REOPENED: Final = 32

_by: Final = anchor.alias("by_anchor")
_replaced: Final = anchor.alias("replaced")
_SAID: Final = (
    select(
        *ANCHOR_COLUMNS, *WHO_AND_WHEN, CLOSED_IN.label("closed_by"), _by.c.seq.label("by_seq"),
        _replaced.c.body.label("replaced"), _replaced.c.seq.label("replaced_seq"),
    )
    .outerjoin_from(anchor, _by, and_(_by.c.conversation == anchor.c.conversation, _by.c.id == CLOSED_IN))
    .outerjoin(
        _replaced, and_(_replaced.c.conversation == anchor.c.conversation, _replaced.c.id == anchor.c.replaces)
    )
    .join(turn, and_(turn.c.conversation == anchor.c.conversation, turn.c.seq == anchor.c.seq))
    .where(
        anchor.c.conversation == bindparam("conversation"), anchor.c.seq <= bindparam("last_seq"),
        anchor.c.filler <= literal_column("0"),
    )
)  # fmt: skip
NEWEST_SAID: Final = _SAID.order_by(anchor.c.seq.desc()).limit(literal_column(str(_NEWEST)))
_best: Final = (
    select(anchor.c.id)
    .where(anchor.c.conversation == bindparam("conversation"), ACTIVE)
    .order_by(*ANCHORS_BY_RANK)
    .limit(literal_column(str(_BEST)))
    .subquery("want")
)
BEST_SAID: Final = _SAID.where(anchor.c.id.in_(select(_best.c.id)))


class PastAnchors(NamedTuple):
    """The anchors as of an earlier turn."""

    active: tuple[Anchor, ...]
    """Active anchors, best first."""
    reopened: tuple[Anchor, ...]
    """Those of them that were superseded later, newest first."""


def past_anchors(connection: Connection, head: Head, last_seq: int, tail: TailAnchors) -> PastAnchors:
    """Return the anchors that were active at turn `last_seq`; `tail` is the current open tail."""
    parameters = {"conversation": head.id, "last_seq": last_seq}
    rows = {row.id: row for statement in (NEWEST_SAID, BEST_SAID) for row in connection.execute(statement, parameters)}
    known = {
        **{row.id: row.seq for row in rows.values()},
        **{past_anchor.id: past_anchor.turn_seq for past_anchor in tail.anchors},
    }
    by_tail = {change.id: change for change in tail.changes}
    held: list[Anchor] = []
    closed_later: list[Anchor] = []
    for was_closed, past_anchor in (
        *_stored(rows.values(), by_tail, known, last_seq),
        *_of_tail(tail, known, last_seq),
    ):
        held.append(past_anchor)
        if was_closed:
            closed_later.append(past_anchor)
    held.sort(
        key=lambda past_anchor: (
            past_anchor.rank + RANK_OF_REPLACING * (past_anchor.replaced is not None),
            past_anchor.id,
        ),
        reverse=True,
    )
    closed_later.sort(key=lambda past_anchor: past_anchor.position, reverse=True)
    return PastAnchors(tuple(held[:TOP_ANCHORS]), tuple(closed_later[:_MOST_REOPENED]))


def _stored(
    rows: Iterable[Any], by_tail: Mapping[int, Any], known: Mapping[int, int], last_seq: int
) -> Iterator[tuple[bool, Anchor]]:
    for row in rows:
        record, by_seq = as_models_leave_it(said_anchor_record(row), row.filler, row.closed_by), row.by_seq
        change = by_tail.get(record.id)
        if change is not None and record.state is AnchorState.ACTIVE:
            record = replace(record, state=change.state, related=change.related)
            by_seq = known.get(change.related or 0)
        if row.replaced is not None and row.replaced_seq <= last_seq:
            record = replace(record, replaced=row.replaced, replaced_seq=row.replaced_seq)
        yield from _held(record, by_seq, last_seq)


def _of_tail(tail: TailAnchors, known: Mapping[int, int], last_seq: int) -> Iterator[tuple[bool, Anchor]]:
    for of_tail in tail.anchors:
        if of_tail.turn_seq <= last_seq:
            yield from _held(of_tail, known.get(of_tail.related or 0), last_seq)


def _held(held: Anchor, by_seq: int | None, last_seq: int) -> Iterator[tuple[bool, Anchor]]:
    """Yield an anchor if it was active, with whether it was superseded later."""
    if held.state is AnchorState.ACTIVE:
        yield False, held
    elif held.state in BY_ANOTHER and by_seq is not None and by_seq > last_seq:
        yield held.state is AnchorState.SUPERSEDED, reopened(held)
