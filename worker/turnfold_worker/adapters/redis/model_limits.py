"""Rate limits and circuit breakers of models, shared by all workers. Keys are listed in `turnfold.contract.keys`.

Requests and tokens per minute are limited by the generic cell rate algorithm (GCRA): a key stores the time up to which
capacity is reserved, and a call fits if that time, advanced by the call's share of a minute, is at most one burst
ahead. All times are milliseconds of Redis's clock.
"""

from __future__ import annotations

from typing import Any, Final

from turnfold.contract.keys import model_key
from turnfold.redis.lua import Script
from turnfold.redis.servers import InboxServers
from turnfold_worker.adapters.redis.failures import asks_redis

BURST_SECONDS: Final = 5.0
"""Seconds of the rate that may be used at once: the rest of a minute is spread over it."""
FAILURES_MILLISECONDS: Final = 900_000

_NOW: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
"""

# KEYS pause, requests, tokens
# ARGV burst in milliseconds, then (rate per minute, cost) of requests and of tokens; a rate of 0 is no limit
# Returns 0 when all was reserved, else the milliseconds until it may fit, with nothing reserved.
_RESERVE: Final = Script(
    _NOW
    + """
local pause = tonumber(redis.call('GET', KEYS[1]) or '0')
if pause > now then return math.ceil(pause - now) end
local burst, wait, moments = tonumber(ARGV[1]), 0, {}
for i = 1, 2 do
  local rate, cost = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  if rate > 0 then
    local spoken_for = math.max(tonumber(redis.call('GET', KEYS[i + 1]) or '0'), now)
    local moment = spoken_for + cost * 60000 / rate
    -- What alone is more than a burst has to fit some time: it goes when nothing else is spoken for.
    if moment - now > burst and spoken_for > now then
      wait = math.max(wait, math.min(moment - now - burst, spoken_for - now))
    end
    moments[i] = moment
  end
end
if wait > 0 then return math.ceil(wait) end
for i, moment in pairs(moments) do
  redis.call('SET', KEYS[i + 1], string.format('%.3f', moment), 'PX', math.ceil(moment - now) + 1000)
end
return 0
"""
)

# KEYS tokens     ARGV rate per minute, tokens used beyond the reservation (negative: fewer were used)
_SETTLE: Final = Script(
    _NOW
    + """
local moment = tonumber(redis.call('GET', KEYS[1]) or now) + tonumber(ARGV[2]) * 60000 / tonumber(ARGV[1])
if moment <= now then
  redis.call('DEL', KEYS[1])
else
  redis.call('SET', KEYS[1], string.format('%.3f', moment), 'PX', math.ceil(moment - now) + 1000)
end
return 0
"""
)

# KEYS pause     ARGV milliseconds
_PAUSE: Final = Script(
    _NOW
    + """
local moment = now + tonumber(ARGV[1])
if moment > tonumber(redis.call('GET', KEYS[1]) or '0') then
  redis.call('SET', KEYS[1], string.format('%.3f', moment), 'PX', math.ceil(ARGV[1]) + 1)
end
return 0
"""
)

# KEYS open, failures, probe     ARGV most failures in a row, milliseconds of a probe
# Returns 0 when a call may be made, else the milliseconds until one may.
_ADMIT: Final = Script("""
local left = redis.call('PTTL', KEYS[1])
if left > 0 then return left end
if tonumber(redis.call('GET', KEYS[2]) or '0') < tonumber(ARGV[1]) then return 0 end
-- It was open: one call tries whether it works again.
if redis.call('SET', KEYS[3], '1', 'NX', 'PX', ARGV[2]) then return 0 end
return math.max(1, redis.call('PTTL', KEYS[3]))
""")

# KEYS open, failures, probe     ARGV most failures in a row, milliseconds open, lifetime of the count
# Returns 1 when this failure opened the circuit.
_FAILED: Final = Script("""
local failures = redis.call('INCR', KEYS[2])
redis.call('PEXPIRE', KEYS[2], ARGV[3])
redis.call('DEL', KEYS[3])
if failures >= tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], '1', 'PX', ARGV[2])
  return 1
end
return 0
""")


@asks_redis
class RedisModelLimits:
    """Limits and the circuit of each model, shared by all workers."""

    def __init__(
        self, servers: InboxServers, *, requests_per_minute: int, tokens_per_minute: int, circuit_failures: int,
        circuit_seconds: float, call_seconds: float, burst_seconds: float = BURST_SECONDS,
    ) -> None:  # fmt: skip
        """A rate of 0 is no limit. `call_seconds` is the longest duration of a call."""
        self._servers = servers
        self._requests = requests_per_minute
        self._tokens = tokens_per_minute
        self._failures = circuit_failures
        self._open = int(circuit_seconds * 1_000)
        self._probe = int(call_seconds * 1_000) + 1_000
        self._burst = int(burst_seconds * 1_000)

    def reserve(self, model: str, tokens: int) -> float:
        """Reserve a request and its tokens; return 0.0, or seconds until there may be room, with nothing reserved."""
        limits = [self._burst, self._requests, 1, self._tokens, tokens]
        return self._call(_RESERVE, model, ("pause", "requests", "tokens"), limits) / 1_000

    def settle(self, model: str, *, reserved: int, used: int) -> None:
        """Correct a reservation by the actual usage."""
        if self._tokens and used != reserved:
            self._call(_SETTLE, model, ("tokens",), [self._tokens, used - reserved])

    def pause(self, model: str, seconds: float) -> None:
        """Hold all calls for a while, as the provider asked."""
        self._call(_PAUSE, model, ("pause",), [int(seconds * 1_000)])

    def admit(self, model: str) -> float:
        """Return 0.0 when the circuit lets a call through, else the seconds until it may."""
        return self._call(_ADMIT, model, _CIRCUIT, [self._failures, self._probe]) / 1_000

    def record_success(self, model: str) -> None:
        """Close the circuit."""
        self._servers.home.delete(*(model_key(model, kind) for kind in _CIRCUIT))

    def record_failure(self, model: str) -> bool:
        """Count a failed call; True when it opened the circuit."""
        return bool(self._call(_FAILED, model, _CIRCUIT, [self._failures, self._open, FAILURES_MILLISECONDS]))

    def open_circuit(self, model: str, seconds: float) -> None:
        """Open the circuit for a while: the account or its settings do not allow any calls."""
        self._servers.home.set(model_key(model, "open"), "1", px=int(seconds * 1_000))
        self._servers.home.delete(model_key(model, "probe"))

    def _call(self, script: Script, model: str, kinds: tuple[str, ...], arguments: list[Any]) -> float:
        return float(script(self._servers.home, [model_key(model, kind) for kind in kinds], arguments))


_CIRCUIT: Final = ("open", "failures", "probe")
