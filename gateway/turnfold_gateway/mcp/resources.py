"""Conversations as resources: listed page by page, read as contexts.

`turnfold://conversations/{conversation_id}` contains the id percent-encoded, and may end in `?budget_tokens=8000`.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qs, quote, unquote, urlsplit

from mcp_types import (
    Annotations,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from turnfold import ListedConversation
from turnfold_gateway.inputs import whole_number
from turnfold_gateway.mcp.calls import EMPTY, context_text
from turnfold_gateway.mcp.failures import BadArguments
from turnfold_gateway.mcp.reach import Reach
from turnfold_gateway.mcp.record import size
from turnfold_gateway.mcp.schemas import LEAST_BUDGET, MOST_BUDGET, USUAL_BUDGET

PREFIX: Final = "turnfold://conversations/"
TEXT: Final = "text/plain"
_PAGE: Final = 50


def uri_of(conversation_id: str) -> str:
    """Return the URI of a conversation."""
    return PREFIX + quote(conversation_id, safe="")


async def list_resources(reach: Reach, cursor: str | None) -> ListResourcesResult:
    """Return a page of conversations; `cursor` comes from the previous page."""
    if reach.conversation_id is not None:
        only = reach.conversation_id
        description = "The conversation that this server keeps, as a context within a token budget"
        return ListResourcesResult(
            resources=[Resource(uri=uri_of(only), name=only, description=description, mime_type=TEXT)]
        )
    after = None if cursor is None else unquote(cursor)
    listed = await reach.client.conversations(after=after, limit=_PAGE)
    full = len(listed) == _PAGE
    return ListResourcesResult(
        resources=[_resource(conversation) for conversation in listed],
        next_cursor=quote(listed[-1].conversation_id, safe="") if full else None,
    )


def _resource(conversation: ListedConversation) -> Resource:
    return Resource(
        uri=uri_of(conversation.conversation_id),
        name=conversation.conversation_id,
        title=conversation.title,
        description=size(conversation),
        mime_type=TEXT,
        annotations=Annotations(last_modified=conversation.changed_at.isoformat()),
    )


def list_templates(reach: Reach) -> ListResourceTemplatesResult:
    """Return the template of conversation URIs; none when the server has only one conversation."""
    template = ResourceTemplate(
        uri_template=PREFIX + "{conversation_id}{?budget_tokens}",
        name="conversation",
        title="A conversation within a token budget",
        description=f"What was said, as a record of at most budget_tokens tokens, {USUAL_BUDGET} if left out",
        mime_type=TEXT,
    )
    return ListResourceTemplatesResult(resource_templates=[] if reach.conversation_id is not None else [template])


async def read_resource(reach: Reach, uri: str) -> ReadResourceResult:
    """Return a conversation's context. Raises `BadArguments`, and like `AsyncTurnfold.context`."""
    conversation_id, budget_tokens = _parsed(uri)
    if reach.conversation_id not in {None, conversation_id}:
        raise BadArguments(f"this server keeps one conversation only: read {uri_of(str(reach.conversation_id))}")
    text = await context_text(reach.client, conversation_id, budget_tokens=budget_tokens, query=None)
    if not text and reach.conversation_id is None:
        raise BadArguments(f"nothing is kept under {uri[:200]!r}: resources/list has what is")
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=TEXT, text=text or EMPTY)])


def _parsed(uri: str) -> tuple[str, int]:
    """Return a URI's conversation and budget."""
    path, _, query = uri.partition("?")
    encoded = path.removeprefix(PREFIX)
    if encoded in {"", path} or "/" in encoded:
        msg = f"{uri[:200]!r} is no resource of this server: use {PREFIX}CONVERSATION, with the id percent-encoded"
        raise BadArguments(msg)
    given = parse_qs(urlsplit(f"?{query}").query, keep_blank_values=True)
    budget = whole_number(given.pop("budget_tokens", [str(USUAL_BUDGET)])[-1])
    if given or budget is None or not LEAST_BUDGET <= budget <= MOST_BUDGET:
        raise BadArguments(f"a resource takes budget_tokens alone, a whole number from {LEAST_BUDGET} to {MOST_BUDGET}")
    return unquote(encoded), budget
