"""Caches never show: each context read by concurrent clients equals that of some committed state."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle

import pytest
from sqlalchemy import Engine, event

from conftest import LocalWorker
from support.talk import talk
from support.waiting import wait_until
from turnfold import AsyncTurnfold, Settings, Turnfold

THREADS = COROUTINES = 32
BUDGETS = (400, 1_500)
QUESTION = "Which limit did we set for the seat map?"
READS = [(budget, query) for query in (None, None, None, QUESTION) for budget in BUDGETS]
STORED, APPENDED, AT_ONCE = 40, 8, 4
PAUSE_SECONDS = 0.4
"""Pause of a reader between two reads: 64 readers without pauses would starve the worker."""

Seen = set[tuple[int, bool, str]]


class Witness:
    """Records the contexts of every state, read without caches."""

    def __init__(self, settings: Settings) -> None:
        self._tf = Turnfold(settings=settings)
        self.states: Seen = set()

    def look(self) -> Seen:
        """Read the current state with every budget, and record it."""
        state: Seen = set()
        for budget, query in dict.fromkeys(READS):
            self._tf._resources.reader().forget_parsed()
            text = self._tf.context("c", budget_tokens=budget, query=query).text
            state.add((budget, query is not None, text))
        self.states |= state
        return state

    @contextmanager
    def before_transactions_of(self, engine: Engine) -> Iterator[None]:
        """Record whenever a transaction begins: with a single writer, that is the state after the previous commit."""

        def look(_: object) -> None:
            self.look()

        event.listen(engine, "begin", look)
        try:
            yield
        finally:
            event.remove(engine, "begin", look)
            self.look()
            self._tf.close()


class Readers:
    """Reads all the time with 64 readers, half of them threads and half coroutines, over two clients."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._over = threading.Event()
        self._round = set[tuple[str, int, str | None]]()
        self._of_threads, self._of_coroutines = cycle(READS), cycle(READS)
        self.seen: Seen = set()
        self.failures: list[BaseException] = []

    @contextmanager
    def at_work(self) -> Iterator[None]:
        with Turnfold(settings=self._settings) as tf:
            threads = [threading.Thread(target=self._guarded(lambda: self._read(tf))) for _ in range(THREADS)]
            threads.append(threading.Thread(target=self._guarded(lambda: asyncio.run(self._read_together()))))
            for thread in threads:
                thread.start()
            try:
                yield
            finally:
                self._over.set()
                for thread in threads:
                    thread.join(90)
        assert self.failures == []

    def wait_for_a_round(self) -> None:
        """Wait until threads and coroutines have each completed every read of `READS`, begun after this call."""
        # A read counts for the round in which it began, so reads now under way count for the previous one.
        self._round = current = set[tuple[str, int, str | None]]()
        wait_until(lambda: self.failures or len(current) == 2 * len(set(READS)), what="every reader has read")

    def _guarded(self, work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - handed to the test's own thread
                self.failures.append(error)

        return run

    def _read(self, tf: Turnfold) -> None:
        while not self._over.wait(PAUSE_SECONDS):
            current, (budget, query) = self._round, next(self._of_threads)
            self.seen.add((budget, query is not None, tf.context("c", budget_tokens=budget, query=query).text))
            current.add(("thread", budget, query))

    async def _read_together(self) -> None:
        async with AsyncTurnfold(settings=self._settings) as tf:

            async def read() -> None:
                while not self._over.is_set():
                    await asyncio.sleep(PAUSE_SECONDS)
                    current, (budget, query) = self._round, next(self._of_coroutines)
                    context = await tf.context("c", budget_tokens=budget, query=query)
                    self.seen.add((budget, query is not None, context.text))
                    current.add(("coroutine", budget, query))

            await asyncio.gather(*(read() for _ in range(COROUTINES)))


def test_each_context_of_sixty_four_readers_is_that_of_a_committed_state(
    settings: Settings, tf: Turnfold, local: LocalWorker
) -> None:
    turns = talk("many readers", STORED + APPENDED)
    tf.append("c", turns[:STORED])
    local.settle()
    witness, readers = Witness(settings), Readers(settings)
    awaited = witness.look()
    with witness.before_transactions_of(local.write_engine), readers.at_work():
        readers.wait_for_a_round()
        for start in range(STORED, STORED + APPENDED, AT_ONCE):
            tf.append("c", turns[start : start + AT_ONCE])
            awaited |= witness.look()
            readers.wait_for_a_round()
            local.settle()
            awaited |= witness.look()
            readers.wait_for_a_round()
    assert readers.seen <= witness.states
    assert readers.seen >= awaited
    assert len(awaited) > 3 * len(set(READS))


@pytest.mark.daily_on("sqlite")
@pytest.mark.parametrize("query", [None, QUESTION])
def test_a_read_that_remembers_equals_one_that_does_not_after_each_change(
    settings: Settings, tf: Turnfold, local: LocalWorker, query: str | None
) -> None:
    """This holds, too, when a stored id is appended again, and when the budgets of reads differ."""
    turns = talk("remembered", 30)
    with Turnfold(settings=settings) as forgetful:

        def compare() -> None:
            for budget in (2_500, 300, 300):
                forgetful.close()
                expected = forgetful.context("c", budget_tokens=budget, query=query)
                assert tf.context("c", budget_tokens=budget, query=query).fingerprint == expected.fingerprint

        for start in range(0, len(turns), 15):
            tf.append("c", turns[start : start + 14])
            compare()
            tf.append("c", [turns[0], turns[start + 14]])
            compare()
            local.settle()
            compare()
            # One by one, as in a chat: each read reuses the results of the one before.
            for number in range(3):
                tf.append("c", {"role": "user", "content": f"And {number}? {'More of it. ' * (7 * number)}".strip()})
                compare()
        tf.forget("c", timeout_seconds=0)
        compare()
        local.settle()
        tf.append("c", {"role": "user", "content": "A new beginning."})
        compare()
        local.settle()
        compare()
