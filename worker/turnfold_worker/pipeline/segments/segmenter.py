"""Splits turns into segments: an online left fold over turns, with at most three turns of look-ahead.

`step` is fed turn by turn from the last cut on. A cut depends only on the statistics stored at the last cut and on the
turns since then, so it does not depend on the batches in which turns arrive. There is no clock.

Limits on turns and tokens, and long pauses, always cut. Between those a gap is cut when its score stands out among the
scores of the conversation (`gap_scorer`) and the next gap does not score higher. A tool call is not separated from
its results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Final

from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.vectors import Vector
from turnfold_worker.pipeline.segments.gap_features import AFTER, REACH, features, pause_seconds
from turnfold_worker.pipeline.segments.gap_scorer import Form, Scores, form_of, needed, score
from turnfold_worker.pipeline.segments.gap_signs import Signs, signs_of
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.memo import TurnMemo

_FEW: Final = 2
"""Maximum number of speakers in a dialogue; with more, talk is that of a group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmenterStats:
    """State that the segmenter carries from one segment to the next; stored with the conversation at a cut."""

    scores: Scores = field(default_factory=Scores)
    roles: frozenset[Role] = frozenset()
    """Which of user and assistant have spoken."""
    speakers: tuple[str, ...] = ()
    """Hashes of users' names, at most `_FEW` + 1."""

    def to_json(self) -> dict[str, Any]:
        """Serialize for the conversation's row: less than 1 KB."""
        return {**self.scores.to_json(), "roles": sorted(self.roles), "speakers": list(self.speakers)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any] | None) -> SegmenterStats:
        """Read from the conversation's row; invalid parts become those of a new conversation."""
        given = stored if isinstance(stored, Mapping) else {}
        roles, speakers = given.get("roles"), given.get("speakers")
        return cls(
            scores=Scores.from_json(given),
            roles=frozenset(role for role in _TALKING if isinstance(roles, list) and role in roles),
            speakers=tuple(
                speaker for speaker in speakers if isinstance(speaker, str) and len(speaker) <= _HASH_LETTERS
            )[: _FEW + 1]
            if isinstance(speakers, list)
            else (),
        )

    def met(self, turn: StoredTurn) -> SegmenterStats:
        """Return the statistics with the speaker of one more turn added."""
        roles = self.roles | {turn.role} if turn.role in _TALKING else self.roles
        speakers = self.speakers
        if turn.role is Role.USER and len(speakers) <= _FEW:
            speaker = blake2b(turn.speaker.encode(errors="replace"), digest_size=_HASH_LETTERS // 2).hexdigest()
            speakers = speakers if speaker in speakers else (*speakers, speaker)
        return replace(self, roles=roles, speakers=speakers)


_TALKING: Final = (Role.USER, Role.ASSISTANT)
_HASH_LETTERS: Final = 8


@dataclass(frozen=True, slots=True)
class State:
    """The running statistics, and the signs of the turns since the last cut."""

    stats: SegmenterStats
    marks: tuple[Signs, ...] = ()


def step(
    state: State, turn: StoredTurn, settings: FoldSettings, vector: Vector | None = None, memo: TurnMemo | None = None
) -> tuple[State, int | None]:
    """Add one turn; return the new state and, once decided, the number of the first turn of the next segment.

    When a number is returned, the caller closes the segment and feeds the turns from that number on into a new state
    with the statistics of the returned state. `vector` is None without a sentence model; `memo` caches the signs of
    the turn.
    """
    state = State(state.stats.met(turn), (*state.marks, signs_of(turn, vector, state.marks, memo)))
    cut = _forced_cut(state.marks, settings)
    if cut is None:
        state, cut = topic_cut(state, settings)
    if cut is not None:
        return state, state.marks[cut].seq
    return state, turn.seq + 1 if _closes_at_once(state.marks, settings) else None


def _closes_at_once(marks: Sequence[Signs], settings: FoldSettings) -> bool:
    """True for a single turn above the token limit, unless tool results that belong to it may follow."""
    only = marks[0]
    waits = only.role in {Role.ASSISTANT, Role.TOOL} or only.calls
    return len(marks) == 1 and only.tokens > settings.segment_max_tokens and not waits


def _forced_cut(marks: Sequence[Signs], settings: FoldSettings) -> int | None:
    """Return the gap at which a limit or a long pause cuts after the newest turn; None for no cut."""
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
    # Otherwise an endless chain of overlapping calls would hold every gap.
    return gap or (last if last >= settings.segment_max_turns + settings.hold_turns else None)


def _paused(marks: Sequence[Signs], gap: int, settings: FoldSettings) -> bool:
    return pause_seconds(marks[gap - 1], marks[gap]) > settings.gap_minutes * 60


def _held(marks: Sequence[Signs], gap: int, settings: FoldSettings) -> bool:
    """True when a cut at the gap would separate a tool call from its results, present or still to come."""
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


def topic_cut(state: State, settings: FoldSettings) -> tuple[State, int | None]:
    """Judge the gap that is `look_ahead` turns old; return the new state, and the gap if the topic changes there."""
    gap = len(state.marks) - 1 - settings.look_ahead
    if gap < 1:
        return state, None
    group = len(state.stats.speakers) > _FEW
    form = form_of(semantic=state.marks[gap].numbers is not None, group=group)
    value = _score(state, gap, form)
    scores = state.stats.scores.seen(value, form)
    state = replace(state, stats=replace(state.stats, scores=scores))
    target = min(settings.segment_target_turns, settings.segment_max_turns)
    least = max(1, min(settings.segment_min_turns, target // 3))
    if gap < least or _held(state.marks, gap, settings):
        return state, None
    above = scores.outstanding(value, form, roles=len(state.stats.roles) == len(_TALKING))
    if above <= needed(gap, target, group=group) or (settings.look_ahead and _score(state, gap + 1, form) > value):
        return state, None
    return state, gap


def _score(state: State, gap: int, form: Form) -> float:
    marks, roles = state.marks, len(state.stats.roles) == len(_TALKING)
    return score(features(marks[max(0, gap - REACH) : gap], marks[gap : gap + AFTER], roles=roles), form)
