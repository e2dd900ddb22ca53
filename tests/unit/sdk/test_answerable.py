"""The estimate of whether search results answer a question depends on its words and on the people it names."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.contract.notes import Note
from turnfold.contract.passages import Passage, number_of
from turnfold.contract.terms import terms
from turnfold.contract.words import note_stems
from turnfold.search.answerable import answerable
from turnfold_worker.offline import FoldedConversation, fold


def passage(seq: int, speaker: str, *texts: str) -> Passage:
    notes = tuple(Note(seq, place, speaker, "user", "", text, 5) for place, text in enumerate(texts))
    return Passage(number_of(seq, 0), notes, tuple(" ".join(note_stems(text)) for text in texts))


def likely(question: str, *passages: Passage) -> float:
    asked = list(terms(question))
    return answerable(asked, dict.fromkeys(asked, 2.0), passages)


TALK = [
    passage(1, "Ana", "This necklace is from my grandma in Sweden"),
    passage(2, "Tom", "Your necklace is lovely", "I keep bees"),
    passage(3, "Ana", "What do your bees do in winter?"),
    passage(4, "Tom", "In winter they sit close together"),
]


@pytest.mark.parametrize(
    ("of_her", "of_him"),
    [
        ("What is Ana's necklace from her grandma?", "What is Tom's necklace from his grandma?"),
        ("Where did Ana get the necklace?", "Where did Tom get the necklace?"),
    ],
)
def test_whoever_has_it_is_more_likely_asked_about_rightly(of_her: str, of_him: str) -> None:
    assert likely(of_him, *TALK) < 0.1 < likely(of_her, *TALK)


def test_what_is_said_to_somebody_is_about_them() -> None:
    assert likely("What do Tom's bees do in winter?", *TALK) > likely("What do Ana's bees do in winter?", *TALK)


def test_without_a_name_the_words_decide() -> None:
    assert likely("Who has the necklace?", *TALK) == 1.0
    assert likely("Which zeppelin landed?", *TALK) == 0.0


words = st.lists(st.sampled_from(["necklace", "bees", "winter", "boat", "you", "I", "Ana", "Tom"]), max_size=6)


@given(words, st.lists(st.tuples(st.sampled_from(["Ana", "Tom", "Bo", "user", "assistant"]), words), max_size=8))
def test_it_is_between_nothing_and_all(question: list[str], talk: list[tuple[str, list[str]]]) -> None:
    found = [passage(seq, speaker, " ".join(said) or "Yes") for seq, (speaker, said) in enumerate(talk, 1)]
    score = likely(" ".join(question), *found)

    assert 0.0 <= score <= 1.0
    assert score == likely(" ".join(question), *reversed(found))


def test_a_context_says_that_no_turn_matches_and_never_that_something_was_not_said() -> None:
    turns = [
        {"role": "user", "name": name, "content": f"Line {i}: {text}"}
        for i in range(60)
        for name, text in (("Ana", f"my lamp {i} from my grandma is old"), ("Tom", f"I fed the bees in hive {i}"))
    ]
    with fold(turns, conversation_id="c") as folded:
        wrong = folded.context(budget_tokens=800, query="Which lamp did Tom get from his grandma?")
        right = folded.context(budget_tokens=800, query="Which lamp did Ana get from her grandma?")
        unasked = folded.context(budget_tokens=800, query=False)

    assert "[no turn matches the question; notes near it]" in wrong.text
    assert "no turn matches" not in right.text + unasked.text
    assert wrong.report.answerable is not None
    assert right.report.answerable is not None
    assert wrong.report.answerable < 0.1 < right.report.answerable
    assert unasked.report.answerable is None
    assert max(wrong.tokens, right.tokens) <= 800


GARDEN = [
    {"role": role, "content": content}
    for bed in range(40)
    for role, content in (
        ("user", f"My plan for bed {bed} is to grow roses of sort {bed}."),
        ("assistant", f"Bed {bed} gets roses then."),
    )
] + [{"role": "user", "content": "The ferry to Tallinn leaves at nine."}, {"role": "assistant", "content": "Good."}]


def test_the_line_stands_in_each_form_where_no_note_is_near_the_question() -> None:
    query = "Which zeppelin landed in Ulm?"
    with fold(GARDEN, conversation_id="c") as folded:
        for budget in (300, 800, 4_000):
            context = folded.context(budget_tokens=budget, query=query)
            anthropic = str(context.request("anthropic"))

            assert context.report.answerable == 0.0
            assert context.text.count("[no turn matches the question]") == 1
            assert str(context.messages("openai")).count("[no turn matches the question]") == 1
            assert anthropic.count("[no turn matches the question]") == 1
            assert context.tokens <= budget
        unasked = folded.context(budget_tokens=300, query=False)

    assert "no turn matches" not in unasked.text


def test_what_only_the_open_tail_tells_answers_and_a_repeated_question_does_not() -> None:
    asked, unheard = "When does the ferry to Tallinn leave?", "Which zeppelin landed in Ulm?"
    with fold([*GARDEN, {"role": "user", "content": unheard}], conversation_id="c") as folded:
        told = folded.context(budget_tokens=800, query=asked)
        repeated = folded.context(budget_tokens=800, query=unheard)

    assert told.report.answerable == 1.0
    assert "no turn matches" not in told.text
    assert repeated.report.answerable == 0.0
    assert "[no turn matches the question]" in repeated.text


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("Which boat did you rent?", True),
        ("Ines", True),
        ("Who is Ines?", True),
        ("Which zeppelin landed?", False),
    ],
)
def test_before_a_segment_closes_the_open_tail_answers(question: str, is_answered: bool) -> None:
    turns = [
        {"role": "user", "name": "Ines", "content": "I am Ines, and I need a boat for Sunday."},
        {"role": "assistant", "content": "I rented the boat Aurora for Sunday."},
        {"role": "user", "name": "Ines", "content": "Please order lunch for six too."},
        {"role": "assistant", "content": "Lunch for six is ordered."},
    ]
    with fold(turns, conversation_id="c") as folded:
        context = folded.context(budget_tokens=300, query=question)

    assert ("no turn matches" in context.text) is not is_answered


@pytest.fixture(scope="module")
def weekly_talk() -> Iterator[FoldedConversation]:
    monday = datetime(2025, 2, 3, 10, tzinfo=UTC)
    texts = (
        ("Mia", "We painted door {week} of the shed and hung a lamp."),
        ("Tom", "The bees in hive {week} are calm, I bought jars."),
        ("Mia", "The goat ate the fence, I ordered {week} rolls of wire."),
        ("Tom", "Wire is dear, ask Olaf for his rest."),
    )
    turns = [
        {"role": "user", "name": name, "content": text.format(week=week), "created_at": monday + timedelta(weeks=week)}
        for week in range(30)
        for name, text in texts
    ]
    with fold(turns, conversation_id="c") as folded:
        yield folded


@pytest.mark.parametrize(
    ("question", "is_answered"),
    [
        ("What happened in February?", True),
        ("Anything new from last month?", True),
        ("What did we talk about last week?", True),
        ("What did Mia say last week?", True),
        ("What did Mia say in March?", True),
        ("What did Mia order in March?", True),
        ("What happened in 2019?", False),
        ("Which zeppelin landed last week?", False),
        ("Which zeppelin landed in March?", False),
    ],
)
def test_a_question_that_names_only_a_time_is_answered_by_whatever_is_of_that_time(
    weekly_talk: FoldedConversation, question: str, is_answered: bool
) -> None:
    now = datetime(2025, 9, 1, tzinfo=UTC)
    context = weekly_talk.context(budget_tokens=800, query=question, now=now)

    assert ("no turn matches" in context.text) is not is_answered
    assert (context.report.answerable or 0.0) >= 0.5 if is_answered else context.report.answerable == 0.0
