"""`/v1/conversations`, a whole conversation, and end users."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from starlette.responses import Response

from turnfold import ErasureReceipt, SubjectReceipt
from turnfold_gateway.paths import CONVERSATION, CONVERSATIONS, SUBJECT
from turnfold_gateway.rest.answers import ConversationPage
from turnfold_gateway.rest.bodies import answer
from turnfold_gateway.rest.operations import Call, Operation

LONGEST_WAIT_SECONDS: Final = 60.0


class ConversationsQuery(Struct, forbid_unknown_fields=True):
    """A page of conversations."""

    cursor: str | None = None
    """`next_cursor` of the previous page."""
    limit: int = 50
    """1 to 1,000."""
    containing: str | None = None
    """Only conversations with this in their name or title."""


class ConfigureBody(Struct, forbid_unknown_fields=True):
    """What matters in a conversation, from the next segment on."""

    goal: str | None = None
    constraints: list[str] | None = None
    settings: dict[str, float] | None = None
    """Settings of the fold: `segment_target_turns` …"""
    title: str | None = None
    """Title shown to people."""


class ForgetQuery(Struct, forbid_unknown_fields=True):
    """Options of an erasure."""

    timeout_seconds: float = 30.0
    """How long to wait for the deletion of the rows, at most 60. Nothing is readable any more in any case."""


async def conversations(call: Call) -> ConversationPage:
    query: ConversationsQuery = call.query
    page = await call.turnfold.conversations(after=query.cursor, limit=query.limit, containing=query.containing)
    return ConversationPage(page, page[-1].conversation_id if page else None)


async def configure(call: Call) -> None:
    body: ConfigureBody = call.body
    await call.turnfold.configure(
        call.conversation, goal=body.goal, constraints=body.constraints, settings=body.settings, title=body.title
    )


async def forget(call: Call) -> Response:
    receipt = await call.turnfold.forget(call.conversation, timeout_seconds=_wait_of(call))
    return answer(receipt, 200 if receipt.completed else 202)


async def forget_subject(call: Call) -> Response:
    receipt = await call.turnfold.forget(subject=call.part("subject"), timeout_seconds=_wait_of(call))
    return answer(receipt, 200 if receipt.completed else 202)


def _wait_of(call: Call) -> float:
    seconds: float = call.query.timeout_seconds
    return min(seconds, LONGEST_WAIT_SECONDS)


operations: Final = (
    Operation(
        method="GET", path=CONVERSATIONS, scope="read", name="listConversations",
        summary="List the tenant's stored conversations, by name.", handle=conversations, query=ConversationsQuery,
        answer=ConversationPage,
    ),
    Operation(
        method="PATCH", path=CONVERSATION, scope="admin", name="configureConversation",
        summary="Set a conversation's goal, constraints, title and settings.", handle=configure,
        body=ConfigureBody,
    ),
    Operation(
        method="DELETE", path=CONVERSATION, scope="admin", name="forgetConversation",
        summary="Permanently erase a conversation, with a receipt.", handle=forget, query=ForgetQuery,
        answer=ErasureReceipt, statuses=(200, 202),
        description="202: nothing is readable any longer; a worker has yet to delete the rows.",
    ),
    Operation(
        method="DELETE", path=SUBJECT, scope="admin", name="forgetSubject",
        summary="Erase an end user in every conversation of the tenant, with a receipt.", handle=forget_subject,
        query=ForgetQuery, answer=SubjectReceipt, statuses=(200, 202), description="202: as for a conversation.",
    ),
)  # fmt: skip
