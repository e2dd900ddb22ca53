"""Importance is a sum of named factors, and few turns are kept verbatim because of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.wild_turns import said, talk, wild_turns
from turnfold.contract.records import Importance, Role, StoredTurn
from turnfold_worker.pipeline.turns.importance import POINTS, RESIDUAL_FROM, ImportanceScore, residuals, score_turns
from turnfold_worker.pipeline.turns.treatment import read_segment

FILLER = ["user: and what about lunch", "assistant: soup", "user: fine", "assistant: good", "user: bye"]


def factors_of(turn: StoredTurn) -> tuple[str, ...]:
    """Return the factors of a turn that others follow, so that its position adds none."""
    others = [replace(one, seq=seq) for seq, one in enumerate(talk(*FILLER), start=turn.seq + 1)]
    return score_turns([turn, *others])[0].factors


@pytest.mark.parametrize(
    ("text", "decides"),
    [
        ("We decided to use PostgreSQL.", True),
        ("They agreed on Friday. Any questions?", True),
        ("I concluded that it is safe, and I will do it.", True),
        ("We haven't decided yet.", False),
        ("It was not resolved.", False),
        ("Have you decided?", False),
        ("If it is agreed, we start.", False),
        ("It is undecided.", False),
        ("Nothing here.", False),
    ],
)
def test_words_of_decision_count_unless_they_are_denied_asked_or_supposed(text: str, decides: bool) -> None:
    assert ("decision" in factors_of(said(text))) is decides


@pytest.mark.parametrize(
    ("content", "parts", "metadata", "factors"),
    [
        ("Error: no such table", None, None, ("tool error",)),
        ("14 passed in 0.2s", None, None, ("tool success",)),
        ("some lines", None, None, ()),
        ("0 errors", None, None, ("tool success",)),
        ("some lines", None, {"success": True}, ("tool success",)),
        ("14 passed", None, {"toolResult": {"success": False}}, ("tool error",)),
        ("some lines", None, {"is_error": True}, ("tool error",)),
        ("x", {"content": [{"type": "tool_result", "tool_use_id": "a", "is_error": True}]}, None, ("tool error",)),
        ("x", {"content": [{"type": "tool_result", "tool_use_id": "a", "is_error": False}]}, None, ("tool success",)),
    ],
)
def test_a_tools_result_counts_as_it_says_itself(
    content: str, parts: Mapping[str, Any] | None, metadata: Mapping[str, Any] | None, factors: tuple[str, ...]
) -> None:
    assert factors_of(replace(said(content, role=Role.TOOL, parts=parts), metadata=metadata)) == factors


@pytest.mark.parametrize(
    ("mark", "factors", "score"),
    [
        (Importance.PIN, ("decision", "pinned"), 100),
        (Importance.HIGH, ("decision", "marked high"), 90),
        (Importance.MEDIUM, ("decision", "marked medium"), 70),
        (Importance.NORMAL, ("decision",), 50),
        (Importance.LOW, ("decision",), 50),
    ],
)
def test_the_callers_marks_count(mark: Importance, factors: tuple[str, ...], score: int) -> None:
    turn = said("We decided.", importance=mark)
    others = [replace(one, seq=seq) for seq, one in enumerate(talk(*FILLER), start=2)]
    assert score_turns([turn, *others])[0] == ImportanceScore(1, score, factors)


def test_what_is_marked_low_is_never_kept_for_its_score() -> None:
    scores = score_turns([said("We decided on the task and its goals.", importance=Importance.LOW)])
    assert scores[0].score == RESIDUAL_FROM - 1
    assert residuals(scores) == frozenset()


def test_the_last_turns_are_new_whatever_the_clock_says() -> None:
    scores = score_turns([said("x", seq=seq, minutes=60 * seq) for seq in range(1, 8)])
    assert [one.score for one in scores] == [0, 0, 5, 5, 5, 15, 15]
    assert scores == score_turns([said("x", seq=seq) for seq in range(1, 8)])


def test_tasks_count_by_their_words_or_their_type() -> None:
    assert factors_of(said("The objective is speed.")) == ("task",)
    assert factors_of(replace(said("Speed."), metadata={"type": "task"})) == ("task",)


def test_a_turn_to_which_two_later_ones_come_back_is_referenced() -> None:
    turns = talk(
        "user: Our warehouse robot needs firmware telemetry from Harbour",
        "assistant: Firmware telemetry of the warehouse robot is delayed",
        "user: unrelated remark",
        "assistant: The warehouse firmware telemetry has arrived",
    )
    assert ["referenced" in one.factors for one in score_turns(turns)] == [True, False, False, False]


def test_at_most_a_fifth_is_kept_the_best_and_of_equals_the_newest() -> None:
    scores = [ImportanceScore(seq, score, ()) for seq, score in enumerate([60, 90, 60, 59, 60, 0, 0], start=1)]
    assert residuals(scores) == {2, 5}


def test_every_pin_is_kept_and_takes_the_room_of_others() -> None:
    pins = [ImportanceScore(seq, 100, ("pinned",)) for seq in (1, 2, 3)]
    assert residuals([*pins, ImportanceScore(4, 100, ())]) == {1, 2, 3}


@given(wild_turns())
def test_scores_are_sums_of_factors_and_residuals_are_few(turns: list[StoredTurn]) -> None:
    scores = score_turns(turns)
    assert [one.seq for one in scores] == [turn.seq for turn in turns]
    assert all(0 <= one.score <= min(100, sum(POINTS[factor] for factor in one.factors)) for one in scores)
    kept = residuals(scores)
    pinned = {turn.seq for turn in turns if turn.importance is Importance.PIN}
    assert pinned <= kept
    assert len(kept - pinned) <= ceil(0.2 * len(turns))
    assert all(one.score >= RESIDUAL_FROM for one in scores if one.seq in kept)


@given(wild_turns(), st.integers(0, 9))
def test_residuals_do_not_depend_on_the_order_in_which_scores_are_given(turns: list[StoredTurn], cut: int) -> None:
    scores = score_turns(turns)
    assert residuals(scores) == residuals([*scores[cut:], *scores[:cut]])


def test_a_conversation_may_choose_what_is_kept_for_its_score() -> None:
    scores = [ImportanceScore(seq, 10 * seq, ()) for seq in range(1, 11)]
    assert residuals(scores) == {9, 10}
    assert residuals(scores, least=95) == {10}
    assert residuals(scores, least=40, share=0.5) == {6, 7, 8, 9, 10}
    assert residuals(scores, share=0.0) == frozenset()
    turns = talk("user: We decided on the task and its goals.", *FILLER, *FILLER)
    important = [reading.treatment.important for reading in read_segment(turns) if reading.treatment is not None]
    assert important[0]
    strict = read_segment(turns, residual_threshold=95)
    assert not any(reading.treatment.important for reading in strict if reading.treatment is not None)
