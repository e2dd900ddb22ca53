"""Notes that answer a query, from the passages that may and their scores. Pure.

Beside the score of its passage counts who says a note, and what it tells beside those that were taken before.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from heapq import heapify, heappop, heapreplace
from itertools import chain
from operator import mul
from typing import Final

from turnfold.contract.note_lists import Tiers
from turnfold.contract.notes import OVERHEAD, Note, voices
from turnfold.contract.overtaken import NOTHING_OVERTAKEN, OvertakenIndex
from turnfold.contract.passages import Passage
from turnfold.contract.remembered import Remembered
from turnfold.contract.terms import terms
from turnfold.contract.words import WEIGHT_OF_DIGIT
from turnfold.search.turn_scores import PRECISION, Field

_SPEAKER: Final = 2.0
"""How often a speaker's name counts beside the words: a query that names someone asks for what they said."""
_SERVED: Final = 3.0
"""The voice of a role that says less than a third: the others serve who speaks in it."""
_SHARPNESS: Final = 3.0
"""Exponent of a passage's score: how much better hits are preferred."""
_MANNER: Final = 0.5
"""How far a note's own worth counts: one that says nothing by itself may still answer."""
_PRICE: Final = 0.7
"""Exponent of what a note costs: a whole clause of a turn that answers comes before short ones of turns that may."""
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

    None says what holds no more by `overtaken`.
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
            # 'Thanks, Nate!' names whom the query names, and tells nothing.
            if note.worth:
                notes.append(note)
                words.append(stems.split())
                prices.append(price := note.least_tokens)
                rates.append(worth * (1.0 - _MANNER + _MANNER * note.worth / 100) / (price + OVERHEAD) ** _PRICE)
    return tuple(_by_news(notes, words, prices, rates, room=most_tokens, overtaken=overtaken))


def said_by(query: Sequence[str], notes: Sequence[Note], known: Collection[Note], *, most_tokens: int) -> list[Note]:
    """Notes of the speakers whom a query names, in their order, that are not among those that are known."""
    query_terms = frozenset(query)
    is_named = Remembered(lambda speaker: not query_terms.isdisjoint(terms(speaker)))
    places = {note[:2] for note in known}
    by_speakers: list[Note] = []
    if most_tokens <= 0:
        return by_speakers
    # Of an outline not even read where nobody is named.
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
    """Notes by what they tell a token beside those that were taken before, while they cost at most so many tokens.

    Lazy greedy (Minoux 1978): what a note tells only falls, so that the first one whose gain still holds is the best.
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
            # Room only falls: there will be none for it.
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
    """Passages with their scores, best first; more for those whose speaker the query names."""
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
    """How much a name that the query has counts for a note of whom it names.

    Whom a verbose assistant serves is told of by the assistant as well; between people one's own words tell most.
    """
    is_served = voice > _SERVED and note.speaker != note.role
    return 1.0 / voice if is_served else math.sqrt(voice)


def _told(held: int, passages: int) -> float:
    return _SPEAKER * PRECISION * math.log(1.0 + (passages - held + 0.5) / (held + 0.5))
