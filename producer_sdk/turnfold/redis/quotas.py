"""How much a tenant appends a day: counted by Redis, refused beyond what settings allow.

Counted in Redis's own day (UTC), before the append itself, so that a tenant's producers together never go beyond it.
An append that nobody knows to have arrived (`Unavailable`) counts, and its repeat counts again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from turnfold.contract import keys
from turnfold.contract.tasks import Operation
from turnfold.errors import QuotaExceeded
from turnfold.redis.inbox import translated
from turnfold.wire.encode import Entry

if TYPE_CHECKING:
    import redis

    from turnfold.settings import Settings

COUNTED: Final = frozenset({Operation.APPEND, Operation.EDIT})
"""Operations that bring something in. What takes something away is never refused."""

# KEYS appended     ARGV most turns, most bytes (0: any number), turns, bytes, seconds to keep
# Returns {1 if they were counted, turns of the day, bytes of the day, seconds until the next day}. Fewer than none are
# given back.
COUNT: Final = """
local now = redis.call('TIME')[1] + 0
local day = string.format('%.0f', math.floor(now / 86400))
if redis.call('HGET', KEYS[1], 'day') ~= day then redis.call('DEL', KEYS[1]) end
local turns = tonumber(redis.call('HGET', KEYS[1], 'turns') or 0)
local bytes = tonumber(redis.call('HGET', KEYS[1], 'bytes') or 0)
local left = 86400 - now % 86400
local more_turns, more_bytes = tonumber(ARGV[3]), tonumber(ARGV[4])
local function above(most, used, more) return more > 0 and most > 0 and used + more > most end
if above(tonumber(ARGV[1]), turns, more_turns) or above(tonumber(ARGV[2]), bytes, more_bytes) then
  return {0, turns, bytes, left}
end
if more_turns == 0 and more_bytes == 0 then return {1, turns, bytes, left} end
turns, bytes = math.max(0, turns + more_turns), math.max(0, bytes + more_bytes)
redis.call('HSET', KEYS[1], 'day', day, 'turns', string.format('%.0f', turns), 'bytes', string.format('%.0f', bytes))
redis.call('EXPIRE', KEYS[1], ARGV[5])
return {1, turns, bytes, left}
"""


class Appended(NamedTuple):
    """What a tenant appended today, as far as it was counted."""

    turns: int
    bytes: int


class Quotas:
    """Counts what tenants append, where settings bound it."""

    def __init__(self, client: redis.Redis, settings: Settings) -> None:
        self._count = client.register_script(COUNT)
        self._most_turns, self._most_bytes = settings.tenant_turns_a_day, settings.tenant_bytes_a_day

    def take(self, tenant: str, operation: Operation, entries: Sequence[Entry]) -> None:
        """Count entries that are about to be appended. Raises `QuotaExceeded` (nothing was counted), `Unavailable`."""
        if not self._bounds(operation):
            return
        turns, size = _sizes(operation, entries)
        taken, held_turns, held_bytes, left = self._call(tenant, turns, size)
        if not taken:
            msg = (
                f"tenant {tenant!r} has appended {held_turns} turns of {held_bytes} bytes today (UTC), and {turns} of "
                f"{size} bytes more are above its quota of {self._most_turns or 'any number of'} turns and "
                f"{self._most_bytes or 'any number of'} bytes a day: append `error.turns` in {left} s, or raise "
                "TURNFOLD_TENANT_TURNS_A_DAY or TURNFOLD_TENANT_BYTES_A_DAY"
            )
            raise QuotaExceeded(msg, retry_after_seconds=left)

    def give_back(self, tenant: str, operation: Operation, entries: Sequence[Entry]) -> None:
        """Uncount entries that were refused as a whole. Raises `Unavailable`."""
        if self._bounds(operation):
            turns, size = _sizes(operation, entries)
            self._call(tenant, -turns, -size)

    def today(self, tenant: str) -> Appended:
        """What was counted of a tenant today. Raises `Unavailable`."""
        _, turns, size, _ = self._call(tenant, 0, 0)
        return Appended(turns, size)

    def _bounds(self, operation: Operation) -> bool:
        return bool(self._most_turns or self._most_bytes) and operation in COUNTED

    def _call(self, tenant: str, turns: int, size: int) -> tuple[int, int, int, int]:
        arguments = [self._most_turns, self._most_bytes, turns, size, keys.APPENDED_SECONDS]
        with translated("counting what a tenant appends"):
            return cast("tuple[int, int, int, int]", self._count([keys.appended(tenant)], arguments))


def _sizes(operation: Operation, entries: Sequence[Entry]) -> tuple[int, int]:
    turns = len(entries) if operation is Operation.APPEND else 0
    return turns, sum(len(entry.body) for entry in entries)
