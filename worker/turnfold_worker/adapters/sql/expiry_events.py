"""Webhook events of retention, written in the transaction that removes the text.

Triggers write all other events, which many statements can cause; a single statement causes this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, insert, select

from turnfold.contract.tables import ConversationRow, WebhookDeliveryRow, WebhookEndpointRow, table

EVENT: Final = "expired"
_conversation = table(ConversationRow)
_endpoint = table(WebhookEndpointRow)
_delivery = table(WebhookDeliveryRow)


def tell(connection: Connection, expired: Mapping[int, int]) -> None:
    """Write an event for each endpoint that subscribed; `expired` maps conversations to their last expired turn.

    For tenants without an endpoint this costs one index lookup.
    """
    wanted = connection.execute(
        select(_endpoint.c.id, _conversation.c.id.label("row"), _conversation.c.external_id)
        .join(_conversation, _conversation.c.tenant == _endpoint.c.tenant)
        .where(_conversation.c.id.in_(expired), _endpoint.c.events.contains(f",{EVENT},"))
        .order_by(_conversation.c.id, _endpoint.c.id)
    ).all()
    if wanted:
        connection.execute(
            insert(_delivery),
            [
                {
                    "endpoint": endpoint.id, "event": EVENT, "conversation_row": endpoint.row,
                    "conversation_id": endpoint.external_id, "details": f'{{"last_turn": {expired[endpoint.row]}}}',
                }
                for endpoint in wanted
            ],
        )  # fmt: skip
