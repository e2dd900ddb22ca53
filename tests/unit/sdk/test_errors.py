"""The error tree matches the drawing at the top of `errors.py`."""

from __future__ import annotations

import inspect
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import turnfold
from turnfold import errors
from turnfold.contract.explained_errors import ExplainedError
from turnfold.contract.results import Status

OUR_ERRORS = {
    name: kind
    for name, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, Exception) and kind.__module__ == errors.__name__
}


@pytest.mark.parametrize("name", OUR_ERRORS)
def test_every_error_is_a_turnfold_error_and_is_exported(name: str) -> None:
    assert issubclass(OUR_ERRORS[name], turnfold.TurnfoldError)
    assert getattr(turnfold, name) is OUR_ERRORS[name]
    assert name in turnfold.__all__


def test_the_drawing_shows_every_error_under_its_parent() -> None:
    drawn: dict[str, str] = {}
    last_at_depth = {-1: "TurnfoldError"}
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"(?P<branch>[│ ]*[├└]── )(?P<name>\w+)", line):
            depth = len(found["branch"]) // 4 - 1
            drawn[found["name"]] = last_at_depth[depth - 1]
            last_at_depth[depth] = found["name"]
    assert drawn == {name: kind.__bases__[0].__name__ for name, kind in OUR_ERRORS.items() if name != "TurnfoldError"}


@pytest.mark.parametrize(
    ("kind", "also"),
    [
        (turnfold.InvalidTurn, ValueError),
        (turnfold.InvalidIdentifier, ValueError),
        (turnfold.InvalidBudget, ValueError),
        (turnfold.InvalidSettings, ValueError),
        (turnfold.UnknownConversation, LookupError),
        (turnfold.UnknownMarker, LookupError),
        (turnfold.WaitTimeout, TimeoutError),
    ],
)
def test_errors_are_caught_by_pythons_own_names_too(kind: type[Exception], also: type[Exception]) -> None:
    assert issubclass(kind, also)


def test_errors_carry_what_the_next_step_needs() -> None:
    status = Status(
        conversation_id="c",
        inbox=1,
        stored=2,
        folded=0,
        closed=0,
        refined=0,
        segments=0,
        anchors=0,
        parked=0,
        lag_seconds=1.5,
    )
    assert turnfold.InvalidBudget("too small", needed_tokens=120).needed_tokens == 120
    assert turnfold.WaitTimeout("gave up", status=status).status is status
    assert turnfold.Unavailable("no answer").turns == ()
    assert turnfold.InboxFull("full").turns == ()


@given(problem=st.text(), remedy=st.text())
def test_any_error_says_its_problem_and_never_lacks_a_remedy(problem: str, remedy: str) -> None:
    error = ExplainedError(problem, remedy=remedy)
    assert (error.problem, error.remedy) == (problem, remedy or ExplainedError.remedy)
    assert str(error) == (f"{problem}: {remedy}" if remedy else problem)
