"""All conversations of the tenant by name, filtered by name or title."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from turnfold_gateway.ui.answers import page
from turnfold_gateway.ui.reading import is_fragment
from turnfold_gateway.ui.rendering import render
from turnfold_gateway.ui.sessions import Visitor

A_PAGE: Final = 50


@page
async def conversations(request: Request, visitor: Visitor) -> Response:
    """Show a page of the list."""
    after = request.query_params.get("after") or None
    containing = request.query_params.get("containing", "").strip()[:200]
    listed = await visitor.turnfold.conversations(after=after, limit=A_PAGE, containing=containing or None)
    template = "fragment_conversations.html" if is_fragment(request) else "conversations.html"
    return render(
        template, visitor=visitor, title="Conversations", listed=listed, containing=containing, after=after,
        further=listed[-1].conversation_id if len(listed) == A_PAGE else None,
        longest=max((one.turns for one in listed), default=1),
    )  # fmt: skip
