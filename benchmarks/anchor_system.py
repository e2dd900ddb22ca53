"""Turnfold's anchors as a system under test of an anchor harness.

Put this folder on PYTHONPATH. The harness names the system `anchor_system:acts` (what each turn does, by the rules, at
their single threshold) or `anchor_system:kept` (only what a fold keeps as an anchor). It passes turns of `speaker` and
`text`, and expects `{type, turn, text, score, accepted}`. `without_replies` and `alone` are the ablations of
docs/quality.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from turnfold.contract.records import AnchorType, Role, StoredTurn
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.anchors.dialogue_acts.turn_acts import REPLIES
from turnfold_worker.pipeline.anchors.extraction import extract_anchors, segment_acts
from turnfold_worker.pipeline.anchors.heads.head import with_head
from turnfold_worker.pipeline.anchors.rules.rule import ENOUGH, Act
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import Reading, read_turn

ROLES = {"assistant": Role.ASSISTANT, "system": Role.ASSISTANT}
"""In the harness, `system` is the side that answers, not a system message."""
TYPES_OF_ACT = {
    Act.COMMITMENT: ("commitment",),
    Act.REQUEST: ("request",),
    Act.DECISION: ("decision",),
    Act.QUESTION: ("question", "open_question"),
    Act.FACT: ("fact",),
    Act.CORRECTION: ("correction",),
}
TYPES_OF_ANCHOR = {
    AnchorType.COMMITMENT: ("commitment", "request"),
    AnchorType.DECISION: ("decision",),
    AnchorType.UNRESOLVED_QUESTION: ("question", "open_question"),
    AnchorType.CRITICAL_FACT: ("fact",),
    AnchorType.CORRECTION: ("correction",),
    AnchorType.CONSTRAINT: ("fact",),
    AnchorType.INSTRUCTION: ("fact", "request"),
    AnchorType.PREFERENCE: ("fact",),
}
SEGMENT_TURNS = 20


def readings_of(turns: Sequence[dict[str, Any]]) -> list[Reading]:
    """Read a harness's turns."""
    return [read_turn(as_stored(turn, seq)) for seq, turn in enumerate(turns, start=1)]


def as_stored(turn: dict[str, Any], seq: int) -> StoredTurn:
    """Convert a harness's turn to a stored one."""
    speaker = turn["speaker"]
    return StoredTurn(
        seq=seq, turn_id=f"t{seq}", role=ROLES.get(speaker, Role.USER), content=turn["text"],
        name=None if speaker in {"user", *ROLES} else speaker, tokens=estimate_tokens(turn["text"]),
    )  # fmt: skip


class Acts:
    """Returns what each turn does; a conversation is one segment."""

    def __init__(self, *, without_replies: bool = False, alone: bool = False, segment_turns: int | None = None) -> None:
        self._without_replies = without_replies
        self._segment_turns = 1 if alone else segment_turns

    def anchors(self, turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        readings = readings_of(turns)
        size = self._segment_turns or len(readings)
        segments = [readings[start : start + size] for start in range(0, len(readings), size)]
        acts = [found for each in segments for found in with_head(each, segment_acts(each))]
        return [
            {"type": type_, "turn": turn, "text": readings[turn].text(found.span), "score": float(found.points),
             "accepted": found.points >= ENOUGH}
            for turn, of_turn in enumerate(acts)
            for found in of_turn
            if not (self._without_replies and found.rule in {*REPLIES, "answer", "no to a proposal"})
            for type_ in TYPES_OF_ACT[found.act]
        ]  # fmt: skip


class Kept:
    """Returns what a fold keeps, in segments of `SEGMENT_TURNS` turns."""

    def anchors(self, turns: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        readings = readings_of(turns)
        return [
            {"type": type_, "turn": draft.turn_seq - 1, "text": draft.text, "score": float(draft.score),
             "accepted": True}
            for start in range(0, len(readings), SEGMENT_TURNS)
            for draft in extract_anchors(readings[start : start + SEGMENT_TURNS], FoldSettings())
            for type_ in TYPES_OF_ANCHOR[draft.type]
        ]  # fmt: skip


acts = Acts
"""The factory that the harness calls."""
kept = Kept
without_replies = partial(Acts, without_replies=True)
"""An ablation that ignores the meaning of replies."""
alone = partial(Acts, alone=True)
"""An ablation that reads each turn by itself, without earlier turns or its group."""
