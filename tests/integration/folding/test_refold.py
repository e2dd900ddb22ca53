"""A segment that is folded again is as if it had never failed, whatever happens meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.places import SHARDS
from support.platforms import EVERYTHING, POISON, Platform, talk, with_a_plain_segment
from support.stored import broken_invariants
from turnfold import Turnfold
from turnfold.contract.attention import WorkKind, WorkState
from turnfold.contract.records import ConversationId, JobId
from turnfold.contract.tasks import Task
from turnfold.database.engines import connect
from turnfold_worker.adapters.sql import jobs as sql_jobs
from turnfold_worker.errors import DIED, StoreAway
from turnfold_worker.ports.messages import FoldClaim
from turnfold_worker.use_cases import fold as compress_module
from turnfold_worker.use_cases.refold import refolded


def test_a_segment_that_is_folded_again_is_as_if_it_had_never_failed(platform: Platform, engine: Engine) -> None:
    with_a_plain_segment(platform)
    platform.mend_rules()
    platform.tf.configure("undisturbed", settings={"segment_max_turns": 5, "segment_min_turns": 2})
    platform.tf.append("undisturbed", talk(100, poison=20))
    platform.local.settle()
    assert platform.rows("c") != platform.rows("undisturbed")
    assert platform.tf.status("c").parked == 1
    (decided,) = platform.retry()
    assert (decided.done, decided.work.kind) == (True, WorkKind.REFOLD)
    platform.local.settle()
    assert platform.rows("c") == platform.rows("undisturbed")
    assert platform.tf.status("c").parked == 0
    assert platform.parked.find(EVERYTHING) == []
    assert broken_invariants(engine) == {}


@pytest.mark.daily_on("sqlite")
def test_folding_again_twice_or_late_changes_nothing(platform: Platform, engine: Engine) -> None:
    with_a_plain_segment(platform)
    assert platform.local.worker.refold() is None, "it is not due yet"
    platform.mend_rules()
    platform.retry()
    assert platform.local.worker.refold() is True
    digest = platform.local.digest("c")
    assert platform.local.worker.refold() is None
    platform.local.settle()
    assert platform.local.digest("c") == digest
    assert platform.retry() == []
    assert broken_invariants(engine) == {}


@pytest.mark.daily_on("sqlite")
def test_a_segment_that_fails_again_is_parked_again_with_its_tries_counted_and_without_content(
    platform: Platform, engine: Engine
) -> None:
    with_a_plain_segment(platform)
    (before,) = platform.parked.find(EVERYTHING)
    platform.retry()
    platform.local.settle()
    (work,) = platform.parked.find(EVERYTHING)
    assert (work.state, work.attempts) == (WorkState.PARKED, before.attempts + 1)
    assert work.number == before.number
    assert work.error is not None
    assert work.error.startswith("ValueError at platforms.py:")
    assert work.age_seconds is not None
    assert work.age_seconds < 60
    assert platform.tf.status("c").parked == 1
    with engine.begin() as connection:
        assert POISON not in str(connection.execute(text("SELECT error FROM job")).all())


def test_a_fold_under_way_starts_over_when_a_segment_is_folded_again(platform: Platform, engine: Engine) -> None:
    with_a_plain_segment(platform, turns=60)
    platform.mend_rules()
    store = platform.local.worker.store
    (work,) = platform.parked.find(EVERYTHING)
    platform.tf.append("c", talk(100)[60:])
    for shard in SHARDS:
        platform.local.worker.drain(shard)
    tail = store.tail(work.conversation, 512)
    assert tail is not None
    fold = compress_module.fold_next(tail, compress_module.next_segment(tail), store, plain_error=None)
    platform.retry()
    assert platform.local.worker.refold()
    assert store.commit_fold(FoldClaim(work.conversation, "an earlier one", 1), fold) is False
    platform.local.settle()
    assert platform.tf.status("c").folded == 100
    assert broken_invariants(engine) == {}


def test_folding_again_starts_over_when_a_fold_was_written_meanwhile(platform: Platform, engine: Engine) -> None:
    with_a_plain_segment(platform, turns=60)
    platform.mend_rules()
    store = platform.local.worker.store
    (work,) = platform.parked.find(EVERYTHING)
    assert work.number is not None
    segment = store.closed_segment(work.conversation, work.number - 1)
    assert segment is not None
    stale = refolded(JobId(work.row), segment, store)
    platform.tf.append("c", talk(100)[60:])
    platform.local.settle()
    assert store.commit_refold(stale) is False
    platform.retry()
    platform.local.settle()
    assert platform.tf.status("c").parked == 0
    assert broken_invariants(engine) == {}


@pytest.mark.daily_on("sqlite")
def test_later_anchors_overtake_those_of_a_segment_that_is_folded_late(platform: Platform) -> None:
    turns = talk(24)
    turns[2]["content"] = f"The launch of the seat map is on 3 May 2026. {POISON}"
    turns[6]["content"] = "The launch of the seat map is on 7 May 2026."
    settings = {"segment_max_turns": 4, "segment_min_turns": 2}
    platform.tf.configure("c", settings=settings)
    platform.tf.append("c", turns)
    platform.break_rules()
    platform.local.settle()
    platform.mend_rules()
    platform.retry()
    platform.local.settle()
    states = {a.text: str(a.state) for a in platform.tf.anchors("c", states=None) if "launch" in a.text}
    platform.tf.configure("undisturbed", settings=settings)
    platform.tf.append("undisturbed", turns)
    platform.local.settle()
    expected = {a.text: str(a.state) for a in platform.tf.anchors("undisturbed", states=None) if "launch" in a.text}
    assert states == expected
    assert states[f"The launch of the seat map is on 3 May 2026. {POISON}"] == "superseded"


@pytest.mark.daily_on("sqlite")
def test_an_outage_while_folding_again_takes_its_attempt_back(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_plain_segment(platform)
    platform.mend_rules()
    platform.retry()

    def away(*_: object) -> bool:
        message = "gone"
        raise StoreAway(message)

    with monkeypatch.context() as patched:
        patched.setattr(type(platform.local.worker.store), "commit_refold", away)
        with pytest.raises(StoreAway):
            platform.local.worker.refold()
    platform.local.settle()
    assert platform.parked.find(EVERYTHING) == []


@pytest.mark.daily_on("sqlite")
def test_a_segment_whose_refold_kills_its_worker_is_parked_again_after_as_many_tries(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], platform: Platform
) -> None:
    with_a_plain_segment(platform)
    mortal = make_worker(lease_seconds=0.001, republish_seconds=0.001)
    platform.retry()
    tries = 0
    while mortal.worker.store.claim_refold() is not None:
        tries += 1
        mortal.worker.sweep()
    assert 1 <= tries <= 3
    mortal.worker.sweep()
    (again,) = platform.parked.find(EVERYTHING)
    assert (again.state, again.error) == (WorkState.PARKED, "the worker ended while folding")


LATER = sql_jobs.SECOND_ROUND_MILLISECONDS


@pytest.fixture
def written(database_url: str) -> Iterator[Callable[[str], None]]:
    """Executes a statement that writes."""
    writer = connect(database_url, write=True, timeout_seconds=10)

    def carry_out(statement: str) -> None:
        with writer.begin() as connection:
            connection.execute(text(statement))

    yield carry_out
    writer.dispose()


@pytest.fixture
def killed(written: Callable[[str], None]) -> Callable[[], None]:
    """Ends the lease of a killed worker."""
    return lambda: written("UPDATE job SET lease_until = lease_until - 60000 WHERE state = 'running'")


@pytest.fixture
def later(written: Callable[[str], None]) -> Callable[[], None]:
    """Lets ten minutes pass since work was parked."""
    return lambda: written(f"UPDATE job SET not_before = not_before - {LATER} WHERE state = 'parked'")


def with_a_killed_segment(platform: Platform, engine: Engine, killed: Callable[[], None]) -> None:
    """Park the first segment by killing two workers in a row that fold it."""
    platform.tf.configure("c", settings={"segment_max_turns": 5, "segment_min_turns": 2})
    platform.tf.append("c", talk(60))
    for shard in SHARDS:
        platform.local.worker.drain(shard)
    with engine.begin() as connection:
        id_ = ConversationId(connection.execute(text("SELECT id FROM conversation")).scalar_one())
    for _ in range(2):
        assert platform.local.worker.store.claim_fold(id_) is not None
        killed()
    platform.local.settle()
    (work,) = platform.parked.find(EVERYTHING)
    assert (work.state, work.error) == (WorkState.PARKED, f"{DIED} (attempt 3)")


@pytest.mark.daily_on("sqlite")
def test_a_segment_whose_workers_were_killed_is_folded_again_by_itself_ten_minutes_later(
    platform: Platform, engine: Engine, killed: Callable[[], None], later: Callable[[], None]
) -> None:
    with_a_killed_segment(platform, engine, killed)
    platform.tf.configure("undisturbed", settings={"segment_max_turns": 5, "segment_min_turns": 2})
    platform.tf.append("undisturbed", talk(60))
    platform.local.settle()
    assert platform.rows("c") != platform.rows("undisturbed")
    assert platform.tf.status("c").parked == 1, "not before"
    later()
    platform.local.settle()
    assert platform.parked.find(EVERYTHING) == []
    assert platform.rows("c") == platform.rows("undisturbed")
    assert broken_invariants(engine) == {}


@pytest.mark.daily_on("sqlite")
def test_a_segment_that_kills_its_workers_in_the_second_round_too_waits_for_a_person(
    platform: Platform, engine: Engine, killed: Callable[[], None], later: Callable[[], None]
) -> None:
    with_a_killed_segment(platform, engine, killed)
    later()
    store = platform.local.worker.store
    tries = 0
    store.ripen()
    while store.claim_refold() is not None:
        tries += 1
        killed()
    assert tries == 3
    platform.local.settle()
    later()
    platform.local.settle()
    (again,) = platform.parked.find(EVERYTHING)
    assert (again.state, again.error, again.attempts) == (WorkState.PARKED, DIED, 6)


@pytest.mark.daily_on("sqlite")
def test_a_segment_on_which_the_rules_fail_is_not_folded_again_by_itself(
    platform: Platform, later: Callable[[], None]
) -> None:
    with_a_plain_segment(platform)
    platform.mend_rules()
    later()
    platform.local.settle()
    assert platform.tf.status("c").parked == 1


@pytest.mark.daily_on("sqlite")
def test_a_refold_whose_message_was_lost_is_found_by_a_sweep(platform: Platform) -> None:
    with_a_plain_segment(platform)
    platform.mend_rules()
    platform.retry()
    assert [task for task, _ in platform.local.messages.waiting] == [Task.REFOLD]
    platform.local.messages.waiting.clear()
    platform.local.settle()
    assert platform.tf.status("c").parked == 0
