"""A cache of conversation ids: most drains store in conversations that an earlier drain stored in."""

from __future__ import annotations

from collections.abc import Iterable

from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId

MOST_REMEMBERED = 20_000
"""Size at which the cache is emptied."""


class ConversationIds:
    """Cached ids by address. A user must compare `address_of` with the row, under its lock.

    A forgotten conversation has no row, or another one if it was started again; a database may be a different one.
    """

    def __init__(self) -> None:
        self._ids: dict[Address, ConversationId] = {}
        self._addresses: dict[ConversationId, Address] = {}

    def of(self, addresses: Iterable[Address]) -> dict[Address, ConversationId]:
        """Return the cached ids of some addresses."""
        return {address: id_ for address in addresses if (id_ := self._ids.get(address)) is not None}

    def address_of(self, conversation: ConversationId) -> Address | None:
        """Return the address of a cached id."""
        return self._addresses.get(conversation)

    def remember(self, found: Iterable[tuple[Address, ConversationId]]) -> None:
        """Cache ids that were looked up."""
        if len(self._ids) >= MOST_REMEMBERED:
            self._ids.clear()
            self._addresses.clear()
        for address, id_ in found:
            if (before := self._addresses.get(id_)) not in {None, address}:
                # This is a different database: the id belonged to another conversation.
                self._ids.pop(before, None)
            self._ids[address] = id_
            self._addresses[id_] = address

    def forget(self, conversations: Iterable[ConversationId]) -> None:
        """Remove ids that proved stale."""
        for id_ in conversations:
            address = self._addresses.pop(id_, None)
            if address is not None and self._ids.get(address) == id_:
                del self._ids[address]
