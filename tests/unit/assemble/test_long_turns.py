"""A query finds a decision in the middle of a long turn among any other content."""

from __future__ import annotations

import pytest

from turnfold_worker.offline import fold

_SUBJECTS = ("harbour", "meadow", "quarry", "foundry", "orchard", "chapel", "mill", "reservoir", "bakery", "station")
_THINGS = ("ledger", "pump", "winch", "barrow", "lantern", "kiln", "trellis", "anvil", "sluice", "loom", "gantry")
DECISIONS = {
    "Which gutters were ordered?": "We rejected copper gutters and ordered zinc ones.",
    "Who signs for the keys of the belfry?": "Marit signs for the keys of the belfry from now on.",
    "How often are the tide tables rebuilt?": "The tide tables are rebuilt every 6 hours.",
}


def long_turn(number: int, decision: str) -> str:
    """Return a turn of some thousand tokens without repeated sentences, with the decision in its middle."""
    told = [
        f"The {thing} of the {subject} number {number * 100 + i} was painted {colour} by crew {j} in a morning."
        for i, subject in enumerate(_SUBJECTS)
        for j, thing in enumerate(_THINGS)
        for colour in ("green" if (i + j) % 2 else "grey",)
    ]
    middle = len(told) // 2
    return "\n\n".join([*told[:middle], decision, *told[middle:]])


@pytest.mark.parametrize("agent", [False, True])
@pytest.mark.parametrize("query", DECISIONS)
def test_a_decision_in_the_middle_of_a_long_turn_is_shown_when_it_is_asked_for(query: str, agent: bool) -> None:
    turns = []
    for number, decision in enumerate(DECISIONS.values()):
        turns += [
            {"role": "user", "content": long_turn(number, decision)},
            {"role": "assistant", "content": f"I read list {number}.\n\n```\ncat src/list_{number}.py\n```"},
        ]
        if agent:
            output = "\n".join(f"{i}: src/deep/folder_{number}/module_{i}.py" for i in range(60))
            turns.append({"role": "tool", "content": output})
    with fold(turns) as conversation:
        text = conversation.context(budget_tokens=1_000, query=query).text
    assert DECISIONS[query] in text
