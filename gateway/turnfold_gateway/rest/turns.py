"""`/v1/conversations/{conversation}/turns`, and `rewind`: append, list and change turns."""

from __future__ import annotations

from typing import Any, Final, Literal

from msgspec import Struct

from turnfold import InvalidInput, Receipt
from turnfold_gateway.paths import CONVERSATION
from turnfold_gateway.rest.answers import TurnDocument, TurnPage
from turnfold_gateway.rest.cursors import number_of
from turnfold_gateway.rest.idempotency import forget_key, with_ids
from turnfold_gateway.rest.operations import Call, Operation

TURNS_A_PAGE: Final = 100


class AppendBody(Struct, forbid_unknown_fields=True):
    """Turns to append, in order."""

    turns: list[dict[str, Any]]
    """Objects with `role` and `content`, and optionally `turn_id`, `name`, `created_at`, `importance`, `metadata`.

    `importance` is low, normal, medium, high or pin. A provider's message can be sent unchanged, with content parts,
    tool calls and images.
    """
    priority: Literal["live", "backfill"] = "live"
    """backfill: old turns, to be folded when nothing else is due."""
    subject: str | None = None
    """The end user whose turns these are, who can be erased by this id."""
    durable: bool = False
    """Respond only when a replica of Redis has the turns too; 503 if none confirms in time: send them again then."""


class EditBody(Struct, forbid_unknown_fields=True):
    """New content for a turn."""

    content: str | list[dict[str, Any]]
    """Text, or a provider's content parts."""


class RewindBody(Struct, forbid_unknown_fields=True):
    """Where to cut a conversation off."""

    after: str
    """Id of the last turn to keep."""


class TurnsQuery(Struct, forbid_unknown_fields=True):
    """A page of turns."""

    cursor: str | None = None
    """`next_cursor` of the previous page, or the number of a turn, after which the page begins."""
    limit: int = TURNS_A_PAGE
    """1 to 1,000."""


async def append(call: Call) -> Receipt:
    body: AppendBody = call.body
    turns = await with_ids(call, body.turns, body.subject)
    try:
        return await call.turnfold.append(
            call.conversation, turns, priority=body.priority, subject=body.subject, durable=body.durable
        )
    except InvalidInput:
        await forget_key(call)
        raise


async def edit(call: Call) -> None:
    await call.turnfold.edit(call.conversation, call.part("turn"), content=call.body.content)


async def delete(call: Call) -> None:
    await call.turnfold.delete(call.conversation, call.part("turn"))


async def rewind(call: Call) -> None:
    await call.turnfold.rewind(call.conversation, after=call.body.after)


async def turns(call: Call) -> TurnPage:
    query: TurnsQuery = call.query
    page = await call.turnfold.turns(call.conversation, after=number_of(query.cursor, first=0), limit=query.limit)
    return TurnPage([TurnDocument.of(turn) for turn in page], str(page[-1].seq) if page else None)


TURNS: Final = f"{CONVERSATION}/turns"
TURN: Final = f"{TURNS}/{{turn:id}}"

operations: Final = (
    Operation(
        method="POST", path=TURNS, scope="append", name="appendTurns", summary="Append turns.", handle=append,
        body=AppendBody, answer=Receipt, statuses=(202,), takes_idempotency_key=True,
        description="Returns once Redis has them. A repeat of a `turn_id`, or of a request with the same "
        "`Idempotency-Key`, changes nothing. A turn is in the next context at once.",
    ),
    Operation(
        method="GET", path=TURNS, scope="read", name="listTurns", summary="List turns, verbatim.", handle=turns,
        query=TurnsQuery, answer=TurnPage,
    ),
    Operation(
        method="PATCH", path=TURN, scope="admin", name="editTurn", summary="Replace the content of a turn.",
        handle=edit, body=EditBody,
    ),
    Operation(
        method="DELETE", path=TURN, scope="admin", name="deleteTurn",
        summary="Permanently delete the content of a turn; only its number stays.", handle=delete,
    ),
    Operation(
        method="POST", path=f"{CONVERSATION}/rewind", scope="admin", name="rewindConversation",
        summary="Permanently delete all turns after a turn.", handle=rewind, body=RewindBody,
    ),
)  # fmt: skip
