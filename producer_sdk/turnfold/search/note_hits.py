"""Choose notes that answer a query, from scored passages. Pure.

Besides the score of its passage, a note's speaker counts, and what the note adds to those selected before.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import chain
from operator import mul
from typing import Final

from turnfold.contract.bounded_memo import Remembered
from turnfold.contract.note_lists import Tiers
from turnfold.contract.notes import OVERHEAD, Note, voices
from turnfold.contract.overtaken import NOTHING_OVERTAKEN, OvertakenIndex
from turnfold.contract.passages import Passage
from turnfold.contract.terms import terms
from turnfold.contract.words import WEIGHT_OF_DIGIT
from turnfold.search.turn_scores import PRECISION, Field

_SPEAKER: Final = 2.0
"""Weight of a speaker's name relative to words: a query that names someone asks for what they said."""
_SERVED: Final = 3.0
"""Voice weight of a role that says less than a third: the other roles serve its speaker."""
_SHARPNESS: Final = 3.0
"""Exponent of a passage's score: how strongly better passages are preferred."""
_MANNER: Final = 0.5
"""How much a note's own worth counts: a note without any may still answer."""
_PRICE: Final = 0.7
"""Exponent of a note's cost: a whole clause of a turn that answers precedes short ones of turns that may."""
_DECAY: Final = 0.35


def hits(
    query: Sequence[str],
    scores: Mapping[int, int],
    passages: Sequence[Passage],
    field: Field,
    *,
    most_tokens: int,
    overtaken: OvertakenIndex = NOTHING_OVERTAKEN,
) -> tuple[Note, ...]:
    """Notes about the terms of a query, best first, for at most `most_tokens`, from passages with their scores.

    Notes that no longer hold by `overtaken` are left out.
    """
    voice = voices(field.said)
    ranked = _with_speakers(query, scores, passages, voice)
    best = max((score for score, _ in ranked), default=0.0)
    if best <= 0.0:
        return ()
    notes: list[Note] = []
    words: list[list[str]] = []
    prices: list[int] = []
    rates: list[float] = []
    for score, passage in ranked:
        worth = (score / best) ** _SHARPNESS * (1.0 + 0.5 * (voice.get(passage.notes[0].role, 1.0) - 1.0))
        for note, stems in zip(passage.notes, passage.words, strict=True):
            # 'Thanks, Nate!' contains the name in the query, and says nothing.
            if note.worth:
                notes.append(note)
                words.append(stems.split())
                prices.append(price := note.least_tokens)
                rates.append(worth * (1.0 - _MANNER + _MANNER * note.worth / 100) / (price + OVERHEAD) ** _PRICE)
    return tuple(_by_news(notes, words, prices, rates, room=most_tokens, overtaken=overtaken))


def said_by(query: Sequence[str], notes: Sequence[Note], known: Collection[Note], *, most_tokens: int) -> list[Note]:
    """Notes of the speakers whom a query names, in order, for `most_tokens`, without those in `known`."""
    query_terms = frozenset(query)
    is_named = Remembered(lambda speaker: not query_terms.isdisjoint(terms(speaker)))
    places = {note[:2] for note in known}
    by_speakers: list[Note] = []
    if most_tokens <= 0:
        return by_speakers
    # The notes of an outline are only read if a speaker is named.
    candidates = notes.said_by(is_named.__getitem__) if isinstance(notes, Tiers) else notes
    for note in candidates:
        if is_named[note.speaker] and note[:2] not in places:
            by_speakers.append(note)
            most_tokens -= note.least_tokens
            if most_tokens <= 0:
                break
    return by_speakers


def _by_news(
    notes: Sequence[Note],
    words: Sequence[list[str]],
    prices: Sequence[int],
    rates: Sequence[float],
    *,
    room: int,
    overtaken: OvertakenIndex,
) -> list[Note]:
    """Select notes by what they add per token to those selected before, while they fit into `room` tokens.

    Lazy greedy (Minoux 1978): a note's gain only falls, so the first one whose gain is unchanged is the best.
    """
    weights = [[*map(WEIGHT_OF_DIGIT.__getitem__, note.weights)] for note in notes]
    left_of = dict.fromkeys(chain.from_iterable(words), 1.0)
    left = left_of.__getitem__
    heap = [(-rate * sum(note_weights), i) for i, (rate, note_weights) in enumerate(zip(rates, weights, strict=True))]
    heapify(heap)
    chosen: list[Note] = []
    while heap and room > 0:
        stale, i = heap[0]
        if prices[i] > room:
            # Room only falls: the note will never fit.
            heappop(heap)
            continue
        gain = -rates[i] * sum(map(mul, weights[i], map(left, words[i])))
        if gain > stale:
            heapreplace(heap, (gain, i))
            continue
        heappop(heap)
        note: Note | None = notes[i]
        if overtaken.tells(notes[i].seq, words[i]):
            note = overtaken.mended(notes[i])
        if note is not None and note.least_tokens <= room:
            room -= note.least_tokens
            chosen.append(note)
            for word in words[i]:
                left_of[word] *= _DECAY
    return chosen


def _with_speakers(
    query: Sequence[str], scores: Mapping[int, int], passages: Sequence[Passage], voice: Mapping[str, float]
) -> list[tuple[float, Passage]]:
    """Passages with their scores, best first, with a bonus for those whose speaker the query names."""
    spoken = Counter([passage.notes[0].speaker for passage in passages])
    named = {speaker: [term for term in terms(speaker) if term in query] for speaker in spoken}
    held: Counter[str] = Counter()
    for speaker, names in named.items():
        held.update(dict.fromkeys(names, spoken[speaker]))
    bonus = {
        speaker: sum([_told(held[term], len(passages)) for term in names]) for speaker, names in named.items() if names
    }
    ranked = []
    for passage in passages:
        score: float = scores[passage.number]
        first = passage.notes[0]
        if first.speaker in bonus:
            score += bonus[first.speaker] * _of_named(first, voice.get(first.role, 1.0))
        ranked.append((-score, passage.number, passage))
    ranked.sort()
    return [(-score, passage) for score, _, passage in ranked]


def _of_named(note: Note, voice: float) -> float:
    """Weight of the bonus for a note whose speaker the query names.

    A verbose assistant describes the user it serves as well; between people one's own words say most.
    """
    is_served = voice > _SERVED and note.speaker != note.role
    return 1.0 / voice if is_served else math.sqrt(voice)


def _told(held: int, passages: int) -> float:
    return _SPEAKER * PRECISION * math.log(1.0 + (passages - held + 0.5) / (held + 0.5))
