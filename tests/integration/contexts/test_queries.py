"""A question finds the latest words on its topic, whether in the inbox, the open tail or a closed segment."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from conftest import LocalWorker
from turnfold import Turnfold
from turnfold.assemble.detail import Answer, Detail
from turnfold.errors import InvalidInput

pytestmark = pytest.mark.daily_on("sqlite")

SAID = "The gardener Pavel comes on Tuesday at nine with the new hedge trimmer from the shop in the village."
QUERY = "When does the gardener Pavel come?"
FILLER = "Line {}: the lamp of room {} was counted again by Mara, who keeps the list of all lamps of the house."


def lines(first: int, last: int) -> list[dict[str, str]]:
    return [{"role": "user", "content": FILLER.format(i, i)} for i in range(first, last)]


@pytest.mark.parametrize("budget", [600, 1_500, 4_000])
def test_the_same_answer_is_found_wherever_it_is(tf: Turnfold, local: LocalWorker, budget: int) -> None:
    tf.append("c", lines(0, 120))
    local.settle()
    tf.append("c", [{"role": "assistant", "content": SAID}, *lines(120, 123)])
    for _ in ("in the inbox", "in the open tail"):
        context = tf.context("c", budget_tokens=budget, query=QUERY)
        assert "Pavel comes on Tuesday at nine" in context.text
        assert context.coverage is not None
        is_raw = context.coverage.level_of(121) == 0
        assert is_raw or Answer(None, 121, Detail.TURNS) in context.coverage.answers
        assert context.tokens <= budget
        local.settle()
    assert tf.status("c").closed < 121
    tf.append("c", lines(123, 200))
    local.settle()
    assert tf.status("c").closed > 121
    assert "Pavel comes on Tuesday" in tf.context("c", budget_tokens=600, query=QUERY).text
    generous = tf.context("c", budget_tokens=4_000, query=QUERY)
    assert SAID.rstrip(".") in generous.text
    assert generous.coverage is not None
    assert generous.coverage.answers[0].seq == 121


def test_what_was_deleted_is_not_quoted(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", [*lines(0, 20), {"role": "assistant", "content": SAID}, *lines(20, 200)])
    local.settle()
    assert SAID.rstrip(".") in tf.context("c", budget_tokens=4_000, query=QUERY).text
    tf.forget("c", timeout_seconds=0)
    tf.append("c", lines(0, 200))
    local.settle()
    assert "Pavel" not in tf.context("c", budget_tokens=4_000, query="When does Pavel come?").text.split("[recent")[0]


def dated(day: int, text: str) -> dict[str, str]:
    return {"role": "user", "content": text, "created_at": f"2026-03-{day:02}T09:00:00Z"}


def about_lamps(day: int) -> list[dict[str, str]]:
    return [dated(day, line["content"]) for line in lines(60 * day, 60 * day + 60)]


ASKED_LAST_WEEK = "What did we sell last week?"


@pytest.mark.parametrize(
    ("now", "day"),
    [(None, 19), (datetime(2026, 3, 18, tzinfo=UTC), 11), (datetime(2026, 3, 10, tzinfo=UTC), 3)],
)
def test_a_query_finds_what_was_said_then(tf: Turnfold, local: LocalWorker, now: datetime | None, day: int) -> None:
    sold = {3: "the old van to Omar", 11: "the boat to Layla", 19: "the barn to Pavel"}
    for said_on, what in sold.items():
        tf.append("c", [dated(said_on, f"We sold {what}."), *about_lamps(said_on)])
    tf.append("c", about_lamps(26))
    local.settle()

    context = tf.context("c", budget_tokens=400, query=ASKED_LAST_WEEK, now=now)

    assert sold[day] in context.text
    # Only the day connects these turns with the question.
    lamps = {other: f"room {60 * other}" in context.text or f"room {60 * other + 1}" in context.text for other in sold}
    assert lamps == {other: other == day for other in sold}


def test_a_search_finds_what_was_said_then(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", [*about_lamps(3), *about_lamps(11), *about_lamps(19)])
    local.settle()
    tf.append("c", [dated(26, "Good morning.")])

    last_week = tf.search("c", "What happened last week?")
    week_before = tf.search("c", "What happened last week?", now=datetime(2026, 3, 18, tzinfo=UTC))
    today = tf.search("c", "What happened today?")

    assert {hit.first_seq <= 180 and hit.last_seq >= 121 for hit in last_week} == {True}
    assert {hit.first_seq <= 120 and hit.last_seq >= 61 for hit in week_before} == {True}
    assert today[0].snippet == "user: Good morning."


def test_a_query_is_asked_at_a_time_with_a_zone(tf: Turnfold) -> None:
    with pytest.raises(InvalidInput, match="now must be a datetime with a time zone"):
        tf.context("c", budget_tokens=400, query=ASKED_LAST_WEEK, now=datetime(2026, 3, 18))  # noqa: DTZ001
