"""A worker logs an outage when it begins and then once a minute."""

from __future__ import annotations

import pytest

from turnfold_worker.celery_parts.outage_log import Outages
from turnfold_worker.errors import Refused, StoreAway


def test_an_outage_is_said_when_it_begins_and_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    times = iter((0.0, 1.0, 59.0, 60.0, 61.0, 62.0))
    outages = Outages(lambda: next(times))
    for _ in range(5):
        outages(exception=StoreAway("run `turnfold migrate`"), sender="a task")
    outages(exception=StoreAway("the database failed"))

    assert [record.levelname for record in caplog.records] == ["WARNING"] * 3
    assert caplog.messages == [
        "work waits: run `turnfold migrate`", "work waits: run `turnfold migrate`",
        "work waits: the database failed",
    ]  # fmt: skip


def test_other_errors_are_for_others_to_say(caplog: pytest.LogCaptureFixture) -> None:
    outages = Outages()
    outages(exception=Refused("never"))
    outages(exception=ValueError("content"))
    outages(exception=None)

    assert not caplog.records
