"""Each test runs against the fake and against the real thing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.inboxes import FakeInboxes, Inboxes, RealInboxes
from turnfold.inbox import connect


@pytest.fixture(params=["fake", pytest.param("redis", marks=pytest.mark.processes)])
def inboxes(request: pytest.FixtureRequest) -> Iterator[Inboxes]:
    if request.param == "fake":
        yield FakeInboxes()
        return
    client = connect(request.getfixturevalue("redis_url"), timeout_seconds=5)
    yield RealInboxes(client)
    client.close()
