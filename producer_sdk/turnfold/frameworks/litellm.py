"""LiteLLM: a hook for its SDK and its proxy that keeps a call's conversation within a budget.

>>> litellm.callbacks = [TurnfoldHook(AsyncTurnfold.from_env(), budget_tokens=8_000)]  # doctest: +SKIP
>>> await litellm.acompletion("gpt-4o", messages, metadata={"turnfold_conversation": "conv-1"})  # doctest: +SKIP
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

from litellm.integrations.custom_logger import CustomLogger

from turnfold.async_client import AsyncTurnfold
from turnfold.chat_history.caller_turns import UnreadableRequest, answer_message
from turnfold.chat_history.fold import FoldOptions
from turnfold.chat_history.keeper import CALLERS_FAULT, WAIT_SECONDS, HistoryKeeper
from turnfold.errors import TurnfoldError
from turnfold.frameworks.reading import checked_client

CONVERSATION: Final = "turnfold_conversation"
"""Key in a call's `metadata` for the id of its conversation; a call without it is not changed."""

_HEADER: Final = "x-turnfold-conversation"
"""Header with the id of the conversation, for requests to LiteLLM's proxy."""
_LAST_TURN: Final = "turnfold_last_turn"
_ANSWERED: Final = frozenset({"completion", "acompletion"})
_log = logging.getLogger(__name__)


class TurnfoldHook(CustomLogger):
    """Appends the new messages of an `acompletion` call, folds the old ones, and appends the answer.

    `messages` are the caller's whole history, as it keeps it: see docs/proxy.md. While Turnfold does not answer, calls
    are forwarded unchanged.
    """

    def __init__(
        self, client: AsyncTurnfold, *, budget_tokens: int, tokenizer: str | None = None, recall: bool = True,
        wait_seconds: float = WAIT_SECONDS,
    ) -> None:  # fmt: skip
        super().__init__()
        self._client = checked_client(client, AsyncTurnfold)
        self._options = FoldOptions(budget_tokens=budget_tokens, tokenizer=tokenizer, recall=recall)
        self._keeper = HistoryKeeper(wait_seconds=wait_seconds)

    async def async_pre_call_deployment_hook(
        self, kwargs: dict[str, Any], call_type: Any  # noqa: ARG002 - LiteLLM's form
    ) -> dict[str, Any] | None:  # fmt: skip
        """Replace the caller's messages with the folded ones. Raises the errors that the caller has to correct."""
        conversation = _conversation(kwargs)
        if conversation is None or not isinstance(kwargs.get("messages"), list):
            return None
        try:
            kept = await self._keeper.keep(self._client, conversation, kwargs, "chat", self._options)
        except CALLERS_FAULT:
            raise
        except (TurnfoldError, UnreadableRequest) as error:
            _log.warning("a call was made without memory (%s)", type(error).__name__)
            return None
        metadata = kwargs.get("metadata")
        if isinstance(metadata, dict):
            # The turn after which the answer will be appended.
            metadata[_LAST_TURN] = kept.last_id
        return kept.body

    async def async_log_success_event(
        self, kwargs: dict[str, Any], response_obj: Any, start_time: Any, end_time: Any  # noqa: ARG002 - LiteLLM's form
    ) -> None:  # fmt: skip
        """Append the finished answer; a streamed one once it is complete."""
        metadata = (kwargs.get("litellm_params") or {}).get("metadata") or {}
        last_turn = metadata.get(_LAST_TURN)
        conversation = _conversation({**kwargs, "metadata": metadata, **(kwargs.get("litellm_params") or {})})
        if last_turn is None or conversation is None or kwargs.get("call_type") not in _ANSWERED:
            return
        message = _answer(kwargs.get("async_complete_streaming_response") or response_obj)
        if message is None:
            return
        try:
            memory = self._keeper.memory(self._client, conversation)
            await memory.append_answer(last_turn, [message], only_new=False)
        except TurnfoldError as error:
            # The caller's next call will contain the answer in its history.
            _log.warning("an answer was not appended (%s)", type(error).__name__)


def _conversation(kwargs: Mapping[str, Any]) -> str | None:
    """Return the conversation id in a call's metadata or in a header of the proxy's request; None without one."""
    metadata = kwargs.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(named := metadata.get(CONVERSATION), str):
        return named
    request = kwargs.get("proxy_server_request")
    headers = request.get("headers") if isinstance(request, Mapping) else None
    if not isinstance(headers, Mapping):
        return None
    return next((str(value) for name, value in headers.items() if str(name).lower() == _HEADER), None)


def _answer(response: Any) -> dict[str, Any] | None:
    """Return the message of a finished answer with a single choice; None for any other response."""
    choices = getattr(response, "choices", None)
    if not isinstance(choices, list) or len(choices) != 1 or not hasattr(choices[0], "message"):
        return None
    return answer_message(choices[0].message.model_dump(exclude_none=True))
