"""What is forwarded in place of a caller's items: its system, one block of memory, then what stays word for word. Pure.

The block is made once and stays as it is until what stands behind it has grown out of the budget: what a provider has
in its cache of a request is the beginning of the next one.
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
    """Of the caller's own version, among its turns."""
    stored: StoredTurn | None
    """As it was read; None for one that was appended just now."""


@dataclass(frozen=True, slots=True)
class Tail:
    """The newest turns of a conversation, those of this call included, in order."""

    turns: tuple[TailTurn, ...]

    @property
    def last_id(self) -> str:
        """The id of the newest turn; empty where there is none."""
        return self.turns[-1].turn_id if self.turns else ""

    @property
    def is_covered(self) -> bool:
        """Whether the caller sent every turn of the conversation itself, from the first one on."""
        if not self.turns:
            return True
        return self.turns[0].place == self.turns[0].seq - 1 and all(turn.place is not None for turn in self.turns)

    def from_turn(self, turn_id: str) -> tuple[TailTurn, ...] | None:
        """The turns from one on; None where it is not among them."""
        for at, turn in enumerate(self.turns):
            if turn.turn_id == turn_id:
                return self.turns[at:]
        return None


class Forwarded(NamedTuple):
    """Items for the provider, and what they cost."""

    items: list[Item]
    tokens: int
    shift: int = 0
    """What is added to the place of an item of the caller's, behind the block, for its place here."""


@dataclass(frozen=True, slots=True)
class PricedHistory:
    """A caller's history with what its turns cost."""

    history: CallerHistory
    turn_tokens: tuple[int, ...]
    system_tokens: int
    """Of its system and developer messages."""
    api: Api
    count: TokenCount

    @property
    def tokens(self) -> int:
        """Of everything as it was sent. Reasoning and references, which a provider counts in its own way, are not."""
        return self.system_tokens + sum(self.turn_tokens)

    def tokens_of(self, message: Item) -> int:
        """Tokens of one chat message."""
        return messages_tokens([message], self.count)

    def replaced(self, messages: Sequence[dict[str, Any]]) -> Forwarded:
        """The caller's system, and chat messages in place of all that it said."""
        items = [*self.history.system, *self._in_form(messages)]
        return Forwarded(items, self.system_tokens + messages_tokens(messages, self.count))

    def folded(self, block: Sequence[dict[str, Any]], behind: Sequence[TailTurn]) -> Forwarded:
        """The caller's system, `block` as chat messages, then the turns `behind` it, its own where it sent them.

        System messages among what the block replaces stand before it; those behind it stay in their places.
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
        """The same with a chat message before one of the caller's turns that stand behind the block."""
        at = self.history.turns[place].first + forwarded.shift
        items = [*forwarded.items[:at], *self._in_form([message]), *forwarded.items[at:]]
        return Forwarded(items, forwarded.tokens + messages_tokens([message], self.count), forwarded.shift)

    def _in_form(self, messages: Sequence[dict[str, Any]]) -> list[Item]:
        return list(messages) if self.api == "chat" else items_of_messages(messages)


def _rendered(turn: StoredTurn | None) -> list[dict[str, Any]]:
    return [] if turn is None else openai_turn(whole(turn), "")
