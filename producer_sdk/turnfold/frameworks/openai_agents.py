"""OpenAI's Agents SDK: a session.

>>> session = TurnfoldSession("conv-1", AsyncTurnfold.from_env(), budget_tokens=8_000)  # doctest: +SKIP
>>> await Runner.run(agent, "What did we decide?", session=session)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from turnfold.assemble.forms.chat import whole
from turnfold.assemble.forms.render_openai import openai_turn
from turnfold.async_client import AsyncTurnfold
from turnfold.chat_history.caller_turns import items_of_messages
from turnfold.contract.records import StoredTurn, TurnState
from turnfold.errors import Unavailable, UnknownMarker
from turnfold.frameworks.reading import checked_client, function_call, now, read_options, turns_of

Item = dict[str, Any]

_CALL: Final = "function_call"
_RESULT: Final = "function_call_output"
_UNSEEN: Final = frozenset({"reasoning", "item_reference"})
"""Kinds of items that have a meaning only for the provider."""
_LOOKED_AT: Final = 50
"""Turns read at a time when looking for the newest one that was not deleted."""


class TurnfoldSession:
    """A conversation as a `Session` of the Agents SDK, whose history is a context within `budget_tokens`.

    `options` are passed to every `Turnfold.context` call: `policy`, `count_tokens`, `reserve_tokens` ….
    """

    session_settings: Any = None

    def __init__(self, session_id: str, client: AsyncTurnfold, *, budget_tokens: int, **options: Any) -> None:
        self.session_id = session_id
        self._client = checked_client(client, AsyncTurnfold)
        self._options = read_options(budget_tokens, options)

    async def get_items(self, limit: int | None = None) -> list[Item]:
        """Return the context as input items, oldest first; with `limit`, only the newest ones.

        A result whose call is beyond the limit is left out: providers reject a result without its call.
        """
        context = await self._client.context(self.session_id, **self._options)
        items = [item for message in context.messages("openai") for item in _items(message)]
        return items if limit is None else _newest(items, limit)

    async def add_items(self, items: list[Any]) -> None:
        """Append a run's items: each message as a turn, consecutive calls as one turn."""
        if turns := turns_of([items], _turns):
            await self._client.append(self.session_id, turns)

    async def pop_item(self) -> Item | None:
        """Remove the newest item and return it; None when nothing is left.

        Raises `Unavailable` while more turns are in the inbox than a read looks at.
        """
        async for turn in self._newest_turns():
            items = [item for message in openai_turn(whole(turn), "") for item in _items(message)]
            if items:
                await self._client.delete(self.session_id, turn.turn_id)
                # Parallel calls are one turn: put back all but the last one.
                await self.add_items(items[:-1])
                return items[-1]
        return None

    async def clear_session(self) -> None:
        """Erase the conversation: it is unreadable at once, and a worker deletes its rows."""
        await self._client.forget(self.session_id, timeout_seconds=0)

    async def _newest_turns(self) -> AsyncIterator[StoredTurn]:
        """Yield the turns that were not deleted, the newest first."""
        status = await self._client.status(self.session_id)
        # An upper bound: not every entry of the inbox is a turn.
        last = status.stored + status.inbox
        while last:
            first = max(1, last - _LOOKED_AT + 1)
            for turn in reversed(await self._between(first, last)):
                if turn.state is TurnState.STORED:
                    yield turn
            last = first - 1

    async def _between(self, first: int, last: int) -> list[StoredTurn]:
        """Return all turns of a range that exist. Raises `Unavailable` while their numbers are unknown."""
        turns: list[StoredTurn] = []
        marker: str | None = f"L0:turns-{first}-{last}"
        while marker is not None:
            try:
                expansion = await self._client.expand(self.session_id, marker)
            except UnknownMarker:
                return turns
            if not expansion.turns:
                msg = "the newest turns are still being stored"
                raise Unavailable(msg, remedy="retry pop_item in a moment, or call `wait` first")
            turns += expansion.turns
            marker = expansion.next_marker
        return turns


def _newest(items: Sequence[Item], limit: int) -> list[Item]:
    newest = list(items[max(0, len(items) - limit) :])
    called = {item["call_id"] for item in newest if item.get("type") == _CALL}
    return [item for item in newest if item.get("type") != _RESULT or item["call_id"] in called]


def _items(message: Mapping[str, Any]) -> list[Item]:
    """Return the input items of a chat message, in the short form that runs use for messages."""
    items = items_of_messages([message])
    return [{key: field for key, field in item.items() if (key, field) != ("type", "message")} for item in items]


def _turns(items: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yield the turns of a run's items. Consecutive calls are one turn: their results have to follow all of them."""
    calls: list[Item] = []
    for given in items:
        item = given if isinstance(given, Mapping) else given.model_dump(exclude_none=True)
        kind = item.get("type", "message")
        if kind == _CALL:
            calls.append(function_call(item["call_id"], item["name"], item["arguments"]))
            continue
        if kind in _UNSEEN:
            continue
        if calls:
            yield _said("assistant", None, tool_calls=calls)
            calls = []
        if kind == _RESULT:
            yield _said("tool", item["output"], tool_call_id=item["call_id"])
        elif kind == "message":
            yield _said(item["role"], item["content"])
        else:
            # The work of a hosted tool: shown by its kind, stored whole.
            yield _said("assistant", [dict(item)])
    if calls:
        yield _said("assistant", None, tool_calls=calls)


def _said(role: str, content: Any, **beside: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "created_at": now(), **beside}
