"""The stored conversation behind a caller's history: append new messages, cut off abandoned ones."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from turnfold.async_client import AsyncTurnfold
from turnfold.chat_history.alignment import Alignment, Said, align
from turnfold.chat_history.caller_turns import CallerHistory
from turnfold.chat_history.folding import Tail, TailTurn
from turnfold.chat_history.identity import digest_of, role_of, stored_digest, turn_ids
from turnfold.chat_history.storable import storable
from turnfold.contract.records import StoredTurn
from turnfold.contract.turn_limits import TURNS_A_READ

APPENDED_AT_ONCE: Final = 400


class ConversationMemory:
    """Writes one conversation of a tenant."""

    def __init__(self, turnfold: AsyncTurnfold, conversation: str, lock: asyncio.Lock, *, max_turn_bytes: int) -> None:
        """`lock` is held while a history is aligned and appended."""
        self.turnfold = turnfold
        self.conversation = conversation
        self._max_turn_bytes = max_turn_bytes
        self._lock = lock

    async def take(self, history: CallerHistory, digests: Sequence[str], *, only_new: bool) -> Tail:
        """Append the new messages of a caller's history, and cut off stored turns that the caller abandoned.

        `digests` are those of the history's turns. Raises `TurnfoldError`.
        """
        async with self._lock:
            return await self._take(history, digests, only_new=only_new)

    async def append_answer(self, previous_id: str, messages: Sequence[dict[str, Any]], *, only_new: bool) -> None:
        """Append an answer to the turn `previous_id`. Idempotent.

        If that is no longer the newest turn, the answer is dropped: the question was edited or asked again meanwhile,
        or the caller's next history contains the answer. `only_new`: there are no such histories, so it is kept. So is
        one whose question's inbox cannot be read.
        """
        async with self._lock:
            newest_id = self.turnfold._newest_id  # noqa: SLF001 - the same package
            if only_new or await newest_id(self.conversation) in {None, previous_id}:
                digests = [digest_of(message) for message in messages]
                await self._append(previous_id, messages, digests, dated_from=0)

    async def _take(self, history: CallerHistory, digests: Sequence[str], *, only_new: bool) -> Tail:
        stored, is_whole, is_settled = await self._newest()
        history_said = [
            Said(role_of(turn.message), digest) for turn, digest in zip(history.turns, digests, strict=True)
        ]
        known = [Said(str(turn.role), stored_digest(turn)) for turn in stored]
        alignment = align(known, history_said, whole=is_whole, only_new=only_new)
        if alignment.kept < len(stored) and is_settled:
            await self.turnfold.rewind(self.conversation, after=stored[alignment.kept - 1].turn_id)
            stored = stored[: alignment.kept]
        messages = [turn.message for turn in history.turns[alignment.new_from :]]
        ids = await self._append(
            stored[-1].turn_id if stored else "", messages, digests[alignment.new_from :],
            dated_from=_first_dated(messages, is_known=bool(alignment.places) or only_new),
        )  # fmt: skip
        return _tail(stored, alignment, ids)

    async def _newest(self) -> tuple[list[StoredTurn], bool, bool]:
        """Return the newest turns, whether they are the whole conversation, and whether they include the inbox."""
        status = await self.turnfold.status(self.conversation)
        last = status.stored + status.inbox
        if not last:
            return [], True, True
        is_settled = status.inbox <= TURNS_A_READ
        after = max(0, (last if is_settled else status.stored) - TURNS_A_READ)
        turns: list[StoredTurn] = []
        while page := await self.turnfold.turns(
            self.conversation, after=turns[-1].seq if turns else after, limit=TURNS_A_READ
        ):
            turns += page
            if turns[-1].seq >= last:
                break
        return turns, bool(turns) and turns[0].seq == 1, is_settled

    async def _append(
        self, previous_id: str, messages: Sequence[dict[str, Any]], digests: Sequence[str], *, dated_from: int
    ) -> list[str]:
        ids = turn_ids(previous_id, digests)
        now = datetime.now(UTC)
        turns = [
            {
                **storable(message, max_bytes=self._max_turn_bytes),
                "turn_id": turn_id,
                **({"created_at": now} if place >= dated_from else {}),
            }
            for place, (message, turn_id) in enumerate(zip(messages, ids, strict=True))
        ]
        for first in range(0, len(turns), APPENDED_AT_ONCE):
            await self.turnfold.append(self.conversation, turns[first : first + APPENDED_AT_ONCE])
        return ids


def _first_dated(messages: Sequence[dict[str, Any]], *, is_known: bool) -> int:
    """Return the index of the first message to date now; in an unknown, older history, the first unanswered one."""
    if is_known:
        return 0
    return max((place for place, message in enumerate(messages) if message["role"] == "assistant"), default=-1) + 1


def _tail(stored: Sequence[StoredTurn], alignment: Alignment, ids: Sequence[str]) -> Tail:
    turns = [TailTurn(turn.turn_id, turn.seq, alignment.places.get(at), turn) for at, turn in enumerate(stored)]
    last = stored[-1].seq if stored else 0
    turns += [
        TailTurn(turn_id, last + number, alignment.new_from + number - 1, None)
        for number, turn_id in enumerate(ids, start=1)
    ]
    return Tail(tuple(turns))
