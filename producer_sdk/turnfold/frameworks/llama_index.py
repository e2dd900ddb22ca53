"""LlamaIndex: a memory for chat engines and agents.

>>> memory = TurnfoldMemory.from_defaults("conv-1", Turnfold.from_env(), budget_tokens=8_000)  # doctest: +SKIP
>>> await agent.run("Which database?", memory=memory)  # doctest: +SKIP
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Final, Self

from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock, ToolCallBlock
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.memory.types import BaseMemory

from turnfold.assemble.forms.content_parts import as_json
from turnfold.client import Turnfold
from turnfold.frameworks.reading import checked_client, function_call, now, read_options, shown_parts, turns_of


class TurnfoldMemory(BaseMemory):
    """A conversation as a LlamaIndex memory, whose history is a context within `budget_tokens`.

    `options` are passed to every `Turnfold.context` call: `policy`, `count_tokens`, `reserve_tokens` ….
    """

    _conversation: str = PrivateAttr()
    _client: Turnfold = PrivateAttr()
    _options: dict[str, Any] = PrivateAttr()

    def __init__(self, conversation_id: str, client: Turnfold, *, budget_tokens: int, **options: Any) -> None:
        super().__init__()
        self._conversation = conversation_id
        self._client = checked_client(client, Turnfold)
        self._options = read_options(budget_tokens, options)

    @classmethod
    def class_name(cls) -> str:
        """Return the name under which LlamaIndex serializes the class."""
        return "TurnfoldMemory"

    @classmethod
    def from_defaults(cls, **values: Any) -> Self:
        """Call the constructor, with all arguments by name."""
        return cls(**values)

    def get(self, input: str | None = None, **_: Any) -> list[ChatMessage]:  # noqa: A002 - LlamaIndex's name
        """Return the context as messages, with more detail on `input`."""
        context = self._client.context(self._conversation, query=input or None, **self._options)
        return [_message(message) for message in context.messages("openai")]

    def get_all(self) -> list[ChatMessage]:
        """Return the context as `get` does: the whole conversation may be too long for any list."""
        return self.get()

    def put(self, message: ChatMessage) -> None:
        """Append a message."""
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Append messages, in order, in one call."""
        if turns := turns_of(messages, lambda message: [_turn(message)]):
            self._client.append(self._conversation, turns)

    def set(self, messages: list[ChatMessage]) -> None:
        """Erase the conversation, and append `messages` to the empty one."""
        self.reset()
        self.put_messages(messages)

    def reset(self) -> None:
        """Erase the conversation: it is unreadable at once, and a worker deletes its rows."""
        self._client.forget(self._conversation, timeout_seconds=0)


_ROLES: Final = {
    MessageRole.CHATBOT: "assistant", MessageRole.MODEL: "assistant", MessageRole.FUNCTION: "tool",
}  # fmt: skip


def _turn(message: ChatMessage) -> dict[str, Any]:
    """Return a message in OpenAI's form: LlamaIndex has calls as blocks, or in the provider's form next to them."""
    turn: dict[str, Any] = {"role": _ROLES.get(message.role, message.role.value), "created_at": now()}
    turn["content"] = [part for block in message.blocks if (part := _part(block)) is not None] or None
    calls = [_call(block) for block in message.blocks if isinstance(block, ToolCallBlock)]
    if calls or message.additional_kwargs.get("tool_calls"):
        turn["tool_calls"] = calls or message.additional_kwargs["tool_calls"]
    for key in ("tool_call_id", "name"):
        if value := message.additional_kwargs.get(key):
            turn[key] = value
    return turn


def _part(block: Any) -> dict[str, Any] | None:
    """Return a content part in OpenAI's form; None for a tool call."""
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    if isinstance(block, ImageBlock):
        return {"type": "image_url", "image_url": {"url": _url(block)}}
    if isinstance(block, ToolCallBlock):
        return None
    return {"type": block.block_type}


def _url(block: ImageBlock) -> str:
    if block.url is not None:
        return str(block.url)
    data = b64encode(block.resolve_image().read()).decode()
    return f"data:{block.image_mimetype or 'image/png'};base64,{data}"


def _call(block: ToolCallBlock) -> dict[str, Any]:
    arguments = block.tool_kwargs if isinstance(block.tool_kwargs, str) else as_json(block.tool_kwargs)
    return function_call(block.tool_call_id, block.tool_name, arguments)


def _message(message: Mapping[str, Any]) -> ChatMessage:
    beside = {key: message[key] for key in ("tool_calls", "tool_call_id", "name") if key in message}
    blocks = shown_parts(message.get("content"), lambda url: ImageBlock(url=url), lambda words: TextBlock(text=words))
    return ChatMessage(role=MessageRole(message["role"]), blocks=list(blocks), additional_kwargs=beside)
