"""Erasing a conversation: confirmed once more, then shown with its receipt."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from turnfold import InvalidInput
from turnfold_gateway.ui.answers import deed, page
from turnfold_gateway.ui.pages.conversation import status_of
from turnfold_gateway.ui.reading import conversation_of
from turnfold_gateway.ui.rendering import render
from turnfold_gateway.ui.sessions import Visitor, check_admin

WAIT_SECONDS: Final = 10.0


@page
async def ask(request: Request, visitor: Visitor) -> Response:
    """Show what will be lost, and ask for the conversation's name."""
    check_admin(visitor)
    conversation = conversation_of(request)
    status = await status_of(visitor, conversation)
    return render(
        "forget.html", visitor=visitor, title=f"Forget {conversation}", conversation=conversation, status=status,
        tab="forget",
    )  # fmt: skip


@deed("forgetConversation")
async def forget(request: Request, visitor: Visitor, fields: dict[str, str]) -> Response:
    """Erase the conversation if its name was typed correctly."""
    conversation = conversation_of(request)
    if fields.get("name", "").strip() != conversation.strip():
        raise InvalidInput("the name does not match the conversation: nothing was forgotten")
    receipt = await visitor.turnfold.forget(conversation, timeout_seconds=WAIT_SECONDS)
    return render("forgotten.html", visitor=visitor, title="Forgotten", receipt=receipt)
