"""The worker's side of the inboxes in Redis. Keys and their contents are listed in `turnfold.contract.keys`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import redis

from turnfold.contract import keys
from turnfold.contract.access import Expansions, read_fields
from turnfold.contract.keys import Address, Place
from turnfold.contract.marks import ERASED, StoredMark
from turnfold.contract.tasks import JobKind
from turnfold.redis.lua import Call, Script
from turnfold.redis.servers import InboxServers
from turnfold.wire.inbox_entry import InboxEntry
from turnfold_worker.adapters.redis import scripts
from turnfold_worker.adapters.redis.failures import asks_redis
from turnfold_worker.adapters.redis.logs import RedisLogs
from turnfold_worker.ports.messages import Claim

TENANTS_A_CLAIM: Final = 512
"""Tenants that one claim scans, least recently served first, until it has enough ready conversations."""

EXPIRY_MILLISECONDS: Final = 3_600_000
"""Interval between two rounds of retention."""

BATCH_BYTES: Final = 16 * 1_048_576
"""Bytes that one claim reads from all its inboxes together, so that storing them takes less than a lease."""
LEAST_BYTES: Final = 65_536


FOLLOWER_SECONDS: Final = 0.2
"""Delay before a conversation is tried again that waits for its old inbox during a reshard."""


@asks_redis
class RedisInbox(RedisLogs):
    """Implements `ports.Inbox`."""

    def __init__(
        self, servers: InboxServers, *, lease_seconds: float, sweep_seconds: float, keeps_marks: bool = False
    ) -> None:
        """`keeps_marks`: readers of a replica exist, and need to know how far conversations are stored."""
        super().__init__(servers)
        self._keeps_marks = keeps_marks
        self._lease_microseconds = int(lease_seconds * 1_000_000)
        # A little less than an interval, since the timer checks again after one interval.
        self._sweep_milliseconds = max(1, int(sweep_seconds * 900))

    def silence_bells(self, shards: Sequence[int]) -> None:
        self._servers.piped(
            "silencing bells", shards, lambda pipeline, shard: pipeline.delete(keys.bell(shard)), patient=False
        )

    def ring_bell(self, shard: int) -> bool:
        return mark_for(self._servers.client_of(shard), keys.bell(shard), keys.BELL_MILLISECONDS)

    def silence_jobs(self, kind: JobKind) -> None:
        self._servers.of_all("silencing a bell", lambda client: client.delete(keys.jobs_bell(str(kind))))

    def ring_jobs(self, kind: JobKind) -> bool:
        return self._mark(keys.jobs_bell(str(kind)), keys.BELL_MILLISECONDS)

    def claim(self, shards: Sequence[int], most: int) -> list[Claim]:
        limits = (self._lease_microseconds, most, TENANTS_A_CLAIM)
        calls = [
            Call(shard, (keys.tenants(shard), keys.forgotten(shard)), (keys.ready_prefix(shard), *limits))
            for shard in shards
            if self._servers.knows(shard)
        ]
        # Inboxes on an unavailable server are claimed when it is back.
        replies = self._each(scripts.CLAIM, calls, patient=False)
        claims = [claim for call, flat in zip(calls, replies, strict=True) for claim in _claims(call.shard, flat or [])]
        return self._without_followers(claims)

    def _without_followers(self, claims: list[Claim]) -> list[Claim]:
        """Give back claims whose earlier entries still wait in the shard that a reshard has closed."""
        layout = self._servers.layout()
        if layout.target is None:
            return claims
        later = [claim for claim in claims if claim.place.shard in layout.target.own()]
        earlier = [Place(claim.address, layout.shard_at(claim.address.point)) for claim in later]
        calls = [
            Call(place.shard, (place.inbox, keys.forgotten(place.shard)), (place.address.member,)) for place in earlier
        ]
        # None: the server of the earlier shard is away, so entries may wait there.
        waits = [held != 0 for held in self._each(scripts.WAITS, calls, patient=False)] if calls else []
        followers = [claim for claim, must_wait in zip(later, waits, strict=True) if must_wait]
        self.postpone(followers, FOLLOWER_SECONDS)
        return [claim for claim in claims if claim not in followers]

    def read(self, claims: Sequence[Claim], most: int) -> list[list[InboxEntry]]:
        share = max(LEAST_BYTES, BATCH_BYTES // max(1, len(claims)))
        calls = [Call(claim.place.shard, (claim.place.inbox,), (most, share)) for claim in claims]
        return [
            [InboxEntry.of(stream_id, flat) for stream_id, flat in rows] for rows in self._each(scripts.READ, calls)
        ]

    def mark_stored(self, marks: Mapping[Place, StoredMark]) -> None:
        if self._keeps_marks:
            calls = [Call(place.shard, (place.mark,), (*mark, keys.MARK_SECONDS)) for place, mark in marks.items()]
            self._each(scripts.MARK, calls)

    def finish(self, done: Sequence[tuple[Claim, str | None]]) -> None:
        calls = []
        for claim, last in done:
            place, address = claim.place, claim.address
            calls.append(Call(
                place.shard,
                (place.inbox, place.ready, keys.tenants(place.shard), place.refusals, place.seen),
                (keys.encode_id(address.conversation), claim.token, last or "", keys.encode_id(address.tenant)),
            ))  # fmt: skip
        self._each(scripts.FINISH, calls)

    def postpone(self, claims: Sequence[Claim], seconds: float) -> None:
        microseconds = int(seconds * 1_000_000)
        calls = [
            Call(
                claim.place.shard, (claim.place.ready,),
                (keys.encode_id(claim.address.conversation), claim.token, microseconds),
            )
            for claim in claims
        ]  # fmt: skip
        self._each(scripts.POSTPONE, calls)

    def count_refusal(self, claim: Claim) -> int:
        name = claim.place.refusals
        client = self._servers.client_of(claim.place.shard)
        count = int(client.incr(name))
        client.expire(name, keys.REFUSALS_SECONDS)
        return count

    def waiting(self) -> list[int]:
        return self._servers.holding(
            "looking for inboxes with work", lambda shard: (keys.tenants(shard), keys.forgotten(shard))
        )

    def forgotten(self, shard: int, most: int) -> list[Claim]:
        if not self._servers.knows(shard):
            return []
        client = self._servers.client_of(shard)
        rows = cast("list[tuple[bytes, float]]", client.zrange(keys.forgotten(shard), 0, most - 1, withscores=True))
        return [Claim(Place(Address.from_member(member.decode()), shard), "", _mark(score)) for member, score in rows]

    def still_forgotten(self, claim: Claim) -> bool:
        shard = claim.place.shard
        score = self._servers.client_of(shard).zscore(keys.forgotten(shard), claim.address.member)
        return score is not None and _mark(score) == claim.forgotten_at

    def erased(self, claim: Claim, counts: Mapping[str, int]) -> None:
        place = claim.place
        names = (keys.forgotten(place.shard), place.erased, place.mark)
        arguments = (
            claim.address.member, claim.forgotten_at or "0", json.dumps(dict(counts)), keys.ERASED_SECONDS, ERASED,
            keys.MARK_SECONDS,
        )  # fmt: skip
        (done,) = self._each(scripts.ERASED, [Call(place.shard, names, arguments)])
        layout = self._servers.layout()
        if done and layout.target is not None and place.shard in layout.own():
            # At the place where waiting clients look once the reshard is over.
            later = Place(place.address, layout.target.shard_at(place.address.point))
            client = self._servers.client_of(later.shard)
            client.set(later.erased, json.dumps(dict(counts)), ex=keys.ERASED_SECONDS, nx=True)

    def start_sweep(self) -> bool:
        return self._mark(keys.SWEEP, self._sweep_milliseconds)

    def start_expiry(self) -> bool:
        return self._mark(keys.EXPIRE, EXPIRY_MILLISECONDS)

    def _mark(self, name: str, milliseconds: int) -> bool:
        return self._servers.first_answering(f"marking {name}", lambda client: mark_for(client, name, milliseconds))

    def repeat_expiry(self) -> None:
        self._servers.of_all("requesting another expiry run", lambda client: client.delete(keys.EXPIRE))

    def take_expansions(self, most: int) -> list[Expansions]:
        held = self._servers.holding("looking for expansions", lambda shard: (keys.accessed(shard),))
        calls = [Call(shard, [keys.accessed(shard)], [most, keys.access_prefix(shard)]) for shard in held]
        replies = cast("list[list[list[bytes]] | None]", self._each(scripts.TAKE_EXPANSIONS, calls, patient=False))
        return [
            expansions
            for hashes in replies
            for flat in hashes or []
            for expansions in read_fields(
                {name.decode(): int(times) for name, times in zip(flat[::2], flat[1::2], strict=True)}
            )
        ]

    def _each(self, script: Script, calls: Sequence[Call], *, patient: bool = True) -> list[Any]:
        return self._servers.each("processing inboxes", script, calls, patient=patient)


def _claims(shard: int, flat: Sequence[bytes]) -> list[Claim]:
    words = [word.decode() for word in flat]
    return [
        Claim(
            Place(Address(keys.decode_id(tenant), keys.decode_id(conversation)), shard),
            token,
            _mark(float(mark)) if mark else None,
        )
        for tenant, conversation, token, mark in zip(words[::4], words[1::4], words[2::4], words[3::4], strict=True)
    ]


def mark_for(client: redis.Redis, name: str, milliseconds: int) -> bool:
    """Set a mark for some milliseconds; True for the caller who set it. Raises errors of Redis."""
    if client.set(name, "1", nx=True, px=milliseconds):
        return True
    # A mark that lives longer than that dates from before the clock was set back: shorten its lifetime.
    if client.pttl(name) > milliseconds:
        client.pexpire(name, milliseconds)
    return False


def _mark(score: float) -> str:
    return f"{score:.0f}"
