"""kill -9 of workers, their children and Redis: nothing is lost, doubled or reordered, and the rows end the same."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from support.chaos import Chaos, Outcome, Plan, power_cut, schedule

Conversations = Mapping[tuple[str, str], list[dict[str, Any]]]
Digests = Mapping[tuple[str, str], str]

pytestmark = [pytest.mark.processes, pytest.mark.slow, pytest.mark.timeout(180)]


def outcome_of(folder: Path, plan: Plan) -> Outcome:
    with Chaos(folder, plan) as chaos:
        outcome = chaos.run(timeout_seconds=150)
    print(f"\n{plan.turns} turns; {outcome}")  # noqa: T201 - how much was disturbed is part of the result
    return outcome


def first(conversations: Conversations, number: int) -> Conversations:
    return dict(islice(conversations.items(), number))


def assert_undisturbed(outcome: Outcome, undisturbed: Digests) -> None:
    assert outcome.verdict.clean, outcome.verdict
    assert not outcome.broken
    assert not outcome.parked_jobs
    assert not outcome.left_in_redis
    assert outcome.digests == {address: undisturbed[address] for address in outcome.digests}


def test_rows_end_the_same_whoever_is_killed(
    tmp_path: Path, conversations: Conversations, undisturbed: Digests
) -> None:
    kills = schedule(11, redis=4, children=8, parents=3, whole=3)

    outcome = outcome_of(tmp_path, Plan(conversations=conversations, kills=kills, seed=11))

    assert_undisturbed(outcome, undisturbed)


def test_without_bells_the_workers_own_timer_finds_everything(
    tmp_path: Path, conversations: Conversations, undisturbed: Digests
) -> None:
    kills = schedule(12, redis=2, children=4, parents=1, whole=1)
    some = first(conversations, 25)

    outcome = outcome_of(tmp_path, Plan(conversations=some, kills=kills, seed=12, doorbell=False))

    assert_undisturbed(outcome, undisturbed)


def test_leases_shorter_than_the_work_cost_work_and_nothing_else(
    tmp_path: Path, conversations: Conversations, undisturbed: Digests
) -> None:
    plan = Plan(
        conversations=first(conversations, 20), kills=schedule(13, redis=1, children=3, whole=1), seed=13, copies=2,
        environment={
            "TURNFOLD_LEASE_SECONDS": "0.005", "TURNFOLD_REPUBLISH_SECONDS": "0.05",
            "TURNFOLD_BATCH_TURNS": "7", "TURNFOLD_CLAIM_CONVERSATIONS": "5",
        },
    )  # fmt: skip

    outcome = outcome_of(tmp_path, plan)

    assert_undisturbed(outcome, undisturbed)


def test_every_task_may_be_delivered_several_times_at_once(
    tmp_path: Path, conversations: Conversations, undisturbed: Digests
) -> None:
    plan = Plan(
        conversations=first(conversations, 20), kills=schedule(14, children=4), seed=14, copies=4,
    )  # fmt: skip

    outcome = outcome_of(tmp_path, plan)

    assert_undisturbed(outcome, undisturbed)


def test_a_power_cut_costs_only_what_redis_had_not_written(
    tmp_path: Path, conversations: Conversations, undisturbed: Digests
) -> None:
    plan = Plan(
        conversations=first(conversations, 20), kills=[power_cut(60_000), power_cut(20_000), power_cut(100_000)],
        seed=15,
    )  # fmt: skip

    outcome = outcome_of(tmp_path, plan)

    assert outcome.unwritten_turns, "the cut lost nothing, so nothing was tested"
    assert_undisturbed(outcome, undisturbed)
