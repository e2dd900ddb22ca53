"""`/v1/conversations/{conversation}/context`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from turnfold import Context
from turnfold_gateway.keys.access import client_of
from turnfold_gateway.paths import CONVERSATION
from turnfold_gateway.rest.bodies import answer, read_body

Form = Literal["text", "openai", "anthropic", "json"]


class ContextBody(msgspec.Struct, forbid_unknown_fields=True):
    """What a context is asked for with: the arguments of `Turnfold.context`."""

    budget_tokens: int
    query: str | Literal[False] | None = None
    form: Form = "text"
    system: str | None = None
    task: str | None = None
    reserve_tokens: int = 0
    tokenizer: str | None = None
    policy: str = "balanced"


async def context(request: Request) -> Response:
    turnfold = await client_of(request, "read")
    body = await read_body(request, ContextBody)
    made = await turnfold.context(
        request.path_params["conversation"], budget_tokens=body.budget_tokens, query=body.query, system=body.system,
        task=body.task, reserve_tokens=body.reserve_tokens, count_tokens=body.tokenizer, policy=body.policy,
    )  # fmt: skip
    return answer(context_document(made, body.form))


def context_document(made: Context, form: Form) -> Mapping[str, Any]:
    """A context as JSON: its account, and its words in the form that was asked for."""
    document: dict[str, Any] = {
        "conversation_id": made.conversation_id,
        "form": form,
        "tokens": made.tokens,
        "counter": made.counter,
        "markers": made.markers,
        "report": made.report,
    }
    if form in {"text", "json"}:
        document["text"] = made.text
    if form == "json":
        document["statements"] = made.statements
    if form in {"openai", "anthropic"}:
        document |= made.request(form)
    return document


routes: Final = [Route(f"{CONVERSATION}/context", context, methods=["POST"])]
