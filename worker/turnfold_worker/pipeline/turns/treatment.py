"""Reads and classifies the turns of a segment once, for notes, levels and importance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from turnfold.contract.records import StoredTurn
from turnfold_worker.pipeline.content import Statement, read_content
from turnfold_worker.pipeline.turns.classify import RESIDUAL, Classification, Decision, classify
from turnfold_worker.pipeline.turns.importance import MOST_RESIDUALS, RESIDUAL_FROM, residuals, score_turns
from turnfold_worker.pipeline.turns.memo import NO_MEMOS, TurnMemo
from turnfold_worker.pipeline.turns.reading import Reading, read_turn
from turnfold_worker.pipeline.turns.repeats import Repeat, find_repeats

_STRUCTURED: Final = frozenset({"JSON", "SQL", "code", "table", "key-value", "commands"})
"""Reasons for keeping a turn that is summarized as statements when it does not fit verbatim."""


@dataclass(frozen=True, slots=True)
class Treatment:
    """How a turn is to be summarized in its segment."""

    classification: Classification
    score: int
    """Importance, 0 to 100."""
    repeat: Repeat | None = None
    statements: tuple[Statement, ...] | None = None
    """Summary of the content as statements; None for prose."""
    important: bool = False
    """True when the score reaches the threshold of residuals; pinned turns always do."""

    @property
    def kept(self) -> bool:
        """True when the turn stays verbatim while it fits, by a rule or as one of the segment's residuals."""
        return self.classification.decision is Decision.KEEP or RESIDUAL in self.classification.reasons


def read_segment(
    turns: Sequence[StoredTurn],
    *,
    before: Sequence[StoredTurn] = (),
    earlier: Sequence[StoredTurn] = (),
    residual_threshold: int = RESIDUAL_FROM,
    residual_share: float = MOST_RESIDUALS,
    memos: Mapping[int, TurnMemo] = NO_MEMOS,
) -> list[Reading]:
    """Read the turns of a segment and decide how each is to be summarized.

    `before` are the turns right before the segment, `earlier` older turns that it may repeat, `memos` the caches of its
    turns by number.
    """
    readings = [read_turn(turn, memos.get(turn.seq)) for turn in turns]
    scores = score_turns(turns)
    important = residuals(scores, least=residual_threshold, share=residual_share)
    repeats = find_repeats(turns, before=before, earlier=earlier)
    treated: list[Reading] = []
    for reading, score in zip(readings, scores, strict=True):
        repeat = repeats.get(score.seq)
        classification = classify(
            reading.turn, important=score.seq in important, repeats=repeat is not None, memo=reading.memo
        )
        statements = _statements(reading, classification)
        treatment = Treatment(
            classification, score.score, repeat, statements, important=score.score >= residual_threshold
        )
        treated.append(replace(reading, treatment=treatment))
    return treated


def _statements(reading: Reading, classification: Classification) -> tuple[Statement, ...] | None:
    if classification.decision is Decision.REFER:
        return None
    structured = classification.decision is Decision.STRUCTURE or not _STRUCTURED.isdisjoint(classification.reasons[:1])
    return read_content(reading.turn.content) if structured or reading.tool else None


def statements_of(reading: Reading) -> tuple[Statement, ...] | None:
    """Return the statements of a structured turn, mostly in order; None for prose. Tool output is never prose."""
    if reading.treatment is not None:
        return reading.treatment.statements
    return read_content(reading.turn.content) if reading.tool else None
