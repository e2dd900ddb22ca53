"""Redis keys, and the encoding of ids in them.

tf:{SS}:in:<tenant>:<conversation>   STREAM  the inbox: one entry per turn or operation; gone when empty
tf:{SS}:ready:<tenant>               ZSET    conversation -> microseconds from which it can be claimed: lease and token
tf:{SS}:tenants                      ZSET    tenant -> microseconds when last served; claims are round-robin
tf:{SS}:bell                         STRING  set while a ring for a drain is pending; lives 1 s
tf:{SS}:full                         STRING  set when an append found Redis memory nearly full; lives 60 s
tf:{SS}:forgotten                    ZSET    <tenant>:<conversation> -> microseconds when forgotten; until rows are gone
tf:{SS}:erased:<tenant>:<conv>       STRING  JSON counts of the last erasure; lives 1 h
tf:{SS}:access:<tenant>:<conv>       HASH    expansions that no worker has counted yet; lives 7 days
tf:{SS}:accessed                     SET     <tenant>:<conversation> with an `access` hash; lives 7 days
tf:{SS}:refs:<tenant>:<conv>         ZSET    reference -> microseconds when its context ends; lives as long as the last
tf:{SS}:ctx:<tenant>:<reference>     STRING  a stored context, compressed; lives TURNFOLD_REFERENCE_SECONDS
tf:{SS}:ctx:<tenant>:point:<conv>    STRING  JSON of the caller's last fold point; lives as long, or until references
                                             expire
tf:{SS}:mark:<tenant>:<conv>         STRING  stored mark of the conversation, for readers of a replica; lives 1 h
tf:{SS}:refused:<tenant>:<conv>      STRING  consecutive failures to store a conversation; lives 10 min
tf:{SS}:seen:<tenant>:<conv>         STRING  set by a client that may forget the conversation as it is now; deleted when
                                             its inbox is trimmed, or after 10 min
tf:{SS}:closed                       STRING  set when a reshard has closed the shard: no more appends
tf:{shards}:layout                   STRING  copy of the shard layout in `meta`, on every server
tf:{shards}:server                   STRING  index of this server in TURNFOLD_REDIS_URL, where it lists several
tf:{rung}:<queue>                    ZSET    ring for a task of a queue -> microseconds when it rang; lives 60 s
tf:{jobs}:<kind>                     STRING  set while a ring for due jobs is pending; lives 1 s
tf:{remnants}                        HASH    log that may hold erased words -> microseconds of the erasure; lives 7 days
tf:{q:<tenant>}:appended             HASH    day, and turns and bytes that the tenant appended on that day; lives 2 days
tf:{q:<tenant>}:quota                HASH    the tenant's own limits: turns and bytes a day, stored bytes; lives 7 days
tf:{q:<tenant>}:stored               HASH    stored bytes as last measured, and bytes appended since; lives 7 days
tf:{SS}:bounded                      SET     tenants with append limits of their own and, after a slash, tenants without
                                             any limit; lives 7 days
tf:{quotas}                          STRING  lock of the worker that last published quotas; lives a minute
tf:{sweep}                           STRING  lock of the running sweep; lives a few seconds
tf:{expire}                          STRING  lock of the worker that last looked for expired turns; lives an hour
tf:{g:<key id>}:rate                 STRING  milliseconds up to which a gateway key's requests are reserved; until then
tf:{g:<tenant>}:idem:<digest>        STRING  hash of the request appended under an Idempotency-Key; lives a day
tf:{g:<tenant>}:pause                STRING  set while the proxy skips a memory that did not answer; lives 5 s
tf:{m:<model>}:requests              STRING  milliseconds up to which its requests are reserved; lives until then
tf:{m:<model>}:tokens                STRING  the same for its tokens
tf:{m:<model>}:pause                 STRING  milliseconds until which the provider wants no calls; lives until then
tf:{m:<model>}:failures              STRING  consecutive failed calls, over all workers; lives 15 min
tf:{m:<model>}:open                  STRING  circuit breaker, set after too many failures; lives a cooldown
tf:{m:<model>}:probe                 STRING  lock of the one call that probes the model again; lives a call

SS is the shard, which follows from tenant, conversation and the number of shards in `meta`. All keys of one call
share a Redis Cluster slot. Ids are percent-encoded, so that `:` is always a separator and no two (tenant,
conversation) collide.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import Final
from urllib.parse import quote, unquote

from turnfold.contract.shards import tag
from turnfold.errors import InvalidIdentifier

_REMEMBERED: Final = 4_096
"""Encoded ids that are cached: a call needs each several times, and quoting costs as much as a lookup in SQL."""

BELL_MILLISECONDS: Final = 1_000
RUNG_SECONDS: Final = 60
ERASED_SECONDS: Final = 3_600
MARK_SECONDS: Final = 3_600
REMNANTS_SECONDS: Final = 604_800
REFUSALS_SECONDS: Final = 600
SEEN_SECONDS: Final = 600
APPENDED_SECONDS: Final = 172_800
QUOTA_SECONDS: Final = 604_800
MAX_ID_BYTES: Final = 200
LINE_ENDS: Final = "\u2028\u2029"
"""Line separators of Unicode, rejected in ids because an id is part of a line."""

SWEEP: Final = "tf:{sweep}"
EXPIRE: Final = "tf:{expire}"
REMNANTS: Final = "tf:{remnants}"
QUOTAS: Final = "tf:{quotas}"

LAYOUT: Final = "tf:{shards}:layout"
SERVER: Final = "tf:{shards}:server"

PERMANENT: Final[tuple[str, ...]] = ("in", "ready", "tenants", "forgotten", "closed", "layout", "server")
"""Key kinds without a TTL: deleted with the work that they represent, or part of the layout."""


def checked_id(kind: str, value: object) -> str:
    """Return `value` if it is a valid id: 1 to 200 UTF-8 bytes of text on one line, without control characters.

    Rejects blanks alone, and `.` and `..`: HTTP clients resolve them in a path, so that a request to delete the turn
    `..` would reach the gateway as one to delete its conversation. Raises `InvalidIdentifier`, naming `kind`.
    """
    if not isinstance(value, str):
        raise InvalidIdentifier(f"{kind} must be a string, not {type(value).__name__}")
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise InvalidIdentifier(f"{kind} contains a lone surrogate", remedy="use valid Unicode text") from error
    if not 1 <= size <= MAX_ID_BYTES:
        raise InvalidIdentifier(f"{kind} must be 1 to {MAX_ID_BYTES} bytes long, not {size}")
    if any(ord(c) < 32 or 127 <= ord(c) < 160 or c in LINE_ENDS for c in value):
        raise InvalidIdentifier(f"{kind} must not contain control characters or line breaks")
    if value.isspace():
        raise InvalidIdentifier(
            f"{kind} must not consist of whitespace only", remedy="use at least one visible character"
        )
    if value in {".", ".."}:
        msg = f"{kind} must not be {value!r}, which HTTP clients resolve as a path segment"
        raise InvalidIdentifier(msg, remedy="use an id that contains a letter or a digit")
    return value


@lru_cache(_REMEMBERED)
def encode_id(value: str) -> str:
    """Percent-encode an id for use in a key."""
    return quote(value, safe="")


def decode_id(value: str) -> str:
    """The inverse of `encode_id`."""
    return unquote(value)


@lru_cache(_REMEMBERED)
def point_of(tenant: str, conversation: str) -> int:
    """Hash a conversation to one of 65,536 points, the same in every process and version; its shard follows."""
    digest = blake2b(f"{encode_id(tenant)}:{encode_id(conversation)}".encode(), digest_size=2).digest()
    return int.from_bytes(digest)


def bell(shard: int) -> str:
    return f"tf:{tag(shard)}:bell"


def closed(shard: int) -> str:
    return f"tf:{tag(shard)}:closed"


def full(shard: int) -> str:
    return f"tf:{tag(shard)}:full"


def rung_for(queue: str) -> str:
    """Key of the rings for tasks of a queue, on the server of the shard concerned."""
    return f"tf:{{rung}}:{queue}"


def jobs_bell(kind: str) -> str:
    return f"tf:{{jobs}}:{kind}"


def tenants(shard: int) -> str:
    return f"tf:{tag(shard)}:tenants"


def appended(tenant: str) -> str:
    """Key of a tenant's appends today, over all shards, hence in a slot of its own."""
    return f"tf:{{q:{encode_id(tenant)}}}:appended"


def quota(tenant: str) -> str:
    """Key of a tenant's own limits, in the slot of `appended`."""
    return f"tf:{{q:{encode_id(tenant)}}}:quota"


def stored(tenant: str) -> str:
    """Key of a tenant's stored size, in the slot of `appended`."""
    return f"tf:{{q:{encode_id(tenant)}}}:stored"


def bounded(shard: int) -> str:
    """Key of the encoded tenants whose appends are always counted, in the shard's slot for the append script."""
    return f"tf:{tag(shard)}:bounded"


def forgotten(shard: int) -> str:
    return f"tf:{tag(shard)}:forgotten"


def accessed(shard: int) -> str:
    return f"tf:{tag(shard)}:accessed"


def access_prefix(shard: int) -> str:
    """Key prefix of the hash of a member of `accessed`."""
    return f"tf:{tag(shard)}:access:"


def contexts_prefix(shard: int, tenant: str) -> str:
    """Key prefix of the context of a reference."""
    return f"tf:{tag(shard)}:ctx:{encode_id(tenant)}:"


def fold_point_member(address: Address) -> str:
    """Member that represents the fold point of a conversation among its references; no reference has this form."""
    return f"point:{encode_id(address.conversation)}"


def ready_prefix(shard: int) -> str:
    """Key prefix of the ready set of an encoded tenant."""
    return f"tf:{tag(shard)}:ready:"


@dataclass(frozen=True, slots=True)
class Address:
    """The tenant and id of a conversation."""

    tenant: str
    conversation: str

    @property
    def point(self) -> int:
        """The hash point from which the shard follows, for any number of shards."""
        return point_of(self.tenant, self.conversation)

    @property
    def member(self) -> str:
        """Member of the `forgotten` and `accessed` sets."""
        return f"{encode_id(self.tenant)}:{encode_id(self.conversation)}"

    @classmethod
    def from_member(cls, member: str) -> Address:
        """The inverse of `member`."""
        tenant, _, conversation = member.partition(":")
        return cls(decode_id(tenant), decode_id(conversation))


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a conversation's keys."""

    address: Address
    shard: int

    @property
    def inbox(self) -> str:
        return f"tf:{tag(self.shard)}:in:{self.address.member}"

    @property
    def ready(self) -> str:
        return ready_prefix(self.shard) + encode_id(self.address.tenant)

    @property
    def erased(self) -> str:
        return f"tf:{tag(self.shard)}:erased:{self.address.member}"

    @property
    def mark(self) -> str:
        return f"tf:{tag(self.shard)}:mark:{self.address.member}"

    @property
    def access(self) -> str:
        return access_prefix(self.shard) + self.address.member

    @property
    def references(self) -> str:
        return f"tf:{tag(self.shard)}:refs:{self.address.member}"

    @property
    def contexts(self) -> str:
        """Key prefix of the context of a reference."""
        return contexts_prefix(self.shard, self.address.tenant)

    @property
    def seen(self) -> str:
        return f"tf:{tag(self.shard)}:seen:{self.address.member}"

    @property
    def refusals(self) -> str:
        return f"tf:{tag(self.shard)}:refused:{self.address.member}"


def model_key(model: str, kind: str) -> str:
    """Key of the state of calls to a model; all keys of a model share a cluster slot."""
    return f"tf:{{m:{encode_id(model)}}}:{kind}"


def gateway_rate(key_id: str) -> str:
    """Key of the request rate of a gateway key."""
    return f"tf:{{g:{encode_id(key_id)}}}:rate"


def gateway_idempotency(tenant: str, digest: str) -> str:
    """Key of an append through the gateway with an Idempotency-Key."""
    return f"tf:{{g:{encode_id(tenant)}}}:idem:{digest}"


def gateway_pause(tenant: str) -> str:
    """Key set while the proxy forwards a tenant's requests without memory."""
    return f"tf:{{g:{encode_id(tenant)}}}:pause"
