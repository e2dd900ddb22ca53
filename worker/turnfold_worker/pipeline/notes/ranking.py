"""Rank notes without a query: greedily, most new information per token first, with a penalty for repeated words.

`gain = worth * (sum(weight * decay^(times the word was selected before)) + kept) / (tokens + overhead)`. The decay is
.5, and .35 for a heavy word, which is mostly a name: once a name has been mentioned, what is said of it has to be new
by itself. `kept` is .35 of the weights, of 15 at most, whatever was selected before: an event may be told in words that
were all used before. The overhead is 6 for the rules' notes and 1 for a model's.
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
"""Weight from which a repeated word counts less."""
_HEAVY_DECAY: Final = 0.35
_LEAST_LEFT: Final = _DECAY**11
"""Floor of a word's decay: below it, a further repetition makes no difference."""
_KEPT: Final = 0.35
_MOST_KEPT: Final = 15.0
"""Sum of weights of which `_KEPT` is kept: beyond it, a note has enough words of its own."""
_UNNAMED: Final = 0.5
"""Factor for a note about something that no other note names."""
_WRITTEN_OVERHEAD: Final = 1
_FULL_TURN: Final = 100
"""Tokens selected from a turn above which its further notes lose worth in proportion."""
_NEAR: Final = 2
_MOST_BEFORE: Final = 40
"""Maximum tokens of a note that is selected because the next one refers to what it names."""


def ranked(notes: Sequence[Note], said: Mapping[str, int], *, most_tokens: int) -> list[Note]:
    """Return the best notes with their gains, best first, up to `most_tokens` in total; ties by position.

    `said` are the tokens of each role in the conversation so far. Notes without worth are not returned.
    """
    voice = voices(said)
    worths = [note.worth * voice.get(note.role, 1.0) for note in notes]
    # A verbatim repetition has no worth, whatever its words still count for.
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
    """Return whether an earlier note of the same turn may name what a note refers to, being close and short enough."""
    near = earlier.seq == note.seq and note.place - earlier.place <= _NEAR and earlier.tokens <= _MOST_BEFORE
    says = earlier.text
    return near and bool(telling_words(says)) and not leans(says) and not is_general(says)


def taken(
    notes: Sequence[Note], worths: Sequence[float], *, most_tokens: int, named_by: Mapping[int, int] | None = None
) -> list[tuple[int, float]]:
    """Return positions and gains of the selected notes, best first, up to `most_tokens` in total.

    `worths` has one multiplier per note; a note of worth 0 is never selected for itself. Ties go to the earlier
    position. `named_by` maps a position to that of the note without which it cannot be understood, which is selected
    first.
    """
    named_by = named_by or {}
    speaks_of = {named_in: i for i, named_in in named_by.items()}
    done: set[int] = set()
    words = [_told(note) if worth > 0 else [] for note, worth in zip(notes, worths, strict=True)]
    left_of = dict.fromkeys([word for note_words in words for word, _ in note_words], 1.0)
    tokens_of: Counter[int] = Counter()
    gain_of = _gains(notes, worths, words, named_by, done, left_of, tokens_of)
    # Each gain comes with the number of notes selected when it was computed: only a selection can change it.
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
                # Its price no longer includes the note that it depends on.
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
    """Return a function for the current gain per token of a note, together with the unselected note that it depends on.

    The function is called thousands of times per selection: what does not change is computed here.
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
    """Return the tokens by which a note's information is divided.

    For a model's note these are the tokens of its brief, with a lower overhead: it makes sense alone and shares its
    label.
    """
    return note.least_tokens + _WRITTEN_OVERHEAD if note.place >= FIRST_WRITTEN else note.tokens + OVERHEAD


def _told(note: Note) -> list[tuple[str, float]]:
    text = note.brief if note.brief and note.place >= FIRST_WRITTEN else note.text
    return list(zip(note_stems(text), map(WEIGHT_OF_DIGIT.__getitem__, note.weights), strict=False))
