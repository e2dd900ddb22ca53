"""Which passages may answer a query, from the postings of its terms and what is near in meaning. Pure.

Passages are scored by BM25 over words and day, and lend a part of their score to their neighbours, because answers
seldom repeat the words of the question. Scores are whole numbers, so that no order of adding them matters.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain, islice
from operator import itemgetter
from types import MappingProxyType
from typing import Final

from turnfold.contract.notes import voices
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
    number_of,
    unpack_pointers,
)
from turnfold.contract.vectors import Vector, cosines_to, differing

FEW_PASSAGES: Final = 120
MOST_PASSAGES: Final = 250
_TOKENS_A_PASSAGE: Final = 5
"""A budget has a passage fetched for so many of its tokens: more than it can show."""
_FULL: Final = 64
"""Postings of a term that are read: one with as many occurs in more segments than are known."""
POINTERS_A_TERM: Final = 200
"""Passages that are scored for one term, about: more would tell no answers apart."""
_LENT_REPLY: Final = 1
"""Bits by which what is lent to the passage after a question is less than its score."""
_LENT_INSIDE: Final = 1
"""The same for neighbours in one turn, which go on with what it says; for those in other turns two."""
_LENT: Final = 2
_LEAST_LENDER: Final = 20
"""What has less than this part of the best score lends nothing."""
_LENDERS: Final = 400
"""Neither do passages after so many better ones."""
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
_PLACES_REPLACING: Final = 3
"""Passages of a turn that overtook another one that are looked at."""
PRECISION: Final = 1_000
"""Of a score: so much is what one term tells that half of the segments hold, said once by one of two equal voices."""
NOTHING_NEAR: Final[Mapping[int, float]] = MappingProxyType({})

PostingRow = tuple[str, int, int, bytes]
"""A term, the segment that holds it, its weight there, and pointers to the passages."""
_TERM_AND_SEGMENT: Final = itemgetter(0, 1)
_WEIGHT_AND_SEGMENT: Final = itemgetter(2, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What is known of a conversation beside the postings."""

    said: Mapping[str, int]
    """Tokens of each role."""
    segments: int


def passages_for(budget_tokens: int) -> int:
    """Passages that a context of so many tokens has a use for."""
    return max(FEW_PASSAGES, min(MOST_PASSAGES, budget_tokens // _TOKENS_A_PASSAGE))


def told_by(query: Sequence[str], postings: Sequence[PostingRow], field: Field) -> dict[str, float]:
    """What each term of a query tells, from the postings that were found."""
    # A segment may hold a term in the rules' notes and in a model's.
    spread = Counter([term for term, _ in set(map(_TERM_AND_SEGMENT, postings))])
    return {term: rarity(spread[term], field.segments) for term in query}


def rarity(spread: int, segments: int) -> float:
    """What a term tells that so many of the segments hold, as far as they are known."""
    if spread >= _FULL:
        # In how many more nobody has looked: between those that are known and all.
        spread = math.isqrt(spread * max(spread, segments))
    return math.log(1.0 + segments / max(1, spread))


def scores_of(
    told: Mapping[str, float], postings: Sequence[PostingRow], field: Field, *, near: Mapping[int, float] = NOTHING_NEAR
) -> dict[int, int]:
    """Scores of the passages that may answer, by number, from the postings of terms and what each of them tells.

    `near` are cosines to the query of passages that are near in meaning, by their numbers.
    """
    scores, marks = _scores(told, postings, field)
    _add_nearness(scores, near, least=round(_ANSWERED * PRECISION * sum(told.values())))
    return _with_neighbours(scores, marks)


def best_of(scores: Mapping[int, int], most: int) -> dict[int, int]:
    """At most `most` passages that have any score, best first, the earlier first among equals."""
    least = sorted(scores.values(), reverse=True)[most - 1] if len(scores) > most else 1
    ordered = sorted([(-score, number) for number, score in scores.items() if score >= least])
    return {number: -score for score, number in ordered[:most]}


def with_standing(scores: Mapping[int, int], postings: Iterable[PostingRow]) -> dict[int, int]:
    """Scores where a person's newest orders, and preferences, stand beside what answers: they are about any question.

    `postings` are those of `STANDING`.
    """
    total = dict(scores)
    best = max(total.values(), default=0)
    pointers = list(chain.from_iterable(zip(*unpack_pointers(row[3]), strict=True) for row in postings))
    for impact, share in _STANDING.items():
        for number in sorted([number for number, mark in pointers if mark & IMPACT == impact])[-_MOST_STANDING:]:
            total[number] = max(total.get(number, 0), round(share * best))
    return total


def with_times(scores: Mapping[int, int], postings: Sequence[PostingRow], field: Field) -> dict[int, int]:
    """Scores where passages of the time that is asked about come before others that hold as much of the query.

    `postings` are those of the time's terms. Together they tell what one term would that stands in their segments,
    twice where a note speaks of that time.
    """
    total = dict(scores)
    impacts: dict[int, int] = {}
    for row in postings:
        for number, mark in zip(*unpack_pointers(row[3]), strict=True):
            impacts[number] = max(impacts.get(number, 0), mark & IMPACT)
    weight = PRECISION / IMPACT_SCALE * rarity(len({row[1] for row in postings}), field.segments)
    for number, impact in impacts.items():
        total[number] = total.get(number, 0) + round(weight * impact)
    return total


def with_replacing(scores: Mapping[int, int], overtaken_by: Mapping[int, Iterable[int]]) -> dict[int, int]:
    """Scores where what took the place of something answers as well as what it took the place of.

    `overtaken_by` has, by a turn, those that overtook it. Of these the first passages count: some may be nobody's.
    """
    total = dict(scores)
    if not overtaken_by:
        return total
    for number, score in scores.items():
        for seq in overtaken_by.get(number // PLACES, ()):
            for place in range(_PLACES_REPLACING):
                replacing = number_of(seq, place)
                total[replacing] = max(total.get(replacing, 0), score)
    return total


def best_turns(scores: Mapping[int, int], most: int) -> dict[int, float]:
    """Turns of the best passages, best first, each with its score as a share of the best one's."""
    turns: dict[int, float] = {}
    best = max(scores.values(), default=0)
    for number, score in scores.items():
        if len(turns) == most:
            break
        turns.setdefault(number // PLACES, score / best)
    return turns


def near_passages(asked: Vector, blocks: Iterable[bytes]) -> dict[int, float]:
    """Cosines, about, of the passages that are nearest in meaning, by number, from blocks of signs, newest first."""
    compared = islice(chain.from_iterable(differing(asked, block) for block in blocks), MOST_COMPARED)
    looked_at = nsmallest(_LOOKED_AT, compared)
    cosines = cosines_to(asked, [code for _, _, code in looked_at])
    nearest = nsmallest(_NEAR, [(-cosine, number) for cosine, (_, number, _) in zip(cosines, looked_at, strict=True)])
    return {number: -cosine for cosine, number in nearest}


def _scores(
    weight_by_term: Mapping[str, float], postings: Sequence[PostingRow], field: Field
) -> tuple[dict[int, int], dict[int, int]]:
    """The sums of what the terms tell, and the marks of the passages that ask or end a turn."""
    voice = voices(field.said)
    loud = [PRECISION / IMPACT_SCALE * math.sqrt(voice.get(role, 1.0)) for role in ROLES]
    weights = {term: [round(weight * loudness) for loudness in loud] for term, weight in weight_by_term.items()}
    of_terms: dict[str, list[PostingRow]] = defaultdict(list)
    for row in postings:
        of_terms[row[0]].append(row)
    scores: dict[int, int] = {}
    known_score = scores.get
    marks: dict[int, int] = {}
    for term, rows in of_terms.items():
        by_role = weights[term]
        numbers, found_marks = _heaviest_pointers(rows)
        # Few marks differ.
        told_by_mark = {mark: by_role[mark >> ROLE_SHIFT & ROLE] * (mark & IMPACT) for mark in set(found_marks)}
        for number, told_there in zip(numbers, map(told_by_mark.__getitem__, found_marks), strict=True):
            scores[number] = known_score(number, 0) + told_there
        marks.update(zip(numbers, found_marks, strict=True))
    return scores, marks


def _heaviest_pointers(rows: list[PostingRow]) -> tuple[list[int], list[int]]:
    """Numbers and marks of a term's passages, where it weighs most: one that is everywhere is looked for there."""
    numbers: list[int] = []
    marks: list[int] = []
    for row in sorted(rows, key=_WEIGHT_AND_SEGMENT, reverse=True):
        if len(numbers) >= POINTERS_A_TERM:
            break
        of_row = unpack_pointers(row[3])
        numbers += of_row[0]
        marks += of_row[1]
    return numbers, marks


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
    own = total.get
    least = max(scores.values(), default=0) // _LEAST_LENDER
    if len(scores) > _LENDERS:
        least = max(least, sorted(scores.values())[-_LENDERS])
    for number, score in [scored for scored in scores.items() if scored[1] >= least]:
        mark = marks.get(number, ENDS)
        if mark & ENDS:
            following, lent = (number | PLACES - 1) + 1, _LENT_REPLY if mark & ASKS else _LENT
        else:
            following, lent = number + 1, _LENT_INSIDE
        total[following] = own(following, 0) + (score >> lent)
        if number & PLACES - 1:
            previous, lent = number - 1, _LENT_INSIDE
        else:
            # Of a turn before this one only the first passage has a number that is known.
            previous, lent = number - PLACES, _LENT
        total[previous] = own(previous, 0) + (score >> lent)
    return total
