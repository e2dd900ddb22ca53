"""Quotas of tenants: stored in SQL, published to Redis where appends are checked; also measures stored bytes.

Redis may lose all of this at any time: the next publication, within a minute, restores it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from turnfold_worker.adapters.redis.quota_board import RedisQuotaBoard
    from turnfold_worker.adapters.sql.tenant_quotas import SqlTenantQuotas


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantQuota:
    """The limits of one tenant. None: the default of the settings; 0: no limit, and text that is kept for ever."""

    tenant: str
    turns_a_day: int | None = None
    bytes_a_day: int | None = None
    stored_bytes: int | None = None
    model_tokens_a_day: int | None = None
    retention_days: int | None = None

    @property
    def is_of_appends(self) -> bool:
        """Whether the quota overrides the settings where appends are counted."""
        return any(bound is not None for bound in (self.turns_a_day, self.bytes_a_day, self.stored_bytes))

    @property
    def bounds_appends(self) -> bool:
        """Whether appends have to be counted, whatever the settings of the producer."""
        return any((self.turns_a_day, self.bytes_a_day, self.stored_bytes))


def publish(*, store: SqlTenantQuotas, board: RedisQuotaBoard, stored_bytes: int) -> None:
    """Publish all quotas, and measure each tenant whose stored bytes are bounded, by its quota or by `stored_bytes`."""
    quotas = store.all()
    board.publish(quotas)
    own = {quota.tenant: quota.stored_bytes for quota in quotas}
    tenants: Sequence[str] = sorted({*store.tenants(), *own}) if stored_bytes else list(own)
    for tenant in tenants:
        bound = own.get(tenant)
        if stored_bytes if bound is None else bound:
            measure(tenant, store=store, board=board)


def measure(tenant: str, *, store: SqlTenantQuotas, board: RedisQuotaBoard) -> None:
    """Measure the stored bytes of one tenant and those that wait to be stored."""
    # In this order: entries drained between the two reads count twice until the next measurement, but never zero times.
    added, waiting = board.waiting(tenant)
    board.measured(tenant, store.measure(tenant) + waiting, added=added)
