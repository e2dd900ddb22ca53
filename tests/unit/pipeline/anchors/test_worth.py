"""A score is a sum of named factors, and inconsequential statements stay below the threshold."""

from __future__ import annotations

import pytest
from hypothesis import given

from support.examples import examples
from support.wild_turns import said, talk, wild_turns
from turnfold.contract.records import AnchorState, AnchorType, Importance, Role, StoredTurn
from turnfold_worker.pipeline.anchors.assistants import companies
from turnfold_worker.pipeline.anchors.deduplicate import merge
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn


def anchors_of(turns: list[StoredTurn], chosen: FoldSettings | None = None) -> tuple[AnchorDraft, ...]:
    return extract_anchors([read_turn(turn) for turn in turns], chosen or FoldSettings())


@given(wild_turns(most=12))
@examples(40)
def test_a_score_is_the_sum_of_its_factors(turns: list[StoredTurn]) -> None:
    found = anchors_of(turns)
    assert [draft.score for draft in found] == [min(max(sum(draft.factors.values()), 0), 100) for draft in found]
    assert all(draft.factors for draft in found)


def test_factors_name_the_phrase_what_is_stated_and_the_callers_marks() -> None:
    (draft,) = anchors_of([said("We decided to give Ana 30 days.", importance=Importance.HIGH)])
    assert draft.factors == {"decided": 75, "value": 8, "name": 6, "person": 6, "marked": 15}
    assert draft.score == 100


@pytest.mark.parametrize(
    "text",
    [
        "We spent Monday moving the office plants.",
        "It was awesome!",
        "I felt so proud the whole evening.",
        "Ha, my daughter just asked whether museums sleep at night.",
        "Off to pick her up, talk next week.",
        "I've heard that caching can help.",
        "I'm trying to understand how routing works.",
        "And here's my template:",
        "So 3/4 × 1/2 = 3/8, right.",
    ],
)
def test_what_is_of_no_consequence_is_no_anchor(text: str) -> None:
    assert anchors_of([said(text), said("I see.", seq=2, role=Role.ASSISTANT)]) == ()


@pytest.mark.parametrize(
    "text",
    [
        "Lena is on holiday until 7 April.",
        "The depot has 84 lockers.",
        "The contract with Veldt is signed.",
        "I joined a rowing club last week and it was so much fun!",
        "Ten seats for the press, the others are for sale.",
    ],
)
def test_what_may_be_asked_for_later_is_one(text: str) -> None:
    assert [draft.text for draft in anchors_of([said(text), said("I see.", seq=2, role=Role.ASSISTANT)])] == [text]


@pytest.mark.parametrize("text", ["How are you, Omar?", "What have you been up to?", "It looks great, doesn't it?"])
def test_small_talk_between_people_leaves_no_question_open(text: str) -> None:
    assert anchors_of([said(text, name="Ana")]) == ()


@pytest.mark.parametrize("text", ["By the way, do you like jazz?", "Did you catch the hockey game?"])
def test_an_aside_leaves_no_question_open(text: str) -> None:
    assert anchors_of([said(text)]) == ()


def test_a_question_of_a_thing_stays_open_between_people() -> None:
    (draft,) = anchors_of([said("Which region hosts the backups?", name="Ana")])
    assert draft.type is AnchorType.UNRESOLVED_QUESTION


def test_a_threshold_decides_how_sure_an_anchor_has_to_be() -> None:
    turns = [said("The depot has 84 lockers. We decided to give Ana 30 days. Nobody may read the diary.")]
    scores = {draft.score for draft in anchors_of(turns)}
    assert len(scores) == 3
    for least in sorted(scores):
        kept = anchors_of(turns, FoldSettings(anchor_threshold=least))
        assert {draft.score for draft in kept} == {score for score in scores if score >= least}


def test_who_has_a_name_and_talks_with_one_that_has_is_a_person_whatever_the_role() -> None:
    persons = [
        said("I won the regatta yesterday.", name="Ana"),
        said("So did I.", seq=2, role=Role.ASSISTANT, name="Jo"),
    ]
    assert [one.by_assistant for one in companies([read_turn(turn) for turn in persons])] == [False, False]
    helped = talk("user: I won the regatta yesterday.", "assistant: Well done.")
    assert [one.by_assistant for one in companies([read_turn(turn) for turn in helped])] == [False, True]


@pytest.mark.parametrize(
    "reply", ["Let me think about it.", "I will have to check that with legal.", "I'd need to ask the landlord."]
)
def test_a_reply_that_puts_an_answer_off_leaves_the_question_open(reply: str) -> None:
    found = anchors_of(talk("user: Who signs the vendor contract?", f"assistant: {reply}"))
    assert [(draft.type, draft.state) for draft in found if draft.turn_seq == 1] == [
        (AnchorType.UNRESOLVED_QUESTION, AnchorState.ACTIVE)
    ]


def test_a_corrected_port_leaves_the_address_beside_it() -> None:
    turns = talk(
        "user: The admin port is 8443, and the contact is ops@velt.example.",
        "assistant: Noted.",
        "user: Correction: the admin port is 9443.",
    )
    merged = merge(anchors_of(turns), (), next_id=1, node_idx=0, settings=FoldSettings()).new
    assert {anchor.text: anchor.state for anchor in merged} == {
        "The admin port is 8443": AnchorState.SUPERSEDED,
        "the contact is ops@velt.example.": AnchorState.ACTIVE,
        "Correction: the admin port is 9443.": AnchorState.ACTIVE,
    }


def test_a_fact_that_says_no_more_than_an_earlier_one_repeats_it() -> None:
    texts = ("We run Redis 7.2 on 3 hosts in Oslo.", "We run Redis 7.2 on 3 hosts.", "We run Redis 7.4 in Oslo.")
    drafts = [draft for seq, text in enumerate(texts, 1) for draft in anchors_of([said(text, seq=seq)])]
    merged = merge(drafts, (), next_id=1, node_idx=0, settings=FoldSettings()).new
    assert [anchor.state for anchor in merged if anchor.text == texts[0]] == [AnchorState.ACTIVE]
    assert [anchor.state for anchor in merged if anchor.text == texts[1]] == [AnchorState.DUPLICATE]
    assert AnchorState.DUPLICATE not in [anchor.state for anchor in merged if anchor.text == texts[2]]
