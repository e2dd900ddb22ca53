"""How much of what answers a query is shown: a decision for each segment from what is known of it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_STRONG: Final = 0.5
"""Of the best score: with less than this a segment is not what the query is about."""
_SAID_BY_NOTES: Final = 0.8
"""Of a turn's tokens: notes that keep as many lose nothing that is worth its price."""
_LEAST_ROOM: Final = 40
"""Tokens below which no words are quoted."""


class Detail(StrEnum):
    """As what a segment's answer is shown."""

    ENOUGH = "enough"
    """The background says it already."""
    NOTES = "notes"
    SENTENCES = "sentences"
    """The part of its turn that names most of the query, word for word."""
    TURNS = "turns"
    """Its turn, word for word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What is known of the answer that a segment holds."""

    score: float
    """Of its best passage, as a share of the best of all."""
    in_background: float
    """Share of the tokens of the notes that answer which the background shows anyway."""
    kept_by_notes: float
    """Tokens of the notes that answer, as a share of those of their turn."""
    turn_tokens: int
    room: int
    """Tokens that words as they were said may still cost; none in a small budget, where notes say more."""


def detail_of(evidence: Evidence) -> Detail:
    """The least detail that answers as well as the room allows."""
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
    """A segment that a query is about, and how it is shown."""

    segment: int | None
    """Its number; None for turns that no segment holds yet."""
    seq: int
    """The turn that answers."""
    detail: Detail
