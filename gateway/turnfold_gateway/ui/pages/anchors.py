"""Anchors of a conversation by type and state: reads turns until a page is full, within a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from turnfold import Anchor
from turnfold_gateway.ui.answers import page
from turnfold_gateway.ui.pages.conversation import status_of
from turnfold_gateway.ui.reading import conversation_of, number_of
from turnfold_gateway.ui.rendering import render
from turnfold_gateway.ui.sessions import Visitor

A_PAGE: Final = 60
TURNS_AT_ONCE: Final = 400
MOST_TURNS: Final = 4_000
"""Turns that one page searches for anchors of a rare type."""
MOST_SHOWN: Final = 300


@page
async def anchors(request: Request, visitor: Visitor) -> Response:
    """Show anchors in the order of the turns, starting at a turn."""
    conversation = conversation_of(request)
    status = await status_of(visitor, conversation)
    kind, state = request.query_params.get("type", ""), request.query_params.get("state", "active")
    last = status.stored + status.inbox
    begin = min(max(1, number_of(request, "turn", 1)), max(1, last))
    read: list[Anchor] = []
    shown: list[Anchor] = []
    end = begin - 1
    while end < last and len(shown) < A_PAGE and end - begin < MOST_TURNS:
        first, end = end + 1, min(end + TURNS_AT_ONCE, last)
        block = await visitor.turnfold.anchors(conversation, states=None, first_turn=first, last_turn=end)
        read += block
        shown += [one for one in block if kind in {"", str(one.type)} and state in {"any", str(one.state)}]
    if len(shown) > MOST_SHOWN:
        end = shown[MOST_SHOWN].turn_seq - 1 if shown[MOST_SHOWN].turn_seq > begin else end
        shown = [one for one in shown if one.turn_seq <= end]
    return render(
        "anchors.html", visitor=visitor, title=f"Anchors of {conversation}", conversation=conversation, status=status,
        tab="anchors", anchors=shown, by_id=await linked(visitor, conversation, shown, read), kind=kind, state=state,
        by_type=Counter(str(one.type) for one in read if state in {"any", str(one.state)}),
        by_state=Counter(str(one.state) for one in read if kind in {"", str(one.type)}),
        begin=begin, end=end, last=last,
    )  # fmt: skip


async def linked(
    visitor: Visitor, conversation: str, anchors: Sequence[Anchor], known: Iterable[Anchor]
) -> dict[int, Anchor]:
    """Return by id the anchors that `anchors` refer to; those that are not `known` are read."""
    by_id = {anchor.id: anchor for anchor in known}
    named = {id_ for anchor in anchors for id_ in (anchor.related, anchor.replaces) if id_ is not None}
    if missing := named - by_id.keys():
        by_id |= {one.id: one for one in await visitor.turnfold.anchors(conversation, states=None, ids=missing)}
    return by_id
