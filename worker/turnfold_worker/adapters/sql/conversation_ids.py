"""The ids of conversations that a process met last: most drains store in those that an earlier one stored in."""

from __future__ import annotations

from collections.abc import Iterable

from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId

MOST_REMEMBERED = 20_000
"""Then all are forgotten, and looked up again."""


class ConversationIds:
    """Ids by address, as they were. Whoever uses one compares `address_of` with the row, under its lock.

    A conversation that was forgotten has no row, or has another when it began anew; a database may be another one.
    """

    def __init__(self) -> None:
        self._ids: dict[Address, ConversationId] = {}
        self._addresses: dict[ConversationId, Address] = {}

    def of(self, addresses: Iterable[Address]) -> dict[Address, ConversationId]:
        """The ids of those that are remembered."""
        return {address: id_ for address in addresses if (id_ := self._ids.get(address)) is not None}

    def address_of(self, conversation: ConversationId) -> Address | None:
        """Of which address a remembered id was."""
        return self._addresses.get(conversation)

    def remember(self, found: Iterable[tuple[Address, ConversationId]]) -> None:
        """Remember what was looked up."""
        if len(self._ids) >= MOST_REMEMBERED:
            self._ids.clear()
            self._addresses.clear()
        for address, id_ in found:
            if (before := self._addresses.get(id_)) not in {None, address}:
                # The database is another one than it was: the id was another conversation's.
                self._ids.pop(before, None)
            self._ids[address] = id_
            self._addresses[id_] = address

    def forget(self, conversations: Iterable[ConversationId]) -> None:
        """Let the next one look up what did not hold."""
        for id_ in conversations:
            address = self._addresses.pop(id_, None)
            if address is not None and self._ids.get(address) == id_:
                del self._ids[address]
