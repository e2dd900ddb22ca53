"""Build the passages of a segment, and the postings by which a query finds them. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from operator import itemgetter
from typing import Final, NamedTuple

from turnfold.contract.note_times import NoteTime, pack_times
from turnfold.contract.notes import Note
from turnfold.contract.passages import (
    IMPACT_SCALE,
    LAST_TURN,
    MOST_IMPACT,
    ORDERED,
    PASSAGE_TOKENS,
    PLACES,
    PREFERRED,
    STANDING,
    bundle_of,
    mark_of,
    number_of,
    pack_bundles,
    pack_passage,
    pack_pointers,
)
from turnfold.contract.records import Role
from turnfold.contract.terms import MAX_TERM_LENGTH, terms
from turnfold.contract.time_terms import MEANT, SAID, note_time_terms, said_terms
from turnfold.contract.words import note_stems
from turnfold.dates.passed import day_of
from turnfold_worker.pipeline.anchors.rules.statement_rules import PREFERENCE, STANDING_ORDER
from turnfold_worker.pipeline.language.common_words import WEIGHTS

MAX_POSTINGS: Final = 512
"""Maximum number of terms, besides times and wishes, by which a segment and its passages are found."""
_USUAL_POSTINGS: Final = 256
"""The same limit if the segment's notes have no more terms."""
_BESIDE: Final = 64
"""Postings reserved for terms that no note contains: code and tables are found by them."""
_MOST_TIME_TERMS: Final = 128
"""Maximum number of days, months, years and standing wishes by which a segment is found."""
_MAX_WEIGHT: Final = 32_767
_MOST_TIMES: Final = 50
_K1: Final = 1.2
_B: Final = 0.75
_USUAL_TERMS: Final = 16
"""Terms of an average passage. A constant, to keep stored data independent of what was folded before."""


class Posting(NamedTuple):
    """A term of a segment."""

    term: str
    weight: int
    """From 1 to 32,767: how much the segment is about it."""
    passages: bytes
    """Pointers, see `turnfold.contract.passages`; empty for a term that no note contains."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Notes of one turn that a query finds together."""

    number: int
    notes: Sequence[Note]
    ends: bool
    """Whether it is the last of its turn."""
    said: str = ""
    """The words of the turn from which the notes were made."""
    times: Mapping[int, NoteTime] = field(default_factory=dict)
    """Times by place, for the notes that mention one."""

    @property
    def alone(self) -> bool:
        """Whether it is all of its turn."""
        return self.ends and self.number % PLACES == 0

    @property
    def standing(self) -> int:
        """The impact of a person's standing order, 'Always answer in German', or preference; 0 for anything else."""
        if self.notes[0].role != Role.USER:
            return 0
        if STANDING_ORDER.search(self.said):
            return ORDERED
        return PREFERRED if PREFERENCE.search(self.said) else 0

    def time_terms(self) -> dict[str, int]:
        """Return the terms of the times that its notes mention and of the day on which they were said, with impacts."""
        day = day_of(self.notes[0].day)
        impacts = {} if day is None else dict.fromkeys(said_terms(day), SAID)
        for time in self.times.values():
            if time.meant_from and time.meant_to:
                impacts |= dict.fromkeys(note_time_terms(time.meant_from, time.meant_to), MEANT)
        return impacts

    def packed(self) -> str:
        """Return the stored form."""
        return pack_passage(self.notes, [" ".join(note_stems(note.text)) for note in self.notes])


def bundles_of(passages: Sequence[Passage]) -> list[tuple[int, bytes, str | None]]:
    """Return number, body and times of each bundle of a segment's passages."""
    times: dict[int, dict[int, NoteTime]] = {}
    for passage in passages:
        times.setdefault(bundle_of(passage.number), {}).update(passage.times)
    packed = pack_bundles([(passage.number, passage.packed()) for passage in passages])
    return [(bundle, body, pack_times(times[bundle])) for bundle, body in packed]


NO_TIMES: Final[Mapping[tuple[int, int], NoteTime]] = {}


def passages_of(
    notes: Sequence[Note], said: Sequence[str] = (), times: Mapping[tuple[int, int], NoteTime] = NO_TIMES
) -> list[Passage]:
    """Group notes in order by turn, up to `PASSAGE_TOKENS`; notes past the last number, in huge turns, are left out.

    `said` are the words that each note was made from; `times` are those of notes, by turn and place.
    """
    passages: list[Passage] = []
    group: list[Note] = []
    words: list[str] = []
    tokens = place = 0
    for note, following, meant in zip_longest(notes, notes[1:], said):
        group.append(note)
        words.append(meant or "")
        tokens += note.tokens
        ends = following is None or following.seq != note.seq
        is_same = following is not None and following[2:4] == note[2:4]
        if not ends and is_same and following is not None and tokens + following.tokens <= PASSAGE_TOKENS:
            continue
        if place < PLACES and note.seq <= LAST_TURN:
            times_of_group = {
                grouped.place: times[note.seq, grouped.place] for grouped in group if (note.seq, grouped.place) in times
            }
            passages.append(Passage(number_of(note.seq, place), tuple(group), ends, " ".join(words), times_of_group))
        group, words, tokens, place = [], [], 0, 0 if ends else place + 1
    return passages


def postings_of(counts: Mapping[str, int], passages: Sequence[Passage]) -> tuple[Posting, ...]:
    """Return the postings of a segment, heaviest first; `counts` has the number of occurrences of each term."""
    pointers: dict[str, list[tuple[int, int]]] = {}
    times = dict(counts)
    for passage in passages:
        first = passage.notes[0]
        held = Counter(terms(" ".join([*(note.text for note in passage.notes), first.day])))
        asks = passage.notes[-1].text.endswith("?")
        common = _K1 * (1.0 - _B + _B * (1 + held.total()) / _USUAL_TERMS)
        # Most terms occur once in a passage: compute what they share once.
        pointer_of = {
            many: (passage.number, mark_of(_impact(many, common), first.role, asks=asks, ends=passage.ends))
            for many in set(held.values())
        }
        for term, many in held.items():
            pointers.setdefault(term, []).append(pointer_of[many])
            times.setdefault(term, many)
    weighted = [
        (term[:MAX_TERM_LENGTH], min(_MAX_WEIGHT, WEIGHTS[term] * min(many, _MOST_TIMES)))
        for term, many in times.items()
    ]
    # The sort is stable: of equal weights, the term that was said first stays first.
    ordered = sorted(weighted, key=itemgetter(1), reverse=True)
    # A query may use any term of a note: a decision in the middle of a long turn is stated once.
    of_passages = [(term, weight) for term, weight in ordered if term in pointers][: MAX_POSTINGS - _BESIDE]
    beside = [(term, weight) for term, weight in ordered if term not in pointers]
    beside = beside[: max(_BESIDE, _USUAL_POSTINGS - len(of_passages))]
    best = dict(sorted([*of_passages, *beside], key=itemgetter(1), reverse=True))
    postings = [Posting(term, weight, pack_pointers(pointers.get(term, ()))) for term, weight in best.items()]
    postings += [Posting(term, 1, pack_pointers(marked)) for term, marked in _beside_words(passages).items()]
    return tuple(postings)


def _beside_words(passages: Sequence[Passage]) -> dict[str, list[tuple[int, int]]]:
    """Return the pointers of non-word terms: standing wishes and times."""
    pointers: dict[str, list[tuple[int, int]]] = {}
    times: dict[str, None] = {}
    for passage in passages:
        role, asks = passage.notes[0].role, passage.notes[-1].text.endswith("?")
        marked_pointers = [(STANDING, passage.standing)] if passage.standing else []
        for term, impact in (*marked_pointers, *passage.time_terms().items()):
            times[term] = None
            if len(times) <= _MOST_TIME_TERMS:
                mark = mark_of(impact, role, asks=asks, ends=passage.ends)
                pointers.setdefault(term, []).append((passage.number, mark))
    return pointers


def _impact(many: int, common: float) -> int:
    """Return BM25's saturated term frequency of a term that occurs `many` times in a passage, in hundredths."""
    return min(MOST_IMPACT, max(1, round(IMPACT_SCALE * many * (_K1 + 1.0) / (many + common))))
