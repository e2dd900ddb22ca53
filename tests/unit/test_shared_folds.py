"""Tests that fold the same turns share the results of stages, unless a rule may have been patched."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import shared_folds
from support.shared_folds import folded_anew
from turnfold.contract.records import Importance, Role, StoredTurn
from turnfold.database import value_read
from turnfold_worker.adapters.sql import store
from turnfold_worker.pipeline import fold
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns import memo
from turnfold_worker.use_cases import drain

Stage = Callable[[list[StoredTurn]], list[str]]


def turn(content: str, turn_id: str = "1") -> StoredTurn:
    return StoredTurn(
        seq=1, turn_id=turn_id, role=Role.USER, content=content, importance=Importance.NORMAL, tokens=len(content)
    )


@pytest.fixture
def ran() -> list[str]:
    """Inputs on which the stage below has run."""
    return []


@pytest.fixture
def stage(ran: list[str]) -> Stage:
    def words(turns: list[StoredTurn]) -> list[str]:
        ran.extend(turn.content for turn in turns)
        return [turn.content for turn in turns]

    return shared_folds._shared(words)


def test_a_stage_runs_once_on_the_same_turns_and_gives_each_caller_objects_of_its_own(
    stage: Stage, ran: list[str]
) -> None:
    first, again = stage([turn("a", "1")]), stage([turn("a", "2")])
    again.append("changed by its caller")
    assert (first, stage([turn("a")]), ran) == (["a"], ["a"], ["a"])
    assert stage([turn("b")]) == ["b"]


def test_inside_the_block_it_runs_each_time(stage: Stage, ran: list[str]) -> None:
    with folded_anew("here"):
        stage([turn("a")])
        stage([turn("a")])
    assert ran == ["a", "a"]
    stage([turn("a")])
    stage([turn("a")])
    assert ran == ["a", "a", "a"]


@pytest.mark.parametrize(
    ("place", "name"),
    [
        (fold, "noted"), (FoldSettings, "__doc__"), ("turnfold.tokens.estimate_tokens", None),
        ("turnfold_worker.pipeline.fold.noted", None), ("turnfold_worker.errors.WorkerError", None), (re, "compile"),
    ],
)  # fmt: skip
def test_it_runs_while_a_rule_may_be_changed_and_no_longer(
    stage: Stage, ran: list[str], place: object, name: str | None
) -> None:
    stage([turn("a")])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(*([place] if name is None else [place, name]), None)  # type: ignore[call-overload]
        stage([turn("a")])
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(fold, "noted", None)
        stage([turn("a")])
    assert ran == ["a", "a", "a"]
    stage([turn("a")])
    assert ran == ["a", "a", "a"]


@pytest.mark.parametrize("patch", ["setitem", "delitem"])
def test_it_runs_while_a_table_may_be_changed(
    stage: Stage, ran: list[str], monkeypatch: pytest.MonkeyPatch, patch: str
) -> None:
    stage([turn("a")])
    getattr(monkeypatch, patch)({"a": 1}, "a", *([2] if patch == "setitem" else []))
    stage([turn("a")])
    assert ran == ["a", "a"]


@pytest.mark.parametrize("module", [store, drain, value_read])
def test_a_patch_above_the_rules_changes_no_stage(
    stage: Stage, ran: list[str], monkeypatch: pytest.MonkeyPatch, module: object
) -> None:
    stage([turn("a")])
    monkeypatch.setattr(module, "__doc__", "patched")
    monkeypatch.setattr(f"{module.__name__}.__doc__", "patched")  # type: ignore[attr-defined]
    monkeypatch.setenv("TURNFOLD_TENANT", "acme")
    stage([turn("a")])
    assert ran == ["a"]


@given(st.text(min_size=1))
def test_what_differs_in_words_is_never_shared(content: str) -> None:
    lengths = shared_folds._shared(lambda turns: len(turns[0].content))
    whole = len(content)
    assert [lengths([turn(content[:end])]) for end in (whole, 0, whole)] == [whole, 0, whole]


@pytest.fixture
def memos_of() -> Callable[..., dict[int, memo.TurnMemo]]:
    return shared_folds._with_kept_results(memo.memos_of)


def made(memos: dict[int, memo.TurnMemo], around: str, result: str) -> str:
    """Run a stage on the first turn; return its result or the kept one."""
    return memo.made_once(memos[1], "stage", around, lambda: result, pack=str, unpack=str)


def test_memos_of_equal_turns_begin_with_the_results_of_earlier_folds(
    memos_of: Callable[..., dict[int, memo.TurnMemo]],
) -> None:
    assert made(memos_of([turn("Hello.")], {}), "", "first") == "first"
    again = memos_of([turn("Hello.", turn_id="2")], {})
    assert again[1].has_changed
    assert made(again, "", "second") == "first"
    assert made(memos_of([turn("Hello.")], {}), "other inputs", "third") == "third"
    assert made(memos_of([turn("Goodbye.")], {}), "", "fourth") == "fourth"
    with folded_anew("a test of it"):
        assert made(memos_of([turn("Hello.")], {}), "", "fifth") == "fifth"
