"""The table of faults: each row is a run of its own, on each of its databases."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from support import chaos_strikes as strikes
from support.chaos import Messages, Plan, Strike

FULL_TURNS: Final = 20_000
BOTH: Final = ("sqlite", "postgresql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One row of the table."""

    name: str
    strikes: Mapping[Strike, int] = field(default_factory=dict)
    """Number of strikes of each kind for 20,000 turns."""
    databases: tuple[str, ...] = BOTH
    doorbell: bool = True
    celery_doorbell: bool = False
    """Whether producers publish through Celery instead of ringing in Redis."""
    copies: int = 1
    environment: Mapping[str, str] = field(default_factory=dict)
    clocks: bool = False

    def plan(self, conversations: Mapping[tuple[str, str], Messages], *, database: str, seed: int) -> Plan:
        """Return the run of a fault for these conversations; fewer turns get fewer strikes, but one of each kind."""
        share = sum(map(len, conversations.values())) / FULL_TURNS
        chosen = [strike for strike, number in self.strikes.items() for _ in range(max(1, round(number * share)))]
        random.Random(seed).shuffle(chosen)
        return Plan(
            conversations=conversations, strikes=chosen, seed=seed, doorbell=self.doorbell,
            celery_doorbell=self.celery_doorbell, copies=self.copies, environment=self.environment, database=database,
            clocks=self.clocks,
        )  # fmt: skip


_WORKERS: Final[Mapping[Strike, int]] = {
    strikes.pool_child: 16, strikes.worker_parent: 6, strikes.whole_worker: 6,
}  # fmt: skip
_SERVERS: Final[Mapping[Strike, int]] = {strikes.redis_process: 6, strikes.postgresql_process: 6}
_SOME: Final[Mapping[Strike, int]] = {
    strikes.pool_child: 8, strikes.worker_parent: 2, strikes.whole_worker: 2, strikes.redis_process: 2,
}  # fmt: skip

UNDISTURBED: Final = Fault(name="none")
WORKERS_KILLED: Final = Fault(name="kill -9 of workers, pools and both", strikes=_WORKERS)
REDIS_KILLED: Final = Fault(name="kill -9 of Redis", strikes={strikes.redis_process: 8})
POSTGRESQL_KILLED: Final = Fault(
    name="kill -9 of PostgreSQL", strikes={strikes.postgresql_process: 8}, databases=("postgresql",)
)
POOLER_KILLED: Final = Fault(
    name="kill -9 of everything, mixed; PostgreSQL behind PgBouncer",
    strikes={**_WORKERS, **_SERVERS, strikes.pgbouncer_process: 6},
    databases=("pgbouncer",),
)  # fmt: skip
ALL_KILLED: Final = Fault(name="kill -9 of everything, mixed", strikes=_WORKERS | _SERVERS)
POWER_CUT: Final = Fault(
    name="kill -9 of Redis, and the end of its log lost",
    strikes={strikes.power_cut(60_000): 3, strikes.power_cut(20_000): 3, strikes.power_cut(100_000): 3},
)  # fmt: skip
STOPPED: Final = Fault(
    name="workers, Redis, PostgreSQL stopped for longer than leases and timeouts",
    strikes={strikes.stopped_worker: 6, strikes.stopped_redis: 4, strikes.stopped_postgresql: 4},
)  # fmt: skip
NO_BELLS: Final = Fault(name="no bells, with some kills", strikes=_SOME, doorbell=False)
CELERY_BELLS: Final = Fault(
    name="kill -9 of everything, mixed; producers ring through Celery", strikes=_WORKERS | _SERVERS,
    celery_doorbell=True,
)  # fmt: skip
LOST_RINGS: Final = Fault(
    name="two of three rings heard and never published, with some kills", strikes=_SOME,
    environment={"CHAOS_LOST_RINGS": "0.67"},
)  # fmt: skip
SHORT_LEASES: Final = Fault(
    name="leases shorter than the work, with some kills",
    strikes=_SOME,
    environment={
        "TURNFOLD_LEASE_SECONDS": "0.005", "TURNFOLD_REPUBLISH_SECONDS": "0.05", "TURNFOLD_BATCH_TURNS": "7",
        "TURNFOLD_CLAIM_CONVERSATIONS": "5",
    },
)  # fmt: skip
DUPLICATES: Final = Fault(
    name="every task delivered four times, with some kills", strikes=_SOME, copies=4,
)  # fmt: skip
FULL_DISK: Final = Fault(name="disk full, several times", strikes={strikes.full_disk: 6}, databases=("sqlite",))
CLOCKS: Final = Fault(
    name="clocks of Redis, SQL and workers set an hour ahead and back; no bells, some kills",
    strikes={strikes.clock_step: 10, strikes.set_back: 2, **_SOME},
    doorbell=False,
    clocks=True,
)  # fmt: skip

FAULTS: Final = (
    UNDISTURBED, WORKERS_KILLED, REDIS_KILLED, POSTGRESQL_KILLED, POOLER_KILLED, ALL_KILLED, POWER_CUT, STOPPED,
    NO_BELLS, CELERY_BELLS, LOST_RINGS, SHORT_LEASES, DUPLICATES, FULL_DISK, CLOCKS,
)  # fmt: skip
