"""Adapters with one safeguard removed each, which the checkers of the fault tests must notice."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId
from turnfold.wire.inbox_entry import InboxEntry
from turnfold_worker.ports.messages import Claim, Hidden, Received, ReceivedTurn, StoreResult


class Mutant:
    """Delegates everything to an adapter, except what a subclass overrides."""

    def __init__(self, adapter: Any) -> None:
        self._adapter = adapter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._adapter, name)


class TrimsBeforeCommit(Mutant):
    """An inbox whose entries are removed when they are read."""

    def read(self, claims: Sequence[Claim], most: int) -> list[list[InboxEntry]]:
        entries: list[list[InboxEntry]] = self._adapter.read(claims, most)
        self._adapter.finish([
            (claim, read[-1].stream_id) for claim, read in zip(claims, entries, strict=True) if read
        ])  # fmt: skip
        return entries


class NewestFirst(Mutant):
    """An inbox that returns the newest entries first."""

    def read(self, claims: Sequence[Claim], most: int) -> list[list[InboxEntry]]:
        entries: list[list[InboxEntry]] = self._adapter.read(claims, most)
        return [[*reversed(read[:-1]), *read[-1:]] for read in entries]


class TrimsWhateverItRead(Mutant):
    """An inbox that is trimmed without checking that the claim still holds."""

    def finish(self, done: Sequence[tuple[Claim, str | None]]) -> None:
        for claim, last in done:
            if last is not None:
                milliseconds, _, sequence = last.partition("-")
                self._adapter._servers.home.xtrim(claim.place.inbox, minid=f"{milliseconds}-{int(sequence) + 1}")
        self._adapter.finish(done)


class NeverDeduplicates(Mutant):
    """A store that treats every received turn as new."""

    def __init__(self, adapter: Any) -> None:
        super().__init__(adapter)
        self._numbers = itertools.count()

    def store(self, batches: Mapping[ConversationId, Sequence[Received]]) -> StoreResult:
        result: StoreResult = self._adapter.store(
            {conversation: [self._renamed(item) for item in received] for conversation, received in batches.items()}
        )
        return result

    def _renamed(self, item: Received) -> Received:
        if not isinstance(item, ReceivedTurn):
            return item
        return replace(item, turn=replace(item.turn, turn_id=f"{item.turn.turn_id} {next(self._numbers)}"))


class MakesMissingRowsAgain(Mutant):
    """A store that recreates the missing row of a conversation, so that forgotten turns return."""

    def __init__(self, adapter: Any) -> None:
        super().__init__(adapter)
        self._addresses: dict[ConversationId, Address] = {}

    def resolve(self, addresses: Sequence[Address]) -> list[ConversationId]:
        ids: list[ConversationId] = self._adapter.resolve(addresses)
        self._addresses.update(zip(ids, addresses, strict=True))
        return ids

    def store(self, batches: Mapping[ConversationId, Sequence[Received]]) -> StoreResult:
        result: StoreResult = self._adapter.store(batches)
        for missing in result.missing:
            (again,) = self.resolve([self._addresses[missing]])
            self._adapter.store({again: batches[missing]})
        return result


class ErasesWithoutAsking(Mutant):
    """A store that deletes rows without checking that they are older than the request to forget."""

    def hide(self, address: Address, confirmed: Callable[[], bool]) -> Hidden | None:
        hidden: Hidden | None = self._adapter.hide(address, lambda: True)
        return hidden


class KeepsUnusedRows(Mutant):
    """A store that keeps the row made for a forgotten conversation."""

    def discard_unused(self, conversations: Sequence[ConversationId]) -> None: ...
