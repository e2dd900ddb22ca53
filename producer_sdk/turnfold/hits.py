"""Notes that answer a query, from the notes of the segments that its terms point to. Pure.

Passages of a turn are scored by BM25 over words, speaker and day; a passage lends a part of its score to its
neighbours, because answers seldom repeat the words of the question. Then notes are taken for what they tell.
With sentence vectors a turn's nearness to the query is added: `score / best + 0.5 * cosine / nearest`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from turnfold.contract.coverage import taken, voices
from turnfold.contract.notes import Note
from turnfold.contract.terms import terms

PASSAGE_TOKENS: Final = 40
"""Estimated tokens of neighbouring notes of one turn that are scored together."""
MOST_PASSAGES: Final = 200
_K1: Final = 1.2
_B: Final = 0.75
_SPEAKER: Final = 2
"""Times that a speaker's name counts beside the words: a query that names someone asks for what they said."""
_LENT_BEFORE: Final = 0.25
_LENT_AFTER: Final = 0.25
_LENT_REPLY: Final = 0.5
"""To what follows a question."""
_SHARPNESS: Final = 3.0
"""Exponent of a passage's score: how much better hits are preferred."""
_MANNER: Final = 0.7
"""How far a note's own worth counts: one that says nothing by itself may still answer."""
_DECAY: Final = 0.35
_NEARNESS: Final = 0.5
"""Weight of nearness in meaning beside that of words."""
NOTHING_NEAR: Final[Mapping[int, float]] = MappingProxyType({})
_STEM: Final = 3
"""Code points that a term and the words that it stands for have in common at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What is known of a conversation beside the candidates."""

    said: Mapping[str, int]
    """Tokens of each role."""
    segments: int
    candidates: int
    """Segments whose notes are looked at."""
    spread: Mapping[str, int]
    """In how many segments a term of the query occurs, as far as is known."""


def hits(
    query: Sequence[str],
    notes: Sequence[Note],
    field: Field,
    *,
    most_tokens: int,
    near: Mapping[int, float] = NOTHING_NEAR,
) -> tuple[Note, ...]:
    """Notes about the terms of a query, best first, for at most `most_tokens`. `notes` are in order of the turns.

    `near` are cosines of turns to the query, as far as they are known.
    """
    passages = _passages(notes)
    scores = _with_neighbours(passages, _nearer(passages, _scores(query, passages, field), near))
    best = max(scores, default=0.0)
    if best <= 0.0:
        return ()
    voice = voices(field.said)
    found: list[Note] = []
    worths: list[float] = []
    for i in sorted(range(len(passages)), key=lambda i: (-scores[i], i))[:MOST_PASSAGES]:
        if scores[i] <= 0.0:
            break
        for note in passages[i]:
            found.append(note)
            told = 1.0 - _MANNER + _MANNER * note.worth / 100
            worths.append((scores[i] / best) ** _SHARPNESS * told * (1.0 + 0.5 * (voice.get(note.role, 1.0) - 1.0)))
    return tuple(found[i] for i, _ in taken(found, worths, most_tokens=most_tokens, decay=_DECAY))


def _nearer(passages: Sequence[Sequence[Note]], scores: list[float], near: Mapping[int, float]) -> list[float]:
    nearest = max(near.values(), default=0.0)
    if nearest <= 0.0:
        return scores
    best = max(scores, default=0.0) or 1.0
    return [
        score / best + _NEARNESS * max(0.0, near.get(passage[0].seq, 0.0)) / nearest
        for passage, score in zip(passages, scores, strict=True)
    ]


def _passages(notes: Sequence[Note]) -> list[list[Note]]:
    passages: list[list[Note]] = []
    tokens = 0
    for note in notes:
        if not passages or passages[-1][-1].seq != note.seq or tokens + note.tokens > PASSAGE_TOKENS:
            passages.append([])
            tokens = 0
        passages[-1].append(note)
        tokens += note.tokens
    return passages


def _scores(query: Sequence[str], passages: Sequence[Sequence[Note]], field: Field) -> list[float]:
    """BM25 of each passage; rarities are those of the conversation, as far as the candidates tell them."""
    counts = _counts(query, passages)
    lengths = [sum(len(note.weights) for note in passage) + _SPEAKER + 1 for passage in passages]
    usual = max(1.0, sum(lengths) / max(1, len(lengths)))
    scale = field.segments / max(1, field.candidates)
    whole = max(1.0, len(passages) * scale)
    weights = {}
    for term in query:
        held = sum(term in count for count in counts)
        spread = min(whole, held * max(1.0, field.spread.get(term, 0) / max(1, field.candidates)))
        weights[term] = math.log(1.0 + (whole - spread + 0.5) / (spread + 0.5))
    voice = voices(field.said)
    return [
        math.sqrt(voice.get(passage[0].role, 1.0))
        * sum(
            weights[term] * times * (_K1 + 1.0) / (times + _K1 * (1.0 - _B + _B * length / usual))
            for term, times in count.items()
        )
        for passage, count, length in zip(passages, counts, lengths, strict=True)
    ]


def _counts(query: Sequence[str], passages: Sequence[Sequence[Note]]) -> list[dict[str, int]]:
    """How often each passage holds the query's terms; only what may hold one is split into terms."""
    stubs = [term[: max(_STEM, len(term) - 1)] for term in query]
    names: dict[str, Counter[str]] = {}
    found: list[dict[str, int]] = []
    for passage in passages:
        speaker, day = passage[0].speaker, passage[0].day
        for name in (speaker, day):
            if name not in names:
                names[name] = Counter(terms(name))
        looked_at = " ".join([*(note.text for note in passage), speaker, day]).lower()
        if not _any_in(stubs, looked_at):
            found.append({})
            continue
        held: Counter[str] = Counter()
        for note in passage:
            # Folding changes other letters, so that a term need not begin as its word does.
            if not note.text.isascii() or _any_in(stubs, note.text.lower()):
                held.update(terms(note.text))
        spoken, dated = names[speaker], names[day]
        times = [(term, held.get(term, 0) + _SPEAKER * spoken.get(term, 0) + dated.get(term, 0)) for term in query]
        found.append({term: many for term, many in times if many})
    return found


def _any_in(stubs: Sequence[str], text: str) -> bool:
    return any(stub in text for stub in stubs)


def _with_neighbours(passages: Sequence[Sequence[Note]], scores: Sequence[float]) -> list[float]:
    total = list(scores)
    for i, score in enumerate(scores):
        if not score:
            continue
        if i and passages[i][0].seq - passages[i - 1][0].seq <= 1:
            total[i - 1] += _LENT_BEFORE * score
        if i + 1 < len(scores) and passages[i + 1][0].seq - passages[i][0].seq <= 1:
            total[i + 1] += (_LENT_REPLY if passages[i][-1].text.endswith("?") else _LENT_AFTER) * score
    return total
