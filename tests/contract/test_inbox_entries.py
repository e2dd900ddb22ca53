"""The form of an inbox entry is stable: a new worker reads entries of an old producer."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from support.places import place, servers, shard_of
from turnfold import Turn, Turnfold
from turnfold.contract import keys
from turnfold.contract.keys import Address
from turnfold.contract.records import Importance, Role, StoredTurn
from turnfold.contract.tasks import Operation
from turnfold.redis.inbox import BYTES_A_LOOK, Pending, ProducerInbox
from turnfold.tokens import estimate_tokens
from turnfold.wire.decode import decode_turn, read_entry
from turnfold.wire.encode import accept
from turnfold.wire.inbox_entry import InboxEntry
from turnfold_worker.ports.messages import ReceivedTurn
from turnfold_worker.use_cases.drain import receive

pytestmark = pytest.mark.processes

PLAIN = '{"role":"user","content":"We must use PostgreSQL — não MySQL."}'
FULL = (
    '{"role":"assistant","content":"[call now {}]","name":"bot",'
    '"parts":{"tool_calls":[{"id":"call-1","type":"function","function":{"name":"now","arguments":"{}"}}]},'
    '"importance":3,"created_at":"2026-03-02T07:00:00.500000+00:00","metadata":{"channel":"web","ü":[1,2.5,null,true]}}'
)
CALLS = [{"id": "call-1", "type": "function", "function": {"name": "now", "arguments": "{}"}}]


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_url, protocol=2) as client:
        yield client


@pytest.mark.parametrize(
    ("turn", "body"),
    [
        (Turn(role="user", content="We must use PostgreSQL — não MySQL."), PLAIN),
        (
            Turn(
                role="assistant", name="bot", importance="high", tool_calls=CALLS,
                created_at=datetime(2026, 3, 2, 7, 0, 0, 500_000, tzinfo=UTC),
                metadata={"channel": "web", "ü": [1, 2.5, None, True]},
            ),
            FULL,
        ),
    ],
)  # fmt: skip
def test_golden_bodies_are_what_the_edge_writes(turn: Turn, body: str) -> None:
    assert accept(turn, max_bytes=10_000).body == body.encode()


def test_golden_bodies_are_read_into_turns() -> None:
    assert decode_turn(PLAIN.encode(), seq=3, turn_id="m-3") == StoredTurn(
        seq=3, turn_id="m-3", role=Role.USER, content="We must use PostgreSQL — não MySQL.",
        tokens=estimate_tokens("We must use PostgreSQL — não MySQL."),
    )  # fmt: skip
    assert decode_turn(FULL.encode(), seq=4, turn_id="m-4") == StoredTurn(
        seq=4, turn_id="m-4", role=Role.ASSISTANT, content="[call now {}]", name="bot", parts={"tool_calls": CALLS},
        importance=Importance.HIGH, created_at=datetime(2026, 3, 2, 7, 0, 0, 500_000, tzinfo=UTC),
        metadata={"channel": "web", "ü": [1, 2.5, None, True]}, tokens=estimate_tokens("[call now {}]"),
    )  # fmt: skip


def test_golden_fields_of_an_appended_turn(tf: Turnfold, client: redis.Redis) -> None:
    tf.append("conv-1", {"role": "user", "content": "Hi.", "turn_id": "m-1"})
    entries = client.xrange(place(Address("acme", "conv-1")).inbox)
    assert [fields for _, fields in entries] == [
        {b"v": b"1", b"op": b"append", b"id": b"m-1", b"d": b'{"role":"user","content":"Hi."}', b"n": b"31"}
    ]


def test_golden_fields_of_a_configuration(tf: Turnfold, client: redis.Redis) -> None:
    tf.configure("conv-1", goal="a booking service", constraints=["no AWS"], settings={"segment_max_turns": 20})
    ((_, fields),) = client.xrange(place(Address("acme", "conv-1")).inbox)
    assert fields.pop(b"id").startswith(b"configure-")
    assert fields == {
        b"v": b"1", b"op": b"configure",
        b"d": b'{"constraints": ["no AWS"], "goal": "a booking service", "settings": {"segment_max_turns": 20}}',
        b"n": b"95",
    }  # fmt: skip


def test_a_look_at_an_inbox_finds_its_entries_as_they_lie_there(tf: Turnfold, client: redis.Redis) -> None:
    address, inbox = Address("acme", "conv-1"), ProducerInbox(servers(client))
    assert inbox.peek(address, newest=10) == Pending(held=0, newest=(), forgotten=False, lag_seconds=0.0)
    said = ["Yes.", "Não,\r\n日本語 🙂", "x" * 70_000, "1,2,3"]
    tf.append("conv-1", [{"role": "assistant", "content": text, "turn_id": f"ü-{i}"} for i, text in enumerate(said)])
    # Written by another producer: fields in another order, one missing, one unknown.
    client.xadd(place(address).inbox, {"d": b"\x00\xff,", "more": "1", "id": "m-9", "v": "1"})
    entries = client.xrange(place(address).inbox)
    found = inbox.peek(address, newest=10)
    assert found.held == 5
    assert [(one.stream_id.encode(), one.entry_id.encode(), one.body) for one in found.newest] == [
        (stream_id, fields[b"id"], fields[b"d"]) for stream_id, fields in entries
    ]
    assert [one.operation for one in found.newest] == ["append"] * 4 + [""]
    assert inbox.peek(address, newest=2).newest == found.newest[-2:]
    assert inbox.peek(address, newest=0).newest == ()


def test_a_look_at_an_inbox_takes_no_more_than_its_newest_16_mebibytes(tf: Turnfold, inbox: ProducerInbox) -> None:
    address = Address("acme", "conv-1")
    words = "x" * 900_000
    tf.append("conv-1", [{"role": "user", "content": words, "turn_id": f"m-{i:02}"} for i in range(30)])
    found = inbox.peek(address, newest=200)
    assert found.held == 30
    assert [one.entry_id for one in found.newest] == [f"m-{i:02}" for i in range(30 - len(found.newest), 30)]
    assert sum(len(one.body) for one in found.newest) <= BYTES_A_LOOK < 16 * 1_048_576 + 1
    assert len(found.newest) == BYTES_A_LOOK // len(found.newest[0].body), "and no less"


def test_an_entry_as_large_as_one_may_be_is_seen(redis_url: str, sqlite_url: str, inbox: ProducerInbox) -> None:
    with Turnfold(redis_url=redis_url, database_url=sqlite_url, max_turn_bytes=BYTES_A_LOOK, doorbell=False) as tf:
        frame = len(accept({"role": "user", "content": "x"}, max_bytes=1_000).body) - 1
        tf.append("conv-1", [{"role": "user", "content": "small"}, {"role": "user", "content": "x" * 100}])
        tf.append("conv-1", {"role": "user", "content": "x" * (BYTES_A_LOOK - frame), "turn_id": "large"})
        found = inbox.peek(Address("default", "conv-1"), newest=200)
        assert [one.entry_id for one in found.newest] == ["large"]
        assert (found.held, len(found.newest[0].body)) == (3, BYTES_A_LOOK)


def test_one_entry_a_turn(tf: Turnfold, client: redis.Redis) -> None:
    tf.append("conv-1", [{"role": "user", "content": f"Turn {i}."} for i in range(1_201)])
    assert client.xlen(place(Address("acme", "conv-1")).inbox) == 1_201


def test_an_append_leaves_nothing_but_the_documented_keys(tf: Turnfold, client: redis.Redis) -> None:
    tf.append("conv-1", {"role": "user", "content": "Hi."})
    address = Address("acme", "conv-1")
    found = {key.decode(): client.type(key) for key in client.keys("*")}
    assert found == {
        place(address).inbox: b"stream",
        place(address).ready: b"zset",
        keys.tenants(shard_of(address)): b"zset",
        keys.LAYOUT: b"string",
    }


@pytest.mark.parametrize("body", [b"{no", b"[]", b"{}", b'{"role": "system"}', b'{"role": "nobody", "content": "x"}'])
def test_a_reader_and_a_drain_put_the_same_in_the_place_of_what_is_no_turn(body: bytes) -> None:
    parked = receive(InboxEntry("1-0", str(Operation.APPEND), "m-1", body))
    assert isinstance(parked, ReceivedTurn)
    assert read_entry(body, seq=0, turn_id="m-1") == parked.turn


FIELDS = st.fixed_dictionaries(
    {}, optional={b"op": st.binary(max_size=9), b"id": st.binary(max_size=9), b"d": st.binary(max_size=30)}
)


@given(FIELDS, st.dictionaries(st.binary(min_size=3, max_size=5), st.binary(max_size=9), max_size=2), st.randoms())
def test_an_entry_has_its_fields_in_any_order_beside_those_of_newer_versions(
    fields: dict[bytes, bytes], newer: dict[bytes, bytes], order: random.Random
) -> None:
    pairs = list({**newer, **fields}.items())
    order.shuffle(pairs)
    entry = InboxEntry.of(b"17-0", [*chain.from_iterable(pairs)])
    assert entry.stream_id == "17-0"
    assert entry.body == fields.get(b"d", b"")
    assert entry.operation == fields.get(b"op", b"").decode(errors="replace")
    assert entry.entry_id == fields.get(b"id", b"").decode(errors="replace")
