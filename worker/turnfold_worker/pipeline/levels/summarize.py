"""Writes the three levels of a segment by rule: notes at a quarter and at a tenth of its length, and a tag line.

Every level ends in one newline. A line begins with `[` if it is a date line, with four spaces if it is code, and with a
letter otherwise, so no text of a turn can pass for a date or a speaker. No level is longer than its source or than the
next more detailed level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from turnfold.contract.notes import Note, note_lines, voices
from turnfold.contract.text import whole_numbers
from turnfold.tokens import MESSAGE_TOKENS, estimate_tokens
from turnfold_worker.pipeline.levels.detailed import detailed
from turnfold_worker.pipeline.levels.lines import most_that_fit
from turnfold_worker.pipeline.levels.tags import FALLBACK, MAX_TAG_TOKENS, tag_line, topics
from turnfold_worker.pipeline.turns.reading import Reading

BRIEF_SHARE: Final = 10
"""Level 2 has about one token per this many source tokens."""
_SHORTEST_CLIP: Final = 8
"""Minimum code points of the beginning of a note that is worth showing."""
_LEAST_BRIEF: Final = 32
"""Tokens that level 2 may always use, unless level 1 is shorter."""
_MOST_VOICE: Final = 4
"""Maximum that the weight of a role adds to its words when topics are ranked."""


def source_tokens(readings: Sequence[Reading]) -> int:
    """Estimate the tokens of level 0: the turns as messages."""
    return sum(reading.turn.tokens + MESSAGE_TOKENS for reading in readings)


def summarize(
    readings: Sequence[Reading],
    facts: Mapping[str, Sequence[str]],
    noted: Sequence[tuple[Note, str]],
    best: Sequence[Note],
    said: Mapping[str, int],
) -> tuple[dict[int, str], list[str]]:
    """Write levels 1 to 3 of a segment; return their texts, and the segment's topics.

    `facts` are the node's, `noted` all notes of the segment with the text that they were made from, `best` the best of
    them in order, `said` the tokens by role in the conversation so far.
    """
    source = source_tokens(readings)
    notes = [note for note, _ in noted]
    # When no note is worth showing in a context, the level still shows what there was.
    told = best or notes
    first = detailed(readings, notes, told, source) or _smallest(readings, told, source)
    limit = min(estimate_tokens(first), max(_LEAST_BRIEF, source // BRIEF_SHARE))
    brief = brief_of(best, limit) or _smallest(readings, told, limit)
    segment_topics = _topics(readings, noted, said)
    tags = tag_line(segment_topics, facts, min(MAX_TAG_TOKENS, estimate_tokens(brief)))
    return {1: first, 2: brief, 3: tags}, segment_topics


def _topics(readings: Sequence[Reading], noted: Sequence[tuple[Note, str]], said: Mapping[str, int]) -> list[str]:
    """Rank the topics of a segment, from the source text of its notes; roles that say less weigh more."""
    voice = voices(said)
    tools = {reading.turn.seq for reading in readings if reading.tool}
    weighted_texts = [
        (spoken, 1 + int(min(voice.get(note.role, 1.0), _MOST_VOICE)))
        for note, spoken in noted
        if note.worth and note.seq not in tools
    ]
    return topics(weighted_texts, list(dict.fromkeys(reading.speaker for reading in readings)))


def brief_of(notes: Sequence[Note], limit: int) -> str:
    """Render as many of the notes, best first, as fit in `limit` tokens; empty if none fits."""
    most_notes = _most_notes(notes, limit)
    count = most_that_fit(most_notes, lambda size: estimate_tokens("".join(note_lines(notes[:size]))) <= limit)
    return "".join(note_lines(notes[:count]))


def _most_notes(notes: Sequence[Note], limit: int) -> int:
    """Return an upper bound on the number of notes that fit, to narrow the binary search."""
    least = 0
    for count, note in enumerate(notes):
        # A note's tokens include a mark after its text, which may merge with another mark.
        least += note.tokens - 2
        if least > limit:
            return count
    return len(notes)


def _smallest(readings: Sequence[Reading], notes: Sequence[Note], limit: int) -> str:
    """Return the beginning of the first note when no note fits whole; else who spoke; else the fallback line."""
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
