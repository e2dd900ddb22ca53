"""The database triggers behind webhooks write the right deliveries of each event, on both databases."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, text

from turnfold.database.engines import connect

_JOB = (
    "INSERT INTO job (conversation, tenant, kind, subject, input_hash, state, not_before) "
    "VALUES (1, 'acme', '{kind}', 3, '{hash}', 'running', 0)"
)


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    engine = connect(database_url, write=True, timeout_seconds=5)
    yield engine
    engine.dispose()


def waiting(connection: Connection) -> list[tuple[str, str, str, dict[str, object]]]:
    rows = connection.execute(
        text("SELECT endpoint, event, conversation_id, details FROM webhook_delivery ORDER BY id")
    )
    return [(row.endpoint, row.event, row.conversation_id, json.loads(row.details)) for row in rows]


def add(connection: Connection, endpoint: str, tenant: str, events: str) -> None:
    connection.execute(
        text("INSERT INTO webhook_endpoint (id, tenant, url, events, secret) VALUES (:id, :tenant, 'u', :events, 's')"),
        {"id": endpoint, "tenant": tenant, "events": events},
    )


def test_jobs_that_end_or_are_parked_are_told_to_their_tenant_alone(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO conversation (id, tenant, external_id) VALUES (1, 'acme', 'talk')"))
        add(connection, "ours", "acme", ",refined,parked,")
        add(connection, "uninterested", "acme", ",folded,")
        add(connection, "theirs", "other", ",refined,parked,")
        for kind, input_hash in (("refine", "a"), ("refold", "b"), ("refold", "c")):
            connection.execute(text(_JOB.format(kind=kind, hash=input_hash)))
        for state, input_hash in (("done", "a"), ("parked", "b"), ("done", "c")):
            for _ in range(2):
                connection.execute(text(f"UPDATE job SET state = '{state}' WHERE input_hash = '{input_hash}'"))
        events = waiting(connection)

    assert events == [
        ("ours", "refined", "talk", {"segment": 3}),
        ("ours", "parked", "talk", {"kind": "refold", "segment": 3}),
    ]


def test_an_erasure_is_told_when_the_rows_are_gone_and_takes_what_waits_with_it(engine: Engine) -> None:
    with engine.begin() as connection:
        add(connection, "ours", "acme", ",folded,erased,")
        connection.execute(
            text("INSERT INTO conversation (id, tenant, external_id, turn_count) VALUES (1, 'acme', 'talk', 7)")
        )
        connection.execute(text("UPDATE conversation SET fold_seq = 7 WHERE id = 1"))
        folded = waiting(connection)
        connection.execute(text("UPDATE conversation SET external_id = 'hidden' WHERE id = 1"))
        hidden = waiting(connection)
        due = [connection.scalar(text("SELECT count(*) FROM webhook_delivery WHERE not_before = 0"))]
        connection.execute(text("DELETE FROM conversation WHERE id = 1"))
        due.append(connection.scalar(text("SELECT count(*) FROM webhook_delivery WHERE not_before = 0")))

    assert folded == [("ours", "folded", "talk", {"turns": 7, "segments": 0, "anchors": 0})]
    assert hidden == [("ours", "erased", "talk", {"turns": 7, "segments": 0})]
    assert due == [0, 1]


def test_nothing_is_written_for_a_tenant_without_an_endpoint(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO conversation (id, tenant, external_id) VALUES (1, 'acme', 'talk')"))
        connection.execute(text("UPDATE conversation SET fold_seq = 7 WHERE id = 1"))
        events = waiting(connection)

    assert events == []
