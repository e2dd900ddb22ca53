"""Decide for each segment how much of its answer to a query is shown. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_STRONG: Final = 0.5
"""Share of the best score below which a segment is not what the query is about."""
_SAID_BY_NOTES: Final = 0.8
"""Share of a turn's tokens from which its notes lose nothing worth the price of a quote."""
_LEAST_ROOM: Final = 40
"""Tokens below which nothing is quoted."""


class Detail(StrEnum):
    """Form in which a segment's answer is shown."""

    ENOUGH = "enough"
    """Nothing more: the background contains the answer."""
    NOTES = "notes"
    SENTENCES = "sentences"
    """The passage of the turn that contains most of the query, verbatim."""
    TURNS = "turns"
    """The whole turn, verbatim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Measures of the answer that a segment contains."""

    score: float
    """Score of the segment's best passage, as a share of the best of all."""
    in_background: float
    """Share of the answering notes' tokens that the background shows anyway."""
    kept_by_notes: float
    """Tokens of the answering notes, as a share of their turn's tokens."""
    turn_tokens: int
    room: int
    """Tokens that quotes may still cost; none in a small budget, where notes say more."""


def detail_of(evidence: Evidence) -> Detail:
    """Choose the least detail that answers as well as the room allows."""
    in_background = evidence.in_background >= 1.0
    if evidence.score < _STRONG or evidence.kept_by_notes >= _SAID_BY_NOTES:
        return Detail.ENOUGH if in_background else Detail.NOTES
    if evidence.turn_tokens <= evidence.room:
        return Detail.TURNS
    if evidence.room >= _LEAST_ROOM:
        return Detail.SENTENCES
    return Detail.ENOUGH if in_background else Detail.NOTES


@dataclass(frozen=True, slots=True)
class Answer:
    """A segment that a query is about, and how its answer is shown."""

    segment: int | None
    """Number of the segment; None for turns that are in no segment yet."""
    seq: int
    """The turn that answers."""
    detail: Detail
