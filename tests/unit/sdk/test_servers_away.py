"""Reads that may go on without Redis skip, for a second, only the servers that did not answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest

from turnfold.contract.keys import Address
from turnfold.contract.shards import Layout
from turnfold.contract.tasks import Operation
from turnfold.errors import Unavailable
from turnfold.redis.connections import NoAnswer
from turnfold.redis.inbox import AWAY, Pending, ProducerInbox
from turnfold.redis.servers import InboxServers
from turnfold.wire.encode import Entry

HERE = Pending(held=0, newest=(), forgotten=False, lag_seconds=0.0)
ADDRESSES = [Address("acme", f"c{number}") for number in range(40)]


class _Inbox(ProducerInbox):
    """An inbox on two servers, of which some are down."""

    def __init__(self, *, reads_without_redis: bool = True) -> None:
        servers = InboxServers([], lambda: Layout(1, 8, servers=2))
        servers._layout = Layout(1, 8, servers=2)
        super().__init__(servers, reads_without_redis=reads_without_redis)
        self.down: set[int] = set()
        self.asked = 0

    def _ask(self, address: Address) -> None:
        self.asked += 1
        if self.down.intersection(self._servers.known_positions(address)):
            msg = "down"
            raise NoAnswer(msg, remedy="wait")

    def _peeked(self, address: Address, newest: int) -> Pending:
        self._ask(address)
        return HERE

    def _append_block(self, address: Address, *_given: Any, **_options: Any) -> bool:
        self._ask(address)
        return True

    def _forgotten_at(self, places: Sequence[Any], *_given: Any, **_options: Any) -> list[int]:
        for place in places:
            self._ask(place.address)
        return [0] * len(places)

    def position(self, address: Address) -> int:
        (position,) = self._servers.known_positions(address)
        return position


def _one_of_each(inbox: _Inbox) -> tuple[Address, Address]:
    """Return a conversation of each server."""
    first, second = (next(a for a in ADDRESSES if inbox.position(a) == position) for position in (0, 1))
    return first, second


def test_one_server_down_leaves_the_reads_of_the_other_alone() -> None:
    inbox = _Inbox()
    lost, there = _one_of_each(inbox)
    inbox.down = {0}
    assert inbox.peek(lost, newest=1) is AWAY
    assert inbox.peek(there, newest=1) is HERE
    asked = inbox.asked
    assert inbox.peek(lost, newest=1) is AWAY
    assert inbox.asked == asked


@pytest.mark.parametrize("call", ["append", "forget"])
def test_a_call_that_succeeds_ends_the_wait_of_its_server_alone(call: str) -> None:
    inbox = _Inbox()
    first, second = _one_of_each(inbox)
    inbox.down = {0, 1}
    assert [inbox.peek(address, newest=1) for address in (first, second)] == [AWAY, AWAY]
    inbox.down = set()
    if call == "append":
        entries = [Entry(entry_id="e", body=b"{}")]
        assert inbox.append(first, Operation.APPEND, entries, most_entries=9, most_bytes=99, bell=True)
    else:
        assert inbox.forget(first) == 0
    assert inbox.peek(first, newest=1) is HERE
    assert inbox.peek(second, newest=1) is AWAY


def test_a_call_that_fails_does_not_end_the_wait() -> None:
    inbox = _Inbox()
    first, _ = _one_of_each(inbox)
    inbox.down = {0}
    assert inbox.peek(first, newest=1) is AWAY
    with pytest.raises(Unavailable):
        inbox.forget(first)
    inbox.down = set()
    assert inbox.peek(first, newest=1) is AWAY


def test_without_the_setting_every_read_asks() -> None:
    inbox = _Inbox(reads_without_redis=False)
    first, _ = _one_of_each(inbox)
    inbox.down = {0}
    with pytest.raises(NoAnswer):
        inbox.peek(first, newest=1)
    inbox.down = set()
    assert cast("Any", inbox.peek(first, newest=1)) is HERE
