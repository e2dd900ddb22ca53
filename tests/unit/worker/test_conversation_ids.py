"""A cached conversation id that is stale never leads to another conversation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import event, text

from support.in_memory import InMemory
from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId
from turnfold_worker.adapters.sql import conversation_ids
from turnfold_worker.adapters.sql.conversation_ids import ConversationIds

ONE, OTHER = Address("acme", "one"), Address("globex", "one")


@pytest.fixture
def memory() -> Iterator[InMemory]:
    conversation = InMemory()
    yield conversation
    conversation.close()


def test_an_id_is_looked_up_once(memory: InMemory) -> None:
    (first,) = memory.store.resolve([ONE])
    statements: list[str] = []
    event.listen(memory.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))
    assert memory.store.resolve([ONE]) == [first]
    assert statements == []
    assert memory.store.resolve([OTHER, ONE]) == [first + 1, first]
    assert statements


def test_what_is_stored_under_an_id_that_is_another_conversations_now_is_missing(memory: InMemory) -> None:
    memory.append([{"role": "user", "content": "The key is under the mat."}])
    with memory.engine.begin() as connection:
        # As if the database had been recreated while a worker ran.
        connection.execute(text("UPDATE conversation SET tenant = 'globex'"))
    memory.drain(0, 2)
    with memory.engine.begin() as connection:
        assert connection.scalar(text("SELECT COUNT(*) FROM turn")) == 0
    (anew,) = memory.store.resolve([memory.address])
    assert anew != memory.conversation


def test_a_conversation_that_is_gone_is_made_again_at_the_next_look(memory: InMemory) -> None:
    memory.append([{"role": "user", "content": "The key is under the mat."}])
    with memory.engine.begin() as connection:
        connection.execute(text("DELETE FROM conversation"))
    memory.drain(0, 2)
    (memory.conversation,) = memory.store.resolve([memory.address])
    memory.drain(0, 2)
    with memory.engine.begin() as connection:
        assert connection.scalar(text("SELECT COUNT(*) FROM turn")) == 1


def test_no_more_are_remembered_than_memory_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversation_ids, "MOST_REMEMBERED", 2)
    ids = ConversationIds()
    for number in range(5):
        ids.remember([(Address("acme", f"c-{number}"), ConversationId(number))])
    assert ids.of([Address("acme", f"c-{number}") for number in range(5)]) == {Address("acme", "c-4"): 4}
    ids.forget([ConversationId(4), ConversationId(3)])
    assert ids.of([Address("acme", "c-4")]) == {}
    assert ids.address_of(ConversationId(4)) is None


def test_an_id_that_came_back_is_only_the_new_conversations() -> None:
    ids = ConversationIds()
    ids.remember([(ONE, ConversationId(7))])
    ids.remember([(OTHER, ConversationId(7))])
    assert ids.of([ONE, OTHER]) == {OTHER: 7}
    assert ids.address_of(ConversationId(7)) == OTHER
