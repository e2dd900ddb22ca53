"""List the conversations of a tenant, including those that still wait in an inbox."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from sqlalchemy import Engine, Integer, bindparam, select

from turnfold.contract.tables import ConversationRow, standing, table
from turnfold.database.failures import translated
from turnfold.redis.inbox import ProducerInbox
from turnfold.redis.servers import InboxServers

NAMES_A_PAGE: Final = 1_000

_conversation = table(ConversationRow)
_NEXT_NAMES: Final = (
    select(_conversation.c.external_id)
    .where(
        _conversation.c.tenant == bindparam("tenant"), _conversation.c.external_id > bindparam("after"), standing()
    )
    .order_by(_conversation.c.external_id)
    .limit(bindparam("most", type_=Integer))
)  # fmt: skip


def stored_names(engine: Engine, tenant: str, *, most: int = NAMES_A_PAGE) -> Iterator[Sequence[str]]:
    """Yield pages of the names of a tenant's stored conversations in order, each read on demand.

    Raises `Unavailable` or `SchemaMismatch`.
    """
    after = ""
    while True:
        with translated(), engine.begin() as connection:
            names = connection.scalars(_NEXT_NAMES, {"tenant": tenant, "after": after, "most": most}).all()
        if not names:
            return
        yield names
        after = names[-1]


def known_conversations(servers: InboxServers, engine: Engine, tenant: str) -> list[str]:
    """Return the sorted names of all conversations of a tenant, stored or waiting.

    Raises `Unavailable` or `SchemaMismatch`.
    """
    waiting = {address.conversation for address in ProducerInbox(servers).waiting(tenant)}
    return sorted(waiting.union(chain.from_iterable(stored_names(engine, tenant))))
