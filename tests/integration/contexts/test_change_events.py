"""A client is told what workers changed of a conversation since it read it, once, and never instead of an answer."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from conftest import LocalWorker
from turnfold import ChangeEvent, Turnfold

pytestmark = pytest.mark.daily_on("sqlite")

FILLER = "Line {}: the lamp of room {} was counted again by Mara, who keeps the list of all lamps of the house."


def lines(first: int, last: int) -> list[dict[str, str]]:
    return [{"role": "user", "content": FILLER.format(i, i)} for i in range(first, last)]


@pytest.fixture
def events() -> list[ChangeEvent]:
    return []


@pytest.fixture
def watching(tf: Turnfold, events: list[ChangeEvent]) -> Iterator[Turnfold]:
    with Turnfold(settings=tf._settings, on_change=events.append) as client:
        yield client


def test_a_fold_is_told_at_the_next_read_and_once(
    watching: Turnfold, local: LocalWorker, events: list[ChangeEvent]
) -> None:
    watching.append("c", lines(0, 60))
    local.settle()
    watching.context("c", budget_tokens=800)
    assert events == [], "nothing was known before"
    watching.append("c", lines(60, 120))
    watching.context("c", budget_tokens=800)
    assert events == [], "what only waits changed nothing that workers made"
    local.settle()
    watching.context("c", budget_tokens=800)
    watching.context("c", budget_tokens=800)

    (event,) = events
    assert (event.conversation_id, event.kind) == ("c", "folded")
    assert event.markers
    shown = watching.expand("c", event.markers[-1])
    assert shown.last_seq > 60


def test_a_rewind_is_told(watching: Turnfold, local: LocalWorker, events: list[ChangeEvent]) -> None:
    watching.append("c", [{**turn, "turn_id": f"m-{i}"} for i, turn in enumerate(lines(0, 60))])
    local.settle()
    watching.context("c", budget_tokens=800)
    watching.rewind("c", after="m-20")
    local.settle()
    watching.context("c", budget_tokens=800)

    assert [event.kind for event in events] == ["cut"]


def test_what_it_raises_is_logged_and_breaks_no_read(
    tf: Turnfold, local: LocalWorker, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(event: ChangeEvent) -> None:
        raise ZeroDivisionError(event.kind)

    with Turnfold(settings=tf._settings, on_change=fail) as client:
        client.append("c", lines(0, 60))
        local.settle()
        client.context("c", budget_tokens=800)
        client.append("c", lines(60, 120))
        local.settle()
        with caplog.at_level(logging.ERROR, logger="turnfold"):
            assert client.context("c", budget_tokens=800).text

    assert "on_change failed for a change of conversation c" in caplog.text


def test_it_may_read_itself(tf: Turnfold, local: LocalWorker) -> None:
    texts: list[str] = []

    def read(event: ChangeEvent) -> None:
        texts.append(client.context(event.conversation_id, budget_tokens=800).text)

    with Turnfold(settings=tf._settings, on_change=read) as client:
        client.append("c", lines(0, 60))
        local.settle()
        client.context("c", budget_tokens=800)
        client.append("c", lines(60, 120))
        local.settle()
        text = client.context("c", budget_tokens=800).text

    assert texts == [text]
