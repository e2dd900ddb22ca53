"""Segments are contiguous and bounded, keep tool groups whole, and do not depend on how turns arrive."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import calling, said, talk, wild_turns
from turnfold.contract.records import Role, StoredTurn
from turnfold.contract.vectors import NO_VECTOR, Vector
from turnfold_worker.pipeline.fold import fold_segment
from turnfold_worker.pipeline.segments.segmenter import SegmenterStats, State, step
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.tool_groups import call_ids, result_ids

SMALL = FoldSettings(segment_max_turns=6, segment_max_tokens=200, segment_min_turns=2, hold_turns=4)


SCRAPS = [
    "So, let's move on to the next item of the agenda.",
    "okay",
    "mm-hmm",
    "the remote has a battery and two buttons",
    "what about the budget?",
    "thanks, that's all",
    "the price of the case depends on the plastic",
    "",
    "word " * 150,
]


def cuts_in_batches(
    turns: Sequence[StoredTurn],
    batches: Sequence[int],
    chosen: FoldSettings,
    vectors: Mapping[int, Vector] | None = None,
) -> list[int]:
    """Return the first turns of all segments but the first, when turns arrive in batches of these sizes.

    As in the worker, each batch steps through the whole tail again, from the statistics of the last cut.
    """
    cuts: list[int] = []
    stored: dict[str, Any] | None = None
    begin, known = 0, 0
    for size in [*batches, len(turns)]:
        known = min(len(turns), known + size)
        while True:
            state, cut = State(SegmenterStats.from_json(stored)), None
            for turn in turns[begin:known]:
                state, cut = step(state, turn, chosen, None if vectors is None else vectors.get(turn.seq, NO_VECTOR))
                if cut is not None:
                    break
            if cut is None:
                break
            assert turns[begin].seq < cut <= turns[known - 1].seq + 1
            stored = json.loads(json.dumps(state.stats.to_json()))
            assert len(json.dumps(stored)) < 1024
            begin = cut - 1
            cuts.append(cut)
    return cuts


@given(
    wild_turns(most=40),
    st.lists(st.integers(1, 9), max_size=20),
    st.dictionaries(st.integers(1, 40), st.binary(min_size=4, max_size=4).map(Vector), max_size=40),
    st.sampled_from([SMALL, FoldSettings(segment_target_turns=3), FoldSettings(segment_target_turns=40)]),
)
@examples(120)
def test_batches_cannot_change_the_cuts_by_meaning(
    turns: list[StoredTurn], batches: list[int], vectors: dict[int, Vector], chosen: FoldSettings
) -> None:
    at_once = cuts_in_batches(turns, [len(turns)], chosen, vectors)
    assert at_once == cuts_in_batches(turns, batches, chosen, vectors)
    assert at_once == cuts_in_batches(turns, [1] * len(turns), chosen, vectors)


@given(wild_turns(most=40), st.lists(st.integers(1, 9), max_size=20))
@examples(120)
def test_batches_cannot_change_the_cuts(turns: list[StoredTurn], batches: list[int]) -> None:
    assert cuts_in_batches(turns, batches, SMALL) == cuts_in_batches(turns, [1] * len(turns), SMALL)


@given(
    st.lists(st.tuples(st.sampled_from("ABCD"), st.sampled_from(SCRAPS), st.integers(0, 90)), max_size=60),
    st.dictionaries(st.integers(1, 60), st.binary(min_size=4, max_size=4).map(Vector), max_size=60),
    st.sampled_from([SMALL, FoldSettings(segment_target_turns=3), FoldSettings(look_ahead=0, segment_target_turns=3)]),
    st.booleans(),
)
@examples(120)
def test_a_cut_is_decided_while_the_look_ahead_lasts_and_stands(
    lines: list[tuple[str, str, int]], vectors: dict[int, Vector], chosen: FoldSettings, semantic: bool
) -> None:
    """Fed turn by turn, no cut comes too late, twice or before an earlier one, for any number of speakers."""
    turns = [
        said(text, seq=seq, name=name, minutes=minutes + seq * 10) for seq, (name, text, minutes) in enumerate(lines, 1)
    ]
    cuts: list[int] = []
    state, begin = State(SegmenterStats()), 0
    for known in range(1, len(turns) + 1):
        for turn in turns[begin + len(state.marks) : known]:
            vector = vectors.get(turn.seq, NO_VECTOR) if semantic else None
            state, cut = step(state, turn, chosen, vector)
            if cut is not None:
                assert known - cut <= max(1, chosen.look_ahead)
                assert not cuts or cut > cuts[-1]
                cuts.append(cut)
                state, begin = State(state.stats), cut - 1
                break
    assert cuts == sorted(set(cuts))


@given(wild_turns(most=40))
@examples(120)
def test_segments_are_never_empty_and_the_open_tail_is_bounded(turns: list[StoredTurn]) -> None:
    most = SMALL.segment_max_turns + SMALL.hold_turns + SMALL.look_ahead
    edges = [1, *cuts_in_batches(turns, [1] * len(turns), SMALL), len(turns) + 1]
    assert edges[:-1] == sorted(set(edges[:-1]))
    assert all(after - before <= most for before, after in pairwise(edges))


@given(wild_turns(most=40))
@examples(120)
def test_a_segment_above_the_token_cap_is_one_turn_or_one_group(turns: list[StoredTurn]) -> None:
    plain = [said(t.content, seq=t.seq, role=Role.USER) for t in turns]
    edges = [1, *cuts_in_batches(plain, [1] * len(plain), SMALL)]
    assert edges == sorted(set(edges))
    for begin, end in pairwise(edges):
        segment = plain[begin - 1 : end - 1]
        assert len(segment) == 1 or sum(t.tokens for t in segment) <= SMALL.segment_max_tokens


def test_a_call_and_its_result_stay_together_when_a_cap_strikes_between_them() -> None:
    turns = [said(f"line {i} about nothing much", seq=i) for i in range(1, 6)]
    turns += [
        said("", seq=6, role=Role.ASSISTANT, parts=calling("a")),
        said("word " * 300, seq=7, role=Role.TOOL, parts={"tool_call_id": "a"}),
        said("done", seq=8, role=Role.ASSISTANT),
        said("next", seq=9),
    ]
    assert cuts_in_batches(turns, [1] * 9, SMALL)[:2] == [6, 8]


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (calling("a"), {"tool_call_id": "a"}),
        ({"content": [{"type": "tool_use", "id": "a"}]}, {"content": [{"type": "tool_result", "tool_use_id": "a"}]}),
    ],
)
def test_both_providers_groups_are_seen(call: dict[str, Any], result: dict[str, Any]) -> None:
    assert call_ids(said("", parts=call)) == result_ids(said("", parts=result)) == ("a",)


@given(st.lists(st.sampled_from(["plain", "call", "long"]), min_size=1, max_size=30))
def test_answered_calls_are_never_parted(kinds: list[str]) -> None:
    turns: list[StoredTurn] = []
    groups: list[tuple[int, int]] = []
    for i, kind in enumerate(kinds):
        seq = len(turns) + 1
        if kind == "call":
            turns.append(said("looking", seq=seq, role=Role.ASSISTANT, parts=calling(f"c{i}")))
            turns.append(said("found it", seq=seq + 1, role=Role.TOOL, parts={"tool_call_id": f"c{i}"}))
            groups.append((seq, seq + 1))
        else:
            turns.append(said("word " * (150 if kind == "long" else 20), seq=seq))
    cuts = set(cuts_in_batches(turns, [1] * len(turns), SMALL))
    assert all(result not in cuts for _, result in groups)


def test_a_tool_turn_without_an_id_belongs_to_the_turn_before_it() -> None:
    turns = talk(*(["assistant: run the tests now", "tool: 3 passed"] * 10))
    assert all(cut % 2 == 1 for cut in cuts_in_batches(turns, [1] * 20, SMALL))


def test_a_pending_call_holds_the_boundary_only_for_a_bounded_number_of_turns() -> None:
    turns = [said("", seq=1, role=Role.ASSISTANT, parts=calling("never"))]
    turns += [said("still waiting here", seq=i) for i in range(2, 20)]
    assert cuts_in_batches(turns, [1] * 19, SMALL)[0] <= SMALL.segment_max_turns + SMALL.hold_turns + 1


def test_a_long_pause_cuts_at_once() -> None:
    turns = [said("hello there", seq=1, minutes=0), said("new day", seq=2, minutes=61)]
    assert cuts_in_batches(turns, [2], FoldSettings()) == [2]


def test_a_huge_turn_is_its_own_segment_at_once() -> None:
    turns = [said("hi", seq=1), said("word " * 6000, seq=2)]
    assert cuts_in_batches(turns, [2], FoldSettings()) == [2, 3]


def test_what_tells_most_of_a_huge_turn_stands_in_its_first_level_wherever_it_is_said() -> None:
    telling = [
        "The harbour of Porto was closed on 3 May 1931.",
        "Ines Duarte paid 4,700 crowns for the crane.",
        "The breakwater failed in 1954 because the quay had sunk by 12 cm.",
    ]
    filler = "There was not much to be said about it, and so it went on as it always had. " * 60
    turns = [said("here it is", seq=1), said(filler.join(["", *telling, ""]), seq=2), said("ok", seq=3)]
    assert turns[1].tokens > FoldSettings().segment_max_tokens
    assert cuts_in_batches(turns, [3], FoldSettings()) == [2, 3]
    detailed = fold_segment(turns[1:2], idx=2, settings=FoldSettings()).levels[1]
    assert all(sentence in detailed for sentence in telling)
    assert len(detailed) < len(turns[1].content) / 2


def test_a_change_of_topic_with_a_cue_cuts_at_the_cue() -> None:
    lines = []
    for i in range(4):
        lines += [
            f"user: is postgres index {i} used by the planner?",
            f"assistant: yes, postgres index {i} is used by the planner.",
        ]
    lines += [
        "user: next topic: my grandmother's lasagna recipe",
        "assistant: which cheese goes into the lasagna?",
        "user: mozzarella and parmesan between layers of pasta",
        "assistant: and bake the lasagna for forty minutes",
    ]
    assert cuts_in_batches(talk(*lines), [1] * 12, FoldSettings()) == [9]


def parting(greeting: str = "") -> list[str]:
    """Return lines on two unrelated subjects; the second begins with the ninth turn."""
    lines = []
    for i in range(4):
        lines += [
            f"user: is postgres index {i} used by the planner?",
            f"assistant: yes, postgres index {i} is used by the planner.",
        ]
    return [
        *lines,
        f"user: {greeting}how long do I bake a lasagna in the oven?",
        "assistant: bake the lasagna for forty minutes, until the cheese is brown",
        "user: and which cheese goes into the lasagna?",
        "assistant: mozzarella and parmesan between layers of pasta",
        "user: does the pasta have to be boiled before?",
        "assistant: no, raw pasta is fine for a lasagna with enough sauce",
    ]


def test_a_change_of_topic_without_a_cue_cuts_where_its_words_begin() -> None:
    assert cuts_in_batches(talk(*parting()), [1] * 14, FoldSettings()) == [9]


def test_the_wanted_length_decides_how_often_is_cut() -> None:
    lines = [line for i in range(12) for line in parting()[i % 4 : i % 4 + 8]]
    counts = [
        len(cuts_in_batches(talk(*lines), [len(lines)], FoldSettings(segment_target_turns=target)))
        for target in (3, 8, 40)
    ]
    assert counts[0] > counts[1] >= counts[2]
    assert counts[2] >= 2  # the cap of 40 turns


def test_an_answer_stays_with_its_question() -> None:
    lines = ["user: which database do you use?", "assistant: do you mean in production?", "user: yes, in production"]
    cuts = cuts_in_batches(talk(*(lines * 8)), [24], FoldSettings(segment_target_turns=3))
    assert cuts
    assert all(cut % 3 == 1 for cut in cuts)


def test_meaning_tells_what_words_do_not() -> None:
    """The turns share no significant word; only the vectors change, with the ninth turn."""
    letters = "abcdefghijklmnop"
    lines = [f"{'AB'[i % 2]}: there was more to say about {letter * 3}" for i, letter in enumerate(letters)]
    turns = talk(*lines)
    first, second = Vector(bytes([100, 5, 0, 0])), Vector(bytes([0, 0, 100, 5]))
    vectors = {turn.seq: first if turn.seq < 9 else second for turn in turns}
    chosen = FoldSettings(segment_target_turns=8)
    assert cuts_in_batches(turns, [16], chosen) == []
    assert cuts_in_batches(turns, [16], chosen, vectors) == [9]


def test_in_a_meeting_the_one_who_takes_the_floor_and_names_the_next_item_begins_a_segment() -> None:
    remote = ["the case is made of plastic", "and the plastic case has two colours", "mm-hmm", "yeah"]
    budget = ["we have twelve euros for production", "twelve euros is tight for production", "right", "it is"]
    lines = [f"{'ABCB'[i % 4]}: {remote[i % 4]}" for i in range(16)]
    lines += ["A: okay", "D: So, next on the agenda is the budget, I have a short presentation about it."]
    lines += [f"{'DACA'[i % 4]}: {budget[i % 4]}" for i in range(16)]
    assert cuts_in_batches(talk(*lines), [1] * 34, FoldSettings()) in ([17], [18])


def test_a_goodbye_belongs_to_the_task_that_it_ends() -> None:
    tasks = [
        ["I need to find a hotel in Denver.", "How many nights?", "Two nights.", "The Grand is free, its price is 90."],
        ["Can you play some jazz music?", "Which song would you like?", "Something slow.", "Playing Blue Moon now."],
        ["I'd like to book a flight to Kyoto.", "On which day?", "On Monday.", "It leaves at 9:15 and costs 700."],
    ]
    lines = [
        f"{role}: {text}"
        for task in tasks
        for role, text in zip(
            ["user", "assistant"] * 3, [*task, "Thanks, that is all I need.", "Have a nice day!"], strict=True
        )
    ]
    assert cuts_in_batches(talk(*lines), [1] * 18, FoldSettings(segment_target_turns=6)) == [7, 13]


PROJECT = """
I'm trying to set up the login of my budget tracker in Flask, and I want to make sure that its sessions are safe. I've \
read that a cookie needs some flags. Can you help me with that?
I keep getting an error of the database when my budget tracker saves an expense, and I've spent a day on it. Can you \
show me how to configure the tables of the tracker in Flask?
I'd like to add a page with a chart of the expenses to my budget tracker. I've never drawn a chart in Flask before, so \
I'm starting from scratch. Where should I begin?
I need to write some tests for the login and the expenses of my budget tracker by Friday. Which tests of a Flask app \
are worth it?
""".strip().splitlines()
DINNER = """
I'm planning a dinner with a vegetarian risotto for eight guests, and I'm worried that the rice gets too soft. How \
long does the rice of a risotto cook?
I want to bake a dessert for the same guests, perhaps a lemon cake, and I have an old oven. Can you suggest how hot \
the oven should be for the cake?
I've bought a white wine for the risotto and the guests, but my sister says it is too sweet. Would you cook rice with \
a sweet wine?
""".strip().splitlines()
HOW_TO_PROGRAM = """
Here is how a budget tracker in Flask does it: define the tables for every expense, keep the login in a session, and \
test the routes of the tracker. A chart of the expenses comes last, once the database of the app answers. Check the \
logs of Flask after every step, and keep the configuration in one file.
""".strip()
HOW_TO_COOK = """
For a risotto the rice has to stay firm: stir it, add the wine early and the broth slowly. A lemon cake goes into the \
oven before the guests come. Taste the risotto after seventeen minutes, and let the cake cool. Sweet wine is better \
with the dessert than with the rice.
""".strip()


def test_long_messages_about_one_matter_stay_together_whatever_new_things_they_name() -> None:
    lines = []
    for messages, answer in ((PROJECT, HOW_TO_PROGRAM), (DINNER, HOW_TO_COOK)):
        for message in (*messages, *messages[:2]):
            lines += [f"user: {message}", f"assistant: {answer}"]
    turns = talk(*lines)
    assert cuts_in_batches(turns, [1] * len(turns), FoldSettings(segment_target_turns=6)) == [13]


@given(st.dictionaries(st.text(), st.one_of(st.none(), st.integers(), st.floats(), st.text(), st.lists(st.text()))))
def test_settings_are_read_whatever_they_are(given_settings: dict[str, Any]) -> None:
    nested = {"settings": {**given_settings, "segment_max_turns": 10**9, "gap_minutes": float("nan")}}
    assert FoldSettings.from_mapping(nested).segment_max_turns == 200
    assert FoldSettings.from_mapping(given_settings).gap_minutes == 60
