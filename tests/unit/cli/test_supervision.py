from __future__ import annotations

import time

import pytest

from support.waiting import wait_until
from turnfold.errors import Unavailable
from turnfold_worker.local import supervision
from turnfold_worker.local.supervision import Supervisor


class FakeChild:
    def __init__(self, *, fails: int = 0) -> None:
        self.running = True
        self.starts = 0
        self._fails = fails

    def start(self) -> None:
        self.starts += 1
        if self.starts <= self._fails:
            msg = "no luck"
            raise Unavailable(msg)
        self.running = True


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "LOOK_SECONDS", 0.002)
    monkeypatch.setattr(supervision, "FIRST_PAUSE_SECONDS", 0.01)


def test_a_child_that_dies_is_started_again_and_it_is_told() -> None:
    child, told = FakeChild(), []
    supervisor = Supervisor([("ingest", child)], tell=told.append)
    supervisor.start()

    child.running = False

    wait_until(lambda: child.running)
    supervisor.stop()
    supervisor.join(timeout_seconds=90)
    assert child.starts == 1
    assert told[0].startswith("ingest exited; restarting it")


def test_whoever_publishes_processes_hears_of_each_end_and_each_start() -> None:
    child, seen = FakeChild(fails=1), []
    supervisor = Supervisor([("redis", child)], tell=lambda _: None, changed=lambda: seen.append(child.running))
    child.running = False
    supervisor.start()

    wait_until(lambda: child.running)
    supervisor.stop()
    supervisor.join(timeout_seconds=90)
    assert (seen[0], seen[-1]) == (False, True)


def test_a_start_that_fails_is_told_and_tried_again_later_each_time() -> None:
    child, told = FakeChild(fails=2), []
    child.running = False
    supervisor = Supervisor([("redis", child)], tell=told.append)
    began = time.monotonic()
    supervisor.start()

    wait_until(lambda: child.running)
    supervisor.stop()
    supervisor.join(timeout_seconds=90)
    assert child.starts == 3
    assert time.monotonic() - began >= 0.01 + 0.02 + 0.04
    assert "redis did not start: no luck" in told


def test_nothing_is_started_once_stopping() -> None:
    child = FakeChild()
    supervisor = Supervisor([("ingest", child)], tell=lambda _: None)
    supervisor.start()
    supervisor.stop()
    supervisor.join(timeout_seconds=90)

    child.running = False
    time.sleep(0.05)

    assert child.starts == 0


def test_a_supervisor_that_never_began_can_be_stopped() -> None:
    supervisor = Supervisor([], tell=lambda _: None)
    supervisor.stop()
    supervisor.join(timeout_seconds=1)
