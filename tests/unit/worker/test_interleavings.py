"""The same turns end in the same rows, whatever the order, number and fate of messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from sqlalchemy import Engine, func, select

from support.conversations import conversations
from support.examples import examples
from support.memory_inbox import MemoryInbox
from support.places import shard_of
from support.stored import broken_invariants, stored_turns
from support.waiting import wait_until
from turnfold.contract.keys import Address
from turnfold.contract.tables import Base, JobRow, table
from turnfold.contract.tasks import JobState, Task
from turnfold.database.engines import connect
from turnfold.wire.encode import Entry, accept
from turnfold_worker.offline import fold
from turnfold_worker.operate.digest import digest
from turnfold_worker.settings import WorkerSettings
from turnfold_worker.testing.messages import HeldMessages, deliver, run_until_idle
from turnfold_worker.wiring import Worker, sql_store

ADDRESS = Address("default", "c")


class Crash(Exception):  # noqa: N818 - it stands for a kill -9
    """Simulates the death of the process."""


class CrashingInbox(MemoryInbox):
    """Crashes between the commit and the trim, when told to."""

    crash_before_finish = False

    def finish(self, done: Any) -> None:
        if self.crash_before_finish:
            raise Crash
        super().finish(done)


@dataclass
class Run:
    """A worker on a fake inbox and a real store, and a producer partway through its turns."""

    inbox: CrashingInbox
    worker: Worker
    messages: HeldMessages
    engine: Engine
    entries: list[Entry]
    position: int = 0

    def append(self, size: int) -> None:
        block = self.entries[self.position : self.position + size]
        self.position += len(block)
        if block and self.inbox.append(ADDRESS, block):
            self.messages.drain(shard_of(ADDRESS))  # type: ignore[arg-type]

    def repeat(self, _: int) -> None:
        """Repeat an append, like a producer that received no answer."""
        self.inbox.append(ADDRESS, self.entries[max(0, self.position - 3) : self.position])

    def deliver(self, _: int) -> None:
        if self.messages.waiting:
            deliver(self.worker, *self.messages.waiting.popleft())

    def deliver_twice(self, _: int) -> None:
        message = self.messages.waiting[0] if self.messages.waiting else (Task.DRAIN, shard_of(ADDRESS))
        deliver(self.worker, *message)
        deliver(self.worker, *message)

    def lose(self, _: int) -> None:
        if self.messages.waiting:
            self.messages.waiting.popleft()

    def crash(self, _: int) -> None:
        """Crash after storing, before the inbox is trimmed."""
        self.inbox.crash_before_finish = True
        with suppress(Crash):
            self.worker.drain(shard_of(ADDRESS))
        self.inbox.crash_before_finish = False

    def sweep(self, _: int) -> None:
        self.worker.sweep()

    def lapse(self, _: int) -> None:
        """Let leases expire."""
        self.inbox.now += 10

    def settle(self) -> None:
        self.append(len(self.entries))
        self.lapse(0)
        self.inbox.bells.clear()
        wait_until(self._is_idle, what="no job is left")

    def _is_idle(self) -> bool:
        """Deliver everything, and return whether no job is left; a job that a sweep put off is due in a millisecond."""
        run_until_idle(self.worker, self.messages)
        job = table(JobRow)
        left = job.c.state.in_([JobState.LATER, JobState.DUE, JobState.RUNNING])
        with self.engine.connect() as connection:
            return not connection.scalar(select(func.count()).where(left))


@contextmanager
def a_run(turns: list[dict[str, Any]], **values: Any) -> Iterator[Run]:
    engine = connect("sqlite://", write=True, timeout_seconds=1)
    Base.metadata.create_all(engine)
    inbox, messages = CrashingInbox(lease=5), HeldMessages()
    # Leases and republishing last a millisecond, so that everything that may be repeated is.
    worker_settings = WorkerSettings(
        republish_seconds=0.001, lease_seconds=0.001, fold_idle_seconds=0.001, **values
    )  # fmt: skip
    worker = Worker(worker_settings, inbox, sql_store(worker_settings, engine, engine), messages)
    try:
        yield Run(inbox, worker, messages, engine, [accept(turn, max_bytes=1 << 20) for turn in turns])
    finally:
        engine.dispose()


STEPS = (Run.append, Run.append, Run.repeat, Run.deliver, Run.deliver, Run.deliver_twice, Run.lose, Run.crash)
steps = st.lists(st.tuples(st.sampled_from((*STEPS, Run.sweep, Run.lapse)), st.integers(1, 9)), max_size=60)


@examples(60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(turns=conversations(), script=steps, batch=st.integers(1, 20), together=st.sampled_from([1, 3, 8, 100]))
def test_batches_repeats_crashes_and_lost_messages_never_change_the_rows(
    turns: list[dict[str, Any]], script: list[tuple[Any, int]], batch: int, together: int
) -> None:
    with fold(turns, conversation_id="c") as undisturbed, a_run(turns, batch_turns=batch, fold_turns=together) as run:
        for step, size in script:
            step(run, size)
        run.settle()
        assert [turn_id for _, turn_id, _ in stored_turns(run.engine, "default", "c")] == [t["turn_id"] for t in turns]
        assert digest(run.engine, "default", "c") == undisturbed.digest()
        assert broken_invariants(run.engine) == {}
