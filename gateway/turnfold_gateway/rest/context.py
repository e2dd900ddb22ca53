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
    """What a context is asked for with."""

    budget_tokens: int
    """Most tokens that it may have, in any form."""
    query: str | bool | None = None
    """A question; null: the newest user turn steers the choice; false: nothing does."""
    form: Form = "text"
    """text, messages for openai or anthropic, or json: the text and its statements one by one."""
    system: str | list[Section] | None = None
    """The system text, or sections of which `flags` and the budget choose."""
    flags: list[str] = []
    task: str | None = None
    """What is to be done now, shown in full."""
    reserve_tokens: int = 0
    """Of the budget, kept free."""
    tokenizer: str | None = None
    """Name of a tiktoken encoding, as `o200k_base`: the budget is counted by it. Without it, by an estimate."""
    policy: str = "balanced"
    """balanced, recency or tiered."""
    expand: list[str] = []
    """Up to 8 markers whose words are shown too."""
    now: str | None = None
    """When the query is asked: a time with an offset. Without it, the newest turn's time."""
    as_of: str | None = None
    """What held on this day: `2026-03-06`."""
    origins: list[str] | None = None
    """Only words of these: user, assistant, tool, outside."""
    speakers: list[str] | None = None
    """Only words of these."""


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
        summary="Everything that matters, within a budget of tokens.", handle=context, body=ContextBody,
        answer=ContextDocument,
        description="A conversation that nobody has written to reads as an empty context.",
    ),
)  # fmt: skip
