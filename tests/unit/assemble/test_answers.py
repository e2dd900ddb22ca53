"""The answer to a query is quoted where it is worth its tokens, and found even before a segment contains it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold.assemble import Context, unpack_context
from turnfold.assemble.by_value.answers import beginning_of, lowered_words, may_tell
from turnfold.assemble.context import Coverage
from turnfold.assemble.context_codec import pack_context
from turnfold.assemble.detail import Answer, Detail, Evidence, detail_of
from turnfold.assemble.excerpts import passage
from turnfold.assemble.pricing import Pricing, Style
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.results import Excerpt
from turnfold.contract.terms import distinct_terms, rarity
from turnfold.tokens import ESTIMATOR, estimate_tokens
from turnfold_worker.offline import FoldedConversation, fold

evidence = st.builds(
    Evidence,
    score=st.floats(0, 1), in_background=st.floats(0, 1), kept_by_notes=st.floats(0, 2),
    turn_tokens=st.integers(0, 5_000), room=st.integers(-100, 1_000),
)  # fmt: skip

CAR = "My automobile is a crimson coupe from Turin, and Bruno sold it to me in 2019 with four winter tyres besides."
PAPERS = CAR + "\n```\nplate TO 732 XK; frame ZFA 188 000 0451; tyres 195/65 R15 91H; wipers 600 and 450 mm\n```"
"""Notes omit the content of the fence."""
GARDEN = "The gardener Pavel comes on Tuesday at nine with the new hedge trimmer from the shop in the village."
GATE = "gate 4471; trimmer HT-90; hedge 38 m"
FENCED_GATE = f"{GARDEN}\n```\n{GATE}\n```"
THINGS = ["lamp", "saw", "drill", "glove", "ladder", "hammer", "paint", "screw", "bolt", "nut"]


@given(
    st.lists(st.sampled_from(["cities", "painted", "src/app_main.py", "maxTokens", "tried", "Boxes", "1.2", "won't"])),
    st.text(st.characters(max_codepoint=126), max_size=30),
)
def test_no_turn_is_passed_over_that_tells_as_much_as_is_asked_for(words: list[str], noise: str) -> None:
    text = " ".join([*words, noise])
    stems = distinct_terms(text)
    turn = StoredTurn(seq=1, turn_id="t1", role=Role.USER, content=text)
    weights = [(beginning_of(stem), rarity(stem)) for stem in stems]
    assert may_tell(lowered_words(turn), weights, sum(weight for _, weight in weights))


@given(evidence)
def test_words_are_quoted_only_where_there_is_room(known: Evidence) -> None:
    detail = detail_of(known)
    if detail is Detail.TURNS:
        assert known.turn_tokens <= known.room
    if detail is Detail.SENTENCES:
        assert 0 < known.room < known.turn_tokens
    if detail is Detail.ENOUGH:
        assert known.in_background == 1.0
    assert (detail in {Detail.ENOUGH, Detail.NOTES}) or known.score >= 0.5


@given(evidence, st.integers(0, 1_000))
def test_more_room_never_shows_less(known: Evidence, more: int) -> None:
    order = [Detail.ENOUGH, Detail.NOTES, Detail.SENTENCES, Detail.TURNS]
    roomier = Evidence(
        score=known.score, in_background=known.in_background, kept_by_notes=known.kept_by_notes,
        turn_tokens=known.turn_tokens, room=known.room + more,
    )  # fmt: skip
    assert order.index(detail_of(roomier)) >= order.index(detail_of(known))


@pytest.mark.parametrize(
    ("changed", "detail"),
    [
        ({}, Detail.TURNS),
        ({"turn_tokens": 900}, Detail.SENTENCES),
        ({"room": 0}, Detail.NOTES),
        ({"room": 0, "in_background": 1.0}, Detail.ENOUGH),
        ({"score": 0.4}, Detail.NOTES),
        ({"score": 0.4, "in_background": 1.0}, Detail.ENOUGH),
        ({"kept_by_notes": 0.95}, Detail.NOTES),
    ],
)
def test_each_sign_decides(changed: dict[str, float], detail: Detail) -> None:
    signs = {"score": 0.9, "in_background": 0.2, "kept_by_notes": 0.5, "turn_tokens": 60, "room": 160, **changed}
    assert detail_of(Evidence(**signs)) is detail  # type: ignore[arg-type]  # floats in place of integers


@pytest.fixture(scope="module")
def talk() -> Iterator[FoldedConversation]:
    """A folded conversation of 180 turns, one about a car, with a turn about a garden in its open tail."""
    turns = [
        {"role": "assistant" if i % 2 else "user", "content":
         f"Line {i}: the {thing} costs {i * 3} euros and stays in the {thing} room until Mara has counted it. Then we "
         "go on with what is left, and that is all for this time."}
        for i, thing in enumerate(THINGS * 18)
    ]  # fmt: skip
    turns[77]["content"] = PAPERS
    turns += [
        {"role": "user", "content": f"Remark {i}: {'wet and cold in the valley of the river again, ' * 12}and so on."}
        for i in "abcde"
    ]
    turns[-5:-4] = [turns[-5], {"role": "user", "content": FENCED_GATE}]
    with fold(turns) as folded:
        yield folded


def answers(context: Context) -> tuple[Answer, ...]:
    assert isinstance(context.coverage, Coverage)
    return context.coverage.answers


def test_a_generous_budget_quotes_the_turn_that_answers_after_the_background(talk: FoldedConversation) -> None:
    context = talk.context(budget_tokens=6_000, query="Where is the crimson coupe from?")
    assert f"[turn 78, assistant] {PAPERS}\n" in context.text
    assert context.text.index("[background") < context.text.index("[excerpts, word for word]")
    assert context.text.index("[excerpts, word for word]") < context.text.index("[recent turns]")
    first = answers(context)[0]
    assert (first.seq, first.detail) == (78, Detail.TURNS)
    assert first.segment is not None
    assert "[notes for the question]" not in context.text.split("crimson")[0], "its notes are not among them"
    part = next(part for part in context.budget.parts if part.name == "excerpts")
    assert part.got >= part.used > 0
    assert context.budget.text_tokens == estimate_tokens(context.text)


def test_a_tight_budget_says_it_in_notes(talk: FoldedConversation) -> None:
    context = talk.context(budget_tokens=1_500, query="Where is the crimson coupe from?")
    assert "crimson coupe" in context.text
    assert CAR not in context.text
    assert "[excerpts, word for word]" not in context.text


def test_what_no_segment_holds_yet_is_found_in_a_small_budget_too(talk: FoldedConversation) -> None:
    assert talk.status().closed < 182, "it is in the open tail"
    query = "When does the gardener Pavel come?"
    for other in (False, "Which lamps were counted?"):
        assert GATE not in talk.context(budget_tokens=1_000, query=other).text
    assert GATE in talk.context(budget_tokens=700, query=query).text
    context = talk.context(budget_tokens=1_000, query=query)
    assert f"[turn 182, user] {FENCED_GATE}\n" in context.text
    assert Answer(None, 182, Detail.TURNS) in answers(context)


def test_a_reply_in_the_tail_that_repeats_nothing_of_its_question_is_found_with_it() -> None:
    turns = [
        {"role": "user", "content": f"Line {i}: the lamp of room {i} was counted again by Mara."} for i in range(90)
    ]
    turns += [
        {"role": "user", "content": "When does the gardener with the hedge trimmer come?"},
        {"role": "assistant", "content": f"Tuesday at nine.\n```\n{GATE}\n```"},
        *({"role": "user", "content": f"Remark {i}: wet and cold in the valley of the river."} for i in "abcdef"),
    ]
    with fold(turns) as folded:
        assert folded.status().closed < 91
        query = "When will the gardener bring the hedge trimmer?"
        found = folded.context(budget_tokens=400, query=query)
        assert {one.seq for one in answers(found) if one.segment is None} >= {91, 92}
        assert GATE in folded.context(budget_tokens=600, query=query).text
        assert GATE not in folded.context(budget_tokens=600, query=False).text


def test_a_name_alone_quotes_nothing_from_the_tail(talk: FoldedConversation) -> None:
    context = talk.context(budget_tokens=700, query="What did Pavel say of lamps, saws, drills and ladders in Turin?")
    assert all(one.segment is not None for one in answers(context))


def test_without_a_query_nothing_is_quoted(talk: FoldedConversation) -> None:
    context = talk.context(budget_tokens=6_000, query=False)
    assert answers(context) == ()
    assert "for the question" not in context.text


def test_what_is_said_often_and_nothing_else_of_the_query_is_not_quoted_from_the_tail(talk: FoldedConversation) -> None:
    context = talk.context(budget_tokens=700, query="What did the valley cost in crimson euros for the lamp of Bruno?")
    assert all(one.segment is not None for one in answers(context))


@pytest.mark.parametrize("budget", [200, 500, 1_000, 2_500, 4_000, 9_000])
@pytest.mark.parametrize("query", ["Where is the crimson coupe from?", "When does the gardener Pavel come?"])
def test_no_budget_is_ever_exceeded(talk: FoldedConversation, budget: int, query: str) -> None:
    for count in (None, lambda text: len(text) // 3 + 1):
        assert talk.context(budget_tokens=budget, query=query, count_tokens=count).tokens <= budget


def test_a_packed_context_keeps_its_answers(talk: FoldedConversation) -> None:
    context = talk.context(budget_tokens=6_000, query="Where is the crimson coupe from?")
    again = unpack_context(pack_context(context))
    assert again is not None
    assert again.coverage == context.coverage


@pytest.mark.parametrize("words", range(34, 104, 7))
def test_a_passage_begins_and_ends_with_lines_or_sentences(words: int) -> None:
    steps = [f"{n}. Set lever {n} to {n * 3}. Then wait." for n in range(60)]
    content = "\n".join([*steps[:30], "The gasket is sealed with resin:", r"\[ p = \frac{F}{A} \]", *steps[30:]])
    turn = StoredTurn(seq=3, turn_id="t3", role=Role.ASSISTANT, content=content, tokens=estimate_tokens(content))
    pricing = Pricing(ESTIMATOR, Style(short=False, openings=("[",)))
    shown = passage(Excerpt(turn=turn, score=1.0, node_idx=1), pricing, ("gasket", "resin"), most_tokens=words)
    assert shown is not None
    body = shown.content.removeprefix("… ").partition(" [… ")[0]
    assert body in content
    before, after = content.split(body, 1)
    assert not before.strip() or before[-1] in " \n"
    assert not after.strip() or body[-1] in ".:]"
    assert body.count(r"\[") == body.count(r"\]")
