"""Endpoints in SQL: add, list, remove, test."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy import func, literal, select

from turnfold import InvalidInput
from turnfold.contract.keys import checked_id
from turnfold.contract.tables import WebhookDeliveryRow, WebhookEndpointRow, table
from turnfold.database.failures import translated
from turnfold_gateway.webhooks.addresses import checked_url
from turnfold_gateway.webhooks.signatures import new_secret

if TYPE_CHECKING:
    from turnfold_gateway.keys.store import KeyStore

EVENTS: Final = ("folded", "refined", "expired", "parked", "erased")
MOST_ENDPOINTS: Final = 20
"""Maximum per tenant, since each event is written once per endpoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A row of `webhook_endpoint`, without its secret."""

    id: str
    url: str
    events: tuple[str, ...]
    created_at: datetime
    waiting: int
    """Deliveries that it has not accepted yet."""
    given_up: int


class Endpoints:
    """The endpoints of a tenant. Blocking: call it in a thread."""

    def __init__(self, store: KeyStore, tenant: str) -> None:
        self._store = store
        self._tenant = checked_id("tenant", tenant)

    def add(self, url: str, events: Iterable[str], *, allow_http: bool) -> tuple[str, str]:
        """Add an endpoint and return its id and secret. Raises `InvalidInput`, `Unavailable`."""
        checked_url(url, allow_http=allow_http)
        wanted = set(events)
        if not wanted or not wanted <= set(EVENTS):
            raise InvalidInput(f"a webhook needs one or more of the events {', '.join(EVENTS)}")
        rows = table(WebhookEndpointRow)
        names = ",".join(event for event in EVENTS if event in wanted)
        row = {
            "id": secrets.token_hex(6), "tenant": self._tenant, "url": url, "events": f",{names},",
            "secret": new_secret(),
        }  # fmt: skip
        with translated(), self._store.engine.begin() as connection:
            count = connection.scalar(select(func.count()).select_from(rows).where(rows.c.tenant == self._tenant)) or 0
            if count >= MOST_ENDPOINTS:
                raise InvalidInput(
                    f"a tenant can have at most {MOST_ENDPOINTS} webhooks: remove one with `turnfold webhooks remove "
                    "ID`"
                )
            connection.execute(rows.insert(), row)
        return row["id"], row["secret"]

    def list(self) -> list[Endpoint]:
        """Return the endpoints in the order of creation."""
        rows, outbox = table(WebhookEndpointRow), table(WebhookDeliveryRow)
        waiting = select(func.count()).where(outbox.c.endpoint == rows.c.id).scalar_subquery()
        statement = (
            select(rows.c.id, rows.c.url, rows.c.events, rows.c.created_at, waiting.label("waiting"), rows.c.given_up)
            .where(rows.c.tenant == self._tenant)
            .order_by(rows.c.created_at, rows.c.id)
        )
        with translated(), self._store.reading.begin() as connection:
            stored = connection.execute(statement).mappings().all()
        return [Endpoint(**{**row, "events": tuple(row["events"].strip(",").split(","))}) for row in stored]

    def remove(self, endpoint: str) -> bool:
        """Remove an endpoint and its deliveries; return False if there is none with this id."""
        rows, outbox = table(WebhookEndpointRow), table(WebhookDeliveryRow)
        with translated(), self._store.engine.begin() as connection:
            removed = connection.execute(
                rows.delete().where(rows.c.id == endpoint, rows.c.tenant == self._tenant)
            ).rowcount
            if removed:
                connection.execute(outbox.delete().where(outbox.c.endpoint == endpoint))
        return bool(removed)

    def test(self, endpoint: str) -> bool:
        """Queue a `test` event for a gateway to deliver; return False if there is no endpoint with this id."""
        rows, outbox = table(WebhookEndpointRow), table(WebhookDeliveryRow)
        event = select(rows.c.id, literal("test"), literal(0), literal(""), literal("{}")).where(
            rows.c.id == endpoint, rows.c.tenant == self._tenant
        )
        columns = ["endpoint", "event", "conversation_row", "conversation_id", "details"]
        with translated(), self._store.engine.begin() as connection:
            return bool(connection.execute(outbox.insert().from_select(columns, event)).rowcount)
