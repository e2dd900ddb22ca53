"""The outbox: a delivery is claimed for a while, then accepted, retried later, or given up.

All times are the database's, since gateways' clocks may differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import or_, select, update

from turnfold.contract.tables import WebhookDeliveryRow, WebhookEndpointRow, table
from turnfold.database.database_clock import now_milliseconds
from turnfold.database.failures import translated
from turnfold_gateway.webhooks.slots import Receiver, Slots

if TYPE_CHECKING:
    from sqlalchemy import RowMapping

    from turnfold_gateway.keys.store import KeyStore

CLAIM_SECONDS: Final = 180
"""Longer than the attempts of one round; afterwards another gateway claims an unfinished delivery."""
FIRST_DELAY_SECONDS: Final = 10
LONGEST_DELAY_SECONDS: Final = 6 * 3_600


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A row of `webhook_delivery` with its endpoint's URL and secret."""

    id: int
    tenant: str
    endpoint: str
    url: str
    secret: str
    event: str
    conversation_id: str
    details: str
    created_at: datetime
    attempts: int
    not_before: int

    @property
    def receiver(self) -> Receiver:
        return Receiver(self.tenant, self.endpoint)

    @property
    def message_id(self) -> str:
        """Id that is the same in every attempt, so that receivers recognize repeats."""
        return f"msg_{self.endpoint}_{self.id}"

    def body(self) -> bytes:
        """Return the JSON payload of ids and counts."""
        counts = {"conversation_id": self.conversation_id, **json.loads(self.details)}
        named = "test" if self.event == "test" else f"conversation.{self.event}"
        payload = {"type": named, "timestamp": self.created_at.isoformat(), "data": {} if named == "test" else counts}
        return json.dumps(payload, ensure_ascii=True, separators=(",", ":")).encode()


class Outbox:
    """Claims and finishes deliveries. Blocking: call it in a thread. Raises `Unavailable`."""

    def __init__(self, store: KeyStore) -> None:
        self._store = store

    def claim(self, busy: Iterable[Receiver] = ()) -> list[Delivery]:
        """Claim due deliveries, oldest first, as far as there are free slots; writes nothing when nothing is due.

        `busy` are the receivers of the caller's deliveries in progress. Receivers without free slots do not hide the
        others.
        """
        slots = Slots(busy)
        claimed: list[Delivery] = []
        while slots.free > 0:
            limit = slots.free
            rows = self._due(slots, limit)
            begun = self._claim([row for row in rows if slots.take(Receiver(row["tenant"], row["endpoint"]))])
            claimed += begun
            if not begun or len(rows) < limit:
                break
        return claimed

    def _due(self, slots: Slots, limit: int) -> Sequence[RowMapping]:
        outbox, endpoints = table(WebhookDeliveryRow), table(WebhookEndpointRow)
        # No delivery waits longer: a time further ahead was set before a clock was set back.
        ahead = (LONGEST_DELAY_SECONDS + CLAIM_SECONDS) * 1_000
        due = (
            select(
                outbox.c.id, endpoints.c.tenant, outbox.c.endpoint, endpoints.c.url, endpoints.c.secret,
                outbox.c.event, outbox.c.conversation_id, outbox.c.details, outbox.c.created_at, outbox.c.attempts,
                outbox.c.not_before, now_milliseconds().label("read_at"),
            )
            .join_from(outbox, endpoints, outbox.c.endpoint == endpoints.c.id)
            .where(
                or_(outbox.c.not_before <= now_milliseconds(), outbox.c.not_before > now_milliseconds() + ahead),
                outbox.c.endpoint.not_in(slots.full_endpoints), endpoints.c.tenant.not_in(slots.full_tenants),
            )
            .order_by(outbox.c.not_before, outbox.c.id)
            .limit(limit)
        )  # fmt: skip
        with translated(), self._store.reading.begin() as connection:
            return connection.execute(due).mappings().all()

    def _claim(self, rows: Sequence[RowMapping]) -> list[Delivery]:
        if not rows:
            return []
        outbox = table(WebhookDeliveryRow)
        claimed = []
        with translated(), self._store.engine.begin() as connection:
            for fields in rows:
                row = dict(fields)
                until = row.pop("read_at") + CLAIM_SECONDS * 1_000
                # Only if unchanged since it was read: another gateway may have claimed it first.
                taken = update(outbox).where(outbox.c.id == row["id"], outbox.c.not_before == row["not_before"])
                if connection.execute(taken.values(not_before=until, attempts=outbox.c.attempts + 1)).rowcount:
                    claimed.append(Delivery(**{**row, "attempts": row["attempts"] + 1, "not_before": until}))
        return claimed

    def accepted(self, delivery: Delivery) -> None:
        """Delete a delivery that has arrived."""
        self._end(delivery, given_up=False)

    def failed(self, delivery: Delivery, *, most_rounds: int) -> bool:
        """Schedule the next round after an increasing delay; return True if the delivery is given up instead."""
        if delivery.attempts >= most_rounds:
            self._end(delivery, given_up=True)
            return True
        outbox = table(WebhookDeliveryRow)
        delay = min(FIRST_DELAY_SECONDS * 4 ** (delivery.attempts - 1), LONGEST_DELAY_SECONDS)
        later = update(outbox).where(*_claimed(outbox, delivery)).values(not_before=now_milliseconds() + delay * 1_000)
        with translated(), self._store.engine.begin() as connection:
            connection.execute(later)
        return False

    def _end(self, delivery: Delivery, *, given_up: bool) -> None:
        outbox, endpoints = table(WebhookDeliveryRow), table(WebhookEndpointRow)
        with translated(), self._store.engine.begin() as connection:
            ended = connection.execute(outbox.delete().where(*_claimed(outbox, delivery))).rowcount
            if given_up and ended:
                counted = update(endpoints).where(endpoints.c.id == delivery.endpoint)
                connection.execute(counted.values(given_up=endpoints.c.given_up + 1))


def _claimed(outbox: Any, delivery: Delivery) -> tuple[Any, Any]:
    return outbox.c.id == delivery.id, outbox.c.not_before == delivery.not_before
