"""An unchanged context is read from memory again; after any change, it is never shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from conftest import Filling, LocalWorker
from support.talk import talk
from turnfold import Context, Settings, Turnfold
from turnfold.database.driver import Call, DriverConnection, Row

STORED = 60
BUDGET = 900
QUESTIONS = (None, False, "Which limit did we set for the seat map?")


@pytest.fixture(scope="module")
def filled() -> Filling:
    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        tf.append("c", talk(1, STORED))
        make_worker().settle()

    return fill


@pytest.fixture
def read(tf: Turnfold) -> Callable[..., Context]:
    def read(**asked: object) -> Context:
        return tf.context("c", budget_tokens=BUDGET, **asked)  # type: ignore[arg-type]  # options by name

    return read


@pytest.fixture
def afresh(settings: Settings) -> Iterator[Callable[..., Context]]:
    """Reads a context as a process without caches does."""
    with Turnfold(settings=settings) as tf:

        def read(**asked: object) -> Context:
            tf._resources.reader().forget_parsed()
            return tf.context("c", budget_tokens=BUDGET, **asked)  # type: ignore[arg-type]  # options by name

        yield read


@pytest.mark.parametrize("query", QUESTIONS)
def test_an_unchanged_read_asks_for_the_head_alone(
    tf: Turnfold, read: Callable[..., Context], query: str | bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = read(query=query)
    assert first.tokens > BUDGET // 2
    asked: list[object] = []
    batch = DriverConnection.batch

    def counted(self: DriverConnection, *calls: Call, last: bool = False) -> list[list[Row]]:
        asked.extend(calls)
        return batch(self, *calls, last=last)

    monkeypatch.setattr(DriverConnection, "batch", counted)
    again = read(query=query)
    assert (again.text, again.report, again.fingerprint) == (first.text, first.report, first.fingerprint)
    assert len(asked) == 1


@pytest.mark.parametrize("query", QUESTIONS)
def test_what_changes_a_context_is_seen_at_once(
    tf: Turnfold, local: LocalWorker, read: Callable[..., Context], afresh: Callable[..., Context],
    query: str | bool | None,
) -> None:  # fmt: skip
    newest = tf.append("c", {"role": "user", "content": "The seat map may hold 900 seats."}).turn_ids[0]
    changes: tuple[Callable[[], object], ...] = (
        lambda: tf.append("c", {"role": "assistant", "content": "Noted: 900 seats."}),
        lambda: tf.append("c", {"role": "user", "content": "And which limit did we set for refunds?"}),
        local.settle,
        lambda: tf.resolve_anchor("c", tf.anchors("c")[0].id),
        local.settle,
        lambda: tf.edit("c", newest, content="The seat map may hold 950 seats."),
        local.settle,
        lambda: tf.delete("c", newest),
        lambda: tf.forget("c", timeout_seconds=0),
    )
    texts = [read(query=query).text]
    for change in changes:
        change()
        texts.append(read(query=query).text)
        assert texts[-1] == read(query=query).text == afresh(query=query).text
    assert len(set(texts)) > len(changes) // 2
    assert texts[-1] == ""


def test_every_option_of_a_read_tells_contexts_apart(
    read: Callable[..., Context], afresh: Callable[..., Context]
) -> None:
    options: tuple[dict[str, object], ...] = (
        {}, {"query": False}, {"query": QUESTIONS[2]}, {"task": "Which limit holds for seats?"},
        {"system": "Be brief."}, {"reserve_tokens": 300}, {"policy": "recency"}, {"count_tokens": len},
    )  # fmt: skip
    for _ in range(2):
        assert [read(**asked).text for asked in options] == [afresh(**asked).text for asked in options]
