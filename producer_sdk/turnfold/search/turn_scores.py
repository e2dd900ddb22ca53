"""Score the passages that may answer a query, from postings of its terms and embedding similarity. Pure.

Passages are scored by BM25 over words and day, and lend a part of their score to their neighbours, because answers
seldom repeat the words of the question. Scores are integers, so that the order of addition does not matter.
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
"""Budget tokens per fetched passage: more passages than the budget can show."""
_FULL: Final = 64
"""Postings of a term that are read: a term with as many may be in more segments than are known."""
POINTERS_A_TERM: Final = 200
"""Approximate number of passages scored for one term: more would not tell answers apart."""
_LENT_REPLY: Final = 1
"""Right shift of the score that is lent to the passage after a question."""
_LENT_INSIDE: Final = 1
"""Right shift for neighbours in one turn, which continue it; `_LENT` is that for other turns."""
_LENT: Final = 2
_LEAST_LENDER: Final = 20
"""Divisor of the best score: passages with less lend nothing."""
_LENDERS: Final = 400
"""Maximum number of passages that lend, the best ones."""
_NEARNESS: Final = 0.75
"""Weight of embedding similarity relative to words."""
MOST_COMPARED: Final = 4_096
"""Maximum number of passages whose embeddings are compared with the query's, the newest ones."""
_LOOKED_AT: Final = 256
"""Passages, the nearest by Hamming distance of sign codes, whose cosines are computed."""
_NEAR: Final = 128
_NOT_NEAR: Final = 0.2
"""Cosine up to which passages have no more in common than any two."""
_ANSWERED: Final = 0.75
"""Share of the weight of a query's terms that the best score by words is assumed to be at least, when weighing
meaning."""
_STANDING: Final = {ORDERED: 0.7, PREFERRED: 0.6}
"""Minimum share of the best score for a person's standing orders and preferences."""
_MOST_STANDING: Final = 6  # orders, and as many preferences
_PLACES_REPLACING: Final = 3
"""Passages considered of a turn that overtook another one."""
PRECISION: Final = 1_000
"""Scale of scores: about that of one use, by one of two equal voices, of a term that half of the segments contain."""
NOTHING_NEAR: Final[Mapping[int, float]] = MappingProxyType({})

PostingRow = tuple[str, int, int, bytes]
"""A term, the segment that contains it, its weight there, and packed pointers to the passages."""
_TERM_AND_SEGMENT: Final = itemgetter(0, 1)
_WEIGHT_AND_SEGMENT: Final = itemgetter(2, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Statistics of a conversation besides its postings."""

    said: Mapping[str, int]
    """Tokens of each role."""
    segments: int


def passages_for(budget_tokens: int) -> int:
    """Number of passages that are worth fetching for a budget."""
    return max(FEW_PASSAGES, min(MOST_PASSAGES, budget_tokens // _TOKENS_A_PASSAGE))


def told_by(query: Sequence[str], postings: Sequence[PostingRow], field: Field) -> dict[str, float]:
    """Weight of each term of a query, from the postings that were found."""
    # A segment may contain a term twice: in the rules' notes and in a model's.
    spread = Counter([term for term, _ in set(map(_TERM_AND_SEGMENT, postings))])
    return {term: rarity(spread[term], field.segments) for term in query}


def rarity(spread: int, segments: int) -> float:
    """Weight of a term that `spread` of the segments are known to contain."""
    if spread >= _FULL:
        # The read stopped there: the true number is between the known segments and all of them.
        spread = math.isqrt(spread * max(spread, segments))
    # Before the first segment closes, the open tail counts as one.
    return math.log(1.0 + max(1, segments) / max(1, spread))


def scores_of(
    told: Mapping[str, float], postings: Sequence[PostingRow], field: Field, *, near: Mapping[int, float] = NOTHING_NEAR
) -> dict[int, int]:
    """Scores of the passages that may answer, by number, from postings of terms and the terms' weights.

    `near` are the cosines to the query of passages with similar embeddings, by passage number.
    """
    scores, marks = _scores(told, postings, field)
    _add_nearness(scores, near, least=round(_ANSWERED * PRECISION * sum(told.values())))
    return _with_neighbours(scores, marks)


def best_of(scores: Mapping[int, int], most: int) -> dict[int, int]:
    """At most `most` passages with a positive score, best first, the earlier first among equals."""
    least = sorted(scores.values(), reverse=True)[most - 1] if len(scores) > most else 1
    ordered = sorted([(-score, number) for number, score in scores.items() if score >= least])
    return {number: -score for score, number in ordered[:most]}


def with_standing(scores: Mapping[int, int], postings: Iterable[PostingRow]) -> dict[int, int]:
    """Raise a person's newest orders and preferences to a share of the best score: they are about any question.

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
    """Raise passages of the time that is asked about above others with as much of the query.

    `postings` are those of the time's terms. Together they weigh as much as one term that is in their segments, twice
    where a note mentions that time.
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
    """Raise the passages that replaced a statement to the statement's score.

    `overtaken_by` maps a turn to those that overtook it. Of these the first passages count; some numbers may have no
    passage.
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
    """Turns of the best passages, best first, each with its score as a share of the best one."""
    turns: dict[int, float] = {}
    best = max(scores.values(), default=0)
    for number, score in scores.items():
        if len(turns) == most:
            break
        turns.setdefault(number // PLACES, score / best)
    return turns


def near_passages(asked: Vector, blocks: Iterable[bytes]) -> dict[int, float]:
    """Approximate cosines of the passages most similar to a query, by number; `blocks` of signs are newest first."""
    compared = islice(chain.from_iterable(differing(asked, block) for block in blocks), MOST_COMPARED)
    looked_at = nsmallest(_LOOKED_AT, compared)
    cosines = cosines_to(asked, [code for _, _, code in looked_at])
    nearest = nsmallest(_NEAR, [(-cosine, number) for cosine, (_, number, _) in zip(cosines, looked_at, strict=True)])
    return {number: -cosine for cosine, number in nearest}


def _scores(
    weight_by_term: Mapping[str, float], postings: Sequence[PostingRow], field: Field
) -> tuple[dict[int, int], dict[int, int]]:
    """Sums of term weights by passage number, and the marks of the passages."""
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
        # There are few distinct marks.
        told_by_mark = {mark: by_role[mark >> ROLE_SHIFT & ROLE] * (mark & IMPACT) for mark in set(found_marks)}
        for number, told_there in zip(numbers, map(told_by_mark.__getitem__, found_marks), strict=True):
            scores[number] = known_score(number, 0) + told_there
        marks.update(zip(numbers, found_marks, strict=True))
    return scores, marks


def _heaviest_pointers(rows: list[PostingRow]) -> tuple[list[int], list[int]]:
    """Numbers and marks of a term's passages, from the segments where it weighs most."""
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
    """Add scores of passages with similar embeddings.

    They are scaled to the best score by words, or to `least` if no passage contains much of the query.
    """
    nearest = max(near.values(), default=0.0)
    if nearest <= _NOT_NEAR:
        return
    factor = _NEARNESS * max(least, *scores.values(), 0) / (nearest - _NOT_NEAR)
    for number, cosine in near.items():
        if cosine > _NOT_NEAR:
            scores[number] = scores.get(number, 0) + round(factor * (cosine - _NOT_NEAR))


def _with_neighbours(scores: Mapping[int, int], marks: Mapping[int, int]) -> dict[int, int]:
    """Add what neighbours lend. A neighbour's number may have no passage: then it is not found later."""
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
            # Of the turn before this one only the first passage's number is known.
            previous, lent = number - PLACES, _LENT
        total[previous] = own(previous, 0) + (score >> lent)
    return total
