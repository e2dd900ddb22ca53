"""Search rows of an idle conversation are dropped, and are rebuilt as they were after a query."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from conftest import Filling, LocalWorker
from support.seals import unsealed
from support.stored import broken_invariants
from support.talk import talk
from turnfold import MemoryTiers, Turnfold
from turnfold.assemble.context import Context
from turnfold.contract import keys
from turnfold.contract.dropped_postings import MARK, pack_mark
from turnfold.contract.posting_pieces import Piece
from turnfold.contract.records import ConversationId
from turnfold.contract.tasks import Queue, Task
from turnfold_worker.adapters.sql import dropped_postings as sql_dropped_postings
from turnfold_worker.adapters.sql.store import SqlStore
from turnfold_worker.importing.restore import Wanted, restore
from turnfold_worker.ports.messages import Tail
from turnfold_worker.use_cases import search_rows
from turnfold_worker.use_cases.search_rows import drop_idle

DAYS = 30.0
QUERY = "Who owns the payment retries after Ola leaves?"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
CODE = "\n".join(f"    total_{n} = price_{n} * {n}" for n in range(12))
NAMES = ("talk", "code", "short")


def with_code(many: int) -> list[dict[str, str]]:
    turns = []
    for n in range(many):
        turns.append({"role": "user", "name": "Zoé", "content": f"Show me step {n} of the invoice export, please."})
        sections = [f"## Part {part} of {n}\n\n" + f"Step {n} writes invoices to a file. " * 90 for part in range(3)]
        turns.append({
            "role": "assistant",
            "content": "\n\n".join([f"```python\ndef step_{n}():\n{CODE}\n```", "Always answer in German.", *sections]),
        })  # fmt: skip
    return turns


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds conversations of several kinds; one is too short for a segment."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        tf.append("talk", talk("idle", 110))
        tf.append("code", with_code(8))
        tf.append("short", talk("short", 3))
        make_worker().settle()

    return fill


@pytest.fixture
def local(make_worker: Callable[..., LocalWorker], request: pytest.FixtureRequest, database_url: str) -> LocalWorker:
    """A worker that keeps search rows for a month; it drops levels as well on PostgreSQL, never on SQLite."""
    drops_levels = getattr(request, "param", database_url.startswith("postgresql"))
    return make_worker(keep_search_days=DAYS, drop_idle_levels=drops_levels)


def age(local: LocalWorker, *names: str) -> None:
    with local.write_engine.begin() as connection:
        for name in names:
            connection.execute(
                text("UPDATE conversation SET updated_at = :moment WHERE external_id = :name"),
                {"moment": LONG_AGO.isoformat(" "), "name": name},
            )


def id_of(local: LocalWorker, name: str) -> ConversationId:
    with local.engine.connect() as connection:
        id_ = connection.scalar(text("SELECT id FROM conversation WHERE external_id = :name"), {"name": name})
    return ConversationId(int(id_))


def numbers(local: LocalWorker, name: str) -> list[int]:
    """Return the numbers of a conversation's rows of `posting`."""
    with local.engine.connect() as connection:
        found = connection.execute(
            text("SELECT number FROM posting WHERE conversation = :id ORDER BY number"), {"id": id_of(local, name)}
        )
        return [row[0] for row in found]


def drop(local: LocalWorker, *names: str) -> None:
    age(local, *names)
    local.worker.expire()
    assert [numbers(local, name) for name in names if name != "short"] == [[MARK]] * len([*names])


def rung(local: LocalWorker) -> list[str]:
    """Return the tasks that clients have requested from workers, in the first server's set."""
    return [member.decode() for member in local.client.zrange(keys.rung_for(Queue.COMPRESS), 0, -1)]


def make_whole(local: LocalWorker, name: str) -> None:
    """Handle the ring for a conversation as Celery does."""
    id_ = id_of(local, name)
    assert rung(local) == [f"{Task.COMPRESS} {id_}"]
    local.client.delete(keys.rung_for(Queue.COMPRESS))
    local.worker.fold_due(id_)
    local.settle()


def asked(tf: Turnfold, name: str = "talk", **options: object) -> Context:
    return tf.context(name, budget_tokens=1_500, query=QUERY, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("local", [False, True], ids=["postings", "levels"], indirect=True)
def test_rows_go_and_come_back_as_they_were(tf: Turnfold, local: LocalWorker) -> None:
    digests = {name: local.digest(name) for name in NAMES}
    before = {name: numbers(local, name) for name in NAMES}
    with Turnfold(settings=tf._settings) as fresh:
        whole = {name: asked(fresh, name) for name in NAMES}
    assert not any(context.report.degraded for context in whole.values())
    drop(local, "talk", "code")
    assert broken_invariants(local.engine) == {}

    for name in ("talk", "code"):
        assert asked(tf, name).report.degraded
        make_whole(local, name)
        again = asked(tf, name)
        assert (again.text, again.report) == (whole[name].text, whole[name].report)
    assert {name: numbers(local, name) for name in NAMES} == before
    assert {name: local.digest(name) for name in NAMES} == digests
    assert broken_invariants(local.engine) == {}


def test_nothing_is_dropped_unless_it_is_asked_for(make_worker: Callable[..., LocalWorker]) -> None:
    local = make_worker()
    before = numbers(local, "talk")
    age(local, "talk")
    local.worker.expire()
    assert numbers(local, "talk") == before


def test_a_conversation_that_is_in_use_keeps_its_rows(tf: Turnfold, local: LocalWorker) -> None:
    before = numbers(local, "talk")
    age(local, "code")
    local.worker.expire()
    assert numbers(local, "talk") == before
    age(local, "talk")
    tf.append("talk", [{"role": "user", "content": "Is anybody there?"}])
    local.drain()
    local.worker.expire()
    assert numbers(local, "talk") == before, "a turn waits to be folded"


def test_a_context_says_what_it_missed_and_what_to_do(tf: Turnfold, local: LocalWorker) -> None:
    drop(local, "talk")
    context = asked(tf)
    assert context.report.degraded
    assert context.report.answerable is None
    (left_out,) = [left for left in context.report.left_out if "search rows" in left.what]
    assert left_out.reach.startswith("context()")
    assert rung(local) == [f"{Task.COMPRESS} {id_of(local, 'talk')}"]


def test_contexts_that_look_for_nothing_are_as_before(tf: Turnfold, local: LocalWorker) -> None:
    before = tf.context("talk", budget_tokens=800, query=False)
    drop(local, "talk")
    with Turnfold(settings=tf._settings) as fresh:
        after = fresh.context("talk", budget_tokens=800, query=False)
    assert after.text == before.text
    assert not after.report.degraded
    assert rung(local) == []


def test_what_the_newest_turn_is_about_is_looked_for_too(tf: Turnfold, local: LocalWorker) -> None:
    drop(local, "talk")
    assert tf.context("talk", budget_tokens=800).report.degraded
    make_whole(local, "talk")
    assert not tf.context("talk", budget_tokens=800).report.degraded


def test_a_context_that_missed_rows_is_not_remembered(tf: Turnfold, local: LocalWorker) -> None:
    drop(local, "talk")
    first, second = asked(tf), asked(tf)
    assert first.report.degraded
    assert second.report.degraded
    local.client.delete(keys.rung_for(Queue.COMPRESS))
    asked(tf)
    assert rung(local), "a ring that was lost is rung again"


@pytest.mark.parametrize(
    "look",
    [
        lambda tf: tf.search("talk", QUERY),
        lambda tf: tf.tiers("talk", query=QUERY),
        lambda tf: tf.timeline("talk", QUERY),
        lambda tf: asked(tf, as_of=datetime(2030, 1, 1, tzinfo=UTC)).text,
        lambda tf: asked(tf, policy="recency").text,
        lambda tf: asked(tf, speakers=["user"]).text,
    ],
    ids=["search", "tiers", "timeline", "as_of", "recency", "speakers"],
)
def test_every_look_for_words_has_them_made_again(
    tf: Turnfold, local: LocalWorker, look: Callable[[Turnfold], object]
) -> None:
    with Turnfold(settings=tf._settings) as fresh:
        whole = look(fresh)
    drop(local, "talk")
    look(tf)
    make_whole(local, "talk")
    with Turnfold(settings=tf._settings) as fresh:
        assert look(fresh) == whole


def test_tiers_do_without_what_a_query_is_about(tf: Turnfold, local: LocalWorker) -> None:
    without = tf.tiers("talk", rules=MemoryTiers())
    drop(local, "talk")
    assert tf.tiers("talk", query=QUERY, rules=MemoryTiers()) == without


def test_what_is_not_folded_yet_is_found_meanwhile(tf: Turnfold, local: LocalWorker) -> None:
    drop(local, "talk")
    tf.append("talk", [{"role": "user", "content": "The zeppelin hangar needs a new roof."}])
    hits = tf.search("talk", "zeppelin hangar")
    assert hits
    assert {hit.kind for hit in hits} == {"turn"}
    assert "zeppelin" in hits[0].snippet


def test_a_fold_after_the_drop_restores_first(tf: Turnfold, local: LocalWorker) -> None:
    more = talk("more", 40)
    with_more = [*talk("idle", 110), *more]
    tf.append("whole", with_more[:110])
    local.settle()
    drop(local, "talk")
    for name in ("talk", "whole"):
        tf.append(name, more)
    local.settle()
    assert MARK not in numbers(local, "talk")
    assert numbers(local, "talk") == numbers(local, "whole")
    assert local.digest("talk") == local.digest("whole")
    assert not asked(tf).report.degraded


@pytest.mark.parametrize(
    ("change", "standing"), [("edit", 0), ("edit", 3), ("delete", 3), ("rewind", 3), ("rewind to nothing", 0)]
)
def test_turns_that_change_meanwhile_leave_the_rows_of_one_that_lost_nothing(
    tf: Turnfold, local: LocalWorker, change: str, standing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [turn["turn_id"] for turn in talk_with_ids("idle", 50)]
    for name in ("lost", "whole"):
        tf.append(name, talk_with_ids("idle", 50))
    local.settle()
    drop(local, "lost")
    made_in_part(local, "lost", standing, monkeypatch)
    for name in ("lost", "whole"):
        if change == "edit":
            tf.edit(name, ids[20], content="We never decided about the zeppelin.")
        elif change == "delete":
            tf.delete(name, ids[20])
        else:
            tf.rewind(name, after=ids[40] if change == "rewind" else ids[1])
    local.settle()
    if MARK in numbers(local, "lost"):
        local.worker.fold_due(id_of(local, "lost"))
        local.settle()
    assert numbers(local, "lost") == numbers(local, "whole")
    assert local.digest("lost") == local.digest("whole")
    assert broken_invariants(local.engine) == {}


def talk_with_ids(seed: str, turns: int) -> list[dict[str, object]]:
    return [{**turn, "turn_id": f"t{number}"} for number, turn in enumerate(talk(seed, turns))]


def made_in_part(local: LocalWorker, name: str, standing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rebuild the postings of the first segments, as a task does that runs out of time."""
    if not standing:
        return
    tail, made = local.worker.store.tail(id_of(local, name), 1), itertools.count(1)
    assert tail is not None
    search_rows.make_again(tail, local.worker.store, total=False, is_over=lambda: next(made) == standing)
    with local.engine.connect() as connection:
        body = connection.scalar(
            text("SELECT body FROM posting WHERE conversation = :id AND number = -1"), {"id": id_of(local, name)}
        )
    assert bytes(body) == pack_mark(standing)


def test_a_forgotten_conversation_leaves_nothing(tf: Turnfold, local: LocalWorker) -> None:
    drop(local, "talk")
    id_ = id_of(local, "talk")
    tf.forget("talk", timeout_seconds=0)
    local.settle()
    with local.engine.connect() as connection:
        assert connection.scalar(text("SELECT COUNT(*) FROM posting WHERE conversation = :id"), {"id": id_}) == 0
    tf.append("talk", [{"role": "user", "content": "Hello again."}])
    local.settle()
    assert not asked(tf).report.degraded


def test_words_that_retention_took_meanwhile_are_found_by_notes(
    tf: Turnfold, make_worker: Callable[..., LocalWorker]
) -> None:
    local = make_worker(keep_search_days=DAYS, keep_level0_days=90)
    drop(local, "talk")
    with local.write_engine.begin() as connection:
        connection.execute(text("UPDATE node SET closed_at = closed_at - 8640000000 WHERE height = 0 AND idx < 4"))
        connection.execute(text("UPDATE conversation SET words_since = words_since - 8640000000"))
    assert local.worker.expire() > 0
    assert asked(tf).report.degraded
    make_whole(local, "talk")
    again = asked(tf)
    assert not again.report.degraded
    assert MARK not in numbers(local, "talk")
    assert {posting[1] for posting in postings(local, "talk")} >= {0, 1, 2, 3}, "also of segments without words"
    age(local, "talk")
    local.worker.expire()
    assert MARK not in numbers(local, "talk"), "what could not be made again is kept"


def postings(local: LocalWorker, name: str) -> list[tuple[str, int, int, bytes]]:
    with local.engine.connect() as connection:
        rows = connection.execute(
            text("SELECT number, body FROM posting WHERE conversation = :id AND number >= 0"),
            {"id": id_of(local, name)},
        )
        return [posting for row in rows for posting in Piece(row.number, bytes(row.body)).all()]


def test_passages_of_other_rules_are_what_the_rows_point_to(
    tf: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = sorted(postings(local, "talk"))
    drop(local, "talk")
    monkeypatch.setattr("turnfold_worker.pipeline.notes.search_rows.noted", lambda _: [])
    asked(tf)
    make_whole(local, "talk")
    again = sorted(postings(local, "talk"))
    assert [posting[:2] for posting in again] == [posting[:2] for posting in whole]
    assert sum(posting == other for posting, other in zip(again, whole, strict=True)) > 0.95 * len(whole)


def test_rules_that_fail_cost_no_more_than_words_that_no_note_says(
    tf: Turnfold, make_worker: Callable[..., LocalWorker], monkeypatch: pytest.MonkeyPatch
) -> None:
    local = make_worker(keep_search_days=DAYS, attempts=2)
    digest = local.digest("talk")
    drop(local, "talk")

    def fails(*_: object) -> None:
        msg = "a rule"
        raise ValueError(msg)

    monkeypatch.setattr("turnfold_worker.use_cases.search_rows.postings_again", fails)
    asked(tf)
    id_ = id_of(local, "talk")
    for _ in range(3):
        local.worker.fold_due(id_)
        with local.write_engine.begin() as connection:
            connection.execute(text("UPDATE job SET not_before = 0 WHERE kind = 'compress' AND state = 'due'"))
    local.settle()
    assert MARK not in numbers(local, "talk")
    assert local.digest("talk") != digest
    assert not asked(tf).report.degraded
    with local.engine.connect() as connection:
        plain = connection.scalar(
            text("SELECT COUNT(*) FROM node WHERE conversation = :id AND method <> 1"), {"id": id_}
        )
    assert plain == 0, "no segment got plain words for it"


def test_a_slice_that_is_over_goes_on_where_it_ended(
    tf: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []

    def one(tail: Tail, store: SqlStore, *, total: bool, is_over: Callable[[], bool]) -> None:
        looks.append(tail.postings_standing)
        search_rows.make_again(tail, store, total=total, is_over=lambda: True)

    monkeypatch.setattr("turnfold_worker.use_cases.fold.make_again", one)
    digest = local.digest("talk")
    drop(local, "talk")
    asked(tf)
    make_whole(local, "talk")
    assert looks == [*range(len(looks))]
    assert len(looks) > 8
    assert MARK not in numbers(local, "talk")
    assert local.digest("talk") == digest


def test_two_workers_make_each_segment_again_once(tf: Turnfold, local: LocalWorker) -> None:
    digest = local.digest("talk")
    drop(local, "talk")
    store, id_ = local.worker.store, id_of(local, "talk")
    first, second = store.tail(id_, 1), store.tail(id_, 1)
    assert first is not None
    assert second is not None
    search_rows.make_again(first, store, total=False, is_over=lambda: True)
    search_rows.make_again(second, store, total=False, is_over=lambda: False)
    assert MARK in numbers(local, "talk"), "whoever comes second writes nothing"
    local.worker.fold_due(id_)
    local.settle()
    assert local.digest("talk") == digest


def test_what_is_written_to_between_the_look_and_the_drop_is_kept(
    tf: Turnfold, local: LocalWorker, make_worker: Callable[..., LocalWorker]
) -> None:
    before = numbers(local, "talk")
    age(local, "talk", "code")
    search = local.worker.idle_search
    assert search is not None
    lists, _ = search.idle(DAYS, after=ConversationId(0))
    tf.append("talk", [{"role": "user", "content": "I am back."}])
    make_worker().drain()
    dropped = sum(search.drop(conversations, DAYS) for conversations in lists)
    assert dropped == 1
    assert numbers(local, "talk") == before
    assert numbers(local, "code") == [MARK]


def test_a_look_goes_on_where_the_last_one_ended(
    tf: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_dropped_postings, "LOOKED_AT_ONCE", 1)
    age(local, *NAMES)
    search = local.worker.idle_search
    assert search is not None
    reached = []
    while not drop_idle(DAYS, search=search, seconds=0.0, clock=lambda: 0.0):
        reached.append(search.reached())
    assert reached == sorted(id_of(local, name) for name in NAMES)
    assert [numbers(local, name) for name in ("talk", "code")] == [[MARK], [MARK]]
    assert search.reached() == 0, "after the last conversation comes the first"


def test_a_look_that_finds_nothing_is_enough_and_the_next_one_goes_on(
    local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_dropped_postings, "LOOKED_AT_ONCE", 1)
    search = local.worker.idle_search
    assert search is not None
    assert drop_idle(DAYS, search=search, seconds=0.0, clock=lambda: 0.0)
    first = search.reached()
    assert first == min(id_of(local, name) for name in NAMES)
    assert drop_idle(DAYS, search=search, seconds=0.0, clock=lambda: 0.0)
    assert search.reached() > first


def test_what_folds_remember_of_an_open_tail_goes_too(tf: Turnfold, local: LocalWorker) -> None:
    def memos() -> int:
        with local.engine.connect() as connection:
            return int(connection.scalar(text("SELECT COUNT(*) FROM turn_memo")) or 0)

    digest = local.digest("short")
    assert memos() > 0
    age(local, *NAMES)
    local.worker.expire()
    assert memos() == 0
    assert numbers(local, "short") == [], "one without a segment has no postings to lose"
    assert local.digest("short") == digest


@pytest.mark.parametrize("reached", ["", "no number", "-3", "9" * 30])
def test_a_mark_that_is_no_number_begins_anew(local: LocalWorker, reached: str) -> None:
    with local.write_engine.begin() as connection:
        connection.execute(
            text("INSERT INTO meta (key, value) VALUES (:key, :value)"),
            {"key": sql_dropped_postings.REACHED_KEY, "value": reached},
        )
    age(local, "talk")
    local.worker.expire()
    local.worker.expire()
    assert numbers(local, "talk") == [MARK]


def test_an_archive_holds_what_is_there_and_is_made_whole_where_it_was_imported(
    tf: Turnfold, local: LocalWorker
) -> None:
    whole, digest = asked(tf), local.digest("talk")
    drop(local, "talk")
    restore(
        local.write_engine, tf.export("talk").splitlines(keepends=True), name="archive",
        wanted=Wanted(tenant="acme", rename="copy"), begin=lambda *_: None, turn_read=lambda: None,
    )  # fmt: skip
    assert numbers(local, "copy") == [MARK]
    assert asked(tf, "copy").report.degraded
    make_whole(local, "copy")
    assert local.digest("copy") == digest
    assert unsealed(asked(tf, "copy").text) == unsealed(whole.text)
