"""Workers of two versions run at once, with different rules and an operation that only the newer one knows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from support.platforms import append_unreadable
from support.waiting import wait_until
from turnfold_worker.pipeline import settings as rules
from turnfold_worker.use_cases import drain
from turnfold_worker.use_cases.drain import receive

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine

    from conftest import LocalWorker
    from turnfold import Turnfold
    from turnfold.wire.inbox_entry import InboxEntry
    from turnfold_worker.ports.messages import Received

TURNS = [{"role": "user", "content": f"We must keep rule {number} of the house."} for number in range(30)]


def rules_of(engine: Engine) -> list[int]:
    with engine.connect() as connection:
        return list(connection.execute(text("SELECT rules_version FROM conversation")).scalars())


def fold_as(version: int, worker: LocalWorker) -> int:
    """Fold due conversations by rules of `version`; return how many."""
    with pytest.MonkeyPatch.context() as other:
        other.setattr(rules, "RULES_VERSION", version)
        return len(worker.worker.fold_due().conversations)


def test_a_fold_notes_its_rules_and_older_ones_leave_it_alone(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine
) -> None:
    worker = make_worker()
    tf.append("c", TURNS[:20])
    worker.drain()
    assert (fold_as(2, worker), rules_of(engine)) == (1, [2])
    folded = tf.status("c").folded
    tf.append("c", TURNS[20:])
    worker.drain()

    assert fold_as(1, worker) == 0
    assert (tf.status("c").folded, tf.status("c").stored) == (folded, 30)
    assert fold_as(1, worker) == 0


def test_newer_rules_go_on_with_what_older_ones_folded(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], engine: Engine
) -> None:
    worker = make_worker()
    tf.append("c", TURNS[:20])
    worker.drain()
    assert (fold_as(1, worker), rules_of(engine)) == (1, [1])
    tf.append("c", TURNS[20:])
    worker.drain()

    assert (fold_as(2, worker), rules_of(engine)) == (1, [2])
    assert tf.status("c").folded == 30


def test_an_operation_of_a_newer_version_waits_with_what_came_after_it(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drain, "NEWER_SECONDS", 0.2)
    worker = make_worker()
    tf.append("c", TURNS[:2])
    append_unreadable(redis_url, "c", "op-1", b"{}", operation="merge")
    tf.append("c", TURNS[2:4])
    tf.append("beside", TURNS[:1])

    worker.drain()
    worker.drain()

    assert (tf.status("c").stored, tf.status("c").inbox) == (2, 3)
    assert (tf.status("beside").stored, tf.jobs()) == (1, [])
    monkeypatch.setattr(drain, "is_of_newer_version", lambda _: False)
    monkeypatch.setattr(drain, "receive", received_by_a_newer_version)
    wait_until(lambda: worker.drain() >= 0 and tf.status("c").inbox == 0, what="it is taken")
    assert (tf.status("c").stored, tf.jobs()) == (4, [])


def received_by_a_newer_version(entry: InboxEntry) -> Received:
    """Receive an entry as a newer version does, for which `merge` is a way to configure."""
    return receive(entry._replace(operation="configure") if entry.operation == "merge" else entry)


def test_an_operation_that_no_version_knows_is_parked_in_the_end(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drain, "NEWER_TRIES", 0)
    append_unreadable(redis_url, "c", "op-1", b"{}", operation="merge")
    tf.append("c", TURNS[:2])

    make_worker().drain()

    assert (tf.status("c").stored, [work.kind for work in tf.jobs()]) == (2, ["entry"])
