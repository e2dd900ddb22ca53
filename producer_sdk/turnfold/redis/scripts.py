"""Lua scripts of the inbox, each an atomic step of a producer.

All times are Redis's own.
"""

from __future__ import annotations

from typing import Final

# `held_bytes` of a non-empty inbox: the bytes ever added to it, and the bytes in it now. Each entry stores in `n` the
# bytes added up to its end; the difference between last and first is what the inbox contains, however it was trimmed.
# Entries of an older version have no `n` and count as nothing.
HELD_BYTES: Final = """
local function held_bytes(inbox)
  local function totals(entry)
    local total, body = nil, ''
    for i = 1, #entry[2], 2 do
      if entry[2][i] == 'n' then total = tonumber(entry[2][i + 1]) end
      if entry[2][i] == 'd' then body = entry[2][i + 1] end
    end
    return total, #body
  end
  local reached = totals(redis.call('XREVRANGE', inbox, '+', '-', 'COUNT', 1)[1]) or 0
  local first, length = totals(redis.call('XRANGE', inbox, '-', '+', 'COUNT', 1)[1])
  return reached, math.max(0, reached - (first and first - length or 0))
end
"""

# KEYS inbox, ready, tenants, bell, refs, rung, bounded, full, closed
# ARGV conversation, tenant, most entries, entries still to be added by this and later calls,
#  bell milliseconds (0: no bell), version, key prefix of contexts by reference ('': contexts stay),
#  most bytes of bodies, bytes still to be added by this and later calls,
#  the ring ('': the caller rings in another way), its seconds,
#  1 if limits of the tenant's own, where it has some, have to be counted first, then (op, id, body) each
# Returns {entries now in the inbox, 1 if the bell was silent}, or {-1, entries} or {-2, bytes} when it is full,
# or {-3, 0} when limits have to be counted first, or {-4, 0} when a reshard has closed the shard.
# Raises OOM if less than a tenth of a limited memory is left, unless the last operation removes something: workers need
# memory to drain an inbox, and so does Celery. Reading INFO takes as long as all the rest, so only large appends and an
# eighth of the small ones do, and all of them while the mark of the last rejection exists.
APPEND: Final = (
    HELD_BYTES
    + """
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000000 + time[2])
if redis.call('EXISTS', KEYS[9]) == 1 then return {-4, 0} end
if ARGV[12] == '1' and redis.call('SISMEMBER', KEYS[7], ARGV[2]) == 1 then return {-3, 0} end
local held = redis.call('XLEN', KEYS[1])
if held + tonumber(ARGV[4]) > tonumber(ARGV[3]) then return {-1, held} end
local reached, bytes = 0, 0
if held > 0 then reached, bytes = held_bytes(KEYS[1]) end
if bytes + tonumber(ARGV[9]) > tonumber(ARGV[8]) then return {-2, bytes} end
local operation, marked = ARGV[#ARGV - 2], redis.call('EXISTS', KEYS[8]) == 1
local asks = marked or tonumber(ARGV[9]) >= 16384 or time[2] % 8 == 0
if asks and operation ~= 'delete' and operation ~= 'rewind' then
  local memory = redis.pcall('INFO', 'memory')
  -- No text where the user may not ask.
  if type(memory) == 'string' then
    local most = tonumber(string.match(memory, '\\nmaxmemory:(%d+)') or 0)
    local used = tonumber(string.match(memory, '\\nused_memory:(%d+)') or 0)
    if most > 0 and used + ARGV[9] > most * 0.9 then
      redis.call('SET', KEYS[8], '1', 'EX', 60)
      return redis.error_reply('OOM what is left of the memory is for workers')
    end
  end
  if marked then redis.call('DEL', KEYS[8]) end
end
if ARGV[7] ~= '' then
  for _, reference in ipairs(redis.call('ZRANGE', KEYS[5], 0, -1)) do redis.call('DEL', ARGV[7] .. reference) end
  redis.call('DEL', KEYS[5])
end
for i = 13, #ARGV, 3 do
  reached = reached + #ARGV[i + 2]
  local total = string.format('%.0f', reached)
  redis.call('XADD', KEYS[1], '*', 'v', ARGV[6], 'op', ARGV[i], 'id', ARGV[i + 1], 'd', ARGV[i + 2], 'n', total)
end
redis.call('ZADD', KEYS[2], 'NX', now, ARGV[1])
redis.call('ZADD', KEYS[3], 'NX', now, ARGV[2])
local ring = 0
if ARGV[5] ~= '0' and redis.call('SET', KEYS[4], '1', 'NX', 'PX', ARGV[5]) then ring = 1 end
if ring == 1 and ARGV[10] ~= '' then
  redis.call('ZADD', KEYS[6], 'NX', now, ARGV[10])
  redis.call('EXPIRE', KEYS[6], ARGV[11])
end
return {redis.call('XLEN', KEYS[1]), ring}
"""
)

# KEYS rung     ARGV ring, seconds
RING: Final = """
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], 'NX', string.format('%.0f', time[1] * 1000000 + time[2]), ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.status_reply('OK')
"""

# KEYS inbox, forgotten, mark, closed     ARGV member of forgotten, most entries, most bytes of their bodies
# Returns {entries in the inbox, lengths of the values with commas between them, the values in one text,
#  1 if its rows are still to be deleted, age of the oldest in ms, its stored mark or '', 1 if a reshard has closed
#  the shard}
# The values are (stream id, op, id, body) of each of the newest entries, newest first. Joined into two texts: a client
# parses a list of so many values, or a list of fields per entry, much more slowly.
PEEK: Final = """
local time = redis.call('TIME')
local held = redis.call('XLEN', KEYS[1])
local sizes, newest = {}, {}
local age = 0
if held > 0 then
  local left, bytes, before = math.min(held, tonumber(ARGV[2])), 0, '+'
  while left > 0 do
    -- A few at a time: all of them may be larger than Redis has memory for.
    local page = redis.call('XREVRANGE', KEYS[1], before, '-', 'COUNT', math.min(20, left))
    for _, entry in ipairs(page) do
      local of = {}
      for i = 1, #entry[2], 2 do of[entry[2][i]] = entry[2][i + 1] end
      bytes = bytes + #(of['d'] or '')
      if #newest > 0 and bytes > tonumber(ARGV[3]) then left = 0; break end
      for _, value in ipairs({entry[1], of['op'] or '', of['id'] or '', of['d'] or ''}) do
        newest[#newest + 1] = value
        sizes[#sizes + 1] = #value
      end
      before = '(' .. entry[1]
    end
    left = left - math.min(20, left)
  end
  local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1]
  age = time[1] * 1000 + time[2] / 1000 - tonumber(string.match(first[1], '^%d+'))
end
local gone = redis.call('ZSCORE', KEYS[2], ARGV[1])
local mark = redis.call('GET', KEYS[3])
return {held, table.concat(sizes, ','), table.concat(newest), gone and 1 or 0, math.floor(age), mark or '',
  redis.call('EXISTS', KEYS[4])}
"""

# KEYS inbox, seen     ARGV a unique token, its seconds
# Returns the state that `FORGET` compares: a token that is deleted once a worker has trimmed the inbox, and the id of
# the newest entry. An inbox that was empty, was filled and is empty again has another token.
SEE: Final = """
redis.call('SET', KEYS[2], ARGV[1], 'NX', 'EX', ARGV[2])
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
return redis.call('GET', KEYS[2]) .. ' ' .. (newest and newest[1] or '')
"""

# KEYS inbox, ready, forgotten, erased, refs, access, accessed, closed, seen
# ARGV conversation, member of forgotten, key prefix of contexts by reference, 1 to clean a closed shard,
#  optionally the result of `SEE`, which must still hold
# Returns the number of dropped entries. The tenant stays in `tenants`: a claim removes it when it has nothing.
# For a shard closed by a reshard: -1 and no change; or it is cleaned, and the mark is set in the other shard.
# For an inbox changed since `SEE`, by an append or a worker: -2 and no change.
FORGET: Final = """
local closed = redis.call('EXISTS', KEYS[8]) == 1
if closed and ARGV[4] ~= '1' then return -1 end
if ARGV[5] then
  local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
  if (redis.call('GET', KEYS[9]) or '') .. ' ' .. (newest and newest[1] or '') ~= ARGV[5] then return -2 end
end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000000 + time[2])
local held = redis.call('XLEN', KEYS[1])
for _, reference in ipairs(redis.call('ZRANGE', KEYS[5], 0, -1)) do redis.call('DEL', ARGV[3] .. reference) end
redis.call('DEL', KEYS[1], KEYS[4], KEYS[5], KEYS[6], KEYS[9])
redis.call('SREM', KEYS[7], ARGV[2])
redis.call('ZREM', KEYS[2], ARGV[1])
if closed then redis.call('ZREM', KEYS[3], ARGV[2]) else redis.call('ZADD', KEYS[3], now, ARGV[2]) end
return held
"""

# KEYS refs     ARGV key prefix of contexts by reference
DROP_REFERENCES: Final = """
for _, reference in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do redis.call('DEL', ARGV[1] .. reference) end
return redis.call('DEL', KEYS[1])
"""

# KEYS layout     ARGV layout as text, its rank (`Layout.rank`)
# A layout only moves forward; one of equal rank is kept.
SET_LAYOUT: Final = """
local held = redis.call('GET', KEYS[1])
if held then
  local rank = 2 * tonumber(string.match(held, '^%d+'))
  if string.match(held, '^%d+ %d+ %d+ %d') then rank = rank + 1 end
  if rank >= tonumber(ARGV[2]) then return 0 end
end
redis.call('SET', KEYS[1], ARGV[1])
return 1
"""
