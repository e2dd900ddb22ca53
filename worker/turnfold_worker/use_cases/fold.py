"""Fold the turns of a conversation into segments, anchors, levels and chapters, in order, without a model.

No lock is held while computing. Each closed segment is one transaction that writes only if the conversation is still in
the state that the fold was computed from; a worker that comes second discards its work and starts over. An expired
lease therefore costs double work, never double rows.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from turnfold.contract.outlines import Outline
from turnfold.contract.records import ConversationId, Role, StoredTurn
from turnfold.contract.vectors import NO_VECTOR
from turnfold_worker.errors import DIED, Retryable, where
from turnfold_worker.pipeline.anchors.deduplicate import merge
from turnfold_worker.pipeline.fold import fold_segment, plain_fold, said_after
from turnfold_worker.pipeline.notes.turn_notes import notes_of
from turnfold_worker.pipeline.outline import (
    chapters_over,
    choose_cover,
    make_outline,
    plain_outline,
    read_tail,
    with_tail,
)
from turnfold_worker.pipeline.roll_up import chapters_above
from turnfold_worker.pipeline.segments.segmenter import SegmenterStats, State, step
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.memo import NO_MEMOS, memos_of
from turnfold_worker.pipeline.turns.repeats import NEIGHBOURS
from turnfold_worker.ports.messages import Fold, FoldClaim, Tail
from turnfold_worker.ports.storage import SentenceEmbedder
from turnfold_worker.use_cases.earlier import candidates_of, earlier_turns
from turnfold_worker.use_cases.embed import anchor_vectors_of, meant_by, vectors_of, vectors_one_by_one
from turnfold_worker.use_cases.last_try import or_plain
from turnfold_worker.use_cases.open_tail import anchors_of_tail
from turnfold_worker.use_cases.search_rows import make_again

if TYPE_CHECKING:
    from turnfold_worker.adapters.sql.store import SqlStore

_log = logging.getLogger(__name__)

TURNS_AT_ONCE: Final = 512
"""Turns that one read of the tail returns: above every cap on a segment and its pending tool calls."""

RETRY_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressLimits:
    """How long one task works before others get their turn, and how often it tries."""

    slice_seconds: float
    attempts: int


def compress(
    conversation: ConversationId,
    *,
    store: SqlStore,
    limits: CompressLimits,
    clock: Callable[[], float],
    embedder: SentenceEmbedder | None = None,
) -> int:
    """Fold until no turns are left to fold or the time slice is over; return the number of segments closed."""
    claim = store.claim_fold(conversation)
    if claim is None:
        return 0
    return fold_claimed(claim, store=store, limits=limits, clock=clock, embedder=embedder)


def fold_claimed(
    claim: FoldClaim,
    *,
    store: SqlStore,
    limits: CompressLimits,
    clock: Callable[[], float],
    embedder: SentenceEmbedder | None = None,
) -> int:
    """As `compress`, under an existing claim; a conversation that is not finished becomes due again."""
    end = clock() + limits.slice_seconds
    closed, plain = 0, claim.attempts >= limits.attempts
    try:
        while True:
            if clock() > end:
                # It queues behind the jobs that were due before.
                store.release_fold(claim, error=None, delay_seconds=0.0)
                return closed
            folded, settled = _advance(claim, store, embedder, plain=plain, is_over=lambda: clock() > end)
            closed += folded
            # The segment that failed is closed, by this worker or another; the next one has not failed yet.
            plain = False
            if settled:
                return closed
    except Retryable:
        # An outage is not the segment's fault: the try is not counted, if the store can still be reached.
        with suppress(Retryable):
            store.release_fold(claim, error=None, delay_seconds=RETRY_SECONDS)
        raise
    except Exception as error:  # noqa: BLE001 - one conversation is kept from hurting its neighbours
        _log.error("folding conversation %s failed (attempt %s): %s", claim.conversation, claim.attempts, where(error))
        store.release_fold(claim, error=where(error), delay_seconds=RETRY_SECONDS * claim.attempts)
        return closed


def _advance(
    claim: FoldClaim, store: SqlStore, embedder: SentenceEmbedder | None, *, plain: bool, is_over: Callable[[], bool]
) -> tuple[int, bool]:
    """Close the segments that the tail completes; return how many, and whether the job is done."""
    tail = store.tail(claim.conversation, TURNS_AT_ONCE)
    if tail is None:
        return 0, True
    if tail.postings_standing is not None:
        # The rules below need dropped rows rebuilt first; a failure here is no segment's fault.
        make_again(tail, store, total=plain, is_over=is_over)
        return 0, False
    tail = replace(tail, memos=memos_of(tail.turns, tail.memos))
    if embedder is not None:
        tail = with_vectors(tail, store, embedder, total=plain)
    closed = 0
    while (segment := next_segment(tail, total=plain and not closed)) is not None:
        why = _why(claim) if plain and not closed else None
        fold = fold_next(tail, segment, store, embedder=embedder, plain_error=why)
        if not store.commit_fold(claim, fold):
            return closed, False
        if fold.refold_error is not None:
            node = fold.nodes[0].node
            _log.warning(
                "segment %s of conversation %s fell back to plain words: %s",
                node.idx,
                claim.conversation,
                fold.refold_error,
            )
        closed += 1
        tail = after(tail, fold)
        if is_over():
            _tell_so_far(tail, store)
            return closed, False
    if tail.turns and tail.turns[-1].seq < tail.turn_count:
        if closed:
            _tell_so_far(tail, store)
        return closed, False
    outline, frame_only = outline_of(tail, store, total=plain)
    return closed, store.finish_fold(claim, tail, outline, frame_only=frame_only)


def _tell_so_far(tail: Tail, store: SqlStore) -> None:
    """Write an interim outline, so that contexts use it: folding a long import takes minutes."""
    so_far = replace(tail, turns=[], memos=NO_MEMOS)
    # Failures do not count here: the final outline counts attempts.
    loss = f"no interim outline of conversation {tail.conversation}"
    if (outline := or_plain(lambda: outline_of(so_far, store)[0], lambda: None, total=True, loss=loss)) is not None:
        store.record_progress(so_far, outline)


def with_vectors(tail: Tail, store: SqlStore, embedder: SentenceEmbedder, *, total: bool = False) -> Tail:
    """Return the tail with a sentence vector for every turn; vectors are stored before any decision uses them.

    `total`: without vectors of turns on which the model fails, so that the conversation goes on.
    """
    asked = (tail.conversation, tail.turns, store, embedder)
    vectors = or_plain(
        lambda: vectors_of(*asked), lambda: vectors_one_by_one(*asked), total=total,
        loss=f"turns of conversation {tail.conversation} are embedded one by one",
    )  # fmt: skip
    return replace(tail, vectors=vectors)


def _why(claim: FoldClaim) -> str:
    """Return the reason for plain words: ids and kinds of errors, never content."""
    return f"{claim.error or DIED} (attempt {claim.attempts})"


@dataclass(frozen=True, slots=True)
class CutSegment:
    """The turns of a complete segment, and the state of the segmenter after it."""

    turns: Sequence[StoredTurn]
    segmenter: Mapping[str, Any]
    decided_seq: int
    """The turn at which the segment's end was decided."""


def next_segment(tail: Tail, *, total: bool = False) -> CutSegment | None:
    """Return the next segment that the tail completes, if any; stepped turn by turn, so batch sizes do not matter.

    `total`: a segmenter that fails cuts by count instead, so that the conversation goes on.
    """
    if not tail.turns:
        return None
    settings = tail.settings
    most = tail.turns[: settings.segment_max_turns]
    return or_plain(
        lambda: _stepped(tail, settings), lambda: CutSegment(most, tail.segmenter or {}, most[-1].seq), total=total,
        loss=f"segment {tail.node_count} of conversation {tail.conversation} is cut by count",
    )  # fmt: skip


def _stepped(tail: Tail, settings: FoldSettings) -> CutSegment | None:
    state = State(SegmenterStats.from_json(tail.segmenter))
    for turn in tail.turns:
        vector = tail.vectors.get(turn.seq, NO_VECTOR) if tail.vectors else None
        state, cut = step(state, turn, settings, vector, tail.memos.get(turn.seq))
        if cut is not None:
            return CutSegment(tail.turns[: cut - tail.turns[0].seq], state.stats.to_json(), turn.seq)
    return None


def fold_next(
    tail: Tail,
    segment: CutSegment,
    store: SqlStore,
    *,
    embedder: SentenceEmbedder | None = None,
    plain_error: str | None,
) -> Fold:
    """Fold one segment, merge its anchors, and build the chapters that it completes."""
    turns, settings = segment.turns, tail.settings
    if plain_error is None:
        folded = fold_segment(
            turns, idx=tail.node_count, settings=settings, before=tail.before,
            earlier=earlier_turns(turns, tail.conversation, store, tail.node_count), said=said_after(tail.said, turns),
            memos=tail.memos,
        )  # fmt: skip
    else:
        folded = plain_fold(turns, idx=tail.node_count, said=said_after(tail.said, turns))
    candidates = candidates_of(folded.drafts, tail.conversation, store, turns[0].seq) if tail.node_count else []
    merged = merge(
        folded.drafts, candidates, next_id=tail.next_anchor, node_idx=tail.node_count, settings=settings,
        vectors=anchor_vectors_of(folded.drafts, candidates, tail.conversation, store, embedder),
    )  # fmt: skip
    siblings = partial(store.siblings, tail.conversation)
    chapters = chapters_above(folded, siblings, newest=True, total=plain_error is not None)
    return Fold(
        tail=tail, nodes=[folded, *chapters], anchors=merged.new, changes=merged.changed,
        segmenter=segment.segmenter, decided_seq=segment.decided_seq, refold_error=plain_error,
        meant=meant_by(folded, tail.vectors, embedder),
    )  # fmt: skip


def outline_of(tail: Tail, store: SqlStore, *, total: bool = False) -> tuple[Outline, bool]:
    """Make the outline of all folded turns; also return whether only its part on the open tail is new.

    `total`: rules that fail cost the text of the outline, not the conversation's progress.
    """
    return or_plain(
        lambda: _outline_by_rules(tail, store, total=total),
        lambda: (_outline_without_words(tail, store), False), total=total,
        loss=f"the outline of conversation {tail.conversation} has no text",
    )  # fmt: skip


def _outline_by_rules(tail: Tail, store: SqlStore, *, total: bool) -> tuple[Outline, bool]:
    readings = read_tail(tail.turns, tail.memos)
    anchors = anchors_of_tail(tail, readings, store, total=total)
    add_tail = partial(
        with_tail, turns=tail.turns, said=tail.said, readings=readings, noted=notes_of(readings), found=anchors,
        turns_before=tail.before,
    )  # fmt: skip
    frame = tail.frame
    if frame is not None and frame.last_seq == tail.closed_seq:
        outline = add_tail(frame)
        # The other parts omit notes that the tail overtakes.
        if outline.tail_overtaken == frame.tail_overtaken:
            return outline, True
    return add_tail(_outline(tail, store)), False


def _outline_without_words(tail: Tail, store: SqlStore) -> Outline:
    return plain_outline(choose_cover(store.node_sizes(tail.conversation, tail.node_count), last_seq=tail.closed_seq))


def _outline(tail: Tail, store: SqlStore) -> Outline:
    if not tail.node_count:
        return Outline()
    sizes = store.node_sizes(tail.conversation, tail.node_count)
    cover = choose_cover(sizes, last_seq=tail.closed_seq)
    notes = store.node_notes(tail.conversation, cover)
    users = store.user_turns(tail.conversation, tail.closed_seq) if tail.said.get(str(Role.TOOL)) else ()
    return make_outline(
        list(zip(cover, notes, strict=True)), chapters_over(sizes, cover), store.settled_anchors(tail.conversation),
        users,
    )  # fmt: skip


def after(tail: Tail, fold: Fold) -> Tail:
    """Return the tail after a committed fold, without reading the remaining turns again."""
    last_seq = fold.nodes[0].node.last_seq
    return replace(
        tail, closed_seq=last_seq, node_count=tail.node_count + 1, next_anchor=tail.next_anchor + len(fold.anchors),
        segmenter=fold.segmenter, said=fold.nodes[0].said,
        before=[*tail.before, *tail.turns[: last_seq - tail.closed_seq]][-NEIGHBOURS:],
        turns=tail.turns[last_seq - tail.closed_seq :],
        memos={seq: memo for seq, memo in tail.memos.items() if seq > last_seq},
    )  # fmt: skip
