"""The outbox: deliveries are claimed for a while, and end accepted, tried again later, or given up.

All times are the database's: gateways may differ in theirs.
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
"""Longer than the tries of one round; after it another gateway takes what this one did not end."""
FIRST_DELAY_SECONDS: Final = 10
LONGEST_DELAY_SECONDS: Final = 6 * 3_600


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A row of `webhook_delivery`, with where it goes."""

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
        """The same in every try: receivers know repeats by it."""
        return f"msg_{self.endpoint}_{self.id}"

    def body(self) -> bytes:
        """JSON with ids and counts."""
        counts = {"conversation_id": self.conversation_id, **json.loads(self.details)}
        named = "test" if self.event == "test" else f"conversation.{self.event}"
        payload = {"type": named, "timestamp": self.created_at.isoformat(), "data": {} if named == "test" else counts}
        return json.dumps(payload, ensure_ascii=True, separators=(",", ":")).encode()


class Outbox:
    """Blocks: call it in a thread. Raises `Unavailable`."""

    def __init__(self, store: KeyStore) -> None:
        self._store = store

    def claim(self, busy: Iterable[Receiver] = ()) -> list[Delivery]:
        """Take what is due, the oldest first, as far as there is room; nothing is written when nothing is due.

        `busy`: whom the caller's deliveries under way are to. Who has no room left hides nobody who has.
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
        # Nothing waits for longer: what seems to was put off under a clock that was set back since.
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
                # As it was read: another gateway may have been first.
                taken = update(outbox).where(outbox.c.id == row["id"], outbox.c.not_before == row["not_before"])
                if connection.execute(taken.values(not_before=until, attempts=outbox.c.attempts + 1)).rowcount:
                    claimed.append(Delivery(**{**row, "attempts": row["attempts"] + 1, "not_before": until}))
        return claimed

    def accepted(self, delivery: Delivery) -> None:
        """Forget a delivery that has arrived."""
        self._end(delivery, given_up=False)

    def failed(self, delivery: Delivery, *, most_rounds: int) -> bool:
        """Let a delivery wait for its next round, ever longer; True when it is given up instead."""
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
