"""Words that are not folded yet put a fact in doubt for those who may read them, from the day they were said on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from conftest import Filling, LocalWorker
from turnfold import Turnfold

BUDGET_WAS = "We must never spend more than 2,000 euros on the offsite, no exceptions."
BUDGET_IS = "Correction: we must never spend more than 3,500 euros on the offsite."
SMALL_TALK = "The lake was calm this morning."


def spoken(text: str, name: str, day: int) -> dict[str, str]:
    return {"role": "user", "name": name, "content": text, "created_at": f"2026-05-{day:02}T09:00:00+00:00"}


def budget_line(text: str) -> str:
    return next(line for line in text.splitlines() if "2,000 euros" in line)


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds a rule by Ana of 1 May, and what she said after it."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        talk_between = [spoken(f"{SMALL_TALK} Part {part}.", "Ana", 2 + part // 8) for part in range(80)]
        tf.append("c", [spoken(BUDGET_WAS, "Ana", 1), *talk_between])
        make_worker(fold_turns=100, fold_idle_seconds=0.001, republish_seconds=0.001).settle()

    return fill


@pytest.fixture
def doubted(tf: Turnfold) -> Turnfold:
    """The rule, and Ben's correction of 20 May, which is not folded."""
    tf.append("c", spoken(BUDGET_IS, "Ben", 20))
    return tf


@pytest.mark.parametrize("scope", [{"speakers": ["Ana"]}, {"origins": ["user"]}, {"speakers": ["Ana", "Ben"]}])
def test_a_fact_may_have_changed_by_words_that_a_scope_hides(doubted: Turnfold, scope: dict[str, list[str]]) -> None:
    text = doubted.context("c", budget_tokens=1_000, **scope).text  # type: ignore[arg-type]
    assert "may have changed: turn 82" in budget_line(text)
    assert ("3,500" in text) is (scope != {"speakers": ["Ana"]})


def test_what_others_may_show_is_doubted_by_no_scope_that_hides_the_fact(doubted: Turnfold) -> None:
    text = doubted.context("c", budget_tokens=1_000, speakers=["Ben"]).text
    assert "2,000 euros" not in text
    assert "may have changed" not in text


@pytest.mark.parametrize(("day", "is_doubted"), [(19, False), (20, True), (25, True)])
def test_a_fact_of_a_day_may_have_changed_by_what_was_said_by_its_end(
    doubted: Turnfold, day: int, is_doubted: bool
) -> None:
    as_of = datetime(2026, 5, day, 12, tzinfo=UTC)
    text = doubted.context("c", budget_tokens=1_000, as_of=as_of).text
    assert ("may have changed: turn 82" in budget_line(text)) is is_doubted
    of_ana = doubted.context("c", budget_tokens=1_000, as_of=as_of, speakers=["Ana"]).text
    assert ("may have changed: turn 82" in budget_line(of_ana)) is is_doubted
