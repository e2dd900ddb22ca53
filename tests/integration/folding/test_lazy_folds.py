"""Turns wait to be folded together; contexts mark facts that may have changed meanwhile, and rows stay the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from conftest import LocalWorker
from support.talk import talk
from turnfold import Turnfold
from turnfold.contract.keys import Address
from turnfold.contract.tasks import JobKind, Task
from turnfold.errors import InvalidInput
from turnfold_worker.adapters.sql.fold_claims import MOST_CLAIMED
from turnfold_worker.testing.messages import deliver

BUDGET_WAS = "We must never spend more than 2,000 euros on the offsite, no exceptions."
BUDGET_IS = "Correction: we must never spend more than 3,500 euros on the offsite."
SMALL_TALK = "The lake was calm this morning."


def said(text: str, role: str = "user") -> dict[str, str]:
    return {"role": role, "content": text}


def store(worker: LocalWorker) -> list[Task]:
    """Store what waits in the inboxes, and return the tasks of the resulting messages."""
    worker.messages.waiting.clear()
    worker.drain()
    found = [task for task, _ in worker.messages.waiting]
    worker.messages.waiting.clear()
    return found


def test_few_turns_wait_for_more_and_are_folded_with_them(
    tf: Turnfold, make_worker: Callable[..., LocalWorker]
) -> None:
    worker = make_worker(fold_turns=4)
    for _ in range(3):
        tf.append("c", said(SMALL_TALK))
        assert store(worker) == []
    assert (tf.status("c").stored, tf.status("c").folded) == (3, 0)
    tf.append("c", said(SMALL_TALK))
    assert store(worker) == [Task.COMPRESS]
    tf.append("c", said(SMALL_TALK))
    # A message is already under way.
    assert store(worker) == []


def test_long_turns_wait_for_no_others(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
    worker = make_worker(fold_turns=100, fold_tokens=1_000)
    tf.append("c", said("The ferry to the island leaves at noon from the old pier. " * 45))
    assert store(worker) == []
    tf.append("c", said("The boat to the mainland leaves at one from the new pier. " * 45))
    assert store(worker) == [Task.COMPRESS]


@pytest.mark.parametrize("first", [BUDGET_IS, "We no longer need the van.", "Scratch that."])
def test_what_may_change_something_is_folded_at_once(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], first: str
) -> None:
    worker = make_worker(fold_turns=100)
    tf.append("c", said(first, role="assistant"))
    assert store(worker) == []
    tf.append("c", said(first))
    assert store(worker) == [Task.COMPRESS]


def test_what_is_told_to_the_memory_itself_is_done_at_once(
    tf: Turnfold, make_worker: Callable[..., LocalWorker]
) -> None:
    worker = make_worker(fold_turns=100)
    tf.append("c", {**said(SMALL_TALK), "turn_id": "lake"})
    assert store(worker) == []
    tf.configure("c", goal="Plan the offsite")
    assert store(worker) == [Task.COMPRESS]
    assert worker.worker.fold_due().segments == 0
    tf.edit("c", "lake", content="The lake was rough this morning.")
    assert Task.COMPRESS in store(worker)


def test_turns_that_none_follow_are_folded_after_a_while(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
    tf.append("c", said(SMALL_TALK))
    store(make_worker(fold_turns=100, fold_idle_seconds=3_600.0))
    patient = make_worker(fold_turns=100, fold_idle_seconds=3_600.0)
    patient.settle()
    assert tf.status("c").folded == 0
    tf.append("c", said(SMALL_TALK))
    hasty = make_worker(fold_turns=100, fold_idle_seconds=0.001)
    store(hasty)
    hasty.settle()
    assert tf.status("c").folded == 2


@pytest.mark.daily_on("sqlite")
@pytest.mark.parametrize("fold_turns", [1, 8, 100])
def test_rows_are_the_same_however_many_turns_a_fold_has(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], fold_turns: int
) -> None:
    whole = make_worker()
    tf.append("whole", talk("lazy", 36))
    whole.settle()
    worker = make_worker(fold_turns=fold_turns, fold_idle_seconds=0.001)
    for turn in talk("lazy", 36):
        tf.append("lazy", turn)
        worker.drain()
        while worker.messages.waiting:
            task, number = worker.messages.waiting.popleft()
            assert task is Task.COMPRESS
            deliver(worker.worker, task, number)
    worker.settle()
    assert tf.status("lazy").folded == 36
    assert worker.digest("lazy") == whole.digest("whole")


def test_a_fact_that_a_waiting_turn_is_about_may_have_changed(
    tf: Turnfold, make_worker: Callable[..., LocalWorker]
) -> None:
    worker = make_worker(fold_turns=100, fold_idle_seconds=0.001, republish_seconds=0.001)
    tf.append("c", [said(BUDGET_WAS), said("All guests must be vegetarian, no exceptions."), *talk("offsite", 80)])
    worker.settle()
    tf.append("c", said(BUDGET_IS))
    for _ in ("in the inbox", "stored"):
        text = tf.context("c", budget_tokens=1_500).text
        fact = next(line for line in text.splitlines() if "2,000 euros" in line)
        assert "may have changed: turn 83" in fact
        assert "may have changed" not in next(line for line in text.splitlines() if "must be vegetarian" in line)
        store(worker)
    worker.settle()
    text = tf.context("c", budget_tokens=1_500).text
    assert "may have changed" not in text
    assert "3,500 euros" in text


def test_a_wait_asks_for_the_fold_of_what_is_stored(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = make_worker(fold_turns=100, fold_idle_seconds=3_600.0)
    tf.append("c", said(SMALL_TALK))
    store(worker)
    rung: list[Task] = []

    def ring(task: Task, *numbers: int) -> None:
        rung.append(task)
        worker.worker.fold_due(*numbers)

    monkeypatch.setattr(tf._resources, "ring", ring)
    monkeypatch.setattr(tf, "_settings", replace(tf._settings, doorbell=True))
    assert tf.wait("c").folded == 1
    assert rung == [Task.COMPRESS]


def test_backfill_is_folded_when_nothing_else_is_due(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
    worker = make_worker(fold_turns=2, fold_idle_seconds=3_600.0)
    old = [f"old{number}" for number in range(MOST_CLAIMED + 5)]
    for name in old:
        tf.append(name, talk(name, 3), priority="backfill")
    store(worker)
    live = tf.for_tenant("another")
    live.append("now", talk("now", 3))
    live.append("few", said(SMALL_TALK))
    store(worker)
    assert worker.worker.fold_due().conversations == worker.worker.store.resolve([Address("another", "now")])
    assert worker.worker.store.has_due(JobKind.COMPRESS)
    # A sweep does not treat them as turns that have waited long enough.
    worker.worker.sweep()
    assert len(worker.worker.fold_due().conversations) == MOST_CLAIMED
    live.append("now", talk("again", 3))
    store(worker)
    folded = worker.worker.fold_due().conversations
    worker.settle()
    assert folded == worker.worker.store.resolve([Address("another", "now")])
    assert [tf.status(name).folded for name in old] == [3] * len(old)
    assert live.status("few").folded == 0, "it waits for more, as live turns do"


def test_a_live_turn_takes_what_waits_of_its_conversation_along(
    tf: Turnfold, make_worker: Callable[..., LocalWorker]
) -> None:
    worker, whole = make_worker(fold_turns=4), make_worker()
    turns = talk("c", 60)
    tf.append("c", turns[:59], priority="backfill")
    store(worker)
    tf.append("old", said(SMALL_TALK), priority="backfill")
    tf.append("c", turns[59])
    store(worker)
    assert worker.worker.fold_due().conversations == worker.worker.store.resolve([Address("acme", "c")])
    worker.settle()
    tf.append("whole", turns)
    whole.settle()
    assert worker.digest("c") == whole.digest("whole")


def test_a_priority_that_there_is_not_is_refused(tf: Turnfold) -> None:
    with pytest.raises(InvalidInput, match="live, backfill, not 'soon'"):
        tf.append("c", said(SMALL_TALK), priority="soon")  # type: ignore[arg-type]
