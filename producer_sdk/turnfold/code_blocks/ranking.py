"""Rank the blocks that a query means, with one of several similar versions: the one that the query asks for. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from turnfold.code_blocks.index import BlockEntry, word_code
from turnfold.code_blocks.languages import BlockKind
from turnfold.code_blocks.requests import BlockRequest, Version, is_general

_LEADS: Final = 1.8
"""Weight of a word that names a block, relative to a word that the block contains."""
_ASKED: Final = 0.7
"""Weight of a word that occurs only in the question before a block, or right after the block."""
_UNKNOWN: Final = 0.2
"""Weight of a word that occurs in no block, such as the reason for the question or its time.

It is 0 if the query asks to see a block and names it by another word.
"""
_GENERAL: Final = 0.4
"""Weight of a word such as `function`, which does not say which one."""
_OF_KIND: Final = 0.35
"""Bonus for a block of the requested kind, as a share of the query's total weight."""
_BY_ROLE: Final = 0.1
_ASIDE: Final = 0.5
"""Factor of a line with a command or a link, compared with a block."""
_USUAL_WORDS: Final = 60
_LENGTH: Final = 0.25
_LEAST: Final = 0.45
"""Smallest share of the query's total weight that a block must match."""
_LEAST_ASKED: Final = 0.3
"""The smallest share for a query that asks to see a block."""
_LEAST_UNNAMED: Final = 0.6
"""The smallest share for a query without a word for a block."""
_AS_GOOD: Final = 0.7
"""Smallest share of the best score for a further block to be returned."""
_ALIKE: Final = 0.5
"""Jaccard similarity of words from which two blocks are versions of one."""
_AS_CLOSE: Final = 0.75
"""Smallest share of the best score for a version to count, if the best block contains no word of the query."""
_NEARLY_SAME: Final = 0.6
"""Jaccard similarity from which a version counts at any score: only its introduction differs."""
_MOST: Final = 8
_MOST_COMPARED: Final = 100
"""Most blocks that are compared as versions."""


class RankedBlock(NamedTuple):
    """A block that a query may mean, with its score."""

    entry: BlockEntry
    score: float
    """On the scale of the query's total weight."""


def told_by_words(request: BlockRequest, entries: Sequence[BlockEntry]) -> dict[str, float]:
    """Return the weight of each word of a request, an idf over the blocks."""
    places = _places_of_codes(_codes_of(request))
    spread = Counter(chain.from_iterable(_places_in(entry.words | entry.leading, places) for entry in entries))
    known = set(chain.from_iterable(_places_in(entry.question, places) for entry in entries)).union(spread)
    many = len(entries)
    named = any(place in known and not is_general(term) for place, (term, *_) in enumerate(request.words))
    unknown = 0.0 if request.insists and named else _UNKNOWN
    return {
        term: (_GENERAL if is_general(term) else 1.0 if place in known else unknown)
        * math.log(1.0 + (many + 1) / (spread[place] + 0.5))
        for place, (term, *_) in enumerate(request.words)
    }


def ranked(
    request: BlockRequest, entries: Sequence[BlockEntry], told: Mapping[str, float], *, most: int = _MOST
) -> list[RankedBlock]:
    """Return the blocks that a request means, best first, with only the requested one of several versions."""
    words = [(codes, told.get(term, 0.0)) for codes, (term, *_) in zip(_codes_of(request), request.words, strict=True)]
    places = _places_of_codes([codes for codes, _ in words])
    scored = [one for entry in entries if (one := _scored(request, entry, words, places)) is not None]
    scored.sort(key=lambda one: (-one.score, -one.entry.seq, -one.entry.start))
    del scored[_MOST_COMPARED:]
    if scored:
        # Add near copies of the best block that did not match: a later version may have another introduction.
        known = {one.entry for one in scored}
        alike = (
            similar
            for similar in entries
            if _alikeness(similar, scored[0].entry) >= _NEARLY_SAME and similar not in known
        )
        scored += [RankedBlock(similar, 0.0) for similar in alike]
    chosen: list[RankedBlock] = []
    seen: list[BlockEntry] = []
    for one in scored:
        if len(chosen) >= most or one.score < _AS_GOOD * scored[0].score:
            break
        if any(_alikeness(one.entry, other) >= _ALIKE for other in seen):
            continue
        version = _version(request, one, scored)
        seen += [one.entry, version.entry]
        # A version that is not nearly the same may be a different block, so the best match is returned too.
        parted = version is not one and _alikeness(one.entry, version.entry) < _NEARLY_SAME
        chosen += [block for block in (version, *([one] if parted else [])) if block not in chosen]
    return chosen[:most]


def _scored(
    request: BlockRequest,
    entry: BlockEntry,
    words: Sequence[tuple[frozenset[int], float]],
    places: Mapping[int, Sequence[int]],
) -> RankedBlock | None:
    whole = sum([weight for _, weight in words])
    score = held = 0.0
    # Sum in the order of the words: floating-point sums depend on it.
    held_places = sorted(_places_in(entry.leading | entry.words | entry.question, places))
    for place in held_places:
        codes, weight = words[place]
        if not codes.isdisjoint(entry.leading):
            score += _LEADS * weight
        elif not codes.isdisjoint(entry.words):
            score += weight
        else:
            score += _ASKED * weight
        held += weight
    of_kind = entry.kind in request.kinds
    least = _LEAST_UNNAMED if not request.names_one else _LEAST_ASKED if request.insists else _LEAST
    if whole and (held < least * whole or not _names_it(request, held_places)):
        return None
    if not held and not of_kind:
        return None
    score /= 1.0 + _LENGTH * max(0.0, len(entry.words) / _USUAL_WORDS - 1.0)
    score += _OF_KIND * max(whole, 1.0) if of_kind else 0.0
    score += _BY_ROLE * max(whole, 1.0) if entry.role == request.role else 0.0
    if entry.kind is BlockKind.LINE and not (request.kinds and of_kind):
        score *= _ASIDE
    return RankedBlock(entry, score)


def _names_it(request: BlockRequest, held_places: Sequence[int]) -> bool:
    """Whether a matched word is specific rather than general, or the request has no specific word."""
    return any(not is_general(request.words[place][0]) for place in held_places) or all(
        is_general(term) for term, *_ in request.words
    )


def _version(request: BlockRequest, best: RankedBlock, scored: Sequence[RankedBlock]) -> RankedBlock:
    """Return the requested version of a block; versions are found transitively by similarity."""
    meant = [codes for codes in _codes_of(request) if not codes.isdisjoint(best.entry.words)]
    other_blocks = [
        block for block in scored
        if block is not best and not any(codes.isdisjoint(block.entry.words) for codes in meant)
    ]  # fmt: skip
    versions = [best]
    for known in versions:
        close = 0.0 if meant else _AS_CLOSE * best.score
        near = [block for block in other_blocks if _is_version(block, known, close=close)]
        versions += near
        other_blocks = [block for block in other_blocks if block not in near]
    versions.sort(key=lambda version: (version.entry.seq, version.entry.start))
    if request.version is Version.OLDEST:
        return versions[0]
    return versions[-2] if request.version is Version.PREVIOUS and len(versions) > 1 else versions[-1]


def _is_version(block: RankedBlock, known: RankedBlock, *, close: float) -> bool:
    alike = _alikeness(block.entry, known.entry)
    return alike >= _NEARLY_SAME or (alike >= _ALIKE and block.score >= close)


def _codes_of(request: BlockRequest) -> list[frozenset[int]]:
    """Return, for each word, its code and those of its synonyms."""
    return [frozenset(map(word_code, words)) for words in request.words]


def _places_of_codes(words: Sequence[frozenset[int]]) -> dict[int, list[int]]:
    """Map codes to the indexes of words: a long request has hundreds of words, a block only a few of them."""
    places: dict[int, list[int]] = {}
    for place, codes in enumerate(words):
        for code in codes:
            places.setdefault(code, []).append(place)
    return places


def _places_in(held: frozenset[int], places: Mapping[int, Sequence[int]]) -> set[int]:
    """Return the indexes of the words that a block contains."""
    return {place for code in places.keys() & held for place in places[code]}


def _alikeness(one: BlockEntry, other: BlockEntry) -> float:
    """Return the Jaccard similarity of two blocks' words; 0 for blocks of different kinds."""
    if one.kind is not other.kind:
        return 0.0
    common = len(one.words & other.words)
    return common / max(1, len(one.words) + len(other.words) - common)
