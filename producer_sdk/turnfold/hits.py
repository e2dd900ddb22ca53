"""Notes that answer a query, from the postings of its terms and the passages that these point to. Pure.

Passages are scored by BM25 over words and day, and lend a part of their score to their neighbours, because answers
seldom repeat the words of the question. Of the best ones, who speaks counts too; then notes are taken for what they
tell. Scores are whole numbers, so that no order of adding them matters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace, nsmallest
from itertools import chain, islice
from operator import itemgetter, mul
from types import MappingProxyType
from typing import Final

from turnfold.contract.coverage import OVERHEAD, voices
from turnfold.contract.notes import Note
from turnfold.contract.passages import (
    ASKS,
    ENDS,
    IMPACT,
    IMPACT_SCALE,
    ORDERED,
    PLACES,
    PREFERRED,
    ROLE,
    ROLE_SHIFT,
    ROLES,
    STANDING,
    Passage,
    unpack_pointers,
)
from turnfold.contract.terms import terms
from turnfold.contract.vectors import Vector, cosines_to, differing
from turnfold.contract.words import WEIGHTS

FEW_PASSAGES: Final = 120
MOST_PASSAGES: Final = 250
_TOKENS_A_PASSAGE: Final = 5
"""A budget has a passage fetched for so many of its tokens: more than it can show."""
_FULL: Final = 64
"""Postings of a term that are read: one with as many occurs in more segments than are known."""
_SPEAKER: Final = 2.0
"""How often a speaker's name counts beside the words: a query that names someone asks for what they said."""
_LENT_REPLY: Final = 1
"""Bits by which what is lent to the passage after a question is less than its score; to the other neighbours two."""
_LENT: Final = 2
_LEAST_LENDER: Final = 20
"""What has less than this part of the best score lends nothing."""
_POINTERS_A_TERM: Final = 400
"""Passages that are scored for one term, about: more would tell no answers apart."""
_SHARPNESS: Final = 3.0
"""Exponent of a passage's score: how much better hits are preferred."""
_MANNER: Final = 0.5
"""How far a note's own worth counts: one that says nothing by itself may still answer."""
_DECAY: Final = 0.35
_NEARNESS: Final = 0.75
"""Weight of nearness in meaning beside that of words."""
MOST_COMPARED: Final = 4_096
"""Passages whose meaning is compared with the query's, the newest ones."""
_LOOKED_AT: Final = 256
"""Those by the count of signs that differ, which are looked at more closely."""
_NEAR: Final = 128
_NOT_NEAR: Final = 0.2
"""A cosine up to which passages have no more in common than any two."""
_ANSWERED: Final = 0.75
"""Of all that a query's terms tell: what a passage by words is taken for at least when meaning is weighed beside it."""
_STANDING: Final = {ORDERED: 0.7, PREFERRED: 0.6}
"""Of the best score: what a person wants from now on, or prefers, has as much at least."""
_MOST_STANDING: Final = 6  # orders, and as many preferences
_PRECISION: Final = 1_000
NOTHING_NEAR: Final[Mapping[int, float]] = MappingProxyType({})

PostingRow = tuple[str, int, int, bytes]
"""A term, the segment that holds it, its weight there, and pointers to the passages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What is known of a conversation beside the postings."""

    said: Mapping[str, int]
    """Tokens of each role."""
    segments: int


def passages_for(budget_tokens: int) -> int:
    """Passages that a context of so many tokens has a use for."""
    return max(FEW_PASSAGES, min(MOST_PASSAGES, budget_tokens // _TOKENS_A_PASSAGE))


def candidates(
    query: Sequence[str],
    postings: Sequence[PostingRow],
    field: Field,
    *,
    most: int,
    near: Mapping[int, float] = NOTHING_NEAR,
) -> dict[int, int]:
    """Scores of the passages that may answer, by number; at most `most`, best first, the earlier first among equals.

    `near` are cosines to the query of passages that are near in meaning, by their numbers.
    """
    wanted = [row for row in postings if row[0] == STANDING]
    postings = [row for row in postings if row[0] != STANDING]
    spread = Counter([term for term, _, _, _ in postings])
    told = {term: rarity(spread[term], field.segments) for term in query}
    scores, marks = _scores(told, postings, field)
    _add_nearness(scores, near, least=round(_ANSWERED * _PRECISION * sum(told.values())))
    total = _with_neighbours(scores, marks)
    _add_standing(total, wanted)
    least = sorted(total.values(), reverse=True)[most - 1] if len(total) > most else 1
    found = sorted([(-score, number) for number, score in total.items() if score >= least])
    return {number: -score for score, number in found[:most]}


def _add_standing(total: dict[int, int], postings: Sequence[PostingRow]) -> None:
    """Let a person's newest orders, and preferences, stand beside what answers: they are about any question."""
    best = max(total.values(), default=0)
    pointers = list(chain.from_iterable(zip(*unpack_pointers(row[3]), strict=True) for row in postings))
    for impact, share in _STANDING.items():
        for number in sorted([number for number, mark in pointers if mark & IMPACT == impact])[-_MOST_STANDING:]:
            total[number] = max(total.get(number, 0), round(share * best))


def best_turns(scores: Mapping[int, int], most: int) -> dict[int, float]:
    """Turns of the best passages, best first, each with its score as a share of the best one's."""
    found: dict[int, float] = {}
    best = max(scores.values(), default=0)
    for number, score in scores.items():
        if len(found) == most:
            break
        found.setdefault(number // PLACES, score / best)
    return found


def _scores(
    told: Mapping[str, float], postings: Sequence[PostingRow], field: Field
) -> tuple[dict[int, int], dict[int, int]]:
    """The sums of what the terms tell, and the marks of the passages that ask or end a turn."""
    voice = voices(field.said)
    loud = [_PRECISION / IMPACT_SCALE * math.sqrt(voice.get(role, 1.0)) for role in ROLES]
    weights = {term: [round(weight * one) for one in loud] for term, weight in told.items()}
    scores: dict[int, int] = {}
    marks: dict[int, int] = {}
    left = dict.fromkeys(told, _POINTERS_A_TERM)
    # The heaviest first, so that a term that is everywhere is looked for where it is said most.
    for term, _, _, pointers in sorted(postings, key=itemgetter(2, 1), reverse=True):
        if left[term] <= 0:
            continue
        numbers, found = unpack_pointers(pointers)
        left[term] -= len(numbers)
        by_role = weights[term]
        for number, mark in zip(numbers, found, strict=True):
            scores[number] = scores.get(number, 0) + by_role[mark >> ROLE_SHIFT & ROLE] * (mark & IMPACT)
            marks[number] = mark
    return scores, marks


def rarity(spread: int, segments: int) -> float:
    """What a term tells that so many of the segments hold, as far as they are known."""
    if spread >= _FULL:
        # In how many more nobody has looked: between those that are known and all.
        spread = math.isqrt(spread * max(spread, segments))
    return math.log(1.0 + segments / max(1, spread))


def near_passages(asked: Vector, blocks: Iterable[bytes]) -> dict[int, float]:
    """Cosines, about, of the passages that are nearest in meaning, by number, from blocks of signs, newest first."""
    compared = islice(chain.from_iterable(differing(asked, block) for block in blocks), MOST_COMPARED)
    looked_at = nsmallest(_LOOKED_AT, compared)
    cosines = cosines_to(asked, [code for _, _, code in looked_at])
    nearest = nsmallest(_NEAR, [(-cosine, number) for cosine, (_, number, _) in zip(cosines, looked_at, strict=True)])
    return {number: -cosine for cosine, number in nearest}


def _add_nearness(scores: dict[int, int], near: Mapping[int, float], *, least: int) -> None:
    """Add what passages have that are near in meaning.

    As much of the best score by words, or of `least` where no passage holds much of the query.
    """
    nearest = max(near.values(), default=0.0)
    if nearest <= _NOT_NEAR:
        return
    factor = _NEARNESS * max(least, *scores.values(), 0) / (nearest - _NOT_NEAR)
    for number, cosine in near.items():
        if cosine > _NOT_NEAR:
            scores[number] = scores.get(number, 0) + round(factor * (cosine - _NOT_NEAR))


def _with_neighbours(scores: Mapping[int, int], marks: Mapping[int, int]) -> dict[int, int]:
    """Scores with what neighbours lend. A neighbour's number may be nobody's: then it is not found later."""
    total = dict(scores)
    known = total.get
    least = max(scores.values(), default=0) // _LEAST_LENDER
    for number, score in scores.items():
        if score < least:
            continue
        mark = marks.get(number, ENDS)
        following = (number | PLACES - 1) + 1 if mark & ENDS else number + 1
        # Of a turn before this one only the first passage has a number that is known.
        before = number - 1 if number & PLACES - 1 else number - PLACES
        total[following] = known(following, 0) + (score >> (_LENT_REPLY if mark & ASKS else _LENT))
        total[before] = known(before, 0) + (score >> _LENT)
    return total


def hits(
    query: Sequence[str], scores: Mapping[int, int], passages: Sequence[Passage], field: Field, *, most_tokens: int
) -> tuple[Note, ...]:
    """Notes about the terms of a query, best first, for at most `most_tokens`, from passages with their scores."""
    voice = voices(field.said)
    ranked = _with_speakers(query, scores, passages, voice)
    best = max((score for score, _ in ranked), default=0.0)
    if best <= 0.0:
        return ()
    notes: list[Note] = []
    words: list[list[str]] = []
    rates: list[float] = []
    for score, passage in ranked:
        worth = (score / best) ** _SHARPNESS * (1.0 + 0.5 * (voice.get(passage.notes[0].role, 1.0) - 1.0))
        notes += passage.notes
        words += [stems.split() for stems in passage.words]
        rates += [
            worth * (1.0 - _MANNER + _MANNER * one.worth / 100) / (one.tokens + OVERHEAD) for one in passage.notes
        ]
    return tuple(_by_news(notes, words, rates, most_tokens))


def said_by(query: Sequence[str], notes: Iterable[Note], known: Collection[Note], *, most_tokens: int) -> list[Note]:
    """Notes of the speakers whom a query names, in their order, that are not among those that are known."""
    named: dict[str, bool] = {}
    places = {(note.seq, note.place) for note in known}
    found = []
    for note in notes:
        if most_tokens <= 0:
            break
        if (is_named := named.get(note.speaker)) is None:
            is_named = named[note.speaker] = not set(query).isdisjoint(terms(note.speaker))
        if is_named and (note.seq, note.place) not in places:
            found.append(note)
            most_tokens -= note.tokens
    return found


def _by_news(notes: Sequence[Note], words: Sequence[list[str]], rates: Sequence[float], room: int) -> list[Note]:
    """Notes by what they tell a token beside those that were taken before, while they cost at most so many tokens.

    Lazy greedy (Minoux 1978): what a note tells only falls, so that the first one whose gain still holds is the best.
    """
    weights = [[*map(WEIGHTS.__getitem__, note.weights)] for note in notes]
    left_of = dict.fromkeys(chain.from_iterable(words), 1.0)
    left = left_of.__getitem__
    heap = [(-rate * sum(told), i) for i, (rate, told) in enumerate(zip(rates, weights, strict=True))]
    heapify(heap)
    taken: list[Note] = []
    while heap and room > 0:
        stale, i = heap[0]
        gain = -rates[i] * sum(map(mul, weights[i], map(left, words[i])))
        if gain > stale:
            heapreplace(heap, (gain, i))
            continue
        heappop(heap)
        if notes[i].tokens <= room:
            room -= notes[i].tokens
            taken.append(notes[i])
            for word in words[i]:
                left_of[word] *= _DECAY
    return taken


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
            score += bonus[first.speaker] * math.sqrt(voice.get(first.role, 1.0))
        ranked.append((-score, passage.number, passage))
    ranked.sort()
    return [(-score, passage) for score, _, passage in ranked]


def _told(held: int, passages: int) -> float:
    return _SPEAKER * _PRECISION * math.log(1.0 + (passages - held + 0.5) / (held + 0.5))
