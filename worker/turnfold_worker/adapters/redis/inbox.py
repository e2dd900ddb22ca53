"""The worker's side of the inboxes in Redis. Keys and what they hold are listed in `turnfold.contract.keys`."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

import redis
from redis.exceptions import NoScriptError

from turnfold.contract import keys
from turnfold.contract.access import Expansions, read_fields
from turnfold.contract.keys import Address
from turnfold.contract.marks import ERASED, StoredMark
from turnfold.contract.tasks import JobKind
from turnfold.database.remnants import DATABASE_LOG, REDIS_LOG, REWRITING
from turnfold.redis.errors import refusal
from turnfold.redis.inbox import pending_entry
from turnfold_worker.adapters.redis import scripts as redis_scripts
from turnfold_worker.adapters.redis.failures import translated
from turnfold_worker.ports.messages import Claim, InboxEntry

if TYPE_CHECKING:
    from redis.commands.core import Script

_log = logging.getLogger(__name__)

TENANTS_A_CLAIM: Final = 512
"""Tenants that one claim looks at, those served longest ago first, until it has found enough that are ready."""

EXPIRY_MILLISECONDS: Final = 3_600_000
"""How often turns are looked for that are older than they are to be kept."""

BATCH_BYTES: Final = 16 * 1_048_576
"""What one claim reads of all its inboxes, so that storing it takes less than a lease."""
LEAST_BYTES: Final = 65_536
REWRITE_SECONDS: Final = 600
"""How often Redis is told to write its log anew at most: all that it holds is written."""


class RedisInbox:
    """Implements `ports.Inbox`."""

    def __init__(
        self, client: redis.Redis, *, lease_seconds: float, sweep_seconds: float, keeps_marks: bool = False
    ) -> None:
        """`keeps_marks`: there are readers of a replica, who need to know how far conversations are stored."""
        self._client = client
        self._keeps_marks = keeps_marks
        self._lease_microseconds = int(lease_seconds * 1_000_000)
        # A little less than an interval: the timer that asked looks again when one is over.
        self._sweep_milliseconds = max(1, int(sweep_seconds * 900))
        self._claim = client.register_script(redis_scripts.CLAIM)
        self._finish = client.register_script(redis_scripts.FINISH)
        self._read = client.register_script(redis_scripts.READ)
        self._postpone = client.register_script(redis_scripts.POSTPONE)
        self._take_expansions = client.register_script(redis_scripts.TAKE_EXPANSIONS)
        self._erased = client.register_script(redis_scripts.ERASED)
        self._mark = client.register_script(redis_scripts.MARK)
        self._cleared = client.register_script(redis_scripts.CLEARED)

    def silence_bells(self, shards: Sequence[int]) -> None:
        pipeline = self._client.pipeline(transaction=False)
        for shard in shards:
            pipeline.delete(keys.bell(shard))
        with translated():
            pipeline.execute()

    def ring_bell(self, shard: int) -> bool:
        with translated():
            return self._mark_for(keys.bell(shard), keys.BELL_MILLISECONDS)

    def silence_jobs(self, kind: JobKind) -> None:
        with translated():
            self._client.delete(keys.jobs_bell(str(kind)))

    def ring_jobs(self, kind: JobKind) -> bool:
        with translated():
            return self._mark_for(keys.jobs_bell(str(kind)), keys.BELL_MILLISECONDS)

    def claim(self, shards: Sequence[int], most: int) -> list[Claim]:
        limits = (self._lease_microseconds, most, TENANTS_A_CLAIM)
        replies: list[list[bytes]] = self._each(
            self._claim,
            [((keys.tenants(shard), keys.forgotten(shard)), (keys.ready_prefix(shard), *limits)) for shard in shards],
        )
        words = [word.decode() for flat in replies for word in flat]
        return [
            Claim(
                Address(keys.decode_id(tenant), keys.decode_id(conversation)),
                token,
                _mark(float(mark)) if mark else None,
            )
            for tenant, conversation, token, mark in zip(words[::4], words[1::4], words[2::4], words[3::4], strict=True)
        ]

    def read(self, claims: Sequence[Claim], most: int) -> list[list[InboxEntry]]:
        share = max(LEAST_BYTES, BATCH_BYTES // max(1, len(claims)))
        replies: list[list[Any]] = self._each(self._read, [((claim.address.inbox,), (most, share)) for claim in claims])
        return [[_entry(stream_id, flat) for stream_id, flat in rows] for rows in replies]

    def mark_stored(self, marks: Mapping[Address, StoredMark]) -> None:
        if self._keeps_marks:
            self._each(
                self._mark,
                [((address.mark,), (*mark, keys.MARK_SECONDS)) for address, mark in marks.items()],
            )

    def finish(self, done: Sequence[tuple[Claim, str | None]]) -> None:
        calls = []
        for claim, last in done:
            address = claim.address
            calls.append((
                (address.inbox, address.ready, keys.tenants(address.shard), address.refusals),
                (keys.encode_id(address.conversation), claim.token, last or "", keys.encode_id(address.tenant)),
            ))  # fmt: skip
        self._each(self._finish, calls)

    def postpone(self, claims: Sequence[Claim], seconds: float) -> None:
        microseconds = int(seconds * 1_000_000)
        self._each(
            self._postpone,
            [
                ((claim.address.ready,), (keys.encode_id(claim.address.conversation), claim.token, microseconds))
                for claim in claims
            ],
        )

    def count_refusal(self, claim: Claim) -> int:
        name = claim.address.refusals
        with translated():
            count = int(self._client.incr(name))
            self._client.expire(name, keys.REFUSALS_SECONDS)
        return count

    def waiting(self) -> list[int]:
        pipeline = self._client.pipeline(transaction=False)
        for shard in range(keys.SHARDS):
            pipeline.exists(keys.tenants(shard), keys.forgotten(shard))
        with translated():
            found = cast("list[int]", pipeline.execute())
        return [shard for shard, held in enumerate(found) if held]

    def forgotten(self, shard: int, most: int) -> list[Claim]:
        with translated():
            rows = cast(
                "list[tuple[bytes, float]]",
                self._client.zrange(keys.forgotten(shard), 0, most - 1, withscores=True),
            )
        return [Claim(Address.from_member(member.decode()), "", _mark(score)) for member, score in rows]

    def still_forgotten(self, claim: Claim) -> bool:
        with translated():
            score = self._client.zscore(keys.forgotten(claim.address.shard), claim.address.member)
        return score is not None and _mark(score) == claim.forgotten_at

    def erased(self, claim: Claim, counts: Mapping[str, int]) -> None:
        address = claim.address
        with translated():
            self._erased(
                [keys.forgotten(address.shard), address.erased, address.mark],
                [
                    address.member,
                    claim.forgotten_at or "0",
                    json.dumps(dict(counts)),
                    keys.ERASED_SECONDS,
                    ERASED,
                    keys.MARK_SECONDS,
                ],
            )

    def mark_remnants(self) -> None:
        with translated():
            now = self._microseconds()
            self._client.hset(keys.REMNANTS, mapping={DATABASE_LOG: now, REDIS_LOG: now})
            self._client.expire(keys.REMNANTS, keys.REMNANTS_SECONDS)

    def remnants(self) -> dict[str, str]:
        with translated():
            found = cast("dict[bytes, bytes]", self._client.hgetall(keys.REMNANTS))
        return {kind.decode(): mark.decode() for kind, mark in found.items()}

    def rewrite_log(self, mark: str) -> bool:
        with translated():
            try:
                about: dict[str, Any] = self._client.info("persistence")
            except redis.ResponseError:
                # Nothing is known of its log; the doctor tells of marks that stay.
                return False
            if not about.get("aof_enabled"):
                return True
            begun, now = int(self._client.hget(keys.REMNANTS, REWRITING) or 0), self._microseconds()
            is_over = not (about.get("aof_rewrite_in_progress") or about.get("aof_rewrite_scheduled"))
            if is_over and begun > int(mark) and about.get("aof_last_bgrewrite_status") == "ok":
                return True
            if not is_over or begun > now - REWRITE_SECONDS * 1_000_000:
                return False
            try:
                self._client.bgrewriteaof()
            except redis.ResponseError as error:
                # Managed servers may forbid it; the doctor tells of marks that stay.
                _log.warning("Redis does not write its log anew: %s", ": ".join(refusal(error)))
                return False
            self._client.hset(keys.REMNANTS, REWRITING, now)
        return False

    def cleared(self, kind: str, mark: str) -> None:
        with translated():
            self._cleared([keys.REMNANTS], [kind, mark])

    def _microseconds(self) -> int:
        seconds, microseconds = self._client.time()
        return seconds * 1_000_000 + microseconds

    def start_sweep(self) -> bool:
        with translated():
            return self._mark_for(keys.SWEEP, self._sweep_milliseconds)

    def start_expiry(self) -> bool:
        with translated():
            return self._mark_for(keys.EXPIRE, EXPIRY_MILLISECONDS)

    def repeat_expiry(self) -> None:
        with translated():
            self._client.delete(keys.EXPIRE)

    def take_expansions(self, most: int) -> list[Expansions]:
        pipeline = self._client.pipeline(transaction=False)
        for shard in range(keys.SHARDS):
            self._take_expansions([keys.accessed(shard)], [most, keys.access_prefix(shard)], client=pipeline)
        with translated():
            replies = cast("list[list[list[bytes]]]", pipeline.execute())
        return [
            expansions
            for hashes in replies
            for flat in hashes
            for expansions in read_fields(
                {name.decode(): int(times) for name, times in zip(flat[::2], flat[1::2], strict=True)}
            )
        ]

    def _each(self, script: Script, calls: Sequence[tuple[Sequence[str], Sequence[str | int]]]) -> list[Any]:
        """The answers of a script to some keys and arguments, in one round trip; two more where it is not loaded."""
        if not calls:
            return []
        with translated():
            try:
                return self._together(script, calls)
            except NoScriptError:
                # None of the calls ran; or scripts were flushed in between, and a claim that is lost so ends by itself.
                self._client.script_load(script.script)
                return self._together(script, calls)

    def _together(self, script: Script, calls: Sequence[tuple[Sequence[str], Sequence[str | int]]]) -> list[Any]:
        # By its hash: a pipeline that is given the script itself asks each time whether it is loaded.
        pipeline = self._client.pipeline(transaction=False)
        for names, arguments in calls:
            pipeline.evalsha(script.sha, len(names), *names, *arguments)
        return pipeline.execute()

    def _mark_for(self, name: str, milliseconds: int) -> bool:
        """True for the one who sets a mark that lives so long."""
        if self._client.set(name, "1", nx=True, px=milliseconds):
            return True
        # It would live longer than it was given: the clock was set back, and nobody may wait for the difference.
        if self._client.pttl(name) > milliseconds:
            self._client.pexpire(name, milliseconds)
        return False


def _mark(score: float) -> str:
    return f"{score:.0f}"


def _entry(stream_id: bytes, flat: Sequence[bytes]) -> InboxEntry:
    entry = pending_entry(stream_id, flat)
    return InboxEntry(entry.stream_id, entry.operation, entry.entry_id, entry.body)
