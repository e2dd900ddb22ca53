"""People may lift each other's prohibitions; an assistant of any name may not, nor may a user lift an operator's."""

from __future__ import annotations

import pytest

from support.settled_talk import merged, states
from support.wild_turns import said
from turnfold.contract.records import AnchorState, Role

RULE, PERMISSION = "Never deploy on Fridays.", "You may deploy on Fridays now."


@pytest.mark.parametrize(
    ("ruled", "by", "state"),
    [
        ((Role.USER, None), (Role.USER, None), AnchorState.SUPERSEDED),
        ((Role.USER, "Ana"), (Role.USER, "Ben"), AnchorState.SUPERSEDED),
        ((Role.USER, None), (Role.ASSISTANT, None), AnchorState.ACTIVE),
        ((Role.USER, None), (Role.ASSISTANT, "Robin"), AnchorState.ACTIVE),
        ((Role.USER, "Ana"), (Role.ASSISTANT, "Robin"), AnchorState.ACTIVE),
        ((Role.SYSTEM, None), (Role.USER, None), AnchorState.ACTIVE),
        ((Role.SYSTEM, None), (Role.SYSTEM, None), AnchorState.SUPERSEDED),
    ],
)
@pytest.mark.parametrize("apart", [False, True])
def test_who_may_lift_a_rule(
    ruled: tuple[Role, str | None], by: tuple[Role, str | None], state: AnchorState, apart: bool
) -> None:
    first = said(RULE, seq=1, role=ruled[0], name=ruled[1])
    second = said(PERMISSION, seq=2, role=by[0], name=by[1])
    if apart:
        changed = merged([second], merged([first]).new).changed
        assert [one.state for one in changed] == ([state] if state is not AnchorState.ACTIVE else [])
    else:
        assert states(merged([first, second]))[0] is state


@pytest.mark.parametrize("name", [None, "Robin"])
def test_an_assistant_sets_its_user_right_by_saying_so(name: str | None) -> None:
    first = said("Our database listens on port 5433.", seq=1)
    second = said("No, it's 5432.", seq=2, role=Role.ASSISTANT, name=name)
    assert states(merged([first, second])) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]
