"""Compute a load's needs, the first limits that it exceeds, the remedies, and the price: pure arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from capacity_constants import PROCESSES_A_HOST, Constants
from capacity_model import BUSY, DAY, Staffing, staff

HOURS_A_MONTH: Final = 730
GB: Final = 1e9


class Load(NamedTuple):
    """The load: turns, reads, and how long data is kept."""

    turns_a_day: float
    turns_a_fold: float = 8
    peak: float = 3.0
    """Rate of the busiest hour, relative to the mean rate."""
    reads_a_turn: float = 0.5
    """Contexts per turn: one for each answer, which is every second turn."""
    outage_minutes: float = 60.0
    """Minutes for which Redis must hold all arrivals while no database answers."""
    keep_days: float = 90.0
    """Days for which rows are kept."""

    @property
    def rate(self) -> float:
        """Turns a second in the busiest hour."""
        return self.turns_a_day / DAY * self.peak


class Limits(NamedTuple):
    """Limits of one server; none was measured here, and `redis_core` follows from Redis's design."""

    redis_core: float = BUSY
    """CPU seconds a second: Redis executes commands on one core."""
    redis_gb: float = 6.0
    """GB of memory for inboxes, three quarters of 8 GB."""
    postgresql_cores: float = 64 * BUSY
    wal_mb_a_second: float = 200.0
    ids_a_day: float = 1.5e9
    """Transaction ids a day; PostgreSQL must have frozen every row once the ids wrap around, daily at this rate."""
    stored_tb: float = 64.0
    sessions: float = 500.0
    shards: float = 4_096.0
    """Maximum number of inbox shards, which limits the processes that store at once and the Redis servers."""


class Prices(NamedTuple):
    """Prices in US dollars."""

    worker_core_hour: float = 0.0408
    redis_server_hour: float = 0.0816
    postgresql_core_hour: float = 0.0900
    gb_month: float = 0.115


PRICES: Final = Prices()
SOURCES: Final = (
    "A worker's core: half of an m7g.large of Amazon EC2, 2 cores, on demand, Linux, us-east-1, $0.0816 an hour, as "
    "[FactualMinds](https://www.factualminds.com/blog/amazon-ec2-on-demand-pricing-instance-families-2026/) has it of "
    "2026-06-17. A Redis server: one such machine, 8 GB. A GB of PostgreSQL: gp3 of Amazon RDS, $0.115 a month, as "
    "[Usage.ai](https://www.usage.ai/blogs/aws/reserved-instances/rds/pricing-calculator/) has it of June 2026. A core "
    "of PostgreSQL, $0.09 an hour: an assumption, about twice a plain core, as managed ones are."
)

ANSWERS: Final[Mapping[str, str]] = {
    "Redis, one core": "`turnfold reshard --servers N`, the broker on a server of its own (`TURNFOLD_BROKER_URL`)",
    "broker, one core": "larger hosts (`--concurrency`), each of which publishes for all of its processes; then cells",
    "Redis, memory": "`turnfold reshard --servers N`, or larger servers",
    "PostgreSQL, cores": "reads on a replica (`TURNFOLD_READ_DATABASE_URL`); then cells",
    "PostgreSQL, WAL": "cells; `TURNFOLD_FOLD_TURNS` higher writes less a turn",
    "PostgreSQL, transaction ids": "`autovacuum_freeze_max_age` up to 1,500 million; then cells",
    "PostgreSQL, sessions": "PgBouncer (`TURNFOLD_DATABASE_POOLER=on`)",
    "PostgreSQL, storage": "`TURNFOLD_KEEP_LEVEL0_DAYS`; `turnfold migrate --partitions 64`; then cells",
    "shards of inboxes": "`turnfold reshard N`, up to 4,096; then cells",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The needs of a load."""

    load: Load
    staffing: Mapping[str, Staffing]
    needs: Mapping[str, float]
    """By name, each in its unit."""
    shares: Mapping[str, float]
    """Need divided by the limit of one server, for each limit; above 1, the limit is exceeded."""
    dollars: float
    """Dollars a month."""

    def utilisation(self, stage: str) -> float:
        """Return the utilisation of a stage's processes in the busiest hour."""
        return self.staffing[stage].utilisation

    @property
    def broken(self) -> list[str]:
        """The limits of one server that are exceeded, the worst first."""
        return sorted((name for name, share in self.shares.items() if share > 1), key=lambda name: -self.shares[name])


def plan(constants: Constants, load: Load, limits: Limits, prices: Prices) -> Plan:
    """Compute the needs of `load` in its busiest hour; bytes and transaction ids are for a whole day."""
    staffing = {
        stage: staff(constants.stages[stage], load.rate, group, processes_a_host=PROCESSES_A_HOST)
        for stage, group in (("store", 1.0), ("fold", load.turns_a_fold))
    }
    costs = _Costs(constants, load, staffing)
    commands, redis_cores = load.rate * costs.turn("redis commands"), load.rate * costs.turn("redis ms") / 1_000
    waiting = load.rate * 60 * load.outage_minutes * constants.stages["append"].cost("redis bytes", 1, 1) / GB
    redis_servers = max(math.ceil(redis_cores / limits.redis_core), math.ceil(waiting / limits.redis_gb), 1)
    postgresql, reading = (
        load.rate * costs.written("postgresql ms") / 1_000,
        load.rate * costs.read("postgresql ms") / 1_000,
    )
    stored = load.turns_a_day * load.keep_days * constants.sql_bytes / GB
    processes = sum(each.processes for each in staffing.values())
    wal, ids = load.rate * costs.turn("WAL bytes") / 1e6, load.turns_a_day * costs.turn("transaction ids")
    needs = {
        "turns/s": load.rate, "processes that store": staffing["store"].processes,
        "processes that fold": staffing["fold"].processes, "PostgreSQL cores": (postgresql + reading) / BUSY,
        "of them for reads": reading / BUSY, "SQL GB a day": load.turns_a_day * constants.sql_bytes / GB,
        "WAL MB/s": wal, "transaction ids a day": ids, "statements/s": load.rate * costs.written("statements"),
        "Redis commands/s": commands, "Redis servers": redis_servers, "Redis GB": waiting,
    }  # fmt: skip
    shares = {
        "Redis, one core": redis_cores / limits.redis_core, "Redis, memory": waiting / limits.redis_gb,
        "broker, one core": costs.broker_ms(load.rate) / 1_000 / limits.redis_core,
        "PostgreSQL, cores": (postgresql + reading) / limits.postgresql_cores,
        "PostgreSQL, WAL": wal / limits.wal_mb_a_second, "PostgreSQL, transaction ids": ids / limits.ids_a_day,
        "PostgreSQL, sessions": 2 * processes / limits.sessions,
        "PostgreSQL, storage": stored / 1_000 / limits.stored_tb,
        "shards of inboxes": max(staffing["store"].processes, redis_servers) / limits.shards,
    }  # fmt: skip
    hourly = (
        processes * prices.worker_core_hour + redis_servers * prices.redis_server_hour
        + (postgresql + reading) / BUSY * prices.postgresql_core_hour
    )  # fmt: skip
    return Plan(
        load=load, staffing=staffing, needs=needs, shares=shares,
        dollars=hourly * HOURS_A_MONTH + stored * prices.gb_month,
    )  # fmt: skip


def cells(made: Plan) -> int:
    """Return the number of cells that the limits of PostgreSQL and shards require, once the other limits are solved."""
    walls = (
        "broker, one core",
        "PostgreSQL, WAL",
        "PostgreSQL, transaction ids",
        "PostgreSQL, storage",
        "shards of inboxes",
    )
    writing = made.needs["PostgreSQL cores"] - made.needs["of them for reads"]
    of_cores = made.shares["PostgreSQL, cores"] * writing / made.needs["PostgreSQL cores"]
    return math.ceil(max(of_cores, *(made.shares[name] for name in walls), 1e-9))


class _Costs:
    """Costs of a turn over all stages, in the batches of this load."""

    def __init__(self, constants: Constants, load: Load, staffing: Mapping[str, Staffing]) -> None:
        self._stages, self._reads = constants.stages, load.reads_a_turn
        self._shapes = {
            "append": (1.0, 1.0), "store": (1.0, staffing["store"].turns_a_task),
            "fold": (load.turns_a_fold, staffing["fold"].turns_a_task),
        }  # fmt: skip

    def written(self, quantity: str) -> float:
        """Return the cost of appending, storing and folding a turn."""
        return sum(self._stages[stage].cost(quantity, *shape) for stage, shape in self._shapes.items())

    def read(self, quantity: str) -> float:
        """Return the cost of a turn's share of reads."""
        return self._reads * self._stages["read"].cost(quantity, 1, 1)

    def broker_ms(self, rate: float) -> float:
        """Return Redis's milliseconds a second for tasks and their messages, regardless of content."""
        return sum(
            rate / self._shapes[stage][1] * self._stages[stage].laws["redis ms"].task for stage in ("store", "fold")
        )

    def turn(self, quantity: str) -> float:
        """Return the cost of a turn with its reads."""
        return self.written(quantity) + self.read(quantity)
