"""A session of OpenAI's Agents SDK.

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
"""Kinds of items that mean something to the provider's own store only."""
_LOOKED_AT: Final = 50
"""Turns at a time among which one is looked for that was not removed."""


class TurnfoldSession:
    """A conversation as the Agents SDK's `Session`: its history is a context within `budget_tokens`.

    `options` are those of `Turnfold.context` that hold for every read: `policy`, `count_tokens`, `reserve_tokens` ….
    """

    session_settings: Any = None

    def __init__(self, session_id: str, client: AsyncTurnfold, *, budget_tokens: int, **options: Any) -> None:
        self.session_id = session_id
        self._client = checked_client(client, AsyncTurnfold)
        self._options = read_options(budget_tokens, options)

    async def get_items(self, limit: int | None = None) -> list[Item]:
        """The context as input items, oldest first; with `limit`, the newest ones.

        A result whose call is beyond the limit is left out: a provider refuses one without the other.
        """
        context = await self._client.context(self.session_id, **self._options)
        items = [item for message in context.messages("openai") for item in _items(message)]
        return items if limit is None else _newest(items, limit)

    async def add_items(self, items: list[Any]) -> None:
        """Append a run's items: messages as they are, calls that belong together as one turn."""
        if turns := turns_of([items], _turns):
            await self._client.append(self.session_id, turns)

    async def pop_item(self) -> Item | None:
        """Remove the newest item and return it; None when nothing is left.

        Raises `Unavailable` while more turns wait for a worker than a read looks at.
        """
        async for turn in self._newest_turns():
            items = [item for message in openai_turn(whole(turn), "") for item in _items(message)]
            if items:
                await self._client.delete(self.session_id, turn.turn_id)
                # Calls that were made at once are one turn.
                await self.add_items(items[:-1])
                return items[-1]
        return None

    async def clear_session(self) -> None:
        """Erase the conversation: nothing of it is readable any more; a worker deletes its rows."""
        await self._client.forget(self.session_id, timeout_seconds=0)

    async def _newest_turns(self) -> AsyncIterator[StoredTurn]:
        """Turns that were not removed, the newest first."""
        status = await self._client.status(self.session_id)
        # No more than there may be: what waits in the inbox need not be turns.
        last = status.stored + status.inbox
        while last:
            first = max(1, last - _LOOKED_AT + 1)
            for turn in reversed(await self._between(first, last)):
                if turn.state is TurnState.STORED:
                    yield turn
            last = first - 1

    async def _between(self, first: int, last: int) -> list[StoredTurn]:
        """All turns of a range that are there. Raises `Unavailable` where their numbers are not known yet."""
        turns: list[StoredTurn] = []
        marker: str | None = f"L0:turns-{first}-{last}"
        while marker is not None:
            try:
                expansion = await self._client.expand(self.session_id, marker)
            except UnknownMarker:
                return turns
            if not expansion.turns:
                msg = "many turns are still being stored"
                raise Unavailable(msg, remedy="take the newest item back in a moment, or `wait` before")
            turns += expansion.turns
            marker = expansion.next_marker
        return turns


def _newest(items: Sequence[Item], limit: int) -> list[Item]:
    newest = list(items[max(0, len(items) - limit) :])
    called = {item["call_id"] for item in newest if item.get("type") == _CALL}
    return [item for item in newest if item.get("type") != _RESULT or item["call_id"] in called]


def _items(message: Mapping[str, Any]) -> list[Item]:
    """Input items of one chat message, in the form in which a run is given a message."""
    items = items_of_messages([message])
    return [{key: field for key, field in item.items() if (key, field) != ("type", "message")} for item in items]


def _turns(items: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Turns of a run's items. Calls that follow each other are one turn: their results have to follow them all."""
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
            # A hosted tool's work: shown by its kind, kept whole.
            yield _said("assistant", [dict(item)])
    if calls:
        yield _said("assistant", None, tool_calls=calls)


def _said(role: str, content: Any, **beside: Any) -> dict[str, Any]:
    return {"role": role, "content": content, "created_at": now(), **beside}
