"""Words about the conversation itself are no terms of a question, and who asks about their own words gets those."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.talk import talk
from support.wild_turns import wild_text
from turnfold.contract.notes import Note
from turnfold.contract.passages import Passage, number_of
from turnfold.contract.terms import terms
from turnfold.search.first_mentions import one_a_turn
from turnfold.search.order_questions import asks_for_order, of_asker, subject_of
from turnfold_worker.offline import fold

ORDERED: Final = (
    "In what order did I bring up the lease and the van?",
    "List the order in which I mentioned different aspects of the move across our conversations.",
    "Can you walk me through the sequence in which we discussed the greenhouse?",
    "Tell me in chronological order what I said about the greenhouse.",
    "What did I mention first, the van or the lease?",
)


@pytest.mark.parametrize("question", ORDERED)
def test_a_question_for_an_order_is_known(question: str) -> None:
    assert asks_for_order(question)


@pytest.mark.parametrize(
    "question",
    ["What did I order for lunch?", "Is the database in good order?", "Which order number did Bo give?", "When is it?"],
)
def test_other_orders_are_none(question: str) -> None:
    assert not asks_for_order(question)
    assert subject_of(question) == question


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        (ORDERED[0], "the lease and the van?"),
        (ORDERED[1], "the move"),
        (ORDERED[2], "the greenhouse?"),
        ("How many columns did I want across my requests?", "How many columns did I want?"),
        ("What did I ask Bo to list in my messages?", "What did I ask Bo to list?"),
        ("Did we mention the requests per second?", "Did we mention the requests per second?"),
        ("In what order did we talk?", "In what order did we talk?"),
    ],
)
def test_a_subject_is_what_is_left_of_a_question(question: str, subject: str) -> None:
    assert subject_of(question) == subject


@given(wild_text)
def test_a_subject_has_only_words_of_its_question_and_is_never_empty(text: str) -> None:
    left = subject_of(text)
    assert set(left.split()) <= {*text.split(), *left.split()}
    assert any(map(str.isalnum, left)) or left == text
    assert len(left) <= len(text)


def passage(seq: int, role: str) -> Passage:
    return Passage(number_of(seq, 0), (Note(seq, 0, role, role, "", "the lease", 3),), ("lease",))


def test_who_asks_what_they_brought_up_gets_the_passages_of_users() -> None:
    passages = [passage(1, "user"), passage(2, "assistant")]
    assert of_asker(ORDERED[0], passages) == passages[:1]
    assert of_asker(ORDERED[2], passages) == passages
    assert of_asker(ORDERED[0], passages[1:]) == passages[1:]


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9))))
def test_of_each_turn_the_first_note_is_kept_in_order(places: list[tuple[int, int]]) -> None:
    notes = [Note(seq, place, "user", "user", "", "words", 1) for seq, place in places]
    kept = one_a_turn(notes)
    assert [note.seq for note in kept] == list(dict.fromkeys(seq for seq, _ in places))
    assert all(note in notes for note in kept)


def test_of_a_turn_the_note_that_holds_a_term_of_the_query_is_kept() -> None:
    beside, telling, late = (
        Note(seq, place, "user", "user", "", words, 1)
        for seq, place, words in ((3, 1, "paint it green"), (3, 0, "the lease ends"), (2, 0, "the van"))
    )
    assert one_a_turn([beside, late, telling], terms("lease")) == [telling, late]
    assert one_a_turn([beside, late, telling]) == [beside, late]


def test_a_context_for_an_order_tells_each_turn_of_the_asker_once_in_one_list() -> None:
    turns = [{"role": turn["role"], "content": turn["content"]} for turn in talk("order", 120)]
    topics = {
        20: "I want to repaint the greenhouse door. I bought green paint for it. I need a brush for the door.",
        50: "The greenhouse heater is broken, so I need a new one.",
        80: "In the greenhouse I want to grow peppers.",
    }
    for place, words in topics.items():
        turns.insert(place, {"role": "user", "content": words})
        turns.insert(place + 1, {"role": "assistant", "content": "A greenhouse takes care: greenhouse glass first."})
    question = "In what order did I bring up different aspects of the greenhouse in our conversations?"
    text = fold(turns, conversation_id="c").context(budget_tokens=1_500, query=question).text
    answers = text.partition("[notes for the question]")[2].partition("[end of memory")[0]
    assert "greenhouse glass" not in answers
    lines = [line for line in answers.splitlines() if "greenhouse" in line]
    assert [next(word for word in ("door", "heater", "peppers") if word in line) for line in lines] == [
        "door", "heater", "peppers",
    ]  # fmt: skip
