"""The ledger of model calls in SQL: replies by request, usage by conversation and by tenant, caps per day (UTC)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from sqlalchemy import Connection, Engine, Table, func, select, update

from turnfold.contract.records import ConversationId
from turnfold.contract.tables import TENANT_USAGE, USAGE, USED, ReplyRow, TenantQuotaRow, table
from turnfold.database.database_clock import now_milliseconds
from turnfold_worker.adapters.prices import BATCH_SHARE, Price
from turnfold_worker.adapters.sql.errors import transaction
from turnfold_worker.adapters.sql.turns import insert_new, stays
from turnfold_worker.errors import ModelWaits
from turnfold_worker.pipeline.refinement.sources import ModelRequest
from turnfold_worker.ports.models import Finish, ModelReply, Owner, Reservation, Used

CAP_SECONDS: Final = 900.0
"""Longest delay before work that met a cap tries again."""
DAY_MILLISECONDS: Final = 86_400_000
ALL_MODELS: Final = ""
"""The model of the row, per tenant and day, that sums reservations and whose lock serializes them."""

_reply = table(ReplyRow)
_quota = table(TenantQuotaRow)


class SqlLedger:
    """The ledger in SQLite and PostgreSQL. Every method is one short transaction; none is open during a call."""

    def __init__(
        self, engine: Engine, *, daily_tokens: int = 0, daily_dollars: float = 0.0, prices: Mapping[str, Price]
    ) -> None:
        """Caps apply per tenant; 0: no cap. A tenant's own quota of tokens overrides `daily_tokens`."""
        self._engine = engine
        self._daily_tokens = daily_tokens
        self._daily_micros = round(daily_dollars * 1_000_000)
        self._prices = prices

    def cached(self, owner: Owner, request: ModelRequest) -> ModelReply | None:
        """Return the reply to an equal request of the conversation; counted as a free reply."""
        with transaction(self._engine) as connection:
            found = connection.scalar(
                select(_reply.c.body).where(
                    _reply.c.conversation == owner.conversation, _reply.c.request_hash == request.hash
                )
            )
            if found is None:
                return None
            _count(connection, owner, request.model, {"cached_replies": 1})
        used = Used(input_tokens=0, output_tokens=0)
        return ModelReply(content=found["content"], finish=Finish(found["finish"]), used=used)

    def reserve(self, owner: Owner, request: ModelRequest) -> Reservation:
        """Reserve the most that a call can use from today's caps. Raises `ModelWaits` when they are reached."""
        tokens = request.input_tokens + request.max_tokens
        micros = self._micros(request.model, Used(input_tokens=request.input_tokens, output_tokens=request.max_tokens))
        with transaction(self._engine) as connection:
            own = select(_quota.c.model_tokens_a_day).where(_quota.c.tenant == owner.tenant)
            caps = _Caps(connection.scalar(own), self._daily_tokens, self._daily_micros)
            if not caps.tokens and not caps.micros:
                return Reservation(owner=owner, model=request.model, tokens=0, micros=0, day=0)
            now = connection.scalar(select(now_milliseconds())) or 0
            today = now // DAY_MILLISECONDS
            taken = _taken(connection, owner.tenant, today)
            caps.check(*taken, tokens, micros, left=DAY_MILLISECONDS - now % DAY_MILLISECONDS)
            _reserve(connection, owner.tenant, today, tokens, micros)
        return Reservation(owner=owner, model=request.model, tokens=tokens, micros=micros, day=today)

    def settle(self, reservation: Reservation, request: ModelRequest, reply: ModelReply) -> None:
        """Count the usage, and store the reply."""
        counts = self._counts(request.model, reply.used)
        with transaction(self._engine) as connection:
            _keep(connection, reservation.owner.conversation, request.hash, reply)
            _count(connection, reservation.owner, request.model, counts)
            _give_back(connection, reservation)

    def settle_batch(self, owner: Owner, request_hash: str, model: str, reply: ModelReply) -> bool:
        """Store the reply of a provider's batch, at its price; False when it is stored already."""
        counts = self._counts(model, reply.used, share=BATCH_SHARE)
        with transaction(self._engine) as connection:
            if not _keep(connection, owner.conversation, request_hash, reply):
                return False
            _count(connection, owner, model, counts)
            return True

    def _counts(self, model: str, used: Used, *, share: float = 1.0) -> dict[str, int]:
        return {
            "requests": 1, "input_tokens": used.input_tokens, "cached_tokens": used.cached_tokens,
            "output_tokens": used.output_tokens, "estimated": int(used.estimated),
            "cost_micros": round(share * self._micros(model, used)),
        }  # fmt: skip

    def release(self, reservation: Reservation, *, failed: bool) -> None:
        """Give back a reservation; count a failed call."""
        with transaction(self._engine) as connection:
            if failed:
                _count(connection, reservation.owner, reservation.model, {"failed": 1})
            _give_back(connection, reservation)

    def count(self, owner: Owner, model: str, counts: Mapping[str, int]) -> None:
        """Add to counters of `tables.USED`."""
        if any(counts.values()):
            with transaction(self._engine) as connection:
                _count(connection, owner, model, counts)

    def _micros(self, model: str, used: Used) -> int:
        price = self._prices.get(model)
        if price is None:
            return 0
        return price.micros(
            input_tokens=used.input_tokens, cached_tokens=used.cached_tokens, output_tokens=used.output_tokens
        )


class _Caps:
    """The daily caps of a tenant; 0: no cap."""

    def __init__(self, own_tokens: int | None, tokens: int, micros: int) -> None:
        self.tokens = tokens if own_tokens is None else own_tokens
        self.micros = micros
        self._of_tokens = "TURNFOLD_DAILY_TOKENS" if own_tokens is None else "its quota, see `turnfold quota show`"

    def check(self, tokens: int, micros: int, more_tokens: int, more_micros: int, *, left: int) -> None:
        """Raise `ModelWaits` when the request exceeds a cap; `left` are the milliseconds until the end of the day."""
        for cap, taken, wanted, name in (
            (self.tokens, tokens, more_tokens, self._of_tokens),
            (self.micros, micros, more_micros, "TURNFOLD_DAILY_DOLLARS"),
        ):
            if cap and taken + wanted > cap:
                msg = f"the tenant's daily cap is reached: {name}"
                raise ModelWaits(msg, seconds=min(CAP_SECONDS, left / 1_000 + 1))


def _taken(connection: Connection, tenant: str, today: int) -> tuple[int, int]:
    """Return the tokens and millionths of a dollar that a tenant used or reserved today."""
    mine = (TENANT_USAGE.c.tenant == tenant, TENANT_USAGE.c.day == _date(today))
    row = {"tenant": tenant, "day": _date(today), "model": ALL_MODELS}
    connection.execute(insert_new(connection, TENANT_USAGE).values(row).on_conflict_do_nothing())
    # The lock serializes reservations of a tenant: two calls cannot both take the rest.
    connection.execute(select(TENANT_USAGE.c.model).where(*mine, TENANT_USAGE.c.model == ALL_MODELS).with_for_update())
    used = connection.execute(
        select(
            func.sum(TENANT_USAGE.c.input_tokens + TENANT_USAGE.c.output_tokens + TENANT_USAGE.c.reserved_tokens),
            func.sum(TENANT_USAGE.c.cost_micros + TENANT_USAGE.c.reserved_micros),
        ).where(*mine)
    ).one()
    return int(used[0] or 0), int(used[1] or 0)


def _keep(connection: Connection, conversation: ConversationId, request_hash: str, reply: ModelReply) -> bool:
    """Store a reply, unless the conversation was forgotten; return whether it is new."""
    if not stays(connection, conversation):
        return False
    row = {
        "conversation": conversation, "request_hash": request_hash,
        "body": {"content": reply.content, "finish": str(reply.finish)},
    }  # fmt: skip
    insert = insert_new(connection, _reply).values(row).on_conflict_do_nothing()
    return connection.execute(insert.returning(_reply.c.request_hash)).first() is not None


def _count(connection: Connection, owner: Owner, model: str, counts: Mapping[str, int]) -> None:
    """Add to the counters of the conversation, if it still exists, and of its tenant."""
    now = connection.scalar(select(now_milliseconds())) or 0
    today = _date(now // DAY_MILLISECONDS)
    changed = {name: counts[name] for name in USED if counts.get(name)}
    if stays(connection, owner.conversation):
        _add(connection, USAGE, {"conversation": owner.conversation, "day": today, "model": model}, changed)
    _add(connection, TENANT_USAGE, {"tenant": owner.tenant, "day": today, "model": model}, changed)


def _add(connection: Connection, into: Table, key: Mapping[str, Any], counts: Mapping[str, int]) -> None:
    insert = insert_new(connection, into).values({**key, **counts})
    sums = {name: into.c[name] + insert.excluded[name] for name in counts}
    connection.execute(insert.on_conflict_do_update(index_elements=[into.c[name] for name in key], set_=sums))


def _reserve(connection: Connection, tenant: str, day: int, tokens: int, micros: int) -> None:
    connection.execute(
        update(TENANT_USAGE)
        .where(
            TENANT_USAGE.c.tenant == tenant, TENANT_USAGE.c.day == _date(day), TENANT_USAGE.c.model == ALL_MODELS
        )
        .values(
            reserved_tokens=TENANT_USAGE.c.reserved_tokens + tokens,
            reserved_micros=TENANT_USAGE.c.reserved_micros + micros,
        )
    )  # fmt: skip


def _give_back(connection: Connection, reservation: Reservation) -> None:
    if reservation.day:
        _reserve(connection, reservation.owner.tenant, reservation.day, -reservation.tokens, -reservation.micros)


def _date(day: int) -> date:
    """Return the date of a day number since 1970."""
    return datetime(1970, 1, 1, tzinfo=UTC).date() + timedelta(days=day)
