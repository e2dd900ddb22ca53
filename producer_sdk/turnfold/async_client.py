"""`AsyncTurnfold`: the methods of `Turnfold` as coroutines, run on a bounded thread pool.

Celery publishes and SQLite reads block, so they run on threads instead of the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from copy import copy
from functools import partial, wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, overload

from turnfold.client import Turnfold
from turnfold.contract.results import ErasureReceipt, Expansion, Status, SubjectReceipt
from turnfold.errors import InvalidInput, InvalidSettings
from turnfold.read.arguments import check_erased, check_timeout
from turnfold.read.polling import Wait, pauses
from turnfold.settings import Settings
from turnfold.tools.schemas import ToolForm
from turnfold.wire.whole_numbers import whole_number

THREADS = 32
"""Calls of one client that run at once; further calls wait for a free thread."""

COMPUTING_THREADS = 1
"""Threads that compute at once: they share the interpreter with the event loop, and each more delays the loop."""

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def _on_a_thread(
    verb: Callable[Concatenate[Turnfold, _Arguments], _Result],
) -> Callable[Concatenate[AsyncTurnfold, _Arguments], Coroutine[Any, Any, _Result]]:
    """Wrap a client method as a coroutine that runs it on the thread pool."""

    @wraps(verb)
    async def on_a_thread(client: AsyncTurnfold, /, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> _Result:
        # Look the method up by name, so that a caller's subclass of the client can override it.
        call: Callable[_Arguments, _Result] = getattr(client._client, verb.__name__)  # noqa: SLF001 - of this module
        return await client._run(call, *arguments, **named)  # noqa: SLF001 - of this module

    return on_a_thread


class AsyncTurnfold:
    """The asyncio client for a tenant's conversations. Arguments, results and errors are those of `Turnfold`."""

    def __init__(
        self, *, settings: Settings | None = None, threads: int = THREADS, client: Turnfold | None = None, **values: Any
    ) -> None:
        """Take the arguments of `Turnfold`, or a `client` whose connections this one uses and closes.

        `threads` bounds how many calls run at once. All of them may wait for servers, but only one at a time computes,
        so that the event loop gets the interpreter.
        """
        whole_number("threads", threads, least=1, error=InvalidSettings)
        if client is not None and (settings is not None or values):
            raise InvalidSettings("pass either a client or settings, not both")
        self._client = client or Turnfold(settings=settings, **values)
        self._client._share_processor(COMPUTING_THREADS)  # noqa: SLF001 - one of our own kind
        self._pool = ThreadPoolExecutor(threads, "turnfold")

    @classmethod
    def from_env(cls) -> Self:
        """Make a client from the `TURNFOLD_*` environment variables."""
        return cls(settings=Settings.from_env())

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Make a client from settings."""
        return cls(settings=settings)

    @property
    def tenant(self) -> str:
        """The tenant whose conversations this client sees."""
        return self._client.tenant

    def for_tenant(self, tenant: str) -> Self:
        """Return a client for another tenant over the same connections and threads."""
        view = copy(self)
        view._client = self._client.for_tenant(tenant)  # noqa: SLF001 - one of our own kind
        return view

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait for running calls, then end the threads and close the connections, which `for_tenant` clients share."""
        # A cancelled call still runs to its end on its thread, and would reopen connections that were already closed.
        await asyncio.to_thread(self._pool.shutdown)
        await asyncio.to_thread(self._client.close)

    append = _on_a_thread(Turnfold.append)
    configure = _on_a_thread(Turnfold.configure)
    resolve_anchor = _on_a_thread(Turnfold.resolve_anchor)
    edit = _on_a_thread(Turnfold.edit)
    delete = _on_a_thread(Turnfold.delete)
    rewind = _on_a_thread(Turnfold.rewind)
    context = _on_a_thread(Turnfold.context)
    reference = _on_a_thread(Turnfold.reference)
    resolve = _on_a_thread(Turnfold.resolve)
    search = _on_a_thread(Turnfold.search)
    anchors = _on_a_thread(Turnfold.anchors)
    notes = _on_a_thread(Turnfold.notes)
    turns = _on_a_thread(Turnfold.turns)
    segments = _on_a_thread(Turnfold.segments)
    jobs = _on_a_thread(Turnfold.jobs)
    usage = _on_a_thread(Turnfold.usage)
    conversations = _on_a_thread(Turnfold.conversations)
    timeline = _on_a_thread(Turnfold.timeline)
    tiers = _on_a_thread(Turnfold.tiers)
    relations = _on_a_thread(Turnfold.relations)
    handle_tool_call = _on_a_thread(Turnfold.handle_tool_call)
    status = _on_a_thread(Turnfold.status)
    warm_up = _on_a_thread(Turnfold.warm_up)
    _newest_id = _on_a_thread(Turnfold._newest_id)  # noqa: SLF001 - one of our own kind
    _fold_point = _on_a_thread(Turnfold._fold_point)  # noqa: SLF001 - one of our own kind
    _keep_fold_point = _on_a_thread(Turnfold._keep_fold_point)  # noqa: SLF001 - one of our own kind

    @overload
    async def forget(self, conversation_id: str, *, timeout_seconds: float = 30.0) -> ErasureReceipt: ...

    @overload
    async def forget(self, *, subject: str, timeout_seconds: float = 30.0) -> SubjectReceipt: ...

    async def forget(
        self, conversation_id: str | None = None, *, subject: str | None = None, timeout_seconds: float = 30.0
    ) -> ErasureReceipt | SubjectReceipt:
        """As `Turnfold.forget`."""
        check_timeout(timeout_seconds)
        check_erased(conversation_id, subject)
        if subject is not None:
            begun = await self._run(self._client._begin_subject_erasure, subject)  # noqa: SLF001 - the same client
            return await self._until(begun, timeout_seconds)
        assert conversation_id is not None  # noqa: S101 - checked above
        wait = await self._run(self._client._begin_erasure, conversation_id)  # noqa: SLF001 - the same client
        return await self._until(wait, timeout_seconds)

    async def expand(
        self,
        conversation_id: str,
        marker: str,
        *,
        max_tokens: int | None = None,
        counted: bool = True,
        reconstruct: bool = False,
        timeout_seconds: float = 60.0,
    ) -> Expansion:
        """As `Turnfold.expand`."""
        if reconstruct:
            check_timeout(timeout_seconds)
            begin = self._client._begin_reconstruction  # noqa: SLF001 - the same client
            wait = await self._run(begin, conversation_id, marker, max_tokens=max_tokens)
            return await self._until(wait, timeout_seconds)
        return await self._run(self._client.expand, conversation_id, marker, max_tokens=max_tokens, counted=counted)

    async def export(self, conversation_id: str, *, timeout_seconds: float = 30.0) -> bytes:
        """As `Turnfold.export`."""
        check_timeout(timeout_seconds)
        wait = await self._run(self._client._begin_export, conversation_id)  # noqa: SLF001 - the same client
        return await self._until(wait, timeout_seconds)

    async def tools(self, form: ToolForm = "openai") -> list[dict[str, Any]]:
        """As `Turnfold.tools`."""
        return self._client.tools(form)

    async def wait(self, conversation_id: str, *, timeout_seconds: float = 30.0) -> Status:
        """As `Turnfold.wait`."""
        check_timeout(timeout_seconds)
        wait = await self._run(self._client._wait, conversation_id)  # noqa: SLF001 - the same client
        return await self._until(wait, timeout_seconds)

    async def _run(
        self, call: Callable[_Arguments, _Result], *arguments: _Arguments.args, **named: _Arguments.kwargs
    ) -> _Result:
        loop = asyncio.get_running_loop()
        try:
            # Run with the caller's context variables, so that the caller's span is the parent of ours.
            running = loop.run_in_executor(self._pool, partial(copy_context().run, call, *arguments, **named))
        except RuntimeError as error:
            msg = "this client, or one that shares its threads, was closed"
            raise InvalidInput(msg, remedy="keep the client open until the last call, or make a new one") from error
        return await running

    async def _until(self, wait: Wait[_Result], timeout_seconds: float) -> _Result:
        """Poll on a thread, and sleep without one: a long wait does not occupy the pool."""
        outcome = await self._run(wait.look)
        for pause in pauses(timeout_seconds):
            if outcome is not None:
                break
            await asyncio.sleep(pause)
            outcome = await self._run(wait.look)
        return await self._run(wait.give_up, timeout_seconds) if outcome is None else outcome
