"""The order in which notes are taken when nothing is asked: most news per token first, redundancy counted as one goes.

`gain = worth * (sum(weight * decay^(times the word was taken before)) + kept) / (tokens + overhead)`. The decay is .5,
and that of a heavy word, which is mostly a name, .35: a name is known once it was said; what is said of it has to bring
its own news. `kept` is a third of the weights, of 15 at most, whatever was taken before: an event may be told in words
that all were said of others. The overhead is 6 for the rules' notes and 1 for a model's.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Final

from turnfold.contract.notes import FIRST_WRITTEN, OVERHEAD, Note, voices
from turnfold.contract.words import WEIGHT_OF_DIGIT, note_stems
from turnfold_worker.pipeline.notes.alone import leans
from turnfold_worker.pipeline.notes.events import is_general, telling_words

_DECAY: Final = 0.5
_HEAVY: Final = 6.0
"""Weight from which a word counts less when it is said again."""
_HEAVY_DECAY: Final = 0.35
_LEAST_LEFT: Final = _DECAY**11
"""Below it, taking a word again makes no difference."""
_KEPT: Final = 0.35
_MOST_KEPT: Final = 15.0
"""Of weights, of which a third is kept: beyond it the words of a note are its own."""
_UNNAMED: Final = 0.5
"""What a note counts that speaks of what no other one names."""
_WRITTEN_OVERHEAD: Final = 1
_FULL_TURN: Final = 100
"""Tokens of a turn's notes above which each further one is worth less, in proportion."""
_NEAR: Final = 2
_MOST_BEFORE: Final = 40
"""Tokens of a note up to which it is taken because the next one speaks of what it names."""


def ranked(notes: Sequence[Note], said: Mapping[str, int], *, most_tokens: int) -> list[Note]:
    """The best notes with their gains, best first, while they cost at most `most_tokens` together; ties by position.

    `said` are the tokens of each role in the conversation so far. Notes without worth are never among them.
    """
    voice = voices(said)
    worths = [note.worth * voice.get(note.role, 1.0) for note in notes]
    # What was said again in the same words tells nothing, whatever is left of its words.
    said_before: set[tuple[str, str]] = set()
    for i, note in enumerate(notes):
        if (note.speaker, note.text) in said_before:
            worths[i] = 0.0
        said_before.add((note.speaker, note.text))
    named_by = {}
    for i, note in enumerate(notes):
        if worths[i] and leans(note.text):
            if i and _names(notes[i - 1], note) and worths[i - 1]:
                named_by[i] = i - 1
            else:
                worths[i] *= _UNNAMED
    order = taken(notes, worths, most_tokens=most_tokens, named_by=named_by)
    return [notes[i]._replace(gain=round(100 * gain)) for i, gain in order]


def _names(earlier: Note, note: Note) -> bool:
    """Whether the note before one of the same turn may name what that one speaks of: it stands beside it then."""
    near = earlier.seq == note.seq and note.place - earlier.place <= _NEAR and earlier.tokens <= _MOST_BEFORE
    says = earlier.text
    return near and bool(telling_words(says)) and not leans(says) and not is_general(says)


def taken(
    notes: Sequence[Note], worths: Sequence[float], *, most_tokens: int, named_by: Mapping[int, int] | None = None
) -> list[tuple[int, float]]:
    """Positions of notes with their gains, best first, while they cost at most `most_tokens` together.

    `worths` are multipliers, one a note; notes of worth 0 are never taken for themselves. Ties go to the earlier
    position. `named_by` has, by position, the note without which another one is not understood: it is taken first.
    """
    named_by = named_by or {}
    speaks_of = {named_in: i for i, named_in in named_by.items()}
    done: set[int] = set()
    words = [_told(note) if worth > 0 else [] for note, worth in zip(notes, worths, strict=True)]
    left_of = dict.fromkeys([word for note_words in words for word, _ in note_words], 1.0)
    tokens_of: Counter[int] = Counter()
    gain_of = _gains(notes, worths, words, named_by, done, left_of, tokens_of)
    # With each gain, how many notes were taken when it was told: only what is taken changes it.
    heap = [(-gain_of(i), i, 0) for i, note_words in enumerate(words) if note_words]
    heapq.heapify(heap)
    order: list[tuple[int, float]] = []
    room = most_tokens
    while heap and room > 0:
        stale, i, taken_by_then = heap[0]
        gain = -stale
        if taken_by_then != len(order) and i not in done:
            gain = gain_of(i)
            if -gain > stale + 1e-9:
                heapq.heapreplace(heap, (-gain, i, len(order)))
                continue
        heapq.heappop(heap)
        named_in = named_by.get(i)
        both = [position for position in (named_in, i) if position is not None and position not in done]
        if i in done or sum([notes[position].least_tokens for position in both]) > room:
            continue
        for position in both:
            done.add(position)
            room -= notes[position].least_tokens
            order.append((position, gain))
            tokens_of[notes[position].seq] += notes[position].tokens
            for word, weight in words[position]:
                left = left_of[word] * (_DECAY if weight < _HEAVY else _HEAVY_DECAY)
                left_of[word] = max(_LEAST_LEFT, left)
        for position in both:
            if (follows := speaks_of.get(position)) is not None and follows not in done:
                # It is cheaper now.
                heapq.heappush(heap, (-gain_of(follows), follows, len(order)))
    return order


def _gains(
    notes: Sequence[Note],
    worths: Sequence[float],
    words: Sequence[Sequence[tuple[str, float]]],
    named_by: Mapping[int, int],
    done: Container[int],
    left_of: Mapping[str, float],
    tokens_of: Mapping[int, int],
) -> Callable[[int], float]:
    """What a note tells a token by what is taken; with the one that names what it speaks of, while that is not taken.

    Asked thousands of times a selection: what does not change is worked out before.
    """
    kept = [_KEPT * min(_MOST_KEPT, sum([weight for _, weight in weighted_words])) for weighted_words in words]
    prices = [_price(note) for note in notes]
    seqs = [note.seq for note in notes]
    spent = tokens_of.get

    def told_by(i: int) -> float:
        news = 0.0
        for word, weight in words[i]:
            news += weight * left_of[word]
        return worths[i] * (kept[i] + news)

    def gain_of(i: int) -> float:
        named_in = named_by.get(i)
        if named_in is None or named_in in done:
            gain = told_by(i) / prices[i]
        else:
            gain = (told_by(i) + told_by(named_in)) / (prices[i] + prices[named_in] - OVERHEAD)
        tokens = spent(seqs[i], 0)
        return gain * (_FULL_TURN / tokens) if tokens > _FULL_TURN else gain

    return gain_of


def _price(note: Note) -> int:
    """Tokens by which what a note tells is divided.

    A model's note makes sense alone, and its brief words, which say what its sentence is about, share their label.
    """
    return note.least_tokens + _WRITTEN_OVERHEAD if note.place >= FIRST_WRITTEN else note.tokens + OVERHEAD


def _told(note: Note) -> list[tuple[str, float]]:
    text = note.brief if note.brief and note.place >= FIRST_WRITTEN else note.text
    return list(zip(note_stems(text), map(WEIGHT_OF_DIGIT.__getitem__, note.weights), strict=False))
