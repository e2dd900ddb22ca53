"""The thread that turns rings into Celery tasks survives outages of the bells and of the broker."""

from __future__ import annotations

import logging
import threading
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from support.places import SHARDS
from support.waiting import wait_until
from turnfold.contract.rings import Ring
from turnfold.contract.tasks import Queue, Task
from turnfold_worker.celery_parts import doorman
from turnfold_worker.celery_parts.doorman import Doorman, Round, pauses_of, rings_of, together
from turnfold_worker.settings import WorkerSettings

DRAINS = [Ring(Task.DRAIN, (shard,)) for shard in range(4)]
COMPRESS = Ring(Task.COMPRESS)

rings = st.lists(
    st.one_of(
        st.builds(Ring, st.just(Task.DRAIN), st.tuples(st.integers(0, len(SHARDS) - 1))),
        st.builds(
            Ring, st.sampled_from([Task.COMPRESS, Task.REFOLD, Task.ERASE]), st.tuples() | st.tuples(st.integers(0, 9))
        ),
    ),
    max_size=30,
)


@given(rings)
def test_every_ring_is_in_one_message_and_drains_are_in_one_together(rung: list[Ring]) -> None:
    messages = together(rung)
    assert set(rings_of(messages)) == set(rung)
    assert len(rings_of(messages)) == len(set(rung))
    assert sum(message.task is Task.DRAIN for message in messages) <= 1


NO_PAUSES: Mapping[Queue, float] = {}


class Bells:
    """Rings that a test supplies: a wait returns the first, and `take` the rest."""

    def __init__(self, *rung: Ring) -> None:
        self.rung = list(rung)
        self.away = False
        self.looks = 0

    def wait(self, queues: Collection[Queue], seconds: float) -> list[Ring]:
        self.looks += 1
        if self.away:
            raise redis.ConnectionError
        heard = [ring for ring in self.rung if ring.queue in queues][:1]
        if not heard:
            threading.Event().wait(min(seconds, 0.01))
        self.rung = [ring for ring in self.rung if ring not in heard]
        return heard

    def take(self, queues: Collection[Queue]) -> list[Ring]:
        heard = [ring for ring in self.rung if ring.queue in queues]
        self.rung = [ring for ring in self.rung if ring not in heard]
        return heard

    def give_back(self, rings: Iterable[Ring]) -> None:
        self.rung += rings

    def close(self) -> None: ...


class Broker:
    """Records what it is sent. A test can make it unavailable, or its queue full."""

    def __init__(self) -> None:
        self.sent: list[Ring] = []
        self.away = False
        self.full: set[Queue] = set()

    def publish(self, task: Task, *arguments: int, expires_seconds: float) -> bool:
        assert expires_seconds == 60
        if self.away:
            raise BrokenPipeError
        if Ring(task, arguments).queue in self.full:
            return False
        self.sent.append(Ring(task, arguments))
        return True

    def close(self) -> None: ...


def round_on(bells: Bells, broker: Broker, pauses: Mapping[Queue, float] = NO_PAUSES) -> Round:
    return Round(lambda: bells, broker, [*Queue], stop=threading.Event(), expires_seconds=60, pauses=pauses)  # type: ignore[arg-type]


def test_a_burst_of_rings_becomes_one_message() -> None:
    bells, broker = Bells(*DRAINS), Broker()
    round_on(bells, broker)()
    assert broker.sent == [Ring(Task.DRAIN, (0, 1, 2, 3))]


def test_rings_are_given_back_when_the_broker_is_away() -> None:
    bells, broker = Bells(*DRAINS, COMPRESS), Broker()
    broker.away = True
    with pytest.raises(BrokenPipeError):
        round_on(bells, broker)()
    assert set(bells.rung) == {*DRAINS, COMPRESS}


def test_rings_of_a_full_queue_stay_and_hold_up_no_other_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorman, "FULL_SECONDS", 0.05)
    bells, broker = Bells(*DRAINS, COMPRESS), Broker()
    broker.full = {Queue.COMPRESS}
    look = round_on(bells, broker)
    look()
    assert broker.sent == [Ring(Task.DRAIN, (0, 1, 2, 3))]
    bells.rung += DRAINS
    look()
    assert len(broker.sent) == 2
    assert bells.rung == [COMPRESS]
    broker.full = set()
    wait_until(lambda: look() or broker.sent[2:] == [COMPRESS], what="the queue is looked at again")


def test_what_rings_soon_after_a_drain_waits_for_the_next_one_and_holds_up_no_other_queue() -> None:
    bells, broker = Bells(DRAINS[0]), Broker()
    look = round_on(bells, broker, {Queue.INGEST: 30.0})
    look()
    bells.rung += [*DRAINS[1:], COMPRESS]
    look()
    assert broker.sent == [Ring(Task.DRAIN, (0,)), COMPRESS]
    assert bells.rung == DRAINS[1:]

    look = round_on(bells, broker, {Queue.INGEST: 0.05})
    look()
    bells.rung += DRAINS
    wait_until(lambda: look() or len(broker.sent) == 4, what="the pause is over")
    assert broker.sent[2:] == [Ring(Task.DRAIN, (1, 2, 3)), Ring(Task.DRAIN, (0, 1, 2, 3))]


@given(st.integers(1, 512))
def test_each_process_gets_a_message_before_the_first_has_folded_its_share(processes: int) -> None:
    pauses = pauses_of(processes)
    assert processes * pauses[Queue.COMPRESS] < 0.5
    assert pauses[Queue.INGEST] <= 0.4
    assert pauses[Queue.INGEST] * processes <= max(1.0, 0.4)


class Served:
    """A doorman that runs on fakes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, bells: Bells, broker: Broker) -> None:
        monkeypatch.setattr("turnfold_worker.celery_parts.doorman.connect", lambda *_, **__: None)
        monkeypatch.setattr("turnfold_worker.adapters.redis.bell.RungBells", lambda _: bells)
        monkeypatch.setattr("turnfold.redis.doorbell.CeleryPublisher", lambda _: broker)
        self.doorman = Doorman(None)
        app: Any = None
        (self.thread,) = self.doorman.begin(app, WorkerSettings(), [*Queue])


def test_an_outage_is_said_once_and_so_is_its_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(doorman, "LONGEST_PAUSE_SECONDS", 0.02)
    bells, broker = Bells(), Broker()
    bells.away = True
    with caplog.at_level(logging.WARNING, logger="turnfold_worker.celery_parts.doorman"):
        served = Served(monkeypatch, bells, broker)
        wait_until(lambda: bells.looks > 3, what="some looks")
        bells.away = False
        bells.rung += DRAINS
        wait_until(lambda: broker.sent, what="a message")
        broker.away = True
        bells.rung += [COMPRESS]
        wait_until(lambda: len(caplog.records) > 2, what="the next outage")
        broker.away = False
        wait_until(lambda: COMPRESS in broker.sent, what="the ring that was given back")
        served.doorman.stop(None)
        served.thread.join(90)

    assert not served.thread.is_alive()
    assert [record.getMessage() for record in caplog.records][:3] == [
        "rings are not received until Redis and the broker answer: ConnectionError",
        "rings are received again",
        "rings are not received until Redis and the broker answer: BrokenPipeError",
    ]


def test_a_stop_publishes_what_was_heard_and_ends_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorman, "LINGER_SECONDS", 30.0)
    bells, broker = Bells(*DRAINS), Broker()
    served = Served(monkeypatch, bells, broker)
    wait_until(lambda: len(bells.rung) < len(DRAINS), what="a ring is heard")
    served.doorman.stop(None)
    assert not served.thread.is_alive()
    assert broker.sent == [Ring(Task.DRAIN, (0, 1, 2, 3))]

    monkeypatch.setattr(doorman, "LONGEST_PAUSE_SECONDS", 30.0)
    bells.away = True
    served = Served(monkeypatch, bells, broker)
    wait_until(lambda: bells.looks > 1, what="a look that fails")
    served.doorman.stop(None)
    assert not served.thread.is_alive()
