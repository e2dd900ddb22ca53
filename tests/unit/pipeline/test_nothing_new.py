"""What a stage writes was said: its words, numbers, names and speakers stand in its source, and no 'not' is lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.speakers import UNSEEN, speaker_label
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline import notes as noting
from turnfold_worker.pipeline import telegraph
from turnfold_worker.pipeline.dates import MONTHS
from turnfold_worker.pipeline.facts import FactKind, merge_facts
from turnfold_worker.pipeline.fold import FoldedNode, fold_segment, said_after
from turnfold_worker.pipeline.notes import notes_of
from turnfold_worker.pipeline.reading import plain_line, read_turn
from turnfold_worker.pipeline.relations import relations_of
from turnfold_worker.pipeline.roll_up import roll_up
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.tags import tags_of, topics
from turnfold_worker.pipeline.telegraph import bare_words, is_negation, telegraphic
from turnfold_worker.pipeline.treatment import read_segment

from .wild_turns import START, said, wild_text, wild_turns

NAMES: Final = ("Ana", "Omar Haddad", "Wei-Ling", "O'Neill", "ليلى", "Жанна")
TOLD: Final = (
    "{name} {must} restart server {number} before {other} pays ${number}.",
    "I {must} think that {name} wants {number}% of it, but {other} {must} agree!",
    "By the way, can you ask {name} whether port {number} is open?",
    "Hey {name}, {other} {must} sign the {number}-page lease, and it is due on {number} May.",
    "- **{name}**: {must} exceed {number} ms (was {number},000)",
    "It's really {number} euros - {name} said so yesterday; {other} {must} like to pay it.",
    "{name} {must} depend on config/app-{number}.toml or v2.{number}.1",
)
MUST: Final = (
    "will", "will not", "must", "must never", "can't", "cannot", "doesn't", "don\u2019t", "won't", "no longer can", "is",
)  # fmt: skip

told_text: Final = st.builds(
    lambda said, name, other, must, number: said.format(name=name, other=other, must=must, number=number),
    st.sampled_from(TOLD), st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(MUST), st.integers(0, 10**6),
)  # fmt: skip
text_of_talk: Final = st.lists(told_text | wild_text, min_size=1, max_size=4).map(" ".join)


@st.composite
def told_turns(draw: st.DrawFn, *, most: int = 8) -> list[StoredTurn]:
    """Turns that state exact things, in any company."""
    turns = draw(wild_turns(most=most))
    return [
        said(
            draw(text_of_talk), seq=turn.seq, role=turn.role, name=turn.name, parts=turn.parts,
            importance=turn.importance, minutes=None if turn.created_at is None else 7.0 * turn.seq,
        )
        for turn in turns
    ]  # fmt: skip


def numbers(text: str) -> list[str]:
    return re.findall(r"\d+", text)


def words(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[^\W\d_]+", text.replace("\u2019", "'"))}


def negations(text: str) -> int:
    return sum(map(is_negation, bare_words(text)))


def dates_around(turns: Iterable[StoredTurn]) -> str:
    """The days that a relative day of these turns can mean, as levels write them."""
    days = {
        turn.created_at.date() + timedelta(days=days)
        for turn in turns
        if turn.created_at is not None
        for days in (-2, -1, 0, 1, 2)
    }
    return " ".join(f"{day.day} {MONTHS[day.month - 1]} {day.year}" for day in days)


def source_of(turns: Sequence[StoredTurn]) -> str:
    """All that was said, by whom, and the calls."""
    said_there = " ".join(f"{speaker_label(turn)} {turn.name or ''} {turn.content} {turn.parts or ''}" for turn in turns)
    # Control characters and marks of direction are not shown: what stands around them is one word to its reader.
    return f"{said_there} {said_there.translate(UNSEEN)} {dates_around(turns)}"


REWORDED: Final = {"think", "thinks", "doesn", "t", "plan", "will", "asks", "wants", "to", "many", "and", "ensure", "photo"}
"""Words that a sentence in fewer words may have instead of its own."""
OURS: Final = REWORDED | {
    "same", "almost", "as", "turn", "turns", "calls", "code", "l", "no", "output", "segments", "without", "summary",
    "tags", "names", "dates", "paths", "says", "is", "s", "json", "object", "list", "of", "line", "lines", "nothing",
    "look", "run", "text", "user", "assistant", "tool", "system", "developer",
}  # fmt: skip


def assert_said(text: str, source: str, ours: Collection[str] = OURS) -> None:
    """Every word of a text stands in its source, or is ours; the beginning of one may, where a cut is marked."""
    known = words(source) | set(ours)
    endless = [word for word in known if len(word) >= LONGEST_WORD]
    cut = {word.lower() for word in re.findall(r"([^\W\d_]+)…", text)}
    new = {
        word
        for word in words(text) - known
        if not (word in cut and word in source.lower()) and not any(word in one for one in endless)
    }
    assert not new


LONGEST_WORD: Final = 60
"""Letters from which a word may be cut anywhere: nobody says it."""


@given(text_of_talk)
def test_fewer_words_keep_every_number_and_negation_and_add_none(text: str) -> None:
    line = plain_line(text)
    short = telegraphic(line)
    assert numbers(short) == numbers(line)
    assert negations(short) == negations(line)
    assert_said(short, line, REWORDED)
    assert len(short) <= len(line)
    assert short == telegraphic(line)


@given(told_turns())
@settings(max_examples=150, deadline=None)
def test_a_note_says_what_its_speaker_said_on_its_day(turns: list[StoredTurn]) -> None:
    by_seq = {turn.seq: turn for turn in turns}
    for note in notes_of(read_segment(turns)):
        turn = by_seq[note.seq]
        before = source_of([one for one in turns if one.seq <= note.seq])
        assert note.speaker == speaker_label(turn)
        assert note.role == str(turn.role)
        assert bool(note.day) == bool(turn.created_at)
        assert not note.day or note.day in dates_around([turn])
        assert_said(note.text, before)


@given(told_text, st.sampled_from([None, "Ana"]))
@settings(max_examples=200, deadline=None)
def test_the_notes_of_a_turn_lose_no_number_and_no_negation(text: str, name: str | None) -> None:
    found = " ".join(note.text for note in notes_of(read_segment([said(text, name=name)])))
    assert Counter(numbers(found)) == Counter(numbers(plain_line(text)))
    assert negations(found) == negations(plain_line(text))


def assert_levels_said(node: FoldedNode, turns: Sequence[StoredTurn]) -> None:
    source = source_of(turns)
    speakers = {speaker_label(turn) for turn in turns}
    allowed_numbers = set(numbers(source)) | {str(turn.seq) for turn in turns}
    for level, text in node.levels.items():
        assert_said(text, source)
        for line in text.splitlines():
            speaker, colon, _ = line.partition(": ")
            if level < 3 and colon and line[0] not in "[ ":
                assert speaker in speakers
        numerals = {n for n in numbers(text) if n not in allowed_numbers}
        counts = set(re.findall(r"turn \d+, (\d+) %|(?<!\d)(\d+) (?:lines?|items?|more)", text))
        assert numerals <= {number for found in counts for number in found}


@given(told_turns())
@settings(max_examples=100, deadline=None)
def test_levels_hold_words_numbers_and_speakers_of_their_segment_only(turns: list[StoredTurn]) -> None:
    folded = fold_segment(turns, idx=0, settings=FoldSettings(), said=said_after({}, turns))
    assert_levels_said(folded, turns)
    assert folded == fold_segment(turns, idx=0, settings=FoldSettings(), said=said_after({}, turns))
