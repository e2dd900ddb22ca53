"""`/v1/responses/compact` for any provider: the user's messages, and one readable item for the whole conversation.

The format is that of OpenAI's endpoint; `encrypted_content` contains plain text, and no model was called. When the item
is sent back through the proxy, it becomes a message that any model can read.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from turnfold import AsyncTurnfold, Context
from turnfold.chat_history.caller_turns import OWN_COMPACTION, Item, is_own_compaction, messages_of_items
from turnfold.chat_history.keeper import ReadHistory
from turnfold_gateway.proxy.exchange import Proxy, Wishes

_USERS_SHARE: Final = 0.5
"""Share of the budget for the user's messages; the item covers older ones."""


async def compacted(
    proxy: Proxy, turnfold: AsyncTurnfold, wishes: Wishes, document: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the compacted conversation, within the budget. Raises like `HistoryKeeper.keep`."""
    read = await proxy.keeper.read(document, "responses", tokenizer=wishes.fold.tokenizer)
    only_new = wishes.only_new or bool(document.get("previous_response_id"))
    memory = await proxy.keeper.take(turnfold, wishes.conversation, read, only_new=only_new)
    given = document.get("input")
    spoken = _spoken(given if isinstance(given, list) else list(read.history.items))
    users, tokens = _newest(spoken, read, int(wishes.fold.budget_tokens * _USERS_SHARE))
    context = await turnfold.context(
        memory.conversation, budget_tokens=wishes.fold.budget_tokens - tokens, query=False,
        count_tokens=wishes.fold.tokenizer,
    )  # fmt: skip
    return _document(users, context, read_tokens=read.priced.tokens, user_tokens=tokens)


def _spoken(items: Sequence[Item]) -> list[Item]:
    """Return the user's own messages among a caller's items."""
    return [
        item
        for item in items
        if item.get("role") == "user" and item.get("type", "message") == "message" and not is_own_compaction(item)
    ]


def _newest(items: Sequence[Item], read: ReadHistory, most_tokens: int) -> tuple[list[Item], int]:
    """Return the newest of the user's messages that fit, in order, and their tokens."""
    kept: list[Item] = []
    total = 0
    for item in reversed(items):
        tokens = sum(read.priced.tokens_of(message) for message in messages_of_items([item]))
        if total + tokens > most_tokens:
            break
        total += tokens
        kept.append(item)
    return kept[::-1], total


def _document(users: Sequence[Item], context: Context, *, read_tokens: int, user_tokens: int) -> dict[str, Any]:
    output: list[dict[str, Any]] = [
        {
            "type": "message", "id": item.get("id") or f"msg_{secrets.token_hex(24)}", "status": "completed",
            "role": "user", "content": _parts(item.get("content")),
        }
        for item in users
    ]  # fmt: skip
    item_id = f"{OWN_COMPACTION}{secrets.token_hex(20)}"
    output.append({"type": "compaction", "id": item_id, "encrypted_content": context.text})
    output_tokens = user_tokens + context.tokens
    return {
        "id": f"resp_{secrets.token_hex(24)}",
        "object": "response.compaction",
        "created_at": int(time.time()),
        "output": output,
        "usage": {
            "input_tokens": read_tokens,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read_tokens + output_tokens,
        },
    }


def _parts(content: object) -> Any:
    return [{"type": "input_text", "text": content}] if isinstance(content, str) else content
