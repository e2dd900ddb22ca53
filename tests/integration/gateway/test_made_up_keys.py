"""A flood of made-up keys delays no caller with a known key and does not reveal which ids exist."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from turnfold import Settings
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.keys import KeyRing
from turnfold_gateway.keys.cell_keys import MOST_UNKNOWN
from turnfold_gateway.keys.secrets import Token, new_token
from turnfold_gateway.keys.store import StoredKey
from turnfold_gateway.problems import Problem
from turnfold_gateway.settings import GatewaySettings


class Counted:
    """A key ring on the real database that counts lookups and holds those of some ids at a gate."""

    def __init__(self, settings: Settings, *, kept_seconds: float) -> None:
        self.ring = KeyRing(GatewaySettings(turnfold=settings, key_cache_seconds=kept_seconds), ServedCells(settings))
        (keys,) = self.ring.by_cell.values()
        self.store = keys.store
        self.gate = threading.Event()
        self.held: set[str] = set()
        self.lookups: list[str] = []
        self._find = self.store.find
        self.store.find = self.find  # type: ignore[method-assign]

    def find(self, key_id: str) -> StoredKey | None:
        self.lookups.append(key_id)
        if key_id in self.held:
            self.gate.wait(30)
        return self._find(key_id)

    def create(self, tenant: str) -> Token:
        return self.store.create(tenant, "test", ["read"])


@pytest.fixture
async def strict(gateway_settings: Settings) -> AsyncIterator[Counted]:
    """A ring without a cache."""
    counted = Counted(gateway_settings, kept_seconds=0)
    yield counted
    counted.gate.set()
    await counted.ring.close()


@pytest.fixture
async def caching(gateway_settings: Settings) -> AsyncIterator[Counted]:
    counted = Counted(gateway_settings, kept_seconds=60)
    yield counted
    await counted.ring.close()


async def test_a_key_that_opened_before_is_looked_up_beside_a_flood(strict: Counted, tenant: str) -> None:
    good = strict.create(tenant)
    await strict.ring.caller(str(good), "read")
    made_up = [new_token() for _ in range(MOST_UNKNOWN)]
    # One has the id of the good key.
    made_up[0] = Token(good.key_id, made_up[0].secret)
    strict.held = {token.key_id for token in made_up[1:]}
    flood = [asyncio.create_task(strict.ring.caller(str(token), "read")) for token in made_up[1:]]
    await asyncio.sleep(0)

    assert (await strict.ring.caller(str(good), "read")).tenant == tenant
    flood.append(asyncio.create_task(strict.ring.caller(str(made_up[0]), "read")))
    await asyncio.sleep(0)
    with pytest.raises(Problem) as refused:
        await strict.ring.caller(str(new_token()), "read")
    assert (refused.value.status, refused.value.headers) == (429, {"Retry-After": "1"})
    # The good key's id alone gives it no priority.
    assert not flood[-1].done()

    strict.gate.set()
    answered = await asyncio.gather(*flood, return_exceptions=True)
    assert {answer.status for answer in answered if isinstance(answer, Problem)} == {401}


async def test_a_token_that_opens_nothing_is_looked_up_once(caching: Counted, tenant: str) -> None:
    good = caching.create(tenant)
    await caching.ring.caller(str(good), "read")
    wrong, unknown = Token(good.key_id, new_token().secret), new_token()
    caching.lookups.clear()
    for token in (wrong, unknown, wrong, unknown):
        with pytest.raises(Problem) as refused:
            await caching.ring.caller(str(token), "read")
        assert refused.value.status == 401
    # A wrong secret for a cached id is looked up like an unknown id.
    assert caching.lookups == [wrong.key_id, unknown.key_id]
    await caching.ring.caller(str(good), "read")
    assert caching.lookups == [wrong.key_id, unknown.key_id]
