"""Requests go to the cell of their tenant, and no cell delays the callers of another."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnfold import InvalidSettings, Settings, Unavailable
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.keys import KeyRing
from turnfold_gateway.keys.secrets import Token, new_token
from turnfold_gateway.keys.store import StoredKey
from turnfold_gateway.problems import Problem
from turnfold_gateway.settings import GatewaySettings

CELLS = """
[cells.eu]
redis_url = "redis://eu:6379/0"
database_url = "sqlite:///eu.db"
[cells.us]
redis_url = "redis://us:6379/0"
database_url = "sqlite:///us.db"
[cells.own]
redis_url = "redis://own:6379/0"
database_url = "sqlite:///own.db"
pinned_only = true
[pins]
acme = "eu"
globex = "us"
initech = "own"
"""


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    file: Path = tmp_path_factory.mktemp("cells") / "cells.toml"
    file.write_text(CELLS, "utf-8")
    return Settings(cells=str(file))


@given(tenant=st.from_regex(r"[a-z][a-z0-9._-]{0,20}", fullmatch=True))
def test_a_tenant_is_served_where_the_file_has_it(settings: Settings, tenant: str) -> None:
    cells = ServedCells(settings)
    cell = cells.of(tenant)
    assert cell.name == settings.read_cells().of(tenant)
    assert cell.settings == settings.of_tenant(tenant) == settings.in_cell(cell.name)
    assert cells.client(tenant).tenant == tenant


@given(tenant=st.from_regex(r"[a-z][a-z0-9._-]{0,20}", fullmatch=True), name=st.sampled_from(["eu", "us", "own"]))
def test_one_named_cell_serves_every_tenant(settings: Settings, tenant: str, name: str) -> None:
    cells = ServedCells(settings.in_cell(name))
    assert [*cells.by_name] == [name]
    assert cells.of(tenant).settings.database_url == f"sqlite:///{name}.db"
    assert settings.in_cell(name).of_tenant(tenant) == settings.in_cell(name)


def test_without_a_file_there_is_one_cell() -> None:
    alone = Settings(database_url="sqlite:///alone.db")
    cells = ServedCells(alone)
    assert [*cells.by_name] == [""]
    assert cells.of("anybody").settings is alone
    assert alone.of_tenant("anybody") is alone


def test_a_file_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(InvalidSettings, match="cannot be read"):
        ServedCells(Settings(cells="/nowhere/cells.toml"))


def stored(token: Token, tenant: str) -> StoredKey:
    return StoredKey(
        id=token.key_id, tenant=tenant, name="test", scopes=frozenset({"read"}), secret_hash=token.secret_hash,
        requests_per_minute=None, created_at=datetime(2026, 5, 1, tzinfo=UTC), revoked_at=None,
    )  # fmt: skip


class Cells:
    """A key ring over three cells with dictionaries as databases. A cell can be made to hang or to be unavailable."""

    def __init__(self, settings: Settings, *, kept_seconds: float) -> None:
        gateway_settings = GatewaySettings(turnfold=settings, key_cache_seconds=kept_seconds)
        self.ring = KeyRing(gateway_settings, ServedCells(settings))
        self.keys: dict[str, dict[str, StoredKey]] = {name: {} for name in self.ring.by_cell}
        self.asked: list[str] = []
        self.held, self.away = set[str](), set[str]()
        self.gate = threading.Event()
        for name, keys in self.ring.by_cell.items():
            keys.store.find = self._finder(name)  # type: ignore[method-assign]

    def _finder(self, name: str):  # type: ignore[no-untyped-def]  # noqa: ANN202 - the store's own form
        def find(key_id: str) -> StoredKey | None:
            self.asked.append(name)
            if name in self.held:
                self.gate.wait(30)
            if name in self.away:
                msg = "the database does not answer"
                raise Unavailable(msg)
            return self.keys[name].get(key_id)

        return find

    def put(self, cell: str, tenant: str) -> Token:
        token = new_token()
        self.keys[cell][token.key_id] = stored(token, tenant)
        return token


@pytest.fixture
async def cells(settings: Settings) -> AsyncIterator[Cells]:
    made = Cells(settings, kept_seconds=0)
    yield made
    made.gate.set()
    await made.ring.close()


async def test_a_key_opens_while_another_cell_hangs_or_is_away(cells: Cells) -> None:
    acme, globex = cells.put("eu", "acme"), cells.put("us", "globex")
    cells.held, cells.away = {"us"}, {"own"}
    assert (await cells.ring.caller(str(acme), "read")).tenant == "acme"
    # Each lookup of an unknown key occupies a thread of the cell that hangs, and none of the others.
    for _ in range(10):
        another = cells.put("eu", "acme")
        assert (await cells.ring.caller(str(another), "read")).tenant == "acme"
    waiting = asyncio.create_task(cells.ring.caller(str(globex), "read"))
    await asyncio.sleep(0)
    assert not waiting.done()
    cells.gate.set()
    assert (await waiting).tenant == "globex"


async def test_a_key_that_opened_is_asked_of_its_own_cell_alone(cells: Cells) -> None:
    acme = cells.put("eu", "acme")
    await cells.ring.caller(str(acme), "read")
    assert {*cells.asked} >= {"eu"}
    cells.asked.clear()
    await cells.ring.caller(str(acme), "read")
    assert cells.asked == ["eu"]


async def test_an_unknown_key_is_refused_only_when_every_cell_has_said_so(cells: Cells) -> None:
    known = cells.put("eu", "acme")
    for token in (new_token(), Token(known.key_id, new_token().secret)):
        cells.asked.clear()
        with pytest.raises(Problem) as refused:
            await cells.ring.caller(str(token), "read")
        assert refused.value.status == 401
        assert sorted(cells.asked) == ["eu", "own", "us"], "an id that is there is looked up as one that is not"
        cells.away = {"us"}
        with pytest.raises(Unavailable):
            await cells.ring.caller(str(token), "read")
        cells.away = set()


@pytest.mark.parametrize(("cell", "tenant"), [("eu", "globex"), ("us", "acme"), ("own", "acme"), ("us", "initech")])
async def test_a_key_opens_nothing_outside_its_tenants_cell(
    cells: Cells, cell: str, tenant: str, caplog: pytest.LogCaptureFixture
) -> None:
    token = cells.put(cell, tenant)
    with pytest.raises(Problem) as refused:
        await cells.ring.caller(str(token), "read")
    assert refused.value.status == 401
    assert f"is in cell {cell!r}, which is not its tenant's" in caplog.text
    assert token.secret not in caplog.text


async def test_of_two_cells_with_one_key_the_tenants_own_opens(cells: Cells) -> None:
    """A restored backup or a manual copy leaves one key in two cells."""
    token = cells.put("us", "globex")
    cells.keys["eu"][token.key_id] = cells.keys["us"][token.key_id]
    assert (await cells.ring.caller(str(token), "read")).tenant == "globex"


@pytest.mark.parametrize(("failures", "written"), [(0, 1), (1, 1), (2, 0)])
async def test_what_the_audit_log_did_not_take_is_written_again(
    cells: Cells, caplog: pytest.LogCaptureFixture, failures: int, written: int
) -> None:
    failing, noted = iter(range(failures)), []

    async def note(*entry: object, status: int) -> None:
        if next(failing, None) is not None:
            msg = "the database does not answer"
            raise Unavailable(msg, remedy="is it running?")
        noted.append((*entry, status))

    cells.ring.by_cell["eu"].note = note  # type: ignore[method-assign]
    acme = cells.put("eu", "acme")
    caller = await cells.ring.caller(str(acme), "read")
    await cells.ring.note(caller, "deleteTurn", "c", 204)
    assert noted == [("acme", acme.key_id, "deleteTurn", "c", 204)] * written
    assert ("is not in the audit log" in caplog.text) == (not written)
