"""Where one segment ends and the next begins: an online left fold over turns, with at most three turns of look-ahead.

`step` is fed turn by turn from the last cut on. A cut depends on the statistics stored at the last cut and on the
turns after it only, so the size of the batches in which turns arrive cannot change it. There is no clock.

Evidence for a change of topic is counted in points; `FoldSettings.shift_threshold` of them make a cut.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.terms import terms
from turnfold_worker.pipeline.common_words import weight
from turnfold_worker.pipeline.dates import as_utc
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.tool_groups import call_ids, result_ids

_READ: Final = 2_000
"""Code points of a turn that its topic is judged by."""
_WINDOW: Final = 6
"""Turns before a gap that are compared with those after it."""
_AHEAD: Final = 4
"""Turns after a gap that are compared with those before it."""
_SHORT: Final = 2
"""Turns before a gap from which its similarity means something."""
_MEMORY: Final = 64
"""Gaps over which the running mean forgets."""
_USUAL_SIMILARITY: Final = 180
"""Per mille; the mean before anything is known."""

_CUE: Final = re.compile(
    r"(?i)^\W{0,4}(?:(?:ok(?:ay)?|so|well|alright|right|now|great|thanks?|thank you|perfect|cool)[,.! ]+){0,3}"
    r"(?:next (?:topic|question|item|thing|point|up)|by the way|btw|moving on|let'?s move on|anyway|anyways"
    r"|on (?:a|an)(?:other| different| unrelated) (?:note|topic|subject)|speaking of"
    r"|chang\w{1,3} (?:the )?(?:topic|subject)"
    r"|switching (?:gears|topics?)|new (?:topic|question|subject)|(?:one|another) (?:more |other )?(?:thing|question)"
    r"|different (?:topic|question)|unrelated|also,? (?:can|could|i need|i want|what|how)|i (?:also|now) (?:need|want)"
    r"|now (?:let'?s|i|can|for)|can you also|what about|how about|i'?d also|i would also)(?!\w)"
)
_CLOSING: Final = re.compile(
    r"(?i)(?:thanks?(?: you)?|that'?s all|got it|sounds good|good ?bye|bye|see you|talk (?:to you )?(?:soon|later)"
    r"|that (?:helps|works)|perfect|no problem|you'?re welcome|glad (?:i|to)|have a (?:great|good|nice))\W"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmenterStats:
    """What the segmenter remembers from one segment to the next; stored with the conversation at a cut."""

    gaps: int = 0
    """Gaps in the running mean, at most `_MEMORY`."""
    similarity: int = _USUAL_SIMILARITY
    """Mean similarity of the turns around a gap inside a segment, per mille."""
    users: bool = False
    """True when the conversation has turns by a user and by an assistant."""

    def to_json(self) -> dict[str, Any]:
        """For the conversation's row."""
        return {"gaps": self.gaps, "similarity": self.similarity, "users": self.users}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any] | None) -> SegmenterStats:
        """From the conversation's row; what cannot be read is as for a new conversation."""
        given = stored if isinstance(stored, Mapping) else {}
        gaps, similarity = given.get("gaps"), given.get("similarity")
        if not isinstance(gaps, int) or not isinstance(similarity, int):
            return cls()
        return cls(
            gaps=min(max(gaps, 0), _MEMORY),
            similarity=min(max(similarity, 0), 1000),
            users=given.get("users") is True,
        )


@dataclass(frozen=True, slots=True)
class _Mark:
    """What of a turn decides boundaries."""

    seq: int
    role: Role
    speaker: str
    tokens: int
    head: str
    """The beginning of what was said."""
    created_at: datetime | None
    calls: tuple[str, ...]
    answers: tuple[str, ...]
    cue: bool
    closing: bool
    asks: bool


@dataclass(frozen=True, slots=True)
class State:
    """The turns since the last cut, as far as boundaries depend on them."""

    stats: SegmenterStats
    marks: tuple[_Mark, ...] = ()
    words: tuple[tuple[str, ...], ...] = ()
    """Distinct terms of the first marks: of a mark only once a gap is judged by them, because most never are."""


def fresh(stats: SegmenterStats) -> State:
    """The state at the beginning of a segment."""
    return State(stats)


def step(state: State, turn: StoredTurn, settings: FoldSettings) -> tuple[State, int | None]:
    """Take one turn in; with it the number of the first turn of the next segment, once that is decided.

    After a number the caller closes the segment and feeds the turns from that number on into a `fresh` state.
    """
    state = replace(state, marks=(*state.marks, _marked(turn)))
    cut = _forced_cut(state.marks, settings)
    if cut is None:
        state, cut = _topic_cut(state, settings)
    if cut is not None:
        return state, state.marks[cut].seq
    return state, turn.seq + 1 if _closes_at_once(state.marks, settings) else None


def close(stats: SegmenterStats, turns: Sequence[StoredTurn]) -> SegmenterStats:
    """The statistics after a segment: its inner gaps are what talk about one topic looks like here."""
    total, gaps = stats.similarity * stats.gaps, stats.gaps
    words = [_words(turn.content[:_READ]) for turn in turns] if len(turns) > _SHORT else []
    for gap in range(_SHORT, len(words)):
        total += _similarity(words, gap)
        gaps += 1
    roles = {turn.role for turn in turns}
    return SegmenterStats(
        gaps=min(gaps, _MEMORY),
        similarity=total // gaps if gaps else stats.similarity,
        users=stats.users or {Role.USER, Role.ASSISTANT} <= roles,
    )


def _marked(turn: StoredTurn) -> _Mark:
    head = turn.content[:_READ]
    return _Mark(
        seq=turn.seq,
        role=turn.role,
        speaker=turn.speaker,
        tokens=turn.tokens,
        head=head,
        created_at=turn.created_at and as_utc(turn.created_at),
        calls=call_ids(turn),
        answers=result_ids(turn),
        cue=_CUE.match(head) is not None,
        closing=_CLOSING.search(head[:200]) is not None,
        asks=turn.content[-20:].rstrip(" \n*_)\"'").endswith(("?", "\uff1f")),
    )


def _closes_at_once(marks: Sequence[_Mark], settings: FoldSettings) -> bool:
    """A single turn above the cap waits for nobody, unless results that belong to it may follow."""
    only = marks[0]
    waits = only.role in {Role.ASSISTANT, Role.TOOL} or only.calls
    return len(marks) == 1 and only.tokens > settings.segment_max_tokens and not waits


def _forced_cut(marks: Sequence[_Mark], settings: FoldSettings) -> int | None:
    """The gap at which a cap or a long pause cuts, now that the last turn is known."""
    last = len(marks) - 1
    if last == 0:
        return None
    if _paused(marks, last, settings) and not _held(marks, last, settings):
        return last
    above = last >= settings.segment_max_turns or sum(mark.tokens for mark in marks) > settings.segment_max_tokens
    if not above:
        return None
    gap = last
    if marks[gap].role is Role.ASSISTANT and marks[gap - 1].role is Role.USER and gap > 1:
        gap -= 1
    while gap and _held(marks, gap, settings):
        gap -= 1
    # Calls that overlap without end would otherwise hold every gap.
    return gap or (last if last >= settings.segment_max_turns + settings.hold_turns else None)


def _paused(marks: Sequence[_Mark], gap: int, settings: FoldSettings) -> bool:
    return _pause_seconds(marks, gap) > settings.gap_minutes * 60


def _pause_seconds(marks: Sequence[_Mark], gap: int) -> int:
    before, after = marks[gap - 1].created_at, marks[gap].created_at
    return int(abs((after - before).total_seconds())) if before and after else 0


def _held(marks: Sequence[_Mark], gap: int, settings: FoldSettings) -> bool:
    """True when a cut at the gap would part a call from its results, or would forgo results that may yet come."""
    earliest = max(0, gap - settings.hold_turns)
    if marks[gap].role is Role.TOOL and not marks[gap].answers:
        return any(mark.role is not Role.TOOL for mark in marks[earliest:gap])
    for opened in range(gap - 1, earliest - 1, -1):
        missing = set(marks[opened].calls)
        for mark in marks[opened + 1 : gap]:
            missing.difference_update(mark.answers)
        if missing:
            return True
    return False


def _words(head: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(terms(head)))


def _topic_cut(state: State, settings: FoldSettings) -> tuple[State, int | None]:
    """The gap that is `look_ahead` turns old, when the topic changed there."""
    marks = state.marks
    gap = len(marks) - 1 - settings.look_ahead
    least = settings.segment_min_turns
    if gap < max(1, least // 2) or _held(marks, gap, settings):
        return state, None
    missing = tuple(_words(mark.head) for mark in marks[len(state.words) :])
    state = replace(state, words=state.words + missing)
    points = _shift_points(state, gap)
    if gap < least:
        # A short segment is worth a cut only on strong evidence.
        points -= 300
    return state, gap if points >= settings.shift_threshold else None


def _shift_points(state: State, gap: int) -> int:
    """Evidence that a new topic begins at the gap: lost words, a cue phrase, a pause, a change of day, who speaks."""
    marks, stats = state.marks, state.stats
    similarity = _similarity(state.words, gap)
    usual = max(60, stats.similarity)
    points = max(-500, (usual - similarity) * 800 // usual)
    before, first = marks[gap - 1], marks[gap]
    points += 450 * first.cue + 250 * before.closing
    points += min(400, _pause_seconds(marks, gap) // 4)
    if before.created_at and first.created_at and before.created_at.date() != first.created_at.date():
        points += 500
    if before.asks and before.speaker != first.speaker:
        points -= 500
    if first.role is Role.ASSISTANT and (stats.users or any(mark.role is Role.USER for mark in marks)):
        points -= 400
    if first.role is Role.USER and first.asks:
        points += 100
    return points


def _similarity(words: Sequence[Sequence[str]], gap: int) -> int:
    """How much of what is said after the gap was spoken of before it, per mille, rare words counting more."""
    known = {word for said in words[max(0, gap - _WINDOW) : gap] for word in said}
    after = dict.fromkeys(word for said in words[gap : gap + _AHEAD] for word in said)
    whole = shared = 0
    for word in after:
        points = weight(word)
        whole += points
        shared += points if word in known else 0
    return shared * 1000 // whole if whole else _USUAL_SIMILARITY
