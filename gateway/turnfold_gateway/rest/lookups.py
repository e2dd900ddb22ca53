"""Read operations of a conversation: expand, search, anchors, notes, timeline, status."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from turnfold import Status
from turnfold_gateway.paths import CONVERSATION
from turnfold_gateway.rest.answers import Anchors, ExpansionDocument, Hits, NotePage, Timeline
from turnfold_gateway.rest.bodies import moment
from turnfold_gateway.rest.cursors import number_of
from turnfold_gateway.rest.operations import Call, Operation

ALL: Final = "all"
"""Value of `states` that means every state."""


class ExpandQuery(Struct, forbid_unknown_fields=True):
    """Options of an expansion."""

    max_tokens: int | None = None
    """Cut the text here; `next_marker` continues it."""


class SearchQuery(Struct, forbid_unknown_fields=True):
    """A search."""

    query: str
    """Words to search for."""
    limit: int = 10
    origins: tuple[str, ...] = ()
    """Only text of these origins: user, assistant, tool, outside."""
    speakers: tuple[str, ...] = ()
    """Only text of these speakers."""
    now: str | None = None
    """Time that "last week" is relative to, with an offset."""


class AnchorsQuery(Struct, forbid_unknown_fields=True):
    """A page of anchors."""

    types: tuple[str, ...] = ()
    """commitment, decision, constraint …; empty: every type."""
    states: tuple[str, ...] = ("active",)
    """active, resolved, superseded, duplicate, dismissed; all: every state."""
    as_of: str | None = None
    """Anchors of turns up to this day, in the state they had then: `2026-03-06`."""
    cursor: str | None = None
    """`next_cursor` of the previous page."""
    limit: int = 10_000
    """Maximum number of anchors on a page, rounded to whole turns."""


class NotesQuery(Struct, forbid_unknown_fields=True):
    """A page of notes."""

    states: tuple[str, ...] = ("active",)
    """Same values as for anchors."""
    origins: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    min_importance: int = 1
    """0 to 100."""
    cursor: str | None = None
    """`next_cursor` of the previous page."""
    limit: int = 100


class TimelineQuery(Struct, forbid_unknown_fields=True):
    """Options of a timeline."""

    query: str | None = None
    """Subject of the timeline; without it, the most informative entries."""
    cursor: str | None = None
    """0 begins a timeline in pages, of the 500 best entries; then `next_cursor` of the previous page, or the number of
    a turn, after which the page begins. Without a cursor, the `limit` best entries."""
    limit: int = 50
    """At most 200."""
    now: str | None = None
    """Time that "last week" is relative to, with an offset."""


async def expand(call: Call) -> ExpansionDocument:
    expansion = await call.turnfold.expand(call.conversation, call.part("marker"), max_tokens=call.query.max_tokens)
    return ExpansionDocument.of(expansion)


async def search(call: Call) -> Hits:
    query: SearchQuery = call.query
    hits = await call.turnfold.search(
        call.conversation, query.query, limit=query.limit, origins=query.origins or None,
        speakers=query.speakers or None, now=moment("now", query.now),
    )  # fmt: skip
    return Hits(hits)


async def anchors(call: Call) -> Anchors:
    query: AnchorsQuery = call.query
    states = None if ALL in query.states else query.states
    as_of = moment("as_of", query.as_of)
    page = await call.turnfold.anchors(
        call.conversation, types=query.types or None, states=states, as_of=as_of,
        first_turn=number_of(query.cursor, first=1), limit=query.limit,
    )  # fmt: skip
    return Anchors(page, str(page[-1].turn_seq + 1) if page else None)


async def notes(call: Call) -> NotePage:
    query: NotesQuery = call.query
    page = await call.turnfold.notes(
        call.conversation, states=None if ALL in query.states else query.states, origins=query.origins or None,
        speakers=query.speakers or None, min_importance=query.min_importance,
        first_turn=number_of(query.cursor, first=1), limit=query.limit,
    )  # fmt: skip
    return NotePage(page, str(page[-1].turn_seq + 1) if page else None)


async def timeline(call: Call) -> Timeline:
    query: TimelineQuery = call.query
    after = None if query.cursor is None else number_of(query.cursor, first=0)
    entries = await call.turnfold.timeline(
        call.conversation, query.query, after=after, limit=query.limit, now=moment("now", query.now)
    )
    return Timeline(entries, str(entries[-1].turn_seq) if entries and after is not None else None)


async def status(call: Call) -> Status:
    return await call.turnfold.status(call.conversation)


operations: Final = (
    Operation(
        method="GET", path=f"{CONVERSATION}/expand/{{marker:id}}", scope="read", name="expandMarker",
        summary="Expand a marker.", handle=expand, query=ExpandQuery, answer=ExpansionDocument,
    ),
    Operation(
        method="GET", path=f"{CONVERSATION}/search", scope="read", name="searchConversation",
        summary="Search segments and recent turns, best first.", handle=search, query=SearchQuery, answer=Hits,
    ),
    Operation(
        method="GET", path=f"{CONVERSATION}/anchors", scope="read", name="listAnchors",
        summary="List anchors: verbatim decisions, constraints, open questions …", handle=anchors,
        query=AnchorsQuery, answer=Anchors,
    ),
    Operation(
        method="GET", path=f"{CONVERSATION}/notes", scope="read", name="listNotes",
        summary="List notes.", handle=notes, query=NotesQuery, answer=NotePage,
    ),
    Operation(
        method="GET", path=f"{CONVERSATION}/timeline", scope="read", name="readTimeline",
        summary="List first mentions, in order.", handle=timeline, query=TimelineQuery, answer=Timeline,
    ),
    Operation(
        method="GET", path=f"{CONVERSATION}/status", scope="read", name="readStatus",
        summary="Show progress: turns stored, folded and parked.", handle=status, answer=Status,
    ),
)  # fmt: skip
