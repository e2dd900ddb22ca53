"""Lua scripts for the worker's steps on inboxes, run atomically by Redis.

All times are microseconds of Redis's clock. The score of a ready conversation is its ready time, its lease and the
token of its claim at once: below now it can be claimed, above now it is leased until then. A score more than two leases
ahead comes from a clock that was set back, and counts as ready; a time ahead of now at which a tenant was served counts
as now.
"""

from __future__ import annotations

from typing import Final

from turnfold.redis.lua import Script

_NOW: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
"""

# KEYS tenants, forgotten     ARGV ready prefix, lease in microseconds, most conversations, most tenants
# Returns {tenant, conversation, token, forgotten mark or '', …}. Ready sets share the hash tag, hence the slot.
CLAIM: Final = Script(
    _NOW
    + """
local lease, most = tonumber(ARGV[2]), tonumber(ARGV[3])
-- Half a microsecond beyond, so that no time at which something else became ready is a token.
local token = string.format('%.1f', now + lease + 0.5)
local present, ahead = string.format('%.0f', now), string.format('(%.0f', now + 2 * lease)
-- What is ahead first: it is what a clock that was set back left behind, and nothing that comes later may hide it.
local function claimable(ready, room)
  local names = redis.call('ZRANGEBYSCORE', ready, ahead, '+inf', 'LIMIT', 0, room)
  if #names < room then
    for _, name in ipairs(redis.call('ZRANGEBYSCORE', ready, '-inf', present, 'LIMIT', 0, room - #names)) do
      names[#names + 1] = name
    end
  end
  return names
end
for _, tenant in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. present, '+inf', 'LIMIT', 0, ARGV[4])) do
  redis.call('ZADD', KEYS[1], 'XX', present, tenant)
end
-- Those who have something, served longest ago first. Whose conversations are all leased waits for the next round.
local hungry = {}
for _, tenant in ipairs(redis.call('ZRANGE', KEYS[1], 0, ARGV[4] - 1)) do
  if #hungry >= most then break end
  local ready = ARGV[1] .. tenant
  if #claimable(ready, 1) > 0 then hungry[#hungry + 1] = tenant end
  if redis.call('EXISTS', ready) == 0 then
    redis.call('ZREM', KEYS[1], tenant)
  else
    redis.call('ZADD', KEYS[1], 'XX', present, tenant)
  end
end
-- Equal shares, rounded down so that the first ones leave something to the last. What one leaves is shared again
-- among those who could take more: each look takes its whole share or is the tenant's last one.
local found, left = {}, most
while left > 0 and #hungry > 0 do
  local share, still = math.max(1, math.floor(left / #hungry)), {}
  for _, tenant in ipairs(hungry) do
    local room = math.min(share, left)
    if room == 0 then break end
    local ready = ARGV[1] .. tenant
    local names = claimable(ready, room)
    for _, name in ipairs(names) do
      redis.call('ZADD', ready, 'XX', token, name)
      local mark = redis.call('ZSCORE', KEYS[2], tenant .. ':' .. name)
      found[#found + 1] = tenant
      found[#found + 1] = name
      found[#found + 1] = token
      found[#found + 1] = mark or ''
    end
    left = left - #names
    if #names == room then still[#still + 1] = tenant end
  end
  hungry = still
end
return found
"""
)

# KEYS inbox, ready, tenants, refused, seen     ARGV conversation, token, last stream id or '', tenant
# Returns -1 when the claim is no longer ours, else the number of entries left (0: the inbox is gone).
FINISH: Final = Script(
    _NOW
    + """
local score = redis.call('ZSCORE', KEYS[2], ARGV[1])
if not score or tonumber(score) ~= tonumber(ARGV[2]) then return -1 end
if ARGV[3] ~= '' then
  redis.call('DEL', KEYS[4], KEYS[5])
  local milliseconds, sequence = string.match(ARGV[3], '(%d+)-(%d+)')
  redis.call('XTRIM', KEYS[1], 'MINID', milliseconds .. '-' .. string.format('%.0f', sequence + 1))
end
local left = redis.call('XLEN', KEYS[1])
if left == 0 then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
  if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('ZREM', KEYS[3], ARGV[4]) end
else
  redis.call('ZADD', KEYS[2], 'XX', string.format('%.0f', now), ARGV[1])
end
return left
"""
)

# KEYS inbox, forgotten     ARGV member of forgotten
# Returns 0 when no entries or erasure of the conversation are left in the shard.
WAITS: Final = Script("""
return redis.call('XLEN', KEYS[1]) + (redis.call('ZSCORE', KEYS[2], ARGV[1]) and 1 or 0)
""")

# KEYS inbox     ARGV most entries, most bytes
# Returns the oldest entries, as XRANGE does, until their fields exceed the byte limit; at least one.
READ: Final = Script("""
local found, bytes = {}, 0
local from = '-'
while #found < tonumber(ARGV[1]) do
  local page = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', math.min(20, ARGV[1] - #found))
  for _, entry in ipairs(page) do
    for _, field in ipairs(entry[2]) do bytes = bytes + #field end
    if #found > 0 and bytes > tonumber(ARGV[2]) then return found end
    found[#found + 1] = entry
  end
  if #page == 0 then return found end
  local milliseconds, sequence = string.match(page[#page][1], '(%d+)-(%d+)')
  from = milliseconds .. '-' .. string.format('%.0f', sequence + 1)
end
return found
""")

# KEYS ready     ARGV conversation, token, microseconds
# Gives a claim back, to be claimed again after a while; nothing when it is no longer ours.
POSTPONE: Final = Script(
    _NOW
    + """
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not score or tonumber(score) ~= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], 'XX', string.format('%.0f', now + ARGV[3]), ARGV[1])
return 1
"""
)

# KEYS mark     ARGV id, revision, seconds     Returns 0 where a later state is recorded already.
MARK: Final = Script("""
local before = redis.call('GET', KEYS[1])
if before then
  local id, revision = string.match(before, '(%d+):(%d+)')
  local is_later = tonumber(id) > tonumber(ARGV[1])
  if is_later or (tonumber(id) == tonumber(ARGV[1]) and tonumber(revision) > tonumber(ARGV[2])) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[1] .. ':' .. ARGV[2], 'EX', ARGV[3])
return 1
""")

# KEYS forgotten, erased, stored mark     ARGV member, mark, JSON counts, seconds, revision of erased rows,
# seconds of a stored mark
# The mark is removed only if no new request to forget came meanwhile; the first counts stay, as a repeat finds no rows.
ERASED: Final = Script("""
local mark = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not mark or tonumber(mark) ~= tonumber(ARGV[2]) then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('SET', KEYS[2], ARGV[3], 'EX', ARGV[4])
local stored = redis.call('GET', KEYS[3])
if stored then redis.call('SET', KEYS[3], string.match(stored, '%d+') .. ':' .. ARGV[5], 'EX', ARGV[6]) end
return 1
""")


# KEYS remnants     ARGV kind, mark
# The mark is removed only if no more text was erased meanwhile.
CLEARED: Final = Script("""
local marked = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
if marked <= tonumber(ARGV[2]) then redis.call('HDEL', KEYS[1], ARGV[1]) end
return redis.status_reply('OK')
""")


# KEYS sets of rings     ARGV most rings per set
# Removes and returns the rings, of all sets in one step, since most are empty.
TAKE_RINGS: Final = Script("""
local rings = {}
for _, key in ipairs(KEYS) do
  local popped = redis.call('ZPOPMIN', key, ARGV[1])
  for i = 1, #popped, 2 do rings[#rings + 1] = popped[i] end
end
return rings
""")


# KEYS accessed     ARGV most, prefix of a member's hash key
# Returns and deletes the hashes of some members, each as a flat list; a count lost on the way does not matter.
TAKE_EXPANSIONS: Final = Script("""
local found = {}
for _, member in ipairs(redis.call('SPOP', KEYS[1], ARGV[1])) do
  found[#found + 1] = redis.call('HGETALL', ARGV[2] .. member)
  redis.call('DEL', ARGV[2] .. member)
end
return found
""")
