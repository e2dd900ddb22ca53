"""Stages invent nothing: words, numbers, names and speakers are in the source, and no negation is lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from hypothesis import example, given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import said, wild_text, wild_turns
from turnfold.contract.lookalikes import UNSEEN
from turnfold.contract.origins import OUTSIDE
from turnfold.contract.periods import MONTHS
from turnfold.contract.records import FAN_OUT, Importance, Role, StoredTurn
from turnfold.contract.speakers import quoting, speaker_label
from turnfold.tokens import estimate_tokens
from turnfold_worker.pipeline.fold import FoldedNode, fold_segment, said_after
from turnfold_worker.pipeline.language.facts import extract_facts
from turnfold_worker.pipeline.language.plain_lines import plain_line
from turnfold_worker.pipeline.language.words import is_negation
from turnfold_worker.pipeline.levels.fact_lists import MAX_ENTRIES, MAX_ENTRY_LENGTH, merge_facts
from turnfold_worker.pipeline.levels.relations import relations_of
from turnfold_worker.pipeline.levels.tags import topics
from turnfold_worker.pipeline.notes.phatic import bare_words
from turnfold_worker.pipeline.notes.telegraph import telegraphic
from turnfold_worker.pipeline.notes.turn_notes import notes_of
from turnfold_worker.pipeline.roll_up import MAX_BRIEF, MAX_DETAILED, MAX_NOTES, roll_up
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.classify import RESIDUAL, RULES, Decision
from turnfold_worker.pipeline.turns.importance import RESIDUAL_FROM, score_turns
from turnfold_worker.pipeline.turns.reading import read_turn
from turnfold_worker.pipeline.turns.tool_groups import voice_of
from turnfold_worker.pipeline.turns.treatment import read_segment

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
    "will", "will not", "must", "must never", "can't", "cannot", "doesn't", "don\u2019t", "won't", "no longer can",
    "is",
)  # fmt: skip

told_text: Final = st.builds(
    lambda said, name, other, must, number: said.format(name=name, other=other, must=must, number=number),
    st.sampled_from(TOLD), st.sampled_from(NAMES), st.sampled_from(NAMES), st.sampled_from(MUST), st.integers(0, 10**6),
)  # fmt: skip
text_of_talk: Final = st.lists(told_text | wild_text, min_size=1, max_size=4).map(" ".join)


@st.composite
def told_turns(draw: st.DrawFn, *, most: int = 8) -> list[StoredTurn]:
    """Draw turns that state exact details, in any company."""
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


_PLACED: Final = "before after since about night week weekend"
"""Words that place a time relative to a day."""


def dates_around(turns: Iterable[StoredTurn]) -> str:
    """Return the days that a relative day in the turns can mean, as levels write them."""
    days = {
        turn.created_at.date() + timedelta(days=days)
        for turn in turns
        if turn.created_at is not None
        for days in (-2, -1, 0, 1, 2)
    }
    shown = " ".join(f"{day.day} {MONTHS[day.month - 1]} {day.year}" for day in days)
    return f"{shown} {_PLACED}" if days else shown


def source_of(turns: Sequence[StoredTurn]) -> str:
    """Return the words of all turns, with their speakers and calls."""
    said_there = " ".join(
        f"{speaker_label(turn)} {turn.name or ''} {turn.content} {turn.parts or ''}" for turn in turns
    )
    # Control and direction characters are not shown, so a reader sees the text around them as one word.
    lines = " ".join(plain_line(turn.content) for turn in turns)
    return f"{said_there} {said_there.translate(UNSEEN)} {lines} {dates_around(turns)}"


REWORDED: Final = {"to", "photo"}
"""Words that may replace a clause's own."""
TAGS: Final = {"tags", "names", "dates", "paths", "code", "says"}
"""Labels of a line of tags, which become a chapter's words where its segments have none."""
LANGUAGES: Final = {
    "tree", "dockerfile", "diff", "traceback", "sql", "nginx", "html", "python", "javascript", "bash", "ini", "env",
    "yaml",
}  # fmt: skip
"""Labels for code blocks that name no language themselves."""
OURS: Final = REWORDED | {
    "same", "almost", "as", "turn", "turns", "calls", "code", "l", "no", "output", "segments", "without", "summary",
    "tags", "names", "dates", "paths", "says", "is", "s", "json", "object", "list", "of", "line", "lines", "nothing",
    "look", "run", "table", "row", "rows", "text", "user", "assistant", "tool", "system", "developer",
}  # fmt: skip


_BEFORE_DAY: Final = re.compile(
    r"\b(?:on|in) (?=(?:\d{1,2} )?[A-Z]\w+ \d{4}|\d{4})|\bthe (?=\w+ (?:of|before|after) \d)"
)
"""Words before a resolved date."""


def assert_said(text: str, source: str, ours: Collection[str] = OURS) -> None:
    """Assert that every word of a text is in the source or ours; a marked cut may leave the beginning of one."""
    text = _BEFORE_DAY.sub("", text)
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
"""Number of letters from which a word may be cut anywhere: no real word is that long."""


@given(st.text("12*_`~|- ", max_size=12) | st.text("12aB *_`~|[]()<>-!→L:/\n\u202e", max_size=40))
@examples(400)
def test_a_line_without_emphasis_has_no_number_and_no_word_that_was_not_there(text: str) -> None:
    line = plain_line(text)
    assert set(numbers(line)) <= set(numbers(text)) | set(numbers(text.translate(UNSEEN)))
    ours = {"struck", "out"} if "~~" in text else set()
    assert words(line) <= words(text) | words(text.translate(UNSEEN)) | ours
    assert "→L" not in line
    assert len(line.splitlines()) <= 1
    assert line == " ".join(line.split())


@given(text_of_talk)
def test_fewer_words_keep_every_number_and_negation_and_add_none(text: str) -> None:
    line = plain_line(text)
    short = telegraphic(line)
    assert numbers(short) == numbers(line)
    assert negations(short) == negations(line)
    assert_said(short, line, set())
    assert len(short) <= len(line)


@given(told_turns())
@example([said(">0")])
@examples(150)
def test_a_note_says_what_its_speaker_said_on_its_day(turns: list[StoredTurn]) -> None:
    by_seq = {turn.seq: turn for turn in turns}
    notes = notes_of(read_segment(turns))
    assert notes == sorted(notes, key=lambda note: (note.seq, note.place))
    for note in notes:
        turn = by_seq[note.seq]
        before = source_of([one for one in turns if one.seq <= note.seq])
        voices = {(speaker_label(turn), voice_of(turn))}
        if ">" in turn.content:
            voices.add((quoting(speaker_label(turn)), OUTSIDE))
        assert (note.speaker, note.role) in voices
        assert bool(note.day) == bool(turn.created_at)
        assert not note.day or note.day in dates_around([turn])
        assert_said(note.text, before)


@given(told_text, st.sampled_from([None, "Ana"]))
@examples(200)
def test_the_notes_of_a_turn_lose_no_number_and_no_negation(text: str, name: str | None) -> None:
    found = " ".join(note.text for note in notes_of(read_segment([said(text, name=name)])))
    assert Counter(numbers(found)) == Counter(numbers(plain_line(text)))
    assert negations(found) == negations(plain_line(text))


def assert_levels_said(node: FoldedNode, turns: Sequence[StoredTurn]) -> None:
    source = source_of(turns)
    speakers = {speaker_label(turn) for turn in turns}
    # References contain a turn's number and the level of its words.
    allowed_numbers = {"0", *numbers(source), *(str(turn.seq) for turn in turns)}
    for level, text in node.levels.items():
        named = words(" ".join(re.findall(r"code: (.*?)(?: \[… →L0|…)", text)))
        assert_said(text, source, OURS | (LANGUAGES & named))
        for line in text.splitlines():
            speaker, colon, _ = line.partition(": ")
            if level < 3 and colon and line[0] not in "[ " and speaker not in TAGS:
                assert speaker in speakers
        numerals = {n for n in numbers(text) if n not in allowed_numbers}
        counts = set(re.findall(r"turn \d+, (\d+) %|(?<!\d)(\d+) (?:lines?|items?|rows?|more)", text))
        assert numerals <= {number for found in counts for number in found}


@given(told_turns())
@example([said("```\nA00=0", role=Role.SYSTEM)])
@examples(100)
def test_levels_hold_words_numbers_and_speakers_of_their_segment_only(turns: list[StoredTurn]) -> None:
    folded = fold_segment(turns, idx=0, settings=FoldSettings(), said=said_after({}, turns))
    assert_levels_said(folded, turns)
    assert folded == fold_segment(turns, idx=0, settings=FoldSettings(), said=said_after({}, turns))


@given(st.lists(told_turns(most=2), min_size=1, max_size=3), st.integers(0, 7))
@example(some=[[said("Ana will restart server 0 before Ana pays $0.")], [said("_A¹")]], first=0)
@examples(40)
def test_a_chapter_says_what_its_segments_say_and_is_no_longer(some: list[list[StoredTurn]], first: int) -> None:
    runs = [some[(first + place) % len(some)] for place in range(FAN_OUT)]
    children, turns, kept = [], [], dict[str, int]()
    for idx, run in enumerate(runs):
        numbered = [replace(turn, seq=len(turns) + place) for place, turn in enumerate(run, 1)]
        kept = said_after(kept, numbered)
        children.append(fold_segment(numbered, idx=idx, settings=FoldSettings(), said=kept))
        turns += numbered
    chapter = roll_up(children, height=1, idx=0)
    assert_levels_said(chapter, turns)
    sizes = chapter.node.tokens
    assert sizes[0] == sum(child.node.tokens[0] for child in children)
    assert list(sizes) == sorted(sizes, reverse=True)
    assert sizes[1:] == tuple(estimate_tokens(chapter.levels[level]) for level in (1, 2, 3))
    assert sizes[1] <= MAX_DETAILED
    assert sizes[2] <= MAX_BRIEF
    assert sum(note.tokens for note in chapter.notes) <= MAX_NOTES
    theirs = {(note.seq, note.place, note.text) for child in children for note in child.notes}
    assert {(note.seq, note.place, note.text) for note in chapter.notes} <= theirs
    assert (chapter.node.first_seq, chapter.node.last_seq) == (turns[0].seq, turns[-1].seq)
    assert chapter.said == kept
    for kind, entries in chapter.facts.items():
        assert set(entries) <= {entry for child in children for entry in child.facts[kind]}
        assert len(entries) <= MAX_ENTRIES
    scores = [child.node.importance for child in children]
    assert min(scores) <= chapter.node.importance <= max(scores)
    assert chapter == roll_up(children, height=1, idx=0)


@given(text_of_talk)
def test_no_fact_is_the_beginning_or_the_end_of_a_longer_number(text: str) -> None:
    facts = extract_facts(text).all
    assert list(facts) == sorted(facts, key=lambda fact: fact.start)
    for fact in facts:
        assert text[fact.start : fact.end] == fact.text
        assert not (fact.text[-1:].isdecimal() and text[fact.end : fact.end + 1].isdecimal())
        assert not (fact.text[:1].isdecimal() and text[: fact.start][-1:].isdecimal())


@given(
    st.integers(0, 10**25) | st.integers(18_000, 22_000),
    st.sampled_from(["{}", "{} tokens", "${}", "v2.{}.1", "in {}", "1.{}", "{}%", "{},000"]),
)
def test_a_number_is_read_whole_or_not_at_all(number: int, frame: str) -> None:
    written = frame.format(number)
    found = extract_facts(f"We agreed: {written} at most.").all
    assert any(str(number) in numbers(fact.text) for fact in found) or (frame == "{},000" and number > 999)


@given(told_turns())
@examples(80)
def test_entries_and_relations_of_a_node_stand_in_its_turns(turns: list[StoredTurn]) -> None:
    readings = [read_turn(turn) for turn in turns]
    source = " ".join(source_of(turns).split())
    merged = merge_facts((reading.facts, 1, reading.day) for reading in readings)
    for entries in merged.values():
        assert len(entries) == len(set(entries)) <= MAX_ENTRIES
        for entry in entries:
            assert len(entry) <= MAX_ENTRY_LENGTH
            assert entry.removesuffix("…") in source
    relations = relations_of(readings)
    assert len(relations) == len(set(relations))
    for relation in relations:
        assert_said(relation, source)
        assert set(numbers(relation)) <= set(numbers(source))
        assert negations(relation) == 0


STATED: Final = (
    "I {neg} work at Acme.", "I {neg} bought a mouse from Logitech.", "PaymentService {neg} uses RedisCache.",
    "I'm {neg} allergic to peanuts.", "My sister is {neg} called Mara Lopez.",
)  # fmt: skip


@given(st.sampled_from(STATED), st.sampled_from(["not", "never", "no longer", "don't", "doesn\u2019t", "hardly"]))
def test_what_is_denied_is_no_relation(stated: str, denied: str) -> None:
    assert relations_of([read_turn(said(stated.format(neg=denied), name="Ana"))]) == []
    plain = " ".join(stated.format(neg="").split())
    assert len(relations_of([read_turn(said(plain, name="Ana"))])) == 1


@given(told_turns(), st.integers(0, 7))
@examples(60)
def test_topics_and_tags_were_said(turns: list[StoredTurn], named: int) -> None:
    speakers = [speaker_label(turn) for turn in turns][:named]
    found = topics([(turn.content, 1) for turn in turns], speakers)
    for tag in found:
        assert_said(tag, source_of(turns))
    assert not {speaker.lower() for speaker in speakers} & set(found)
    assert len(found) == len(set(found))


@given(told_turns())
@examples(80)
def test_every_turn_of_a_segment_is_read_in_order_and_treated_as_it_was_classified(turns: list[StoredTurn]) -> None:
    again = [replace(turn, content=turn.content * 4) for turn in turns]
    turns = [*again, *(replace(turn, seq=turn.seq + len(turns)) for turn in again)]
    readings = read_segment(turns)
    assert [reading.turn for reading in readings] == turns
    for reading in readings:
        treatment = reading.treatment
        assert treatment is not None
        found = treatment.classification
        rules = [rule for rule in RULES if rule.reason in found.reasons]
        assert list(found.reasons) == [rule.reason for rule in rules]
        if rules:
            assert found.decision is rules[0].decision
        assert (found.decision is Decision.REFER) <= (treatment.repeat is not None)
        assert treatment.kept == (found.decision is Decision.KEEP or RESIDUAL in found.reasons)
        if reading.tool and found.decision is not Decision.REFER:
            assert treatment.statements is not None
        if found.decision is Decision.REFER:
            assert treatment.statements is None
    assert readings == read_segment(turns)


@given(told_turns(), st.data())
@examples(60)
def test_a_mark_of_the_caller_never_makes_a_turn_less_important(turns: list[StoredTurn], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(turns) - 1))
    order = (Importance.LOW, Importance.NORMAL, Importance.MEDIUM, Importance.HIGH, Importance.PIN)
    scores = []
    for mark in order:
        marked = [replace(turn, importance=mark) if i == place else turn for i, turn in enumerate(turns)]
        scores.append(score_turns(marked)[place].score)
    assert scores == sorted(scores)
    assert scores[-1] == 100
    assert scores[0] < RESIDUAL_FROM
