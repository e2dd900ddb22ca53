"""Contexts show lasting facts about a person, but no courtesies, stories or answered questions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import said
from turnfold.assemble.by_value.top_anchors import stands
from turnfold.contract.records import AnchorType, Importance, Role, StoredTurn
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.anchors.ranks import Bearing, borne_rank
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn


def anchors_of(*turns: StoredTurn) -> tuple[AnchorDraft, ...]:
    return extract_anchors([read_turn(turn) for turn in turns], FoldSettings())


def standing_of(*turns: StoredTurn) -> list[str]:
    """Return the words of the anchors that contexts show unasked."""
    return [draft.text for draft in anchors_of(*turns) if stands(draft.type, draft.score, draft.text, rank=draft.rank)]


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to walnuts.",
        "Unfortunately I can't have gluten.",
        "My daughter is diabetic.",
        "My name is Ines.",
        "I'm Ruth, a retired postwoman from Cork.",
        "I'm a 38-year-old geologist based in Oslo.",
        "I live in Graz.",
        "I work at a bakery in Turin.",
        "I have two daughters.",
        "I recently got promoted to head of sales.",
        "We've been married for nine years.",
        "I have a deadline of 12 June for the thesis.",
    ],
)
def test_health_identity_and_aims_stand(text: str) -> None:
    assert standing_of(said(text)) == [text]
    assert standing_of(said(text, name="Ana")) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "I wish I wasn't allergic to cats.",
        "I made vegan pancakes last Friday.",
        "I'm a beginner at this.",
        "I'm from scratch here.",
        "I went to a pottery class yesterday.",
        "My sister came to the party last week.",
        "The office is located in Lyon.",
        "I work on it every night.",
    ],
)
def test_what_only_sounds_like_it_does_not(text: str) -> None:
    assert standing_of(said(text)) == []


def test_an_assistant_is_nobody() -> None:
    assert standing_of(said("I'm a geologist based in Oslo.", role=Role.ASSISTANT)) == []


@pytest.mark.parametrize(
    "text",
    [
        "I'll send Ana the photos.",
        "I don't want to spoil it, but the ending is great.",
        "I'd rather wait until the bugs are fixed.",
        "I prefer to start with the easy ones.",
        "Look how small it is.",
    ],
)
def test_courtesies_moods_and_wishes_of_the_moment_do_not_stand(text: str) -> None:
    assert standing_of(said(text)) == []


@pytest.mark.parametrize(
    ("text", "minutes", "expected"),
    [
        ("I'll send Ana the photos by 3 June.", None, True),
        ("I'll send Ana the photos tomorrow.", 5, True),
        ("I'll send Ana the photos tomorrow.", None, False),
    ],
)
def test_a_promise_stands_with_a_day_that_can_be_told(text: str, minutes: float | None, *, expected: bool) -> None:
    assert bool(standing_of(said(text, minutes=minutes))) is expected


def test_what_somebody_tells_that_he_made_up_his_mind_to_do_is_no_decision_in_force() -> None:
    talk = [
        said("By the way, today I decided to clean the attic at last.", name="Ana"),
        said("Nice.", seq=2, name="Bo"),
    ]
    assert standing_of(*talk) == []
    assert standing_of(said("I've decided against microservices for version 1.0."))


@pytest.mark.parametrize(
    ("reply", "is_open"),
    [
        ("The night watch answers it, since March.", False),
        ("Good question, I don't know yet.", True),
        ("I'll keep that as an open question.", True),
    ],
)
def test_a_question_that_was_talked_over_is_not_open(reply: str, *, is_open: bool) -> None:
    asked = "Also tell me one thing: who answers the phone when a payment fails at 20:00? The list is long."
    turns = [said(asked), said(reply, seq=2, role=Role.ASSISTANT)]
    shown = [text for text in standing_of(*turns) if "phone" in text]
    assert bool(shown) is is_open


def test_an_instruction_with_never_stays() -> None:
    assert standing_of(said("Never use tabs in this project.")) == ["Never use tabs in this project."]


@given(
    kind=st.sampled_from(AnchorType), score=st.integers(50, 100), bearing=st.sampled_from(Bearing),
    importance=st.sampled_from([Importance.NORMAL, Importance.MEDIUM, Importance.HIGH]),
)  # fmt: skip
@examples(200)
def test_what_passes_stands_only_where_the_caller_marked_it(
    kind: AnchorType, score: int, bearing: Bearing, importance: Importance
) -> None:
    rank = borne_rank(kind, score, importance, bearing)
    if rank is None:
        assert bearing is Bearing.BY_TYPE
    elif bearing is Bearing.PASSING:
        assert (rank < 0) is (
            importance is not Importance.HIGH and kind not in {AnchorType.CONSTRAINT, AnchorType.INSTRUCTION}
        )
    elif bearing is Bearing.BY_WORDS:
        assert stands(AnchorType.CONSTRAINT, score, "words", rank=rank)
    else:
        assert stands(AnchorType.CRITICAL_FACT, score, "words", rank=rank)
