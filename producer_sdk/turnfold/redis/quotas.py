"""Quotas of tenants: appends per day and stored bytes, counted in Redis and limited by quota or settings.

Appends are counted per UTC day of Redis's clock, before the append itself, so that a tenant's producers together never
exceed the limit. An append with an unknown outcome (`Unavailable`) counts, and so does its retry. Stored bytes are
measured by workers; appends since the measurement are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from turnfold.contract import keys
from turnfold.contract.tasks import Operation
from turnfold.errors import QuotaExceeded
from turnfold.redis.connections import translated
from turnfold.redis.lua import Script
from turnfold.wire.encode import Entry

if TYPE_CHECKING:
    from turnfold.redis.servers import InboxServers
    from turnfold.settings import Settings

COUNTED: Final = frozenset({Operation.APPEND, Operation.CONFIGURE, Operation.EDIT})
"""Operations that add words. Operations that remove some are never rejected."""
MEASURED_SECONDS: Final = 60
"""Interval in which workers measure the stored bytes of tenants."""

# KEYS appended, quota, stored
# ARGV default limits of turns, bytes a day and stored bytes (0: no limit), turns, bytes, lifetime of `appended` in
#  seconds, lifetime of `stored` in seconds
# Returns {1 if counted, 0 if above the day's limits, -1 if above the limit of stored bytes, 2 if there are no
#  limits, turns of the day, bytes of the day, stored bytes, most turns, most bytes, most stored bytes, seconds until
#  the next day}. Negative counts are given back.
COUNT: Final = """
local now = redis.call('TIME')[1] + 0
local today = math.floor(now / 86400)
local written = redis.call('HGET', KEYS[1], 'day')
-- A clock that is set back over midnight gives nobody the day before once more. One that was wrong by more counts anew.
if written and tonumber(written) - today == 1 then today = today + 1 end
local day = string.format('%.0f', today)
local own = redis.call('HMGET', KEYS[2], 'turns', 'bytes', 'stored')
local most = {}
for i = 1, 3 do most[i] = tonumber(own[i] or ARGV[i]) end
if written ~= day then redis.call('DEL', KEYS[1]) end
local used = redis.call('HMGET', KEYS[1], 'turns', 'bytes')
local turns, bytes = tonumber(used[1] or 0), tonumber(used[2] or 0)
local measured = redis.call('HMGET', KEYS[3], 'size', 'added')
local added = tonumber(measured[2] or 0)
local stored = tonumber(measured[1] or 0) + added
local more_turns, more_bytes = tonumber(ARGV[4]), tonumber(ARGV[5])
local function answer(code)
  return {code, turns, bytes, stored, most[1], most[2], most[3], (today + 1) * 86400 - now}
end
if most[1] == 0 and most[2] == 0 and most[3] == 0 then return answer(2) end
local function above(bound, used, more) return more > 0 and bound > 0 and used + more > bound end
if above(most[1], turns, more_turns) or above(most[2], bytes, more_bytes) then return answer(0) end
if above(most[3], stored, more_bytes) then return answer(-1) end
if more_turns == 0 and more_bytes == 0 then return answer(1) end
turns, bytes = math.max(0, turns + more_turns), math.max(0, bytes + more_bytes)
redis.call('HSET', KEYS[1], 'day', day, 'turns', string.format('%.0f', turns), 'bytes', string.format('%.0f', bytes))
redis.call('EXPIRE', KEYS[1], ARGV[6])
if most[3] > 0 then
  redis.call('HSET', KEYS[3], 'added', string.format('%.0f', math.max(0, added + more_bytes)))
  redis.call('EXPIRE', KEYS[3], ARGV[7])
end
return answer(1)
"""
_COUNT: Final = Script(COUNT)
_NOT_BOUNDED: Final = 2
_ABOVE_THE_DAY: Final = 0
_ABOVE_STORED: Final = -1


class Counted(NamedTuple):
    """Usage and limits of a tenant; a limit of 0 means none."""

    turns: int
    """Turns appended today (UTC)."""
    bytes: int
    stored_bytes: int
    """Bytes of the turns in SQL, as last measured, plus those appended since; counted only if limited."""
    most_turns: int
    most_bytes: int
    most_stored_bytes: int
    day_ends_in_seconds: int


class Quotas:
    """Counts appends of tenants that a quota or the settings limit. Thread-safe."""

    def __init__(self, servers: InboxServers, settings: Settings) -> None:
        self._servers = servers
        self._most = (settings.tenant_turns_a_day, settings.tenant_bytes_a_day, settings.tenant_stored_bytes)
        self._bounded: set[str] = set()
        """Tenants known to have limits of their own, which are counted before an append."""

    def take(self, tenant: str, operation: Operation, entries: Sequence[Entry], *, own: bool = False) -> bool:
        """Count entries about to be appended; False if no limit is known to apply.

        `own`: the tenant has limits of its own. Raises `QuotaExceeded` (nothing was counted), `Unavailable`.
        """
        if own:
            self._bounded.add(tenant)
        if operation not in COUNTED or not (any(self._most) or tenant in self._bounded):
            return False
        turns, size = _sizes(operation, entries)
        code, counted = self._call(tenant, turns, size)
        if code == _NOT_BOUNDED:
            self._bounded.discard(tenant)
            return False
        if code == _ABOVE_THE_DAY:
            msg = (
                f"tenant {tenant!r} has appended {counted.turns} turns of {counted.bytes} bytes today (UTC), and "
                f"{turns} of {size} bytes more would exceed its quota of {counted.most_turns or 'any number of'} turns "
                f"and {counted.most_bytes or 'any number of'} bytes a day"
            )
            raise QuotaExceeded(
                msg,
                remedy=(
                    f"append the turns again in {counted.day_ends_in_seconds} s, or raise the quota: "
                    "`turnfold quota set`, or for every tenant TURNFOLD_TENANT_TURNS_A_DAY and "
                    "TURNFOLD_TENANT_BYTES_A_DAY"
                ),
                retry_after_seconds=counted.day_ends_in_seconds,
            )
        if code == _ABOVE_STORED:
            msg = (
                f"tenant {tenant!r} stores {counted.stored_bytes} bytes of turns, and {size} more would exceed its "
                f"quota of {counted.most_stored_bytes}"
            )
            raise QuotaExceeded(
                msg,
                remedy=(
                    "`forget` conversations, let retention remove old text, or raise the quota: `turnfold quota set`, "
                    f"or for every tenant TURNFOLD_TENANT_STORED_BYTES. Usage is measured every {MEASURED_SECONDS} s: "
                    "append the turns again after that"
                ),
                retry_after_seconds=MEASURED_SECONDS,
            )
        return True

    def give_back(self, tenant: str, operation: Operation, entries: Sequence[Entry]) -> None:
        """Uncount entries that `take` counted, after their append was rejected as a whole. Raises `Unavailable`."""
        turns, size = _sizes(operation, entries)
        self._call(tenant, -turns, -size)

    def counted(self, tenant: str) -> Counted:
        """Return the current usage and limits of a tenant. Raises `Unavailable`."""
        return self._call(tenant, 0, 0)[1]

    def _call(self, tenant: str, turns: int, size: int) -> tuple[int, Counted]:
        names = [keys.appended(tenant), keys.quota(tenant), keys.stored(tenant)]
        arguments = [*self._most, turns, size, keys.APPENDED_SECONDS, keys.QUOTA_SECONDS]
        with translated("counting a tenant's appends"):
            code, *counts = cast("list[int]", _COUNT(self._servers.home, names, arguments))
        return code, Counted(*counts)


def _sizes(operation: Operation, entries: Sequence[Entry]) -> tuple[int, int]:
    turns = len(entries) if operation is Operation.APPEND else 0
    return turns, sum(len(entry.body) for entry in entries)
