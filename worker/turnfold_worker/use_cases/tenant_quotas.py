"""Quotas of tenants: kept in SQL, published to Redis where appends are checked, and what they store measured.

Redis may lose all of it at any time: the next publication, within a minute, writes it again.
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
    """What one tenant may use. None: as the settings say; 0: any number, and words that are kept for ever."""

    tenant: str
    turns_a_day: int | None = None
    bytes_a_day: int | None = None
    stored_bytes: int | None = None
    model_tokens_a_day: int | None = None
    retention_days: int | None = None

    @property
    def is_of_appends(self) -> bool:
        """Whether it stands for the settings where appends are counted."""
        return any(bound is not None for bound in (self.turns_a_day, self.bytes_a_day, self.stored_bytes))

    @property
    def bounds_appends(self) -> bool:
        """Whether an append has to be counted first, whatever the settings of its producer say."""
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
    """Measure what one tenant stores and what waits to be stored."""
    # In this order: what is drained between the two looks counts twice until the next measure, and never not at all.
    added, waiting = board.waiting(tenant)
    board.measured(tenant, store.measure(tenant) + waiting, added=added)
