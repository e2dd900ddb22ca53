"""`Turnfold`: append turns, read contexts. Safe to share among threads and across forks."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from turnfold import expansion, retrieval
from turnfold.assemble import Context, Policy, Request, policy_named
from turnfold.contract.configuration import configuration
from turnfold.contract.keys import Address, checked_id
from turnfold.contract.records import (
    Anchor,
    AnchorState,
    AnchorType,
    ErasureReceipt,
    Expansion,
    Hit,
    Receipt,
    Status,
    Turn,
)
from turnfold.contract.tasks import Operation, Task
from turnfold.edge import Entry, TurnInput, accept, with_turn_id
from turnfold.errors import InvalidInput, InvalidSettings, InvalidTurn, Unavailable, WaitTimeout
from turnfold.inbox import stream_order
from turnfold.resources import Resources
from turnfold.settings import Settings
from turnfold.tokens import ESTIMATOR, Counter, TokenCount, caller_counter, tiktoken_counter

if TYPE_CHECKING:
    from turnfold.inbox import ProducerInbox

_Found = TypeVar("_Found")

_FIRST_POLL_SECONDS = 0.02
_SLOWEST_POLL_SECONDS = 0.25


class Turnfold:
    """A tenant's conversations.

    >>> tf = Turnfold(redis_url="redis://localhost:6379/0", database_url="sqlite:///turnfold.db")  # doctest: +SKIP
    >>> tf.append("conv-1", {"role": "user", "content": "We must use PostgreSQL."})  # doctest: +SKIP
    >>> tf.context("conv-1", budget_tokens=2000).text  # doctest: +SKIP
    """

    def __init__(self, *, settings: Settings | None = None, **values: Any) -> None:
        """Take `settings`, or their fields by name (`redis_url`, `tenant` …). Connects to nothing yet."""
        if settings is not None and values:
            msg = "give either settings or single values, not both"
            raise InvalidSettings(msg)
        self._settings = settings or _settings_from(values)
        self._resources = Resources(self._settings)
        self._tenant = self._settings.tenant

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
        return self._tenant

    def for_tenant(self, tenant: str) -> Turnfold:
        """A view on another tenant over the same connections; costs nothing."""
        view = object.__new__(type(self))
        view._settings = self._settings
        view._resources = self._resources
        view._tenant = checked_id("tenant", tenant)
        return view

    def close(self) -> None:
        """Publish waiting doorbells and close the connections. Views share them."""
        self._resources.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Writing

    def append(self, conversation_id: str, turns: TurnInput | Iterable[TurnInput]) -> Receipt:
        """Append one turn or several, in order. Returns when Redis has them: one round trip for up to 500.

        A turn is a `Turn`, a provider's message dict as it is, or a provider client's message object. A repeated
        `turn_id` changes nothing. Raises `InvalidTurn` (nothing was appended), `InboxFull`, or `Unavailable`, whose
        `turns` have their ids: append those again, and nothing is doubled.
        """
        given = _listed(turns)
        entries = [accept(turn, max_bytes=self._settings.max_turn_bytes) for turn in given]
        try:
            self._put(conversation_id, Operation.APPEND, entries)
        except Unavailable as error:
            error.turns = tuple(with_turn_id(turn, entry.entry_id) for turn, entry in zip(given, entries, strict=True))
            raise
        return Receipt(turn_ids=tuple(entry.entry_id for entry in entries))

    def configure(
        self,
        conversation_id: str,
        *,
        goal: str | None = None,
        constraints: Sequence[str] | None = None,
        settings: Mapping[str, float] | None = None,
    ) -> None:
        """Say what matters in a conversation; takes effect for the segments that begin after it.

        `settings` are the fold's: `segment_max_turns`, `segment_max_tokens`, `gap_minutes` … Raises `InvalidInput`.
        """
        body = configuration(goal=goal, constraints=constraints, settings=settings)
        self._put(conversation_id, Operation.CONFIGURE, [Entry(f"configure-{secrets.token_hex(12)}", body)])

    def forget(self, conversation_id: str, *, timeout_seconds: float = 30.0) -> ErasureReceipt:
        """Erase a conversation from Redis now, and from SQL as soon as a worker gets to it.

        Nothing of it is readable once this returns. Waits for the rows' deletion; without a worker in time the
        receipt says `completed=False`, and the deletion still happens.
        """
        address = self._address(conversation_id)
        store = self._resources.inbox()
        dropped = store.forget(address)
        if self._settings.doorbell:
            self._resources.ring(Task.ERASE, address.shard)
        counts = self._poll(timeout_seconds, lambda: store.erased(address))
        erased: dict[str, int] = json.loads(counts) if counts else {}
        return ErasureReceipt(
            conversation_id=conversation_id, completed=counts is not None, inbox_turns=dropped,
            turns=erased.get("turns", 0), segments=erased.get("segments", 0), anchors=erased.get("anchors", 0),
        )  # fmt: skip

    # Reading

    def context(  # noqa: PLR0913 - a read's options, all by name
        self,
        conversation_id: str,
        *,
        budget_tokens: int,
        query: str | None = None,
        system: str | None = None,
        task: str | None = None,
        reserve_tokens: int = 0,
        count_tokens: TokenCount | str | None = None,
        policy: str | Policy = "balanced",
    ) -> Context:
        """Everything that matters of a conversation, within `budget_tokens`, in one fast read.

        `count_tokens` is your own counter, or the name of a cached tiktoken encoding; without it the built-in
        estimator counts. A conversation that nobody has written to reads as an empty context.
        Raises `InvalidBudget` naming the least that is needed, `Unavailable`, `InvalidSettings`.
        """
        request = Request(
            budget_tokens=budget_tokens, query=query, system=system, task=task, reserve_tokens=reserve_tokens,
            policy=policy_named(policy), counter=chosen_counter(count_tokens),
        )  # fmt: skip
        address = self._address(conversation_id)
        return retrieval.context(self._resources.inbox(), self._resources.reader(), address, request)

    def expand(self, conversation_id: str, marker: str, *, max_tokens: int | None = None) -> Expansion:
        """What a marker of a context stands for, at the level that it names; no model is asked.

        Raises `UnknownMarker`, `UnknownConversation`, `InvalidInput`.
        """
        address = self._address(conversation_id)
        return expansion.expand(
            self._resources.inbox(), self._resources.reader(), address, marker, max_tokens=max_tokens
        )

    def search(self, conversation_id: str, query: str, *, limit: int = 10) -> list[Hit]:
        """Segments and recent turns about `query`, best first. Raises `UnknownConversation`, `InvalidInput`."""
        _check_search(query, limit)
        address = self._address(conversation_id)
        return retrieval.search(self._resources.inbox(), self._resources.reader(), address, query, limit=limit)

    def anchors(
        self,
        conversation_id: str,
        *,
        types: Iterable[AnchorType | str] | None = None,
        states: Iterable[AnchorState | str] | None = ("active",),
    ) -> list[Anchor]:
        """Anchors in the order in which they were said; `None` means every type or state.

        Raises `UnknownConversation`, `InvalidInput` for an unknown type or state.
        """
        address = self._address(conversation_id)
        found = retrieval.anchors(self._resources.inbox(), self._resources.reader(), address)
        return anchors_among(found, types, states)

    def status(self, conversation_id: str) -> Status:
        """How far the work on a conversation is; zeros for one that nobody has written to."""
        address = self._address(conversation_id)
        return retrieval.status(self._resources.inbox(), self._resources.reader(), address)

    def wait(self, conversation_id: str, *, timeout_seconds: float = 30.0) -> Status:
        """Until everything appended before this call is stored and every closed segment of it folded.

        Later appends do not prolong it. Parked work returns at once, with `status.parked` above 0.
        Raises `WaitTimeout` with the last status.
        """
        address = self._address(conversation_id)
        store = self._resources.inbox()
        last = store.last_stream_id(address)
        target: int | None = None

        def done() -> Status | None:
            nonlocal target
            if target is None and not _passed(store, address, last):
                return None
            status = self.status(conversation_id)
            if target is None:
                target = status.stored
            return status if status.folded >= target or status.parked else None

        status = self._poll(timeout_seconds, done)
        if status is None:
            last_status = self.status(conversation_id)
            msg = (
                f"conversation {conversation_id!r} was not folded within {timeout_seconds} s "
                f"({last_status.inbox} turns wait in the inbox, {last_status.folded} of {last_status.stored} stored "
                "turns are folded): are workers running? See `turnfold doctor`"
            )
            raise WaitTimeout(msg, status=last_status)
        return status

    # Within

    def _address(self, conversation_id: str) -> Address:
        return Address(self._tenant, checked_id("conversation id", conversation_id))

    def _put(self, conversation_id: str, operation: Operation, entries: Sequence[Entry]) -> None:
        address = self._address(conversation_id)
        if not entries:
            return
        ring = self._resources.inbox().append(
            address, operation, entries,
            most_entries=self._settings.max_inbox_turns, bell=self._settings.doorbell,
        )  # fmt: skip
        if ring:
            self._resources.ring(Task.DRAIN, address.shard)

    @staticmethod
    def _poll(timeout_seconds: float, look: Callable[[], _Found | None]) -> _Found | None:
        end = time.monotonic() + timeout_seconds
        pause = _FIRST_POLL_SECONDS
        while True:
            found = look()
            if found is not None or time.monotonic() >= end:
                return found
            time.sleep(min(pause, max(0.0, end - time.monotonic())))
            pause = min(pause * 1.5, _SLOWEST_POLL_SECONDS)


_Member = TypeVar("_Member", AnchorType, AnchorState)


def _settings_from(values: Mapping[str, Any]) -> Settings:
    try:
        return Settings(**values)
    except TypeError as error:
        known = ", ".join(field.name for field in fields(Settings))
        msg = f"{error}: the settings are {known}"
        raise InvalidSettings(msg) from error


def _check_search(query: object, limit: object) -> None:
    if not isinstance(query, str):
        msg = f"query must be text, not {type(query).__name__}"
        raise InvalidInput(msg)
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        msg = f"limit must be a whole number of at least 1, not {limit!r}"
        raise InvalidInput(msg)


def _listed(turns: object) -> list[Any]:
    if isinstance(turns, (Turn, Mapping)) or hasattr(turns, "model_dump"):
        return [turns]
    if not isinstance(turns, Iterable):
        msg = f"append takes a turn or a list of turns, not {type(turns).__name__}"
        raise InvalidTurn(msg)
    return list(turns)


def anchors_among(
    found: Iterable[Anchor], types: Iterable[AnchorType | str] | None, states: Iterable[AnchorState | str] | None
) -> list[Anchor]:
    """Those of the given types and states; `None` means all. Raises `InvalidInput` for an unknown one."""
    wanted_types, wanted_states = _members(AnchorType, types), _members(AnchorState, states)
    return [anchor for anchor in found if anchor.type in wanted_types and anchor.state in wanted_states]


def chosen_counter(count_tokens: TokenCount | str | None) -> Counter:
    """The counter that a caller asked for: its own, a cached tiktoken encoding by name, or the estimator."""
    if count_tokens is None:
        return ESTIMATOR
    if isinstance(count_tokens, str):
        return tiktoken_counter(count_tokens)
    if not callable(count_tokens):
        msg = f"count_tokens must be a function from text to a number, not {type(count_tokens).__name__}"  # type: ignore[unreachable]  # not every caller has types
        raise InvalidInput(msg)
    return caller_counter(count_tokens)


def _members(kind: type[_Member], wanted: Iterable[_Member | str] | None) -> frozenset[_Member]:
    if wanted is None:
        return frozenset(kind)
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    try:
        return frozenset(kind(name) for name in names)
    except ValueError as error:
        msg = f"{error}: use {', '.join(kind)}"
        raise InvalidInput(msg) from error


def _passed(store: ProducerInbox, address: Address, last: str | None) -> bool:
    """True when every entry up to `last` has left the inbox."""
    if last is None:
        return True
    first = store.first_stream_id(address)
    return first is None or stream_order(first) > stream_order(last)
