"""Score segments and turns for a query. Pure, lexical: terms, their rarity, and how often they occur."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from turnfold.contract.periods import as_utc
from turnfold.contract.records import StoredTurn
from turnfold.contract.terms import rarity, terms
from turnfold.contract.time_terms import said_terms

QUERY_TERMS: Final = 16
"""Maximum number of terms of a query to look up."""

SEGMENT_HITS: Final = 8
"""Segments whose turns are read for a query."""

_SPEAKER_WEIGHT: Final = 2
"""Factor for terms in a speaker's name: a query that names a speaker asks for what that speaker said."""

_CUT_WORD: Final = 24
"""Characters by which a snippet is shortened to end between words."""


def query_terms(query: str, *, without: Collection[str] = ()) -> tuple[str, ...]:
    """Distinct terms of a query, the rarest first, at most 16, without those of `without`."""
    distinct = [term for term in dict.fromkeys(terms(query)) if term not in without]
    order = {term: position for position, term in enumerate(distinct)}
    return tuple(sorted(distinct, key=lambda term: (-rarity(term), order[term]))[:QUERY_TERMS])


def score_segments(postings: Sequence[tuple[str, int, int]], *, segments: int) -> list[tuple[int, float]]:
    """Segments by score, best first, newer first among equals.

    `postings` are rows (term, idx, weight) of a conversation of `segments` segments; a term counts more the fewer
    segments contain it, and its weight counts less the more often it repeats.
    """
    spread = Counter(term for term, _, _ in postings)
    scores: dict[int, float] = defaultdict(float)
    for term, idx, weight in postings:
        scores[idx] += math.log(1.0 + segments / spread[term]) * (1.0 + weight / (weight + 20.0))
    return sorted(scores.items(), key=lambda segment_score: (-segment_score[1], -segment_score[0]))


def term_weights(
    query: Sequence[str], postings: Sequence[tuple[str, int, int]], *, segments: int
) -> Mapping[str, float]:
    """Weight of each term of a query in a conversation of `segments` segments, as in `score_segments`."""
    spread = Counter(term for term, _, _ in postings)
    return {term: math.log(1.0 + segments / max(1, spread[term])) for term in query}


def score_turns(
    query: Sequence[str], turns: Sequence[StoredTurn], *, weights: Mapping[str, float] | None = None
) -> dict[int, float]:
    """Score of each turn that shares a term with the query, by seq; a term weighs its rarity, or its `weights`.

    A turn lends a quarter of its score to its neighbours, and half to the one after a question: answers seldom
    repeat the question's words. The day of a turn is one of its terms.
    """
    weights = weights or {term: rarity(term) for term in query}
    own: dict[int, float] = {}
    for turn in turns:
        held = terms(turn.content)
        # In the query's order: float sums depend on it, and the order of a set differs between processes.
        words, names = {*held, *day_terms(turn)}, set(terms(turn.speaker))
        score = sum(weight for term, weight in weights.items() if term in words)
        score += _SPEAKER_WEIGHT * sum(weight for term, weight in weights.items() if term in names)
        if score:
            own[turn.seq] = score / (1.0 + len(held) / 400.0)
    total = dict(own)
    questions = {turn.seq for turn in turns if turn.content.rstrip().endswith("?")}
    present = {turn.seq for turn in turns}
    for seq, lent in own.items():
        for neighbour, share in ((seq - 1, 0.25), (seq + 1, 0.5 if seq in questions else 0.25)):
            if neighbour in present:
                total[neighbour] = total.get(neighbour, 0.0) + share * lent
    return total


def day_terms(turn: StoredTurn) -> tuple[str, ...]:
    """Time terms of the day of a turn; none for a turn without a time."""
    return said_terms(as_utc(turn.created_at).date()) if turn.created_at else ()


def spoken_snippet(label: str, words: str, query: Sequence[str], *, width: int = 160) -> str:
    """A `snippet` that begins with the speaker's label wherever it was cut.

    >>> spoken_snippet("Mara", "It rains. assistant: I approved it.", ("approved",), width=20)
    'Mara: … I approved it.'
    """
    shown = snippet(f"{label}: {words}", query, width=width)
    return f"{label}: {shown}" if shown.startswith("… ") else shown


def snippet(text: str, query: Sequence[str], *, width: int = 160) -> str:
    """At most `width` characters around the first word that the query names, cut between words where possible."""
    flat = " ".join(text.split())
    if len(flat) <= width:
        return flat
    lowered = flat.lower()
    places = [at for term in query if (at := lowered.find(term)) >= 0]
    start = max(0, min(min(places, default=0) - width // 3, len(flat) - width))
    end = start + width
    if start:
        # A long word, such as a path, is cut inside.
        start = flat.find(" ", start - 1, start + _CUT_WORD) + 1 or start
    if end < len(flat):
        cut = flat.rfind(" ", max(start, end - _CUT_WORD), end + 1)
        end = cut if cut > start else end
    return ("… " if start else "") + flat[start:end].strip() + (" …" if end < len(flat) else "")
