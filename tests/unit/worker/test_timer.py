"""The timer that requests sweeps logs each outage of Redis once, and its end once."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import redis

from support.waiting import wait_until
from turnfold.redis import servers
from turnfold_worker.celery_parts.sweep_timer import SweepTimer
from turnfold_worker.settings import WorkerSettings


class FlakyRedis:
    """A Redis that is available or not, and in which no sweep is under way."""

    def __init__(self) -> None:
        self.away = True
        self.asked = 0

    def pttl(self, name: str) -> int:
        self.asked += 1
        if self.away:
            raise redis.ConnectionError
        return -2

    def close(self) -> None: ...


class Sender:
    """A Celery app that counts the tasks that it is given to send."""

    def __init__(self) -> None:
        self.sent = 0

    def send_task(self, *_: Any, **__: Any) -> None:
        self.sent += 1


def test_an_outage_is_said_once_and_so_is_its_end(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    server, sender = FlakyRedis(), Sender()
    monkeypatch.setattr(servers, "connect", lambda *_, **__: server)
    timer = SweepTimer(None)
    settings = WorkerSettings(sweep_seconds=0.05)
    with caplog.at_level(logging.WARNING, logger="turnfold_worker.celery_parts.sweep_timer"):
        thread = timer.begin(sender, settings, "turnfold.maintenance")
        wait_until(lambda: server.asked > 3, what="some looks")
        assert [record.getMessage() for record in caplog.records] == [
            "no sweeps are requested until Redis answers: ConnectionError"
        ]
        server.away = False
        wait_until(lambda: sender.sent > 2, what="some sweeps")
        server.away = True
        wait_until(lambda: len(caplog.records) > 2, what="the next outage")
        timer.stop(None)
        thread.join(90)

    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "no sweeps are requested until Redis answers",
        "sweeps are requested again",
        "no sweeps are requested until Redis answers",
    ]
