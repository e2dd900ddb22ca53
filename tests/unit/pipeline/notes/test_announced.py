"""Notes keep what an agent found out around its commands, not what it announces or claims."""

from __future__ import annotations

import pytest

from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.notes.announced import is_announced
from turnfold_worker.pipeline.turns.reading import read_turn


def announced(said: str, *, role: Role = Role.ASSISTANT, command: bool = True, at_work: bool = True) -> bool:
    content = f"{said}\n\n```\nls src\n```" if command else said
    turn = StoredTurn(seq=1, turn_id="t1", role=role, content=content, tokens=1)
    return is_announced(read_turn(turn), said, at_work=at_work)


@pytest.mark.parametrize(
    "said",
    [
        "Let's open the file.", "To proceed, I will look for the class.", "Now let me run the tests.",
        "We've successfully renamed the import.", "The method has been updated.",
        "This will allow us to see the error.", "It should help us understand the parser.",
        "It seems that the Quay class is not found in the repository.", "We couldn't find the file.",
    ],
)  # fmt: skip
def test_announcements_claims_and_absences_say_no_more_than_the_tool(said: str) -> None:
    assert announced(said)


@pytest.mark.parametrize(
    "said",
    [
        "The code cuts the amount before it rounds.", "We must keep the old signature for callers.",
        "refund_amount calls quantize_down, which cuts.", "The lock is taken twice in renewLease.",
        "This allows two writers at once.", "That will break callers of quantize_down.",
    ],
)  # fmt: skip
def test_what_the_agent_found_out_is_kept(said: str) -> None:
    assert not announced(said)


def test_only_an_agent_at_work_announces() -> None:
    said = "Let's meet on Monday."
    assert not announced(said, role=Role.USER)
    assert not announced(said, command=False)
    assert not announced(said, at_work=False)
