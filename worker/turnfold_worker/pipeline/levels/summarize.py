"""The three levels of a segment, written by rule: its notes at a quarter and at a tenth of its length, a line of tags.

Every level ends in one newline; every line begins with `[`, which only our date lines do, or with a letter, or,
if it is code, with four spaces: nothing that was said can stand where a date or a speaker of ours stands.
No level is longer than its source, nor than the level above it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from turnfold.contract.notes import Note, note_lines, voices
from turnfold.contract.text import whole_numbers
from turnfold.tokens import MESSAGE_TOKENS, estimate_tokens
from turnfold_worker.pipeline.levels.detailed import detailed
from turnfold_worker.pipeline.levels.lines import most_that_fit
from turnfold_worker.pipeline.levels.tags import FALLBACK, MAX_TAG_TOKENS, tag_line, topics
from turnfold_worker.pipeline.turns.reading import Reading

BRIEF_SHARE: Final = 10
"""Level 2 has about one token for ten of the source."""
_SHORTEST_CLIP: Final = 8
"""Code points from which the beginning of a note is worth showing."""
_LEAST_BRIEF: Final = 32
"""Tokens that level 2 may always have, if level 1 is not shorter."""
_MOST_VOICE: Final = 4
"""What the voice of a role adds at most to the weight of its words among the topics."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """The texts of a node, and what its segment is about."""

    texts: Mapping[int, str]
    """Of levels 1, 2 and 3."""
    topics: tuple[str, ...]


def source_tokens(readings: Sequence[Reading]) -> int:
    """Estimated tokens of level 0: the turns as messages."""
    return sum(reading.turn.tokens + MESSAGE_TOKENS for reading in readings)


def summarize(
    readings: Sequence[Reading],
    facts: Mapping[str, Sequence[str]],
    noted: Sequence[tuple[Note, str]],
    best: Sequence[Note],
    said: Mapping[str, int],
) -> Levels:
    """Levels 1 to 3 of a segment.

    `facts` are the node's, `noted` all notes of the segment with the words that they were made from, `best` the best
    of them in order, `said` the tokens of each role in the conversation so far.
    """
    source = source_tokens(readings)
    notes = [note for note, _ in noted]
    # Where nothing is worth a place in a context, a level still says what there was.
    told = best or notes
    first = detailed(readings, notes, told, source) or _smallest(readings, told, source)
    limit = min(estimate_tokens(first), max(_LEAST_BRIEF, source // BRIEF_SHARE))
    brief = brief_of(best, limit) or _smallest(readings, told, limit)
    segment_topics = tuple(_topics(readings, noted, said))
    tags = tag_line(segment_topics, facts, min(MAX_TAG_TOKENS, estimate_tokens(brief)))
    return Levels(texts={1: first, 2: brief, 3: tags}, topics=segment_topics)


def _topics(readings: Sequence[Reading], noted: Sequence[tuple[Note, str]], said: Mapping[str, int]) -> list[str]:
    """What a segment speaks of, in the words of its notes as they were said: those of who says less weigh more."""
    voice = voices(said)
    tools = {reading.turn.seq for reading in readings if reading.tool}
    weighted_texts = [
        (spoken, 1 + int(min(voice.get(note.role, 1.0), _MOST_VOICE)))
        for note, spoken in noted
        if note.worth and note.seq not in tools
    ]
    return topics(weighted_texts, list(dict.fromkeys(reading.speaker for reading in readings)))


def brief_of(notes: Sequence[Note], limit: int) -> str:
    """The best notes of the rules as lines within `limit` tokens; empty when not even one fits."""
    most_notes = _most_notes(notes, limit)
    count = most_that_fit(most_notes, lambda size: estimate_tokens("".join(note_lines(notes[:size]))) <= limit)
    return "".join(note_lines(notes[:count]))


def _most_notes(notes: Sequence[Note], limit: int) -> int:
    """More notes than these never fit, whatever stands around them."""
    least = 0
    for count, note in enumerate(notes):
        # Its tokens are those of its words and of one mark after them, which another mark may swallow.
        least += note.tokens - 2
        if least > limit:
            return count
    return len(notes)


def _smallest(readings: Sequence[Reading], notes: Sequence[Note], limit: int) -> str:
    """The beginning of the first note when none fits whole; else who spoke; else one word."""
    for note in notes[:1]:

        def shown(length: int, note: Note = note) -> str:
            clipped = note.text if length == len(note.text) else f"{_whole_words(note.text, length)}…"
            return "".join(note_lines([note._replace(text=clipped)]))

        length = most_that_fit(len(note.text), lambda size: estimate_tokens(shown(size)) <= limit)
        if length >= _SHORTEST_CLIP:
            return shown(length)
    spoke = "; ".join(dict.fromkeys(reading.speaker for reading in readings)) + "\n"
    return spoke if readings and estimate_tokens(spoke) <= limit else f"{FALLBACK}\n"


def _whole_words(text: str, length: int) -> str:
    cut = text.rfind(" ", 0, length)
    return text[:cut] if cut > length // 2 else text[: whole_numbers(text, length)]
