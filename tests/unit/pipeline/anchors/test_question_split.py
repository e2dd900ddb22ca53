"""A question states nothing, and a statement before it is kept separately."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import said
from turnfold.contract.records import AnchorState, AnchorType, Role
from turnfold_worker.offline import fold
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.anchors.statements.question_split import asks_outright, told_and_asked, wishes_to_know
from turnfold_worker.pipeline.language.prose import Span
from turnfold_worker.pipeline.language.spoken import plain_words
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn

REPLY = "Yes. Open the settings of the project, choose the second tab and look at the values that are shown there. " * 6


def kept(text: str) -> list[AnchorDraft]:
    """Return the drafts that a fold keeps of a line that an assistant answers."""
    turns = [said(text), said(REPLY, role=Role.ASSISTANT, seq=2)]
    return [one for one in extract_anchors([read_turn(turn) for turn in turns], FoldSettings()) if one.turn_seq == 1]


def active(text: str) -> list[tuple[AnchorType, str]]:
    return [(one.type, one.text) for one in kept(text) if one.state is AnchorState.ACTIVE]


@pytest.mark.parametrize(
    ("text", "told", "asked"),
    [
        ("I'm on Django 4.2, how do I add a login page?", "I'm on Django 4.2", "how do I add a login page?"),
        ("We rent a van in Lyon, so can you list campsites?", "We rent a van in Lyon", "so can you list campsites?"),
        ("I baked 40 loaves - any ideas how to sell them?", "I baked 40 loaves", "any ideas how to sell them?"),
        ("My cello is old, but I'm not sure what it costs", "My cello is old", "but I'm not sure what it costs"),
    ],
)  # fmt: skip
def test_what_is_told_before_a_question_stands_apart(text: str, told: str, asked: str) -> None:
    assert [text[part.start : part.end] for part in told_and_asked(text, Span(0, len(text)))] == [told, asked]


@pytest.mark.parametrize(
    "text",
    [
        "If I move to Oslo in May, can you forward my mail?",
        "You booked two seats, is there a third one?",
        "I like it there, do you?",
        "Once I have the keys, do I need to call the notary?",
        "What my sister wants, can you guess it from the list?",
        "How old is the bridge, I mean, can you say when it was built?",
        "I'm curious, what is the oldest bridge in Lyon?",
        "I love otters, what can I say about them?",
    ],
)
def test_what_tells_nothing_by_itself_stays_with_its_question(text: str) -> None:
    assert told_and_asked(text, Span(0, len(text))) == (Span(0, len(text)),)


@pytest.mark.parametrize(
    ("text", "asked", "told"),
    [
        (
            "Can you check my plan, given that I passed two exams in May?",
            "Can you check my plan",
            "given that I passed two exams in May",
        ),
        ("How do I insure it, since my cello is from 1890?", "How do I insure it", "since my cello is from 1890"),
    ],
)
def test_the_reason_behind_a_question_stands_apart(text: str, asked: str, told: str) -> None:
    assert [text[part.start : part.end] for part in told_and_asked(text, Span(0, len(text)))] == [asked, told]


@given(
    st.text(max_size=80),
    st.text(max_size=80),
    st.sampled_from([", can you ", " - how do I ", "; but I'm not sure if "]),
)
@examples(100)
def test_parts_are_in_order_and_inside_their_clause(before: str, after: str, joint: str) -> None:
    text = f"I own {before}{joint}{after}"
    parts = told_and_asked(text, Span(0, len(text)))
    assert 1 <= len(parts) <= 2
    assert [place for part in parts for place in part] == sorted(place for part in parts for place in part)
    assert parts[0].start == 0
    assert parts[-1].end <= len(text)


@pytest.mark.parametrize(
    "text",
    [
        "Do I need to rebuild the 3 images in Frankfurt?",
        "What happens if I want 20 more tables in Postgres?",
        "How do I send the 5 reports to Lena by Monday?",
        "Why is Erlang popular with the people at Ericsson",
        "I'm trying to figure out the odds of two sixes in Monopoly",
        "I want to make sure I understand the theorem of Bayes",
        "But I'm not sure if this is enough for Heroku",
    ],
)
def test_a_pure_question_is_kept_as_nothing_else(text: str) -> None:
    assert {one.type for one in kept(text)} <= {AnchorType.UNRESOLVED_QUESTION}
    assert active(text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("I'm using Django 4.2, how do I add a login page?", "I'm using Django 4.2"),
        ("I've never worked in Norway, so what should I look out for?", "I've never worked in Norway"),
        ("I prefer short answers, can you explain the theorem again?", "I prefer short answers"),
        ("Can you fix my plan, given that I finished 2 courses?", "I finished 2 courses"),
        ("I want to understand how I ran 10 km in 40 minutes", "I want to understand how I ran 10 km in 40 minutes"),
    ],
)  # fmt: skip
def test_what_is_told_beside_a_question_is_kept(text: str, told: str) -> None:
    kind = AnchorType.PREFERENCE if "prefer" in told else AnchorType.CRITICAL_FACT
    assert (kind, told) in active(text)


def test_a_line_to_an_assistant_may_name_what_it_looks_for_in_a_question_without_a_mark() -> None:
    assert not asks_outright("the weather in oslo on friday")
    assert [text for _, text in active("What's on at the Odeon on 12 May")] == ["What's on at the Odeon on 12 May"]


def test_who_wants_to_find_something_wishes_for_more_than_words() -> None:
    assert wishes_to_know(plain_words("I'm struggling to work out the tax"))
    assert not wishes_to_know(plain_words("I'm trying to find a flat in Oslo"))
    assert not wishes_to_know(plain_words("I want to figure out why I failed in May"))


def test_a_long_answer_binds_nobody_by_its_examples_and_courtesies() -> None:
    steps = "Example: how many ways can you seat 4 guests? We need to multiply 4 by 3. Tell me about yourself. "
    closing = "If you have any more specific questions or need further guidance, feel free to ask!"
    turn = said(steps * 6 + closing, role=Role.ASSISTANT)
    assert AnchorType.COMMITMENT not in {one.type for one in extract_anchors([read_turn(turn)], FoldSettings())}


def test_a_long_answer_may_ask_for_a_deed_at_its_end() -> None:
    turn = said(REPLY + "Could you send me the build log?", role=Role.ASSISTANT)
    found = extract_anchors([read_turn(turn)], FoldSettings())
    assert [one.text for one in found if one.type is AnchorType.COMMITMENT] == ["Could you send me the build log?"]


@pytest.mark.parametrize(
    "text",
    [
        "Who doesn't love a Friday deploy?",
        "Who knew parsing dates could be so hard?",
        "The train was late again. Why am I not surprised?",
        "Why does this always happen to me on Mondays?",
        "What would I do without my calendar?",
        "How many times do I have to explain the invoice process?",
        "Isn't it funny how the printer only jams on deadlines?",
        "Could this sprint get any worse?",
        "I'm not sure whether this is the right migration.",
    ],
)
def test_who_only_wonders_or_doubts_leaves_no_question_open(text: str) -> None:
    with fold([{"role": "user", "content": text}]) as conversation:
        assert not conversation.anchors(types={AnchorType.UNRESOLVED_QUESTION})


@pytest.mark.parametrize(
    "text",
    [
        "How hard can we push the cluster before it throttles?",
        "Who would have the keys to the lab on Sunday?",
        "Who knew about the outage before noon?",
    ],
)
def test_a_question_that_begins_as_one_who_wonders_stays_open(text: str) -> None:
    with fold([{"role": "user", "content": text}]) as conversation:
        assert conversation.anchors(types={AnchorType.UNRESOLVED_QUESTION})


@pytest.mark.parametrize(
    "text",
    [
        "Why does the importer crash on Mondays?",
        "How hard is the migration to Postgres?",
        "How many times do I have to take the antibiotic each day?",
        "What could go wrong with this migration plan?",
        "Where did the invoices for May go?",
        "Why does it always return an empty response?",
        "What kind of person fits the procurement role?",
        "When will we learn about the results of the audit?",
    ],
)
def test_who_asks_leaves_a_question_open(text: str) -> None:
    with fold([{"role": "user", "content": text}]) as conversation:
        questions = conversation.anchors(types={AnchorType.UNRESOLVED_QUESTION})
    assert [question.text for question in questions] == [text]
