"""Build a segment's search data: together with its notes when it is folded, or again from its turns. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from turnfold.contract.note_times import NoteTime, unpack_times
from turnfold.contract.notes import Note
from turnfold.contract.passages import PASSAGES_A_BUNDLE, PLACES, expanded, passages_among, unpack_passages
from turnfold.contract.records import StoredTurn
from turnfold.contract.terms import terms
from turnfold.dates.note_time import time_of
from turnfold_worker.pipeline.language.facts import FactKind
from turnfold_worker.pipeline.language.prose import READ_HEAD
from turnfold_worker.pipeline.notes.own_anchors import words_of_their_own
from turnfold_worker.pipeline.notes.passages import Passage, Posting, bundles_of, passages_of, postings_of
from turnfold_worker.pipeline.notes.turn_notes import noted
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import Reading
from turnfold_worker.pipeline.turns.treatment import read_segment

_MAX_COUNT: Final = 6
_NAME_COUNT: Final = 3
_NAMES: Final = 192


class Bundle(NamedTuple):
    """A bundle of passages as stored: see `turnfold.contract.passages`."""

    number: int
    body: bytes
    times: str | None


class SaidSegment(NamedTuple):
    """The turns of a segment that are not deleted, with the turns needed to read them."""

    turns: Sequence[StoredTurn]
    before: Sequence[StoredTurn]
    earlier: Sequence[StoredTurn]
    """Older turns that these may repeat."""


def passages_said(readings: Sequence[Reading], noted_words: Sequence[tuple[Note, str]]) -> list[Passage]:
    """Return the passages of a segment's notes, each given with the words that it was made from."""
    notes = [note for note, _ in noted_words]
    return passages_of(notes, words_of_their_own(noted_words, readings), times_of(noted_words, readings))


def times_of(noted: Iterable[tuple[Note, str]], readings: Sequence[Reading]) -> dict[tuple[int, int], NoteTime]:
    """Return by turn and place the times that notes mention, given the words they were made from; most have none."""
    days = {reading.turn.seq: reading.day for reading in readings}
    times = {(note.seq, note.place): time_of(spoken, days[note.seq]) for note, spoken in noted}
    return {place: time for place, time in times.items() if time is not None}


def term_counts(readings: Sequence[Reading]) -> dict[str, int]:
    """Return how often a segment has each term, in its text, its speakers and, with more weight, its names."""
    counts: dict[str, int] = {}
    for reading in readings:
        for term, count in Counter(terms(reading.turn.content[:READ_HEAD])).items():
            counts[term] = counts.get(term, 0) + min(count, _MAX_COUNT)
        for term in terms(reading.turn.name or ""):
            counts[term] = counts.get(term, 0) + 1
        for name in reading.facts.texts(FactKind.NAME)[:_NAMES]:
            for term in dict.fromkeys(terms(name)):
                counts[term] = counts.get(term, 0) + _NAME_COUNT
    return counts


def postings_again(said: SaidSegment, settings: FoldSettings, stored: Sequence[Bundle]) -> tuple[Posting, ...]:
    """Return the postings that the fold of a segment made, which point to its `stored` passages.

    If other rules made those passages, the terms still come from the turns, but point to the passages as stored.
    """
    if not said.turns:
        return ()
    readings = read_segment(
        said.turns, before=said.before, earlier=said.earlier,
        residual_threshold=settings.residual_threshold, residual_share=settings.residual_share,
    )  # fmt: skip
    passages = passages_said(readings, noted(readings))
    if _opened(map(Bundle._make, bundles_of(passages))) != _opened(stored):
        passages = stored_passages(stored)
    return postings_of(term_counts(readings), passages)


def postings_of_notes(stored: Sequence[Bundle]) -> tuple[Posting, ...]:
    """Return the postings of a segment whose turns lost their text, from its `stored` passages alone."""
    return postings_of({}, stored_passages(stored))


def stored_passages(stored: Sequence[Bundle]) -> list[Passage]:
    """Rebuild passages from their bundles, with the text of the notes in place of the words of the turn."""
    numbers = range(2**63)
    held = unpack_passages(passages_among([(bundle.number, bundle.body) for bundle in stored], numbers))
    times = {
        (bundle.number * PASSAGES_A_BUNDLE // PLACES, place): time
        for bundle in stored
        for place, time in unpack_times(bundle.times).items()
    }
    after: Iterator[int | None] = (following.notes[0].seq for _, following in pairwise(held))
    return [
        Passage(
            passage.number,
            passage.notes,
            # At the last number of a turn it is unknown whether further passages were left out.
            ends=passage.notes[0].seq != next(after, None) and passage.number % PLACES < PLACES - 1,
            said=" ".join(note.text for note in passage.notes),
            times={
                note.place: times[note.seq, note.place] for note in passage.notes if (note.seq, note.place) in times
            },
        )
        for passage in held
    ]


def _opened(bundles: Iterable[Bundle]) -> list[tuple[int, str, str | None]]:
    """Return bundles uncompressed: compressed bytes may differ between machines."""
    return [(number, expanded(body), times) for number, body, times in bundles]
