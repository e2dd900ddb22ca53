"""A request is still answered when memory fails in an unforeseen way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

from turnfold import InvalidBudget, Settings, TurnfoldError, Unavailable
from turnfold.chat_history.keeper import HistoryKeeper
from turnfold_gateway.cells import ServedCells
from turnfold_gateway.keys import Caller, KeyRing, Scope
from turnfold_gateway.keys.ring import unauthorized
from turnfold_gateway.problems import Problem
from turnfold_gateway.proxy.access import Admission, Admitted
from turnfold_gateway.proxy.exchange import Proxy, remember
from turnfold_gateway.proxy.pauses import Pauses
from turnfold_gateway.proxy.upstream import Upstream
from turnfold_gateway.settings import GatewaySettings


@pytest.fixture
async def memory(gateway_settings: Settings) -> AsyncIterator[Proxy]:
    settings = GatewaySettings(turnfold=gateway_settings)
    cells = ServedCells(gateway_settings)
    yield Proxy(Upstream(settings), Admission(settings), HistoryKeeper(), Pauses(cells))
    await cells.close()


async def reason(memory: Proxy, tenant: str, error: Exception) -> str | None:
    async def work(document: Mapping[str, Any]) -> str:
        raise error

    return (await remember(memory, Admitted(tenant), {}, work)).bypassed


async def test_a_crash_is_passed_over_and_its_log_says_where_but_not_what_was_said(
    memory: Proxy, tenant: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert await reason(memory, tenant, KeyError("the vault's code word")) == "internal-error"
    assert "KeyError" in caplog.text
    assert "in work" in caplog.text
    assert "code word" not in caplog.text


async def test_a_memory_that_is_away_is_not_asked_again_at_once(memory: Proxy, tenant: str) -> None:
    assert await reason(memory, tenant, Unavailable("Redis did not answer")) == "unavailable"
    assert await reason(memory, tenant, KeyError("not asked")) == "unavailable"


async def test_what_the_caller_has_to_correct_is_raised(memory: Proxy, tenant: str) -> None:
    with pytest.raises(InvalidBudget):
        await reason(memory, tenant, InvalidBudget("too small", needed_tokens=5))


async def test_any_other_error_of_the_sdk_is_a_word_in_a_header(memory: Proxy, tenant: str) -> None:
    kinds = [kind for kind in TurnfoldError.__subclasses__() if kind.__init__ is TurnfoldError.__init__]
    reasons = [await reason(memory, tenant, kind("said")) for kind in kinds if kind is not Unavailable]
    assert len(reasons) >= 3
    assert all(told and told.replace("-", "").isalpha() for told in reasons)


async def test_a_key_that_was_revoked_is_not_forwarded_while_no_database_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = GatewaySettings()
    cells = ServedCells(settings.turnfold)
    keys = KeyRing(settings, cells)
    answers: Iterator[Caller | Exception] = iter([])

    async def caller(token: str, *scopes: Scope) -> Caller:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(keys, "caller", caller)
    good, away = Caller("acme", frozenset({"append", "read"}), "k"), Unavailable("no database")
    admission = Admission(settings)
    state = SimpleNamespace(state=SimpleNamespace(keys=keys, cells=cells, settings=settings))
    request = Request({
        "type": "http", "app": state, "headers": [(b"x-turnfold-key", b"a key")], "path": "/", "query_string": b"",
    })  # fmt: skip

    answers = iter([good, away, unauthorized(detail="revoked"), away])
    assert (await admission.admit(request)).has_memory
    assert not (await admission.admit(request)).has_memory
    with pytest.raises(Problem):
        await admission.admit(request)
    with pytest.raises(Unavailable):
        await admission.admit(request)
