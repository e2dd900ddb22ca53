"""An error becomes a problem document that states once what is wrong and once what to do."""

from __future__ import annotations

import inspect

import pytest

import turnfold
from turnfold import InboxFull, Turn, TurnfoldError
from turnfold_gateway.problems import problem_of

PLAIN = sorted(
    {
        kind
        for _, kind in inspect.getmembers(turnfold, inspect.isclass)
        if issubclass(kind, TurnfoldError) and kind.__init__ is TurnfoldError.__init__
    },
    key=lambda kind: kind.__name__,
)


@pytest.mark.parametrize("kind", PLAIN)
def test_detail_and_remedy_stand_apart(kind: type[TurnfoldError]) -> None:
    own, of_its_class = (problem_of(error).document for error in (kind("It is wrong", remedy="mend it"), kind("Wrong")))
    assert (own["detail"], own["remedy"]) == ("It is wrong", "mend it")
    assert (of_its_class["detail"], of_its_class["remedy"]) == ("Wrong", kind.remedy)


def test_an_append_that_is_to_be_repeated_names_the_ids_beside_the_remedy() -> None:
    error = InboxFull("the inbox holds 10 turns", remedy="append the turns again in a while")
    error.turns = (Turn(role="user", content="Hi.", turn_id="m-1"),)
    document = problem_of(error).document
    assert document["detail"] == "the inbox holds 10 turns"
    assert (
        document["remedy"]
        == "append the turns again in a while; resend the turns with the ids in turn_ids to avoid duplicates"
    )
    assert document["turn_ids"] == ["m-1"]
