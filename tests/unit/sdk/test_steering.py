"""Without a query the newest user turn steers, unless it says nothing or precedes the last four turns."""

from __future__ import annotations

import pytest

from turnfold.assemble.last_turns import LAST_TURNS
from turnfold.contract.records import Role, StoredTurn, TurnState
from turnfold.database.steering import says_something, steering_text


def turns(*said: tuple[Role, str]) -> list[StoredTurn]:
    return [
        StoredTurn(seq=seq, turn_id=f"t{seq}", role=role, content=content, tokens=1)
        for seq, (role, content) in enumerate(said, 1)
    ]


USER, ASSISTANT, TOOL = Role.USER, Role.ASSISTANT, Role.TOOL


def test_the_newest_user_turn_steers_wherever_it_waits() -> None:
    stored = turns((USER, "Which database?"), (ASSISTANT, "PostgreSQL."))
    assert steering_text(stored, []) == "Which database?"
    assert steering_text(stored, turns((USER, "And the cache?"))) == "And the cache?"
    assert steering_text([], turns((USER, "And the cache?"))) == "And the cache?"


def test_one_that_lies_behind_the_last_turns_steers_nothing() -> None:
    later = [(ASSISTANT, "Reading."), (TOOL, "ok")] * 2
    assert len(later) == LAST_TURNS
    assert steering_text(turns((USER, "Which database?"), *later), []) is None
    assert steering_text(turns((USER, "Which database?"), *later[1:]), []) == "Which database?"


@pytest.mark.parametrize("said", ["thanks", "Bye!", "yes", "OK, great, thank you so much!", "👍", "", "No."])
def test_pleasantries_steer_nothing(said: str) -> None:
    assert not says_something(said)
    assert steering_text(turns((USER, "Which database?"), (USER, said)), []) is None


def test_a_deleted_turn_steers_nothing_and_the_one_before_it_does() -> None:
    stored = turns((USER, "Which database?"), (USER, "gone"))
    deleted = StoredTurn(seq=3, turn_id="t3", role=USER, content="gone", tokens=1, state=TurnState.DELETED)
    assert steering_text([stored[0], deleted], []) == "Which database?"


def test_of_a_pasted_document_only_the_ends_are_looked_at() -> None:
    text = steering_text(turns((USER, "first " + "middle " * 100_000 + "last")), [])
    assert text is not None
    assert text.startswith("first")
    assert text.endswith("last")
    assert len(text) < 5_000


def test_a_task_steers_beside_the_newest_user_turn_and_alone() -> None:
    assert steering_text(turns((USER, "Which database?")), [], task="Plan the backup") == (
        "Plan the backup\nWhich database?"
    )
    assert steering_text(turns((USER, "Thanks!")), [], task="Plan the backup") == "Plan the backup"
    assert steering_text([], [], task="OK") is None
