"""One conversation: its timeline, its turns, and a search."""

from __future__ import annotations

from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from turnfold import Status, UnknownConversation, UnknownTurn
from turnfold_gateway.ui.answers import page
from turnfold_gateway.ui.reading import conversation_of, number_of, whole
from turnfold_gateway.ui.rendering import render
from turnfold_gateway.ui.sessions import Visitor
from turnfold_gateway.ui.views.segments import SEGMENTS_A_PAGE, days_of, page_of, strip_of
from turnfold_gateway.ui.views.words import PAGE_CHARACTERS, clipped

TURNS_A_PAGE: Final = 50
STRIP_SEGMENTS: Final = 400
"""Number of segments up to which all of them are drawn in one strip."""
HITS: Final = 20


async def status_of(visitor: Visitor, conversation: str) -> Status:
    """Return a conversation's status. Raises `UnknownConversation` if nothing was stored or it was forgotten."""
    status = await visitor.turnfold.status(conversation)
    if not status.stored and not status.inbox:
        try:
            # Of a conversation that was only configured, there are no turns, but it is known.
            await visitor.turnfold.turns(conversation, limit=1)
        except UnknownConversation as error:
            msg = f"no turns were appended to conversation {conversation!r}, or it was forgotten"
            raise UnknownConversation(msg, remedy="check the list of conversations") from error
    return status


@page
async def timeline(request: Request, visitor: Visitor) -> Response:
    """Show segments by day, the newest page by default."""
    conversation = conversation_of(request)
    status = await status_of(visitor, conversation)
    pages = page_of(request.query_params.get("page"), status.segments, SEGMENTS_A_PAGE)
    first = (pages.number - 1) * SEGMENTS_A_PAGE
    read = visitor.turnfold
    segments = await read.segments(conversation, after=first, limit=SEGMENTS_A_PAGE, words=True)
    every = segments if pages.count == 1 else []
    if pages.count > 1 and status.segments <= STRIP_SEGMENTS:
        every = await read.segments(conversation, limit=STRIP_SEGMENTS)
    first_turn, last_turn = (segments[0].first_seq, segments[-1].last_seq) if segments else (1, 1)
    anchors = await read.anchors(conversation, first_turn=first_turn, last_turn=last_turn) if segments else []
    return render(
        "timeline.html", visitor=visitor, title=conversation, conversation=conversation, status=status, tab="timeline",
        days=days_of(segments, anchors), pages=pages, strip=strip_of(every), shown=segments,
    )  # fmt: skip


@page
async def turns(request: Request, visitor: Visitor) -> Response:
    """Show turns verbatim, the newest page by default."""
    conversation = conversation_of(request)
    status = await status_of(visitor, conversation)
    pages = page_of(request.query_params.get("page"), status.stored + status.inbox, TURNS_A_PAGE)
    shown = await visitor.turnfold.turns(conversation, after=(pages.number - 1) * TURNS_A_PAGE, limit=TURNS_A_PAGE)
    return render(
        "turns.html", visitor=visitor, title=f"Turns of {conversation}", conversation=conversation, status=status,
        tab="turns", turns=shown, pages=pages,
    )  # fmt: skip


@page
async def turn(request: Request, visitor: Visitor) -> Response:
    """Show one turn, paging through its characters if it is very long."""
    conversation, named = conversation_of(request), request.path_params["seq"]
    seq = whole(named, 0)
    begin = number_of(request, "begin")
    found = await visitor.turnfold.turns(conversation, after=seq - 1, limit=1) if seq else []
    shown = next((one for one in found if one.seq == seq), None)
    if shown is None:
        msg = f"conversation {conversation!r} has no turn {named[:40]}"
        raise UnknownTurn(msg, remedy="open the conversation to see its turns")
    return render(
        "turn.html", visitor=visitor, title=f"Turn {seq} of {conversation}", conversation=conversation, turn=shown,
        begin=begin, end=min(begin + PAGE_CHARACTERS, len(shown.content)), size=PAGE_CHARACTERS,
        cut=clipped(shown.content[begin:], PAGE_CHARACTERS),
    )  # fmt: skip


@page
async def search(request: Request, visitor: Visitor) -> Response:
    """Search segments and turns."""
    conversation = conversation_of(request)
    status = await status_of(visitor, conversation)
    words = request.query_params.get("words", "").strip()[:2_000]
    hits = await visitor.turnfold.search(conversation, words, limit=HITS) if words else []
    return render(
        "search.html", visitor=visitor, title=f"Search in {conversation}", conversation=conversation, status=status,
        tab="search", words=words, hits=hits, best=max((hit.score for hit in hits), default=1.0) or 1.0,
    )  # fmt: skip
