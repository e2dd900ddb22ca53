"""`/v1/conversations/{conversation}/context`."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from turnfold import Section
from turnfold_gateway.paths import CONVERSATION
from turnfold_gateway.rest.answers import ContextDocument, Form
from turnfold_gateway.rest.bodies import moment
from turnfold_gateway.rest.operations import Call, Operation


class ContextBody(Struct, forbid_unknown_fields=True):
    """Request for a context."""

    budget_tokens: int
    """Maximum number of tokens, in any form."""
    query: str | bool | None = None
    """A question; null: the newest user turn is the query; false: no query."""
    form: Form = "text"
    """text; messages for openai or anthropic; or json: the text and its statements one by one."""
    system: str | list[Section] | None = None
    """The system text, or sections to select from by `flags` and the budget."""
    flags: list[str] = []
    task: str | None = None
    """The current task, shown in full."""
    reserve_tokens: int = 0
    """Tokens of the budget to keep free."""
    tokenizer: str | None = None
    """Name of a tiktoken encoding, such as `o200k_base`, that counts tokens. Without it, they are estimated."""
    policy: str = "balanced"
    """balanced, recency or tiered."""
    expand: list[str] = []
    """Up to 8 markers whose text is also shown."""
    now: str | None = None
    """Time of the query, with an offset. Without it, the newest turn's time."""
    as_of: str | None = None
    """Show what held on this day: `2026-03-06`."""
    origins: list[str] | None = None
    """Only text of these origins: user, assistant, tool, outside."""
    speakers: list[str] | None = None
    """Only text of these speakers."""


async def context(call: Call) -> ContextDocument:
    body: ContextBody = call.body
    made = await call.turnfold.context(
        call.conversation,
        budget_tokens=body.budget_tokens,
        query=body.query,  # type: ignore[arg-type]  # the SDK refuses True
        system=body.system,
        flags=body.flags,
        task=body.task,
        reserve_tokens=body.reserve_tokens,
        count_tokens=body.tokenizer,
        policy=body.policy,
        expand=body.expand,
        now=moment("now", body.now),
        as_of=moment("as_of", body.as_of),
        origins=body.origins,
        speakers=body.speakers,
    )
    return ContextDocument.of(made, body.form)


operations: Final = (
    Operation(
        method="POST", path=f"{CONVERSATION}/context", scope="read", name="readContext",
        summary="Read a context within a token budget.", handle=context, body=ContextBody,
        answer=ContextDocument,
        description="A conversation without turns reads as an empty context.",
    ),
)  # fmt: skip
