"""While turns are written, stored and folded, a context shows some committed state plus the inbox before it."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from itertools import pairwise

from conftest import LocalWorker
from turnfold import Context, Settings, Turnfold

TURNS = 200


def content(number: int) -> str:
    return f"Number {number}: we decided on option {number}, by the way it costs {number * 2} euros."


def long_inbox(context: Context) -> bool:
    """Return whether more turns wait than a read looks at; they have no numbers yet."""
    return any(left.reach == "wait()" for left in context.budget.left_out)


def check(context: Context, appended_before: int) -> None:
    """Check that no turn is missing or repeated, among them all those appended before the read."""
    if context.coverage is None:
        assert appended_before == 0 or long_inbox(context)
        return
    spans = context.coverage.spans
    assert spans[0].first_seq == 1
    assert all(later.first_seq == earlier.last_seq + 1 for earlier, later in pairwise(spans))
    if long_inbox(context):
        return
    assert spans[-1].last_seq >= appended_before
    shown = [m["content"] for m in context.messages("openai") if m["content"] != context.record]
    newest = spans[-1].last_seq
    for message, number in zip(reversed(shown), range(newest, 0, -1), strict=False):
        if "[…" not in message:
            assert message == content(number), context.text[-1500:] + str(spans[-3:])


def test_readers_see_a_consistent_conversation_while_it_is_written_stored_and_folded(
    settings: Settings, make_worker: Callable[..., LocalWorker]
) -> None:
    workers = [make_worker(batch_turns=7), make_worker(batch_turns=3)]
    appended = 0
    over = threading.Event()
    failures: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> Callable[[], None]:
        def run() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - handed to the test's own thread
                failures.append(error)
                over.set()

        return run

    def produce() -> None:
        nonlocal appended
        chance = random.Random(5)
        with Turnfold(settings=settings) as tf:
            while appended < TURNS and not over.is_set():
                size = min(chance.randrange(1, 6), TURNS - appended)
                tf.append("c", [{"role": "user", "content": content(appended + i + 1)} for i in range(size)])
                appended += size
        over.set()

    def work(worker: LocalWorker) -> Callable[[], None]:
        def loop() -> None:
            while not over.is_set():
                worker.settle()

        return loop

    def read() -> None:
        with Turnfold(settings=settings) as tf:
            while not over.is_set():
                before = appended
                check(tf.context("c", budget_tokens=1_500), before)

    jobs = [produce, read, read, read, work(workers[0]), work(workers[1])]
    threads = [threading.Thread(target=guarded(job)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90)
    assert not failures, failures
    workers[0].settle()
    with Turnfold(settings=settings) as tf:
        check(tf.context("c", budget_tokens=1_500), TURNS)
        assert tf.status("c").stored == TURNS
