"""`AsyncTurnfold`: the same verbs as coroutines, on a bounded pool of threads.

Celery publishes and SQLite reads block; threads keep them off the event loop, and the pool bounds how many.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from copy import copy
from datetime import datetime
from functools import partial
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar, overload

from turnfold.assemble import Context, MemoryTiers, Policy, Query, Section
from turnfold.client import Turnfold
from turnfold.contract.attention import Usage, Work
from turnfold.contract.records import Anchor, AnchorState, AnchorType, Origin, StoredTurn
from turnfold.contract.results import (
    ErasureReceipt,
    Expansion,
    Hit,
    ListedConversation,
    Note,
    Receipt,
    Relation,
    Status,
    SubjectReceipt,
    TieredSegment,
    TimelineEntry,
)
from turnfold.contract.segments import Segment
from turnfold.contract.wanted_anchors import ANCHORS_A_PAGE
from turnfold.errors import InvalidInput, InvalidSettings
from turnfold.read.arguments import Priority, check_erased, check_timeout
from turnfold.read.notes.wanted import NOTES_A_PAGE, WrittenBy
from turnfold.read.polling import Wait, pauses
from turnfold.read.relations import MOST_RELATIONS
from turnfold.read.stored_pages import CONVERSATIONS_A_PAGE, SEGMENTS_A_PAGE, TURNS_A_PAGE, WORK_A_PAGE
from turnfold.settings import Settings
from turnfold.tokens import TokenCount
from turnfold.tools import RESULT_TOKENS
from turnfold.tools.schemas import ToolForm
from turnfold.wire.encode import TurnInput
from turnfold.wire.turn_edits import Words
from turnfold.wire.whole_numbers import whole_number

THREADS = 32
"""Calls of one client that run at once; more wait their turn."""

COMPUTING_THREADS = 1
"""Of these, that compute at once: each more keeps the event loop waiting longer, and all share one interpreter."""

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class AsyncTurnfold:
    """A tenant's conversations, for asyncio. Arguments, results and errors are those of `Turnfold`."""

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        threads: int = THREADS,
        client: Turnfold | None = None,
        **values: Any,
    ) -> None:
        """Take what `Turnfold` takes, or a `client`, whose connections are used and closed.

        `threads` is how many calls run at once. Any number of them waits for servers; one at a time computes, so that
        the event loop is not kept from the interpreter.
        """
        whole_number("threads", threads, least=1, error=InvalidSettings)
        if client is not None and (settings is not None or values):
            msg = "give either a client or settings, not both"
            raise InvalidSettings(msg)
        self._client = client or Turnfold(settings=settings, **values)
        self._client._share_processor(COMPUTING_THREADS)  # noqa: SLF001 - one of our own kind
        self._pool = ThreadPoolExecutor(threads, "turnfold")

    @classmethod
    def from_env(cls) -> Self:
        """Read the `TURNFOLD_*` variables."""
        return cls(settings=Settings.from_env())

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Take settings as they are."""
        return cls(settings=settings)

    @property
    def tenant(self) -> str:
        """The tenant whose conversations this client sees."""
        return self._client.tenant

    async def warm_up(self) -> None:
        """As `Turnfold.warm_up`."""
        await self._run(self._client.warm_up)

    def for_tenant(self, tenant: str) -> Self:
        """A view on another tenant over the same connections and threads."""
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
        """Close the connections and end the threads. Views share them."""
        await asyncio.to_thread(self._client.close)
        self._pool.shutdown(wait=False)

    async def append(
        self,
        conversation_id: str,
        turns: TurnInput | Iterable[TurnInput],
        *,
        priority: Priority = "live",
        subject: str | None = None,
        durable: bool = False,
    ) -> Receipt:
        """As `Turnfold.append`."""
        return await self._run(
            self._client.append, conversation_id, turns, priority=priority, subject=subject, durable=durable
        )

    async def configure(
        self,
        conversation_id: str,
        *,
        goal: str | None = None,
        constraints: Sequence[str] | None = None,
        settings: Mapping[str, float] | None = None,
        title: str | None = None,
        operation_id: str | None = None,
    ) -> None:
        """As `Turnfold.configure`."""
        await self._run(
            self._client.configure, conversation_id, goal=goal, constraints=constraints, settings=settings, title=title,
            operation_id=operation_id,
        )  # fmt: skip

    async def resolve_anchor(self, conversation_id: str, anchor: int, *, dismiss: bool = False) -> None:
        """As `Turnfold.resolve_anchor`."""
        await self._run(self._client.resolve_anchor, conversation_id, anchor, dismiss=dismiss)

    async def edit(self, conversation_id: str, turn_id: str, *, content: Words) -> None:
        """As `Turnfold.edit`."""
        await self._run(self._client.edit, conversation_id, turn_id, content=content)

    async def delete(self, conversation_id: str, turn_id: str) -> None:
        """As `Turnfold.delete`."""
        await self._run(self._client.delete, conversation_id, turn_id)

    async def rewind(self, conversation_id: str, *, after: str) -> None:
        """As `Turnfold.rewind`."""
        await self._run(self._client.rewind, conversation_id, after=after)

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

    async def context(  # noqa: PLR0913 - a read's options, all by name
        self,
        conversation_id: str,
        *,
        budget_tokens: int,
        query: Query = None,
        query_vector: Iterable[float] | None = None,
        system: str | Iterable[Section] | None = None,
        flags: Iterable[str] = (),
        task: str | None = None,
        reserve_tokens: int = 0,
        count_tokens: TokenCount | str | None = None,
        policy: str | Policy = "balanced",
        expand: Iterable[str] = (),
        now: datetime | None = None,
        origins: Iterable[Origin | str] | None = None,
        speakers: Iterable[str] | None = None,
        as_of: datetime | None = None,
    ) -> Context:
        """As `Turnfold.context`."""
        return await self._run(
            self._client.context, conversation_id, budget_tokens=budget_tokens, query=query, system=system, flags=flags,
            task=task, reserve_tokens=reserve_tokens, count_tokens=count_tokens, policy=policy,
            expand=expand, query_vector=query_vector, now=now, origins=origins, speakers=speakers, as_of=as_of,
        )  # fmt: skip

    async def reference(self, context: Context) -> str:
        """As `Turnfold.reference`."""
        return await self._run(self._client.reference, context)

    async def resolve(self, reference: str) -> Context:
        """As `Turnfold.resolve`."""
        return await self._run(self._client.resolve, reference)

    async def _fold_point(self, conversation_id: str) -> bytes | None:
        return await self._run(self._client._fold_point, conversation_id)  # noqa: SLF001 - the same client

    async def _keep_fold_point(self, conversation_id: str, point: bytes, reference: str) -> None:
        keep = self._client._keep_fold_point  # noqa: SLF001 - the same client
        await self._run(keep, conversation_id, point, reference)

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

    async def search(
        self,
        conversation_id: str,
        query: str,
        *,
        limit: int = 10,
        origins: Iterable[Origin | str] | None = None,
        speakers: Iterable[str] | None = None,
        now: datetime | None = None,
    ) -> list[Hit]:
        """As `Turnfold.search`."""
        return await self._run(
            self._client.search, conversation_id, query, limit=limit, origins=origins, speakers=speakers, now=now
        )

    async def anchors(  # noqa: PLR0913 - a read's options, all by name
        self,
        conversation_id: str,
        *,
        types: Iterable[AnchorType | str] | None = None,
        states: Iterable[AnchorState | str] | None = ("active",),
        as_of: datetime | None = None,
        first_turn: int = 1,
        last_turn: int | None = None,
        ids: Iterable[int] | None = None,
        limit: int = ANCHORS_A_PAGE,
    ) -> list[Anchor]:
        """As `Turnfold.anchors`."""
        return await self._run(
            self._client.anchors, conversation_id, types=types, states=states, as_of=as_of, first_turn=first_turn,
            last_turn=last_turn, ids=ids, limit=limit,
        )  # fmt: skip

    async def notes(  # noqa: PLR0913 - a read's options, all by name
        self,
        conversation_id: str,
        *,
        states: Iterable[AnchorState | str] | None = ("active",),
        origins: Iterable[Origin | str] | None = None,
        speakers: Iterable[str] | None = None,
        min_importance: int = 1,
        first_turn: int = 1,
        last_turn: int | None = None,
        limit: int = NOTES_A_PAGE,
        written_by: WrittenBy | None = None,
    ) -> list[Note]:
        """As `Turnfold.notes`."""
        return await self._run(
            self._client.notes, conversation_id, states=states, origins=origins, speakers=speakers,
            min_importance=min_importance, first_turn=first_turn, last_turn=last_turn, limit=limit,
            written_by=written_by,
        )  # fmt: skip

    async def turns(self, conversation_id: str, *, after: int = 0, limit: int = TURNS_A_PAGE) -> list[StoredTurn]:
        """As `Turnfold.turns`."""
        return await self._run(self._client.turns, conversation_id, after=after, limit=limit)

    async def segments(
        self, conversation_id: str, *, after: int = 0, limit: int = SEGMENTS_A_PAGE, words: bool = False
    ) -> list[Segment]:
        """As `Turnfold.segments`."""
        return await self._run(self._client.segments, conversation_id, after=after, limit=limit, words=words)

    async def jobs(self, conversation_id: str | None = None, *, limit: int = WORK_A_PAGE) -> list[Work]:
        """As `Turnfold.jobs`."""
        return await self._run(self._client.jobs, conversation_id, limit=limit)

    async def usage(self, conversation_id: str | None = None, *, days: int = 30) -> list[Usage]:
        """As `Turnfold.usage`."""
        return await self._run(self._client.usage, conversation_id, days=days)

    async def conversations(
        self, *, after: str | None = None, limit: int = CONVERSATIONS_A_PAGE, containing: str | None = None
    ) -> list[ListedConversation]:
        """As `Turnfold.conversations`."""
        return await self._run(self._client.conversations, after=after, limit=limit, containing=containing)

    async def export(self, conversation_id: str, *, timeout_seconds: float = 30.0) -> bytes:
        """As `Turnfold.export`."""
        check_timeout(timeout_seconds)
        wait = await self._run(self._client._begin_export, conversation_id)  # noqa: SLF001 - the same client
        return await self._until(wait, timeout_seconds)

    async def timeline(
        self, conversation_id: str, query: str | None = None, *, after: int | None = None, limit: int = 50,
        now: datetime | None = None,
    ) -> list[TimelineEntry]:  # fmt: skip
        """As `Turnfold.timeline`."""
        return await self._run(self._client.timeline, conversation_id, query, after=after, limit=limit, now=now)

    async def tiers(
        self, conversation_id: str, *, query: str | None = None, rules: MemoryTiers | None = None
    ) -> list[TieredSegment]:
        """As `Turnfold.tiers`."""
        return await self._run(self._client.tiers, conversation_id, query=query, rules=rules)

    async def relations(
        self, conversation_id: str, *, about: str | None = None, limit: int = MOST_RELATIONS
    ) -> list[Relation]:
        """As `Turnfold.relations`."""
        return await self._run(self._client.relations, conversation_id, about=about, limit=limit)

    async def tools(self, form: ToolForm = "openai") -> list[dict[str, Any]]:
        """As `Turnfold.tools`."""
        return self._client.tools(form)

    async def handle_tool_call(
        self, conversation_id: str, call: object, *, max_tokens: int = RESULT_TOKENS
    ) -> dict[str, Any]:
        """As `Turnfold.handle_tool_call`."""
        return await self._run(self._client.handle_tool_call, conversation_id, call, max_tokens=max_tokens)

    async def status(self, conversation_id: str) -> Status:
        """As `Turnfold.status`."""
        return await self._run(self._client.status, conversation_id)

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
            # With the context variables of who calls: a span of the caller's is the parent of ours.
            running = loop.run_in_executor(self._pool, partial(copy_context().run, call, *arguments, **named))
        except RuntimeError as error:
            msg = "this client, or one that shares its threads, was closed"
            raise InvalidInput(msg, remedy="make one for as long as there are calls") from error
        return await running

    async def _until(self, wait: Wait[_Result], timeout_seconds: float) -> _Result:
        """A thread for each look, and none in between: those who wait are no reason for others to wait."""
        outcome = await self._run(wait.look)
        for pause in pauses(timeout_seconds):
            if outcome is not None:
                break
            await asyncio.sleep(pause)
            outcome = await self._run(wait.look)
        return await self._run(wait.give_up, timeout_seconds) if outcome is None else outcome
