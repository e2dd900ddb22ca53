"""A client is told once what workers changed since its last read, and always gets its answer as well."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import text

from conftest import LocalWorker
from support.refinery import Refinery
from turnfold import AsyncTurnfold, ChangeEvent, Turnfold

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


def test_notes_of_a_model_are_told(make_refinery: Callable[..., Refinery], events: list[ChangeEvent]) -> None:
    refinery = make_refinery(refine="on")
    with Turnfold(settings=refinery.tf._settings, on_change=events.append) as client:
        refinery.append("c")
        refinery.fold_only()
        earlier = client.context("c", budget_tokens=800)
        assert events == [], "nothing was known before"
        refinery.local.settle()
        later = client.context("c", budget_tokens=800)
        written = {note.turn_seq for note in client.notes("c", written_by="model")}

        (event,) = events
        assert event.kind == "refined"
        told = {turn.seq for marker in event.markers for turn in client.expand("c", marker).turns}
        assert written & told
        came = {statement.turn_seq for statement in later.diff(earlier).came if statement.kind == "note"}
        assert came & written
        assert came & written <= told


def test_an_expiry_is_told_with_the_turns_whose_words_went(
    make_refinery: Callable[..., Refinery], events: list[ChangeEvent]
) -> None:
    refinery = make_refinery(refine="off", keep_level0_days=7)
    with Turnfold(settings=refinery.tf._settings, on_change=events.append) as client:
        refinery.fold("c")
        earlier = client.context("c", budget_tokens=20_000)
        with refinery.local.write_engine.begin() as connection:
            connection.execute(text("UPDATE node SET closed_at = closed_at - 864000000 WHERE height = 0 AND idx < 3"))
            connection.execute(text("UPDATE conversation SET words_since = words_since - 864000000"))
        gone = refinery.local.worker.expire()
        later = client.context("c", budget_tokens=20_000)

        (event,) = events
        assert event.kind == "expired"
        assert {turn.seq for marker in event.markers for turn in client.expand("c", marker).turns} == set(
            range(1, gone + 1)
        )
        left = {statement.turn_seq for statement in later.diff(earlier).left if statement.kind == "turn"}
        assert left >= set(range(1, gone + 1))


def test_an_expiry_is_written_for_endpoints_that_want_it(make_refinery: Callable[..., Refinery]) -> None:
    refinery = make_refinery(refine="off", keep_level0_days=7)
    refinery.fold("c")
    endpoints = {"ours": ("acme", ",expired,"), "other": ("acme", ",folded,"), "theirs": ("globex", ",expired,")}
    with refinery.local.write_engine.begin() as connection:
        for endpoint, (tenant, wanted) in endpoints.items():
            connection.execute(
                text(
                    "INSERT INTO webhook_endpoint (id, tenant, url, events, secret) VALUES (:id, :tenant, 'u', :e, 's')"
                ),
                {"id": endpoint, "tenant": tenant, "e": wanted},
            )
        connection.execute(text("UPDATE node SET closed_at = closed_at - 864000000 WHERE height = 0 AND idx < 3"))
        connection.execute(text("UPDATE conversation SET words_since = words_since - 864000000"))

    gone = refinery.local.worker.expire()
    refinery.local.worker.expire()

    rows = refinery.query("SELECT endpoint, event, conversation_id, details FROM webhook_delivery")
    assert rows == [("ours", "expired", "c", f'{{"last_turn": {gone}}}')]


def test_a_client_for_asyncio_is_told_too(tf: Turnfold, local: LocalWorker, events: list[ChangeEvent]) -> None:
    async def read() -> None:
        async with AsyncTurnfold(settings=tf._settings, on_change=events.append) as client:
            await client.append("c", lines(0, 60))
            await asyncio.to_thread(local.settle)
            await client.context("c", budget_tokens=800)
            await client.append("c", lines(60, 120))
            await asyncio.to_thread(local.settle)
            await asyncio.gather(*(client.context("c", budget_tokens=800) for _ in range(3)))

    asyncio.run(read())
    assert [event.kind for event in events] == ["folded"]


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
