"""All conversations of a tenant, also those that are not stored yet."""

from __future__ import annotations

from sqlalchemy import Engine, select

from turnfold.contract.tables import ConversationRow, standing, table
from turnfold.database.failures import translated
from turnfold.redis.inbox import ProducerInbox
from turnfold.redis.servers import InboxServers


def known_conversations(servers: InboxServers, engine: Engine, tenant: str) -> list[str]:
    """Every conversation of a tenant, stored or waiting. Raises `Unavailable` or `SchemaMismatch`."""
    conversation = table(ConversationRow)
    waiting = {address.conversation for address in ProducerInbox(servers).waiting(tenant)}
    with translated(), engine.begin() as connection:
        mine = select(conversation.c.external_id).where(conversation.c.tenant == tenant, standing())
        return sorted(waiting.union(connection.scalars(mine)))
