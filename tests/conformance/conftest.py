"""Run each inbox test against the fakes, a real Redis and a cluster."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.inboxes import FakeInboxes, Inboxes, RealInboxes
from turnfold.redis.connections import connect
from turnfold_worker.testing.local import fake_redis


@pytest.fixture(
    params=[
        "fake", "fakeredis", pytest.param("redis", marks=pytest.mark.processes),
        pytest.param("cluster", marks=[pytest.mark.processes, pytest.mark.long]),
    ]
)  # fmt: skip
def inboxes(request: pytest.FixtureRequest) -> Iterator[Inboxes]:
    if request.param == "fake":
        yield FakeInboxes()
        return
    if request.param == "fakeredis":
        client = fake_redis()()
    else:
        client = connect(request.getfixturevalue(f"{request.param}_url"), timeout_seconds=5)
    yield RealInboxes(client)
    client.close()
