"""Every Redis key, and how ids become part of one.

tf:{SS}:in:<tenant>:<conversation>   STREAM  the inbox: one entry per turn or operation; gone when empty
tf:{SS}:ready:<tenant>               ZSET    conversation -> microseconds from which it may be claimed: lease and token
tf:{SS}:tenants                      ZSET    tenant -> microseconds when last served; claims go round in this order
tf:{SS}:bell                         STRING  set while a ring for a drain is on its way; lives 1 s
tf:{SS}:full                         STRING  set when an append met a memory that is nearly full; lives 60 s
tf:{SS}:forgotten                    ZSET    <tenant>:<conversation> -> microseconds when forgotten; until its rows go
tf:{SS}:erased:<tenant>:<conv>       STRING  JSON counts of the last erasure; lives 1 h
tf:{SS}:access:<tenant>:<conv>       HASH    expansions that no worker has counted yet; lives 7 days
tf:{SS}:accessed                     SET     <tenant>:<conversation> that have such a hash; lives 7 days
tf:{SS}:refs:<tenant>:<conv>         ZSET    reference -> microseconds when its context ends; lives as long as the last
tf:{SS}:ctx:<tenant>:<reference>     STRING  a context as it was made, compressed; lives TURNFOLD_REFERENCE_SECONDS
tf:{SS}:ctx:<tenant>:point:<conv>    STRING  JSON of where its caller's history was folded last; lives as long, or until
                                             the references end
tf:{SS}:mark:<tenant>:<conv>         STRING  how far it is stored, for readers of a replica; lives 1 h
tf:{SS}:refused:<tenant>:<conv>      STRING  how often in a row a conversation could not be stored; lives 10 min
tf:{SS}:seen:<tenant>:<conv>         STRING  set by who may forget it as it is seen; goes when its inbox is trimmed,
                                             or after 10 min
tf:{SS}:closed                       STRING  set when a reshard has closed the shard: nothing is appended there any more
tf:{shards}:layout                   STRING  how many shards and servers `meta` says, on every server
tf:{shards}:server                   STRING  place of this server in TURNFOLD_REDIS_URL's list, where it has several
tf:{rung}:<queue>                    ZSET    ring for a task of a queue -> microseconds when it rang; lives 60 s
tf:{jobs}:<kind>                     STRING  set while a ring about due jobs is on its way; lives 1 s
tf:{remnants}                        HASH    log that may hold erased words -> microseconds of the erasure; lives 7 days
tf:{q:<tenant>}:appended             HASH    day, and the turns and bytes that the tenant appended on it; lives 2 days
tf:{q:<tenant>}:quota                HASH    its own bounds: turns and bytes a day, stored bytes; lives 7 days
tf:{q:<tenant>}:stored               HASH    bytes that it stores, as measured, and those appended since; lives 7 days
tf:{SS}:bounded                      SET     tenants with bounds of their own on what they append, and, behind a slash,
                                             those that may append any number; lives 7 days
tf:{quotas}                          STRING  set by the one who published quotas; lives a minute
tf:{sweep}                           STRING  set by the one who sweeps now; lives a few seconds
tf:{expire}                          STRING  set by the one who looked for turns to expire; lives an hour
tf:{g:<key id>}:rate                 STRING  the same for the requests of a gateway's key; until then
tf:{g:<tenant>}:idem:<digest>        STRING  hash of what was appended under an Idempotency-Key; lives a day
tf:{g:<tenant>}:pause                STRING  set while the proxy asks nothing of a memory that did not answer; lives 5 s
tf:{m:<model>}:requests              STRING  milliseconds up to which its requests are spoken for; lives until then
tf:{m:<model>}:tokens                STRING  the same for its tokens
tf:{m:<model>}:pause                 STRING  milliseconds until which the provider wants no calls; lives until then
tf:{m:<model>}:failures              STRING  failed calls in a row, over all workers; lives 15 min
tf:{m:<model>}:open                  STRING  set while no calls are made after too many failures; lives a cooldown
tf:{m:<model>}:probe                 STRING  set by the one call that tries whether it works again; lives a call

SS is the shard, a function of tenant and conversation and of how many shards `meta` says that there are. All keys of
one call share a Redis Cluster slot. Ids are percent-encoded, so that `:` only ever separates and no two (tenant,
conversation) can meet.
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
"""Ids of which the form is kept: a call needs each several times, and quoting costs as much as a lookup in SQL."""

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
"""At which a reader breaks lines too: an id is part of one."""

SWEEP: Final = "tf:{sweep}"
EXPIRE: Final = "tf:{expire}"
REMNANTS: Final = "tf:{remnants}"
QUOTAS: Final = "tf:{quotas}"

LAYOUT: Final = "tf:{shards}:layout"
SERVER: Final = "tf:{shards}:server"

PERMANENT: Final[tuple[str, ...]] = ("in", "ready", "tenants", "forgotten", "closed", "layout", "server")
"""Kinds of keys without a lifetime: they end with the work they stand for, or say where it is done."""


def checked_id(kind: str, value: object) -> str:
    """Return `value` if it can be an id: text of 1 to 200 UTF-8 bytes on one line, without control characters.

    Not of spaces alone. Neither `.` nor `..`: HTTP clients resolve them in a path, so that the deletion of the turn
    `..` would reach the gateway as that of its conversation. Raises `InvalidIdentifier`, naming `kind`.
    """
    if not isinstance(value, str):
        raise InvalidIdentifier(f"{kind} must be a string, not {type(value).__name__}")
    try:
        size = len(value.encode())
    except UnicodeEncodeError as error:
        raise InvalidIdentifier(f"{kind} holds a lone surrogate", remedy="use valid Unicode text") from error
    if not 1 <= size <= MAX_ID_BYTES:
        raise InvalidIdentifier(f"{kind} must be 1 to {MAX_ID_BYTES} bytes long, not {size}")
    if any(ord(c) < 32 or 127 <= ord(c) < 160 or c in LINE_ENDS for c in value):
        raise InvalidIdentifier(f"{kind} must not hold control characters or line breaks")
    if value.isspace():
        raise InvalidIdentifier(f"{kind} must not be of spaces alone", remedy="give it a name that people can see")
    if value in {".", ".."}:
        msg = f"{kind} must not be {value!r}, which HTTP clients resolve as a part of a path"
        raise InvalidIdentifier(msg, remedy="use any other id, such as one with a letter or a digit")
    return value


@lru_cache(_REMEMBERED)
def encode_id(value: str) -> str:
    """An id as it stands inside a key."""
    return quote(value, safe="")


def decode_id(value: str) -> str:
    """The inverse of `encode_id`."""
    return unquote(value)


@lru_cache(_REMEMBERED)
def point_of(tenant: str, conversation: str) -> int:
    """Where a conversation lies among 65,536 points: the same in every process and version; its shard follows."""
    digest = blake2b(f"{encode_id(tenant)}:{encode_id(conversation)}".encode(), digest_size=2).digest()
    return int.from_bytes(digest)


def bell(shard: int) -> str:
    return f"tf:{tag(shard)}:bell"


def closed(shard: int) -> str:
    return f"tf:{tag(shard)}:closed"


def full(shard: int) -> str:
    return f"tf:{tag(shard)}:full"


def rung_for(queue: str) -> str:
    """Where rings for tasks of a queue stand until a worker hears them, on the server of what they are about."""
    return f"tf:{{rung}}:{queue}"


def jobs_bell(kind: str) -> str:
    return f"tf:{{jobs}}:{kind}"


def tenants(shard: int) -> str:
    return f"tf:{tag(shard)}:tenants"


def appended(tenant: str) -> str:
    """What a tenant appended today: of all its shards, hence in a slot of its own."""
    return f"tf:{{q:{encode_id(tenant)}}}:appended"


def quota(tenant: str) -> str:
    """Bounds of a tenant's own, in the slot of what it appended."""
    return f"tf:{{q:{encode_id(tenant)}}}:quota"


def stored(tenant: str) -> str:
    """What a tenant stores, in the same slot."""
    return f"tf:{{q:{encode_id(tenant)}}}:stored"


def bounded(shard: int) -> str:
    """Encoded tenants whose appends are counted whatever a producer's settings are: where an append can look."""
    return f"tf:{tag(shard)}:bounded"


def forgotten(shard: int) -> str:
    return f"tf:{tag(shard)}:forgotten"


def accessed(shard: int) -> str:
    return f"tf:{tag(shard)}:accessed"


def access_prefix(shard: int) -> str:
    """What precedes a member of `accessed` in the name of its hash."""
    return f"tf:{tag(shard)}:access:"


def contexts_prefix(shard: int, tenant: str) -> str:
    """What precedes a reference in the name of its context's key."""
    return f"tf:{tag(shard)}:ctx:{encode_id(tenant)}:"


def fold_point_member(address: Address) -> str:
    """What stands for a conversation's fold point among its references; no reference has this form."""
    return f"point:{encode_id(address.conversation)}"


def ready_prefix(shard: int) -> str:
    """What precedes an encoded tenant in the name of its ready set."""
    return f"tf:{tag(shard)}:ready:"


@dataclass(frozen=True, slots=True)
class Address:
    """A conversation of a tenant."""

    tenant: str
    conversation: str

    @property
    def point(self) -> int:
        """From which its shard follows, however many there are."""
        return point_of(self.tenant, self.conversation)

    @property
    def member(self) -> str:
        """Name inside the `forgotten` set."""
        return f"{encode_id(self.tenant)}:{encode_id(self.conversation)}"

    @classmethod
    def from_member(cls, member: str) -> Address:
        """The inverse of `member`."""
        tenant, _, conversation = member.partition(":")
        return cls(decode_id(tenant), decode_id(conversation))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a conversation's keys are."""

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
        """What precedes a reference in the name of its context's key."""
        return contexts_prefix(self.shard, self.address.tenant)

    @property
    def seen(self) -> str:
        return f"tf:{tag(self.shard)}:seen:{self.address.member}"

    @property
    def refusals(self) -> str:
        return f"tf:{tag(self.shard)}:refused:{self.address.member}"


def model_key(model: str, kind: str) -> str:
    """A key about calls to a model; all of one model share a slot of a cluster."""
    return f"tf:{{m:{encode_id(model)}}}:{kind}"


def gateway_rate(key_id: str) -> str:
    """Requests of a key of the gateway."""
    return f"tf:{{g:{encode_id(key_id)}}}:rate"


def gateway_idempotency(tenant: str, digest: str) -> str:
    """What was appended through the gateway under a key of the caller's."""
    return f"tf:{{g:{encode_id(tenant)}}}:idem:{digest}"


def gateway_pause(tenant: str) -> str:
    """Set while the proxy forwards a tenant's requests without memory."""
    return f"tf:{{g:{encode_id(tenant)}}}:pause"
