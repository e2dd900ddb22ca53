"""`HistoryKeeper`: take a caller's whole history, return what to forward, and append the provider's answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakValueDictionary

from turnfold.assemble import messages_tokens
from turnfold.async_client import AsyncTurnfold
from turnfold.chat_history.caller_turns import Api, CallerHistory, Item, read_history
from turnfold.chat_history.fold import Fold, FoldOptions, fold
from turnfold.chat_history.fold_points import FoldPoints
from turnfold.chat_history.folding import PricedHistory
from turnfold.chat_history.identity import digest_of
from turnfold.chat_history.memory import ConversationMemory
from turnfold.contract.bounded_memo import NewestEntries
from turnfold.errors import InvalidBudget, InvalidIdentifier, InvalidSettings
from turnfold.tokens import Counter, chosen_counter

REMEMBERED_COUNTS: Final = 100_000
"""Messages whose token counts are cached: a caller sends the same ones at each call."""

CALLERS_FAULT: Final = (InvalidBudget, InvalidIdentifier, InvalidSettings)
"""Errors that the caller has to correct. After any other error of `keep`, the call can be made without memory."""

WAIT_SECONDS: Final = 2.0
MAX_TURN_BYTES: Final = 1_048_576


@dataclass(frozen=True, slots=True)
class ReadHistory:
    """A caller's history with the digests of its turns."""

    history: CallerHistory
    digests: tuple[str, ...]
    priced: PricedHistory


@dataclass(frozen=True, slots=True)
class Kept:
    """The outcome of a call: its conversation, and the body to forward."""

    memory: ConversationMemory
    last_id: str
    """Id of the newest turn, after which the answer is appended."""
    fold: Fold
    body: dict[str, Any] | None
    """The body to forward; None: as it was sent."""
    only_new: bool
    """Whether the caller sends no history."""

    async def append_answer(self, messages: Sequence[Item]) -> None:
        """Append a finished answer, as chat messages. When the caller sends it back later, nothing changes."""
        if messages:
            await self.memory.append_answer(self.last_id, messages, only_new=self.only_new)


class HistoryKeeper:
    """Stores and folds the histories of all callers of one process. Safe for concurrent calls."""

    def __init__(self, *, max_turn_bytes: int = MAX_TURN_BYTES, wait_seconds: float = WAIT_SECONDS) -> None:
        """`max_turn_bytes`: as in the client's settings; `wait_seconds`: longest wait for workers at a new block."""
        self._max_turn_bytes = max_turn_bytes
        self._points = FoldPoints(wait_seconds=wait_seconds)
        # Two concurrent calls of one conversation would each mistake the other's turns for abandoned ones.
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()
        self._counts: NewestEntries[tuple[str, str], int] = NewestEntries(REMEMBERED_COUNTS)

    async def read(self, body: Mapping[str, Any], api: Api, *, tokenizer: str | None = None) -> ReadHistory:
        """Read the history in a request's body. Raises `UnreadableRequest`, `InvalidSettings` for the tokenizer."""
        counter = chosen_counter(tokenizer)
        # On a thread: megabytes of history would block the event loop.
        return await asyncio.to_thread(self._read, body, api, counter)

    async def keep(
        self, turnfold: AsyncTurnfold, conversation: str, body: Mapping[str, Any], api: Api, options: FoldOptions, *,
        only_new: bool = False,
    ) -> Kept:  # fmt: skip
        """Append the new messages of a request's body, and fold the old ones.

        `turnfold` is the tenant's client. `only_new`: the body has only new messages, no history. Raises
        `UnreadableRequest`, `InvalidBudget`, `InvalidSettings`, `InvalidIdentifier`, and as `AsyncTurnfold.append`.
        """
        read = await self.read(body, api, tokenizer=options.tokenizer)
        memory = self.memory(turnfold, conversation)
        tail = await memory.take(read.history, read.digests, only_new=only_new)
        folded = await fold(memory, self._points, read.priced, tail, options)
        named = "messages" if api == "chat" else "input"
        forwarded = None if folded.items is None else {**body, named: folded.items}
        return Kept(memory, tail.last_id, folded, forwarded, only_new)

    async def take(
        self, turnfold: AsyncTurnfold, conversation: str, read: ReadHistory, *, only_new: bool = False
    ) -> ConversationMemory:
        """Append the new messages of a history, wait briefly for the fold, and return the conversation."""
        memory = self.memory(turnfold, conversation)
        await memory.take(read.history, read.digests, only_new=only_new)
        await self._points.wait(memory)
        return memory

    async def record(self, turnfold: AsyncTurnfold, conversation: str, read: ReadHistory) -> Kept:
        """Append the messages of a body whose history the provider keeps; nothing is folded."""
        memory = self.memory(turnfold, conversation)
        tail = await memory.take(read.history, read.digests, only_new=True)
        return Kept(memory, tail.last_id, Fold(None, read.priced.tokens), None, only_new=True)

    def memory(self, turnfold: AsyncTurnfold, conversation: str) -> ConversationMemory:
        """Return a conversation of the client's tenant."""
        lock = self._locks.setdefault((turnfold.tenant, conversation), asyncio.Lock())
        return ConversationMemory(turnfold, conversation, lock, max_turn_bytes=self._max_turn_bytes)

    def _read(self, body: Mapping[str, Any], api: Api, counter: Counter) -> ReadHistory:
        history = read_history(body, api)
        digests = tuple(digest_of(turn.message) for turn in history.turns)
        tokens = tuple(
            self._tokens(digest, turn.message, counter) for digest, turn in zip(digests, history.turns, strict=True)
        )
        system_tokens = messages_tokens(history.system, counter.count)
        return ReadHistory(history, digests, PricedHistory(history, tokens, system_tokens, api, counter.count))

    def _tokens(self, digest: str, message: Item, counter: Counter) -> int:
        key = (counter.name, digest)
        tokens = self._counts.get(key)
        if tokens is None:
            tokens = self._counts[key] = messages_tokens([message], counter.count)
        return tokens
