"""The text that a marker stands for: in place of the marker, or on its own page."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from turnfold_gateway.ui.answers import page
from turnfold_gateway.ui.reading import conversation_of, is_fragment
from turnfold_gateway.ui.rendering import render
from turnfold_gateway.ui.sessions import Visitor
from turnfold_gateway.ui.views.words import runs_with_markers

MOST_TOKENS: Final = 4_000
"""Tokens shown of an expansion; a further marker continues it."""


@page
async def expand(request: Request, visitor: Visitor) -> Response:
    """Show the text behind a marker, without counting it as an expansion."""
    conversation, marker = conversation_of(request), request.query_params.get("marker", "")[:300]
    found = await visitor.turnfold.expand(conversation, marker, max_tokens=MOST_TOKENS, counted=False)
    return render(
        "fragment_expansion.html" if is_fragment(request) else "expansion.html", visitor=visitor,
        title=f"{marker} of {conversation}", conversation=conversation, marker=marker, expansion=found,
        runs=runs_with_markers(found.text, found.markers),
    )  # fmt: skip
