"""Notes for a query follow the query-independent part of a context and precede what changes with each turn."""

from __future__ import annotations

from itertools import combinations, pairwise
from statistics import median
from typing import Final

import pytest

from support.examples_folder import example
from support.growing import growing
from support.prefixes import shared
from support.talk import talk
from turnfold.assemble.by_value.answers import NOTHING_QUOTED
from turnfold.assemble.by_value.past import Past
from turnfold.assemble.by_value.query_notes import asked, room_unasked
from turnfold.assemble.forms.render_text import (
    BACKGROUND_HEADER,
    CONTINUED_HEADER,
    EXCERPTS_HEADER,
    EXPANDED_HEADER,
    HITS_HEADER,
    MORE_HEADER,
    NO_MATCH_LINE,
    RECENT_HEADER,
)
from turnfold.assemble.policy import BALANCED
from turnfold.assemble.pricing import Pricing, Style
from turnfold.contract.notes import Note
from turnfold.tokens import ESTIMATOR, estimate_tokens
from turnfold_worker.offline import FoldedConversation, fold

TURNS: Final = example()
QUESTION: Final = "What did we decide about the database?"


@pytest.fixture(scope="module")
def example() -> FoldedConversation:
    return fold(TURNS, conversation_id="c")


@pytest.fixture(scope="module")
def long() -> FoldedConversation:
    return fold(talk("long", 300), conversation_id="c")


def without_markers(text: str) -> list[str]:
    """Return the lines that are more than markers."""
    return [line for line in text.splitlines() if not line.startswith("[→")]


def before_answers(text: str) -> str:
    """Return everything before the notes for the question."""
    return text.partition(HITS_HEADER)[0]


@pytest.mark.parametrize("budget", [2_100, 4_000, 16_000])
def test_contexts_for_other_questions_begin_alike(long: FoldedConversation, budget: int) -> None:
    questions = ("How many rows has the migration?", "What did Mara merge?", "Which PostgreSQL do we use?")
    texts = [long.context(budget_tokens=budget, query=question).text for question in questions]
    for one, other in combinations(texts, 2):
        assert one != other
        # Answers change the room of recent turns, and with it where the last markers end.
        assert min(shared([before_answers(one).encode(), before_answers(other).encode()])) > 0.95
        assert without_markers(before_answers(one)) == without_markers(before_answers(other))
        assert HITS_HEADER in one
        assert HITS_HEADER in other
    _, header, notes = before_answers(texts[0]).partition(BACKGROUND_HEADER)
    assert header
    assert notes.count("\n") > 4, "there are notes in it"


@pytest.mark.parametrize("budget", [1_000, 2_100, 4_000])
def test_what_stands_as_a_standing_fact_is_not_told_again(budget: int) -> None:
    rule, taste = "Always name the lamp's room in every table of lamps.", "I prefer brass lamps to steel ones."
    turns = talk("long", 120)
    turns[40:40] = [{"role": "user", "content": rule}, {"role": "user", "content": taste}]
    folded = fold([{**turn, "turn_id": f"t{number}"} for number, turn in enumerate(turns)], conversation_id="c")
    for query in ("How should I name lamps in a table?", "Which lamps do I prefer, brass or steel?"):
        text = folded.context(budget_tokens=budget, query=query).text
        assert [text.count(words.rstrip(".")) for words in (rule, taste)] == [1, 1]


def test_while_turns_are_appended_most_of_a_context_for_a_question_stays() -> None:
    kept: list[float] = []
    before, closed = "", 0
    for tf in growing(TURNS, begin=len(TURNS) - 20):
        context = tf.context("c", budget_tokens=2_000, query=QUESTION)
        assert HITS_HEADER in context.text
        if tf.status("c").closed == closed:
            kept += shared([before.encode(), context.text.encode()])
        before, closed = context.text, tf.status("c").closed
    assert len(kept) > 12
    assert median(kept) >= 0.6, kept


@pytest.mark.parametrize("room", range(20, 60, 3))
def test_notes_beside_the_answers_cost_what_they_may_and_change_nothing_before_them(room: int) -> None:
    notes = [note(seq) for seq in range(1, 40)]
    past = Past(notes, before_seq=100, anchored={})
    pricing = Pricing(ESTIMATOR, Style(short=False, openings=("[",)))
    answer = asked(notes[:20], set(), NOTHING_QUOTED, 120, pricing, header=HITS_HEADER)
    answer = answer.with_beside(past, set(), 120 - answer.tokens, pricing)
    longer = answer.with_more(past, [], room, pricing)
    assert answer.hits
    assert longer.hits
    assert len(longer.notes) > len(answer.notes)
    assert longer.tokens - answer.tokens <= room
    assert (answer.tokens, longer.tokens) == (pricing.notes(answer.hits), pricing.notes(longer.hits))
    before, _, _ = answer.hits.text.rpartition("pears")
    assert longer.hits.text.startswith(before)


def note(seq: int) -> Note:
    text = f"counted {seq} apples and {seq} pears"
    return Note(seq, 0, "Mara", "user", "2 March 2026", text, estimate_tokens(text) + 1, gain=100 - seq)


@pytest.mark.parametrize("policy", ["balanced", "recency"])
@pytest.mark.parametrize("budget", [500, 1_000, 2_000, 4_000])
@pytest.mark.parametrize("request_", [{}, {"query": QUESTION}, {"expand": ["L0:turns-3-4"]}])
def test_what_changes_with_each_turn_stands_behind_all_else(
    example: FoldedConversation, policy: str, budget: int, request_: dict[str, object]
) -> None:
    context = example.context(budget_tokens=budget, policy=policy, **request_)  # type: ignore[arg-type]
    headers = (
        BACKGROUND_HEADER,
        HITS_HEADER,
        MORE_HEADER,
        EXCERPTS_HEADER,
        EXPANDED_HEADER,
        CONTINUED_HEADER,
        RECENT_HEADER,
    )
    found = [header for header in headers if context.text.count(f"\n{header}") or context.text.startswith(header)]
    places = [context.text.index(header) for header in found]
    assert places == sorted(places)
    assert all(context.text.count(header) == 1 for header in found)
    parted = {HITS_HEADER, MORE_HEADER, EXCERPTS_HEADER, EXPANDED_HEADER} & {*found}
    assert parted or CONTINUED_HEADER not in found, "nothing stands in between"
    assert context.coverage is not None
    assert context.coverage.spans[0].first_seq == 1
    for one, following in pairwise(context.coverage.spans):
        assert following.first_seq == one.last_seq + 1


@pytest.mark.parametrize("policy", ["balanced", "recency"])
@pytest.mark.parametrize("budget", [200, 500, 1_000, 2_000, 4_000])
def test_a_question_that_finds_nothing_costs_a_line(example: FoldedConversation, policy: str, budget: int) -> None:
    asked = example.context(budget_tokens=budget, policy=policy, query="Xylophone?")
    without = example.context(budget_tokens=budget, policy=policy, query=False)
    assert asked.text.count(NO_MATCH_LINE) == 1
    assert asked.tokens <= budget
    assert not {HITS_HEADER, MORE_HEADER, EXCERPTS_HEADER} & {*asked.text.splitlines(keepends=True)}
    standing_facts, unasked_facts = (context.text.partition(BACKGROUND_HEADER)[0] for context in (asked, without))
    assert standing_facts == unasked_facts


def test_a_conversation_of_which_nothing_is_folded_has_one_header_behind_its_answers() -> None:
    turns = [
        {"role": "user", "content": f"Line {i}: {'the lamp of the hall was counted again. ' * 30}"} for i in "abcde"
    ]
    turns.insert(0, {"role": "user", "content": "The gardener Pavel comes on Tuesday at nine."})
    folded = fold(turns, conversation_id="c")
    assert not folded.status().closed
    text = folded.context(budget_tokens=400, query="When does the gardener Pavel come?").text
    assert text.count("[background") == 1
    assert text.index(EXCERPTS_HEADER) < text.index(BACKGROUND_HEADER) < text.index(RECENT_HEADER)


@pytest.mark.parametrize(("target", "least", "most"), [(1_000, 0, 0), (4_000, 0.15, 0.2), (32_000, 0.7, 0.8)])
def test_what_stands_there_unasked_has_more_room_in_larger_budgets(target: int, least: float, most: float) -> None:
    room = round(0.9 * target)
    assert least * room <= room_unasked(room, share=0.25, target=target) <= most * room


def test_what_stands_there_unasked_stays_while_its_room_shrinks_a_little() -> None:
    rooms = {room_unasked(room, share=0.25, target=4_000) for room in range(3_400, 3_601)}
    assert len(rooms) <= 2


def test_what_the_newest_turn_does_not_bring_shows_more_of_the_last_turns() -> None:
    steps = "\n".join(
        f"- **Step {n}**: turn the screw number {n} by a quarter and look at the gauge." for n in range(40)
    )
    rooms = [
        {"role": role, "content": f"The {thing} of room {n} is {n * 7} cm high and was bought by Mara in {1700 + n}."}
        for n in range(120)
        for role, thing in (("user", "table"), ("assistant", "cupboard"))
    ]
    folded = fold(
        [*rooms, {"role": "user", "content": "How do I set the valve?"}, {"role": "assistant", "content": steps}]
    )
    budget, share = 3_000, BALANCED.recent_share
    unsteered = folded.context(budget_tokens=budget, query=False).text.partition(RECENT_HEADER)[2]
    steered = folded.context(budget_tokens=budget).text.partition(RECENT_HEADER)[2]
    assert unsteered.count("**Step") < steered.count("**Step")
    assert estimate_tokens(steered) <= share * budget


def test_what_answers_has_room_beside_long_requests_and_the_state_of_the_work() -> None:
    turns = [{"role": "user", "content": f"Fix the winch driver. {'Run only one command at a time, never two. ' * 60}"}]
    for i in range(1, 40):
        call = f"Let me change step {i}.\n```\nedit {i}:{i}\n    winch_{i}.turn({i})\nend_of_edit\n```"
        turns += [
            {"role": "assistant", "name": "agent", "content": call},
            {"role": "tool", "content": f"[File: /winch/step_{i}.py ({i} lines total)]\n{i}:    winch_{i}.turn({i})"},
        ]
    for at in (11, 31):
        turns.insert(at, {"role": "user", "content": f"Now the ferry. {'Look at all steps once more, please. ' * 60}"})
    turns.insert(21, {"role": "assistant", "content": "The sprocket of the ferry has 48 teeth."})
    folded = fold(turns, conversation_id="c")
    for budget in (700, 1_000, 2_000):
        assert "48 teeth" in folded.context(budget_tokens=budget, query="How many teeth has the sprocket?").text
