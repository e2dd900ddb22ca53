"""`wait` returns when everything appended before it is folded, even if parked entries wait for an operator."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from sqlalchemy import text

from conftest import LocalWorker
from support.places import shard_of
from support.talk import talk
from turnfold import Turnfold, WaitTimeout
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Operation
from turnfold.database.engines import connect
from turnfold.redis.inbox import ProducerInbox
from turnfold.wire.encode import Entry

TURNS = talk("waiting", 12)


def append_broken(inbox: ProducerInbox, turn_id: str) -> None:
    """Append an entry that every drain parks."""
    inbox.append(
        Address("acme", "c"),
        Operation.APPEND,
        [Entry(turn_id, b"{no turn")],
        most_entries=99,
        most_bytes=1 << 20,
        bell=False,
    )


def during(wait: Callable[[], object], act: Callable[[], object]) -> None:
    """Run `act` a moment after `wait` has begun."""
    timer = threading.Timer(0.2, act)
    timer.start()
    try:
        wait()
    finally:
        timer.join()


def test_wait_returns_what_is_folded_though_an_entry_was_parked_on_the_way(
    tf: Turnfold, local: LocalWorker, inbox: ProducerInbox
) -> None:
    append_broken(inbox, "m-broken")
    tf.append("c", TURNS[:3])
    local.settle()
    status = tf.wait("c", timeout_seconds=0)
    assert (status.parked, status.stored, status.folded) == (1, 4, 4)


def test_work_that_was_parked_before_does_not_end_later_waits_early(
    tf: Turnfold, local: LocalWorker, inbox: ProducerInbox
) -> None:
    append_broken(inbox, "m-broken")
    local.settle()
    tf.append("c", TURNS[:3])
    local.worker.drain(shard_of(Address("acme", "c")))
    with pytest.raises(WaitTimeout):
        tf.wait("c", timeout_seconds=0.05)

    def wait() -> None:
        assert tf.wait("c", timeout_seconds=90).folded == 4

    during(wait, local.settle)


def test_work_that_is_parked_during_a_wait_ends_it(tf: Turnfold, local: LocalWorker, inbox: ProducerInbox) -> None:
    tf.append("c", TURNS[:3])
    local.worker.drain(shard_of(Address("acme", "c")))

    def park() -> None:
        append_broken(inbox, "m-broken")
        local.worker.drain(shard_of(Address("acme", "c")))

    def wait() -> None:
        status = tf.wait("c", timeout_seconds=90)
        assert (status.parked, status.folded) == (1, 0)

    during(wait, park)


def test_a_fold_that_waits_for_a_person_ends_a_wait(tf: Turnfold, local: LocalWorker, database_url: str) -> None:
    tf.append("c", TURNS[:3])
    local.worker.drain(shard_of(Address("acme", "c")))
    engine = connect(database_url, write=True, timeout_seconds=10)
    with engine.begin() as connection:
        connection.execute(text("UPDATE job SET state = 'parked' WHERE kind = 'compress'"))
    engine.dispose()
    status = tf.wait("c", timeout_seconds=0)
    assert (status.parked, status.folded) == (1, 0)
