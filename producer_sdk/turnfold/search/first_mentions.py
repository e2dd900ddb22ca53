"""The passages of a timeline: first mentions, from all stretches of a conversation. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from turnfold.contract.notes import Note, in_order
from turnfold.contract.passages import PLACES
from turnfold.contract.terms import terms
from turnfold.contract.words import note_stems

_STRETCHES: Final = 32
"""Number of stretches of equal length in a conversation, each with its own best answers."""
_MOST_OF_IT: Final = 0.7
"""Share of a mention's stems that an earlier one must contain to say the same."""
_LEVELLED: Final = 0.7
"""How far the best score of each stretch is raised to the best of all."""


def spread(scores: Mapping[int, int], *, last_seq: int) -> dict[int, int]:
    """Raise scores so that the best answers of each stretch of a conversation come first."""
    length = last_seq // _STRETCHES + 1
    best: dict[int, int] = {}
    for number, score in scores.items():
        stretch = number // PLACES // length
        best[stretch] = max(best.get(stretch, 0), score)
    greatest = max(best.values(), default=0)
    raised = {stretch: 1.0 + _LEVELLED * (greatest / own - 1.0) for stretch, own in best.items() if own}
    return {number: round(score * raised.get(number // PLACES // length, 1.0)) for number, score in scores.items()}


def first_mentions(chosen: Iterable[Note], candidates: Iterable[Note]) -> list[Note]:
    """Replace each note by the first candidate that says most of it; without duplicates, in the order of `chosen`."""
    earlier = [(note, frozenset(note_stems(note.text))) for note in in_order(candidates)]
    firsts: dict[tuple[int, int], Note] = {}
    for note in chosen:
        stems = frozenset(note_stems(note.text))
        least = _MOST_OF_IT * len(stems)
        first = next(
            (candidate for candidate, held in earlier if candidate[:2] <= note[:2] and len(stems & held) >= least), note
        )
        firsts.setdefault((first.seq, first.place), first)
    return list(firsts.values())


def one_a_turn(notes: Iterable[Note], query: Collection[str] = ()) -> list[Note]:
    """The first note of each turn, or the first that contains a term of the query; in the order of the first ones."""
    wanted = frozenset(query)
    firsts: dict[int, Note] = {}
    for note in notes:
        first = firsts.setdefault(note.seq, note)
        if first is not note and wanted and _holds(note, wanted) and not _holds(first, wanted):
            firsts[note.seq] = note
    return list(firsts.values())


def _holds(note: Note, terms_of_query: frozenset[str]) -> bool:
    return not terms_of_query.isdisjoint(terms(note.text))
