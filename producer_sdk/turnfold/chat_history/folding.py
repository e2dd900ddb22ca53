"""Build the forwarded items: the caller's system messages, one block of memory, then the newest turns verbatim. Pure.

A block is made once and does not change until the turns after it outgrow the budget, so that each request begins with
what the provider's prompt cache has of the previous one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from turnfold.assemble import messages_tokens
from turnfold.assemble.forms.chat import whole
from turnfold.assemble.forms.render_openai import openai_turn
from turnfold.chat_history.caller_turns import Api, CallerHistory, Item, items_of_messages
from turnfold.contract.records import StoredTurn
from turnfold.tokens import TokenCount


class TailTurn(NamedTuple):
    """One of the newest turns of a conversation."""

    turn_id: str
    seq: int
    place: int | None
    """Index of the caller's own version among its turns; None if it did not send the turn."""
    stored: StoredTurn | None
    """The turn as it was read; None if it was appended just now."""


@dataclass(frozen=True, slots=True)
class Tail:
    """The newest turns of a conversation, those of this call included, in order."""

    turns: tuple[TailTurn, ...]

    @property
    def last_id(self) -> str:
        """The id of the newest turn; empty if there is none."""
        return self.turns[-1].turn_id if self.turns else ""

    @property
    def is_covered(self) -> bool:
        """Whether the caller itself sent every turn of the conversation, from the first one on."""
        if not self.turns:
            return True
        return self.turns[0].place == self.turns[0].seq - 1 and all(turn.place is not None for turn in self.turns)

    def from_turn(self, turn_id: str) -> tuple[TailTurn, ...] | None:
        """Return the turns from the one with an id on; None if it is not among them."""
        for at, turn in enumerate(self.turns):
            if turn.turn_id == turn_id:
                return self.turns[at:]
        return None


class Forwarded(NamedTuple):
    """Items for the provider, and their tokens."""

    items: list[Item]
    tokens: int
    shift: int = 0
    """Offset from an item's index in the caller's list, after the block, to its index here."""


@dataclass(frozen=True, slots=True)
class PricedHistory:
    """A caller's history with the tokens of its turns."""

    history: CallerHistory
    turn_tokens: tuple[int, ...]
    system_tokens: int
    """Tokens of the system and developer messages."""
    api: Api
    count: TokenCount

    @property
    def tokens(self) -> int:
        """Tokens of the history as it was sent, without reasoning and references, which only the provider can count."""
        return self.system_tokens + sum(self.turn_tokens)

    def tokens_of(self, message: Item) -> int:
        """Return the tokens of one chat message."""
        return messages_tokens([message], self.count)

    def replaced(self, messages: Sequence[dict[str, Any]]) -> Forwarded:
        """Return the caller's system messages, followed by chat messages in place of all its turns."""
        items = [*self.history.system, *self._in_form(messages)]
        return Forwarded(items, self.system_tokens + messages_tokens(messages, self.count))

    def folded(self, block: Sequence[dict[str, Any]], behind: Sequence[TailTurn]) -> Forwarded:
        """Return system messages, the `block`, then the turns `behind` it, in the caller's own version if it has one.

        System messages from the part that the block replaces come before it; later ones keep their places.
        """
        first = next((turn.place for turn in behind if turn.place is not None), None)
        start = len(self.history.items) if first is None else self.history.turns[first].first
        messages = list(block)
        for turn in behind:
            if turn.place is not None:
                break
            messages += _rendered(turn.stored)
        operators = [self.history.items[place] for place in self.history.operators if place < start]
        items = [*operators, *self._in_form(messages), *self.history.items[start:]]
        own = 0 if first is None else sum(self.turn_tokens[first:])
        shift = len(items) - len(self.history.items)
        return Forwarded(items, self.system_tokens + messages_tokens(messages, self.count) + own, shift)

    def with_message(self, forwarded: Forwarded, place: int, message: dict[str, Any]) -> Forwarded:
        """Insert a chat message before one of the caller's turns after the block, given by the turn's index."""
        at = self.history.turns[place].first + forwarded.shift
        items = [*forwarded.items[:at], *self._in_form([message]), *forwarded.items[at:]]
        return Forwarded(items, forwarded.tokens + messages_tokens([message], self.count), forwarded.shift)

    def _in_form(self, messages: Sequence[dict[str, Any]]) -> list[Item]:
        return list(messages) if self.api == "chat" else items_of_messages(messages)


def _rendered(turn: StoredTurn | None) -> list[dict[str, Any]]:
    return [] if turn is None else openai_turn(whole(turn), "")
