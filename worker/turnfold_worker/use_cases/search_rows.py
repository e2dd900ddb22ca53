"""Search rows and levels of idle conversations: dropped after days without a turn, rebuilt when a query needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from turnfold.contract.posting_pieces import Posted
from turnfold.contract.records import FAN_OUT, ConversationId, Method
from turnfold_worker.pipeline.fold import FoldedNode, not_deleted, plain_fold, said_after
from turnfold_worker.pipeline.notes.passages import Posting
from turnfold_worker.pipeline.notes.search_rows import SaidSegment, postings_again, postings_of_notes
from turnfold_worker.pipeline.roll_up import roll_up
from turnfold_worker.ports.messages import ClosedSegment, DroppedSegment, Tail
from turnfold_worker.use_cases.earlier import earlier_turns
from turnfold_worker.use_cases.last_try import or_plain
from turnfold_worker.use_cases.refold import folded_by_rules

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.dropped_postings import SqlIdleSearch
    from turnfold_worker.adapters.sql.store import SqlStore

BEFORE_ALL: Final = ConversationId(0)


def drop_idle(keep_days: float, *, search: SqlIdleSearch, seconds: float, clock: Callable[[], float]) -> bool:
    """Drop search rows of conversations idle for `keep_days`, for up to `seconds`; return whether that was enough.

    A scan begins where the last one ended, and ends with the last conversation. One that finds nothing is enough, even
    if conversations are left: the next scan reaches them.
    """
    deadline, after, dropped = clock() + seconds, search.reached(), 0
    while True:
        lists, last = search.idle(keep_days, after=after)
        for conversations in lists:
            dropped += search.drop(conversations, keep_days)
            after = conversations[-1]
            if clock() >= deadline:
                search.note_reached(after)
                return False
        if last is None:
            search.note_reached(BEFORE_ALL)
            return True
        after = last
        if clock() >= deadline:
            search.note_reached(after)
            return not dropped


def make_again(tail: Tail, store: SqlStore, *, total: bool, is_over: Callable[[], bool]) -> None:
    """Rebuild dropped rows of a conversation, segment by segment: at least one, and on until `is_over`.

    Stops early where the conversation is no longer in the state of `tail`. `total`: where the rules fail, rebuild from
    the notes of a segment, so that the conversation goes on.
    """
    for idx in range(tail.postings_standing or 0, tail.node_count):
        segment = store.dropped_segment(tail.conversation, idx)
        if segment is None:
            return
        postings: list[Posted] = [(term, idx, weight, where_) for term, weight, where_ in _made(segment, store, total)]
        levels = [] if segment.has_levels else [*_levels(segment, tail.conversation, store, total=total)]
        if not store.write_again(tail, idx, postings, levels) or is_over():
            return


def make_whole(conversation: ConversationId, store: SqlStore, *, is_over: Callable[[], bool]) -> bool:
    """Rebuild all dropped rows of a conversation, even where the rules fail; False when `is_over` came first."""
    while (tail := store.tail(conversation, 1)) is not None and tail.postings_standing is not None:
        make_again(tail, store, total=True, is_over=is_over)
        if is_over():
            return False
    return True


def _levels(
    segment: DroppedSegment, conversation: ConversationId, store: SqlStore, *, total: bool
) -> Iterator[FoldedNode]:
    """Yield the segment, and the chapters that end with it."""
    if segment.closed is not None:
        yield _folded(segment.closed, store, total=total)
    height, idx = 0, segment.idx
    while idx % FAN_OUT == FAN_OUT - 1:
        children = store.siblings(conversation, height, idx - FAN_OUT + 1, idx)
        if len(children) < FAN_OUT:
            return
        height, idx = height + 1, idx // FAN_OUT
        yield roll_up(children, height=height, idx=idx)


def _folded(closed: ClosedSegment, store: SqlStore, *, total: bool) -> FoldedNode:
    return or_plain(
        lambda: folded_by_rules(closed, store),
        lambda: plain_fold(closed.turns, idx=closed.idx, said=said_after(closed.said_before, closed.turns)),
        total=total, loss=f"segment {closed.idx} of conversation {closed.conversation} falls back to plain words",
    )  # fmt: skip


def _made(segment: DroppedSegment, store: SqlStore, total: bool) -> tuple[Posting, ...]:  # noqa: FBT001 - one of three
    if segment.method is Method.PLAIN:
        # It has no notes. Folding it by the rules will write its postings.
        return ()
    of_notes, closed = partial(postings_of_notes, segment.stored), segment.closed
    if closed is None:
        return of_notes()
    loss = f"segment {segment.idx} of conversation {closed.conversation} is not searchable by all of its words"
    return or_plain(lambda: _by_rules(segment, closed, store), of_notes, total=total, loss=loss)


def _by_rules(segment: DroppedSegment, closed: ClosedSegment, store: SqlStore) -> tuple[Posting, ...]:
    said = SaidSegment(
        not_deleted(closed.turns), not_deleted(closed.before),
        not_deleted(earlier_turns(closed.turns, closed.conversation, store, closed.idx)),
    )  # fmt: skip
    return postings_again(said, closed.settings, segment.stored)
