"""A short `make chaos`: under every fault, no turn is lost, duplicated or reordered, and rows end the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from support import chaos_faults as faults
from support.chaos import Chaos, Outcome
from support.chaos_faults import Fault
from support.chaos_round import verdict_of
from support.needed import skipping_on

Conversations = Mapping[tuple[str, str], list[dict[str, Any]]]
Digests = Mapping[tuple[str, str], str]

pytestmark = [pytest.mark.processes, pytest.mark.timeout(900)]

MOST, FEW, FEWEST = 20, 10, 8
"""Conversations of the longest runs, of most runs, and of the daily ones; each has 100 turns."""

TRIES = {"TURNFOLD_ATTEMPTS": "8"}
"""Strikes come within a second of each other in so short a run: two on one segment are chance, not poison."""

TWO_KILLS = replace(faults.REDIS_KILLED, strikes=dict.fromkeys(faults.REDIS_KILLED.strikes, 20))
"""Strikes for twice a tenth of the turns of a full round."""

TWICE = replace(faults.SHORT_LEASES, copies=3)

DAILY = [(faults.ALL_KILLED, "sqlite"), (faults.CELERY_BELLS, "postgresql")]
"""Both kinds of doorbell, and both databases."""

ROWS = [
    pytest.param(
        fault, database, id=f"{name}-{database}",
        marks=[
            *([pytest.mark.postgresql] if database != "sqlite" else []),
            *([] if (fault, database) in DAILY else [pytest.mark.long]),
        ],
    )
    for name, fault, databases in (
        ("everything-is-killed", faults.ALL_KILLED, faults.BOTH),
        ("everything-is-killed-and-celery-rings", faults.CELERY_BELLS, faults.BOTH),
        ("everything-is-killed-behind-a-pooler", faults.POOLER_KILLED, ("pgbouncer",)),
        ("two-of-three-rings-are-lost", faults.LOST_RINGS, ("sqlite",)),
        ("everything-is-stopped", faults.STOPPED, faults.BOTH),
        ("leases-lapse-and-tasks-are-repeated", TWICE, faults.BOTH),
        ("clocks-step-and-no-bell-rings", faults.CLOCKS, faults.BOTH),
        ("the-disk-is-full", faults.FULL_DISK, ("sqlite",)),
    )
    for database in databases
]  # fmt: skip


def outcome_of(folder: Path, fault: Fault, conversations: Conversations, database: str) -> Outcome:
    fault = replace(fault, environment={**fault.environment, **TRIES})
    with skipping_on(ModuleNotFoundError):
        chaos = Chaos(folder, fault.plan(conversations, database=database, seed=11))
    with chaos:
        outcome = chaos.run(timeout_seconds=800)
    print(f"\n{outcome}")  # noqa: T201 - how much was disturbed is part of the result
    return outcome


@pytest.mark.parametrize(("fault", "database"), ROWS)
def test_rows_end_the_same(
    server_folder: Path, conversations: Conversations, undisturbed: Digests, fault: Fault, database: str
) -> None:
    some = dict(islice(conversations.items(), FEWEST if (fault, database) in DAILY else FEW))

    outcome = outcome_of(server_folder, fault, some, database)

    assert not verdict_of(outcome, undisturbed), outcome.verdict


@pytest.mark.long
@pytest.mark.parametrize(
    ("fault", "database"),
    [
        pytest.param(faults.WORKERS_KILLED, "postgresql", id="workers", marks=pytest.mark.postgresql),
        pytest.param(TWO_KILLS, "sqlite", id="redis"),
    ],
)
def test_two_thousand_turns_of_twenty_conversations_survive_kills(
    server_folder: Path, conversations: Conversations, undisturbed: Digests, fault: Fault, database: str
) -> None:
    some = dict(islice(conversations.items(), MOST))

    outcome = outcome_of(server_folder, fault, some, database)

    assert sum(map(len, some.values())) == 2_000
    assert sum(outcome.strikes.values()) >= 2
    assert not verdict_of(outcome, undisturbed), outcome.verdict


@pytest.mark.long
def test_a_power_cut_costs_only_what_redis_had_not_written(
    server_folder: Path, conversations: Conversations, undisturbed: Digests
) -> None:
    some = dict(islice(conversations.items(), FEW))

    outcome = outcome_of(server_folder, faults.POWER_CUT, some, "sqlite")

    assert outcome.unwritten_turns, "the cut lost nothing, so nothing was tested"
    assert not verdict_of(outcome, undisturbed), outcome.verdict
