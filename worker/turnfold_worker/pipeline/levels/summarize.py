"""The three levels of a segment, written by rule: prose that can be read, its best clauses, a line of tags.

Every level ends in one newline; every line begins with `[`, which only our date lines do, or with a letter, or,
if it is code, with four spaces: nothing that was said can stand where a date or a speaker of ours stands.
No level is longer than its source, nor than the level above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

from turnfold.contract.notes import Note, note_lines
from turnfold.contract.periods import day_label
from turnfold.contract.text import whole_numbers
from turnfold.tokens import MESSAGE_TOKENS, estimate_tokens
from turnfold_worker.pipeline.levels.tags import FALLBACK, MAX_TAG_TOKENS, tag_line, topics
from turnfold_worker.pipeline.levels.units import Unit, choose, most_telling, sentence_units, settled
from turnfold_worker.pipeline.turns.reading import Reading

DETAILED_SHARE: Final = 4
"""Level 1 has about one token for four of the source."""
_EXACT_SHARE: Final = 0.4
"""Of the source's tokens, most for code and other exact words that stand whole in level 1, beside its quarter."""
_NAMED_SHARE: Final = 12
"""Of them level 1 has one token for so many of the source for names of those that are too long for it."""
_LEAST_NAMED: Final = 48
"""Tokens that such names may always have."""
BRIEF_SHARE: Final = 10
"""Level 2 has about one token for ten of the source."""
INDENT: Final = "    "
"""Stands before a line of code."""
_TINY: Final = 80
"""Source tokens up to which level 1 shows the source itself."""
_SHORTEST_CLIP: Final = 8
"""Code points from which the beginning of a unit is worth showing."""
_REFILLS: Final = 5
_LEAST_DETAILED: Final = 64
"""Tokens that level 1 may always have, if the source is not shorter."""
_LEAST_BRIEF: Final = 32
"""Tokens that level 2 may always have, if level 1 is not shorter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    """The texts of a node, and what its segment is about."""

    detailed: str
    """Level 1."""
    brief: str
    """Level 2."""
    tags: str
    """Level 3."""
    topics: tuple[str, ...] = ()

    @property
    def texts(self) -> dict[int, str]:
        """By level."""
        return {1: self.detailed, 2: self.brief, 3: self.tags}


def source_tokens(readings: Sequence[Reading]) -> int:
    """Estimated tokens of level 0: the turns as messages."""
    return sum(reading.turn.tokens + MESSAGE_TOKENS for reading in readings)


def summarize(readings: Sequence[Reading], facts: Mapping[str, Sequence[str]], notes: Sequence[Note]) -> Levels:
    """Levels 1 to 3 of a segment; `facts` are the node's, `notes` its best ones."""
    source = source_tokens(readings)
    sentences, kept = settled(
        sentence_units(readings), int(_EXACT_SHARE * source), max(_LEAST_NAMED, source // _NAMED_SHARE)
    )
    budget = source if source <= _TINY else max(_LEAST_DETAILED, source // DETAILED_SHARE)
    ranked = choose(sentences, budget, kept)
    budget += sum(sentences[i].tokens for i in kept)
    detailed = _level(readings, sentences, ranked, min(budget, source), ". ")
    room = estimate_tokens(detailed)
    limit = min(room, max(_LEAST_BRIEF, source // BRIEF_SHARE))
    brief = brief_of(notes, limit) or _smallest(sentences, readings, "; ", limit)
    speakers = list(dict.fromkeys(reading.speaker for reading in readings))
    weighted_texts = [(unit.text, 1 + int(min(unit.worth, 4))) for unit in sentences if not readings[unit.turn].tool]
    segment_topics = tuple(topics(weighted_texts, speakers))
    tags = tag_line(segment_topics, facts, min(MAX_TAG_TOKENS, estimate_tokens(brief)))
    return Levels(detailed=detailed, brief=brief, tags=tags, topics=segment_topics)


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


def _level(readings: Sequence[Reading], units: Sequence[Unit], ranked: Sequence[int], limit: int, joint: str) -> str:
    """The best units as lines in order of the turns, within the limit with labels and dates."""

    def shown(chosen: Sequence[int]) -> str:
        return rendered([(units[i], readings[units[i].turn]) for i in sorted(chosen)], joint)

    text, count = "", len(ranked)
    while count:
        text = shown(ranked[:count])
        above = estimate_tokens(text) - limit
        if above <= 0:
            break
        while count and above > 0:
            count -= 1
            above -= units[ranked[count]].tokens + 1
    if not count:
        return _smallest(units, readings, joint, limit)
    chosen = list(ranked[:count])
    for extra in ranked[count : count + _REFILLS]:
        # What was dropped for a long unit or a label may leave room for a shorter one.
        fuller = shown([*chosen, extra])
        if estimate_tokens(fuller) <= limit:
            chosen.append(extra)
            text = fuller
    return text


def most_that_fit(limit: int, fits: Callable[[int], bool]) -> int:
    """The largest count that fits, when every smaller one does; 0 when none does."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _smallest(units: Sequence[Unit], readings: Sequence[Reading], joint: str, ceiling: int) -> str:
    """The beginning of the most telling unit when none fits whole; else who spoke; else one word."""
    # Exact words are never cut: of those only the name is.
    best = most_telling([unit._replace(text=unit.name, code=False) if unit.name else unit for unit in units])
    if best is not None:

        def shown(length: int) -> str:
            clipped = best.text if length == len(best.text) else f"{_whole_words(best.text, length)}…"
            return rendered([(best._replace(text=clipped), readings[best.turn])], joint)

        length = most_that_fit(len(best.text), lambda size: estimate_tokens(shown(size)) <= ceiling)
        if length >= _SHORTEST_CLIP:
            return shown(length)
    spoke = "; ".join(dict.fromkeys(reading.speaker for reading in readings)) + "\n"
    return spoke if readings and estimate_tokens(spoke) <= ceiling else f"{FALLBACK}\n"


def _whole_words(text: str, length: int) -> str:
    cut = text.rfind(" ", 0, length)
    return text[:cut] if cut > length // 2 else text[: whole_numbers(text, length)]


def rendered(shown: Sequence[tuple[Unit, Reading]], joint: str) -> str:
    """Units as lines."""
    return lines_of([
        Part(reading.turn.seq, reading.day, reading.speaker, unit.text, "; " if unit.listed else joint, unit.code)
        for unit, reading in shown
    ])  # fmt: skip


class Part(NamedTuple):
    """What is said at one place of a level."""

    seq: int
    day: date | None
    speaker: str
    text: str
    joint: str
    """Stands before it where the turn goes on."""
    code: bool = False


def lines_of(parts: Iterable[Part]) -> str:
    """One line a turn, code indented below it, a date line where the day changes; empty for no parts."""
    lines: list[str] = []
    day: date | None = None
    spoken: tuple[int, str] | None = None
    for part in parts:
        if part.day and part.day != day:
            lines.append(f"[{day_label(part.day)}]")
            day = part.day
        if part.code:
            if (part.seq, part.speaker) != spoken:
                lines.append(f"{part.speaker}: code")
            lines += [f"{INDENT}{line}" for line in part.text.split("\n")]
            spoken = None
        elif (part.seq, part.speaker) != spoken:
            lines.append(f"{part.speaker}: {part.text}")
            spoken = (part.seq, part.speaker)
        else:
            lines[-1] = f"{lines[-1]}{_separator(lines[-1], part.joint)}{part.text}"
    return "".join(f"{line}\n" for line in lines)


def _separator(text_before: str, joint: str) -> str:
    return " " if joint == ". " and text_before[-1] in ".!?:,;…。\uff01\uff1f" else joint
