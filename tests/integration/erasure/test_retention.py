"""Level 0 expires some days after its segment closed; anything derived from it stays; a model may reconstruct it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, text

from conftest import Filling, LocalWorker, refinery_of
from support.refinery import Refinery
from support.stored import broken_invariants
from support.talk import talk
from support.waiting import wait_until
from turnfold import InvalidInput, Turnfold, Unavailable
from turnfold.contract import keys
from turnfold.contract.records import ConversationId
from turnfold.contract.results import Expansion
from turnfold.contract.tables import NodeRow, TurnRow, table
from turnfold.contract.tasks import Task
from turnfold.resources import Resources
from turnfold_worker import wiring
from turnfold_worker.adapters.sql import retention as sql_retention
from turnfold_worker.adapters.sql.retention import SqlRetention
from turnfold_worker.errors import Refused
from turnfold_worker.testing.model_server import OpenAIServer, Request
from turnfold_worker.use_cases import expire_turns
from turnfold_worker.use_cases.expire_turns import expire

TURNS = 72


@pytest.fixture(scope="module")
def filled() -> Filling:
    """Folds a conversation and refines it with a model."""

    def fill(tf: Turnfold, make_worker: Callable[..., LocalWorker]) -> None:
        with OpenAIServer() as server:
            refinery_of(tf, make_worker, server, refine="on").fold("c", TURNS)

    return fill


@pytest.fixture
def aged(make_refinery: Callable[..., Refinery]) -> Refinery:
    """A worker that keeps words for a week, and a conversation whose first eight segments are older."""
    refinery = make_refinery(refine="on", keep_level0_days=7)
    age(refinery)
    return refinery


def age(refinery: Refinery) -> None:
    with refinery.local.write_engine.begin() as connection:
        connection.execute(text("UPDATE node SET closed_at = closed_at - 864000000 WHERE height = 0 AND idx < 8"))
        connection.execute(text("UPDATE conversation SET words_since = words_since - 864000000"))


def due(retention: SqlRetention) -> list[ConversationId]:
    """Return the conversations with words older than a week."""
    tenants, _ = retention.next_tenants(7, after="")
    (until,) = tenants.values()
    return retention.expirable("acme", until, most=10)


def last_seq(refinery: Refinery) -> int:
    return int(refinery.query("SELECT last_seq FROM node WHERE height = 0 AND idx = 7")[0][0])


def test_words_go_and_everything_else_stays(aged: Refinery) -> None:
    anchors, levels = aged.tf.anchors("c", states=None), aged.levels(refined=0)
    gone = last_seq(aged)
    assert aged.local.worker.expire() == gone
    assert aged.local.worker.expire() == 0
    assert aged.count("turn WHERE state = 2 AND content = '' AND parts IS NULL AND metadata IS NULL") == gone
    assert aged.count("turn WHERE state = 0") == TURNS - gone
    assert aged.tf.anchors("c", states=None) == anchors
    assert aged.levels(refined=0) == levels
    assert broken_invariants(aged.local.engine) == {}
    expansion = aged.tf.expand("c", "L0:1")
    assert "[expired]" in expansion.text
    assert aged.tf.expand("c", "L1:1").text


def with_code(many: int) -> list[dict[str, str]]:
    """Return turns with code and with text so long that its parts are listed."""
    lines = "\n".join(f"    total_{n} = price_{n} * {n}" for n in range(12))
    turns = []
    for n in range(many):
        turns.append({"role": "user", "content": f"Show me step {n} of the invoice export, please."})
        sections = [f"## Part {part} of {n}\n\n" + f"Step {n} writes invoices to a file. " * 90 for part in range(3)]
        code = f"```python\ndef step_{n}():\n{lines}\n```"
        turns.append({"role": "assistant", "content": "\n\n".join([code, *sections])})
    return turns


SERVING_WORDS = ("turn_vector", "block_list", "part_list")


def test_what_serves_words_alone_goes_with_them(make_refinery: Callable[..., Refinery]) -> None:
    refinery = make_refinery(refine="off", keep_level0_days=7)
    refinery.tf.append("code", [{"role": "system", "content": "# Rules\n\n" + "Answer in Portuguese. " * 400}])
    refinery.tf.append("code", with_code(30))
    refinery.local.settle()
    (id_,) = refinery.query("SELECT id FROM conversation WHERE external_id = 'code'")[0]
    with refinery.local.write_engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO turn_vector (conversation, seq, model, content_hash, vector) "
                "SELECT conversation, seq, 'some model', content_hash, content_hash FROM turn"
            )
        )
    before = {name: refinery.count(f"{name} WHERE conversation = {id_}") for name in SERVING_WORDS}
    assert min(before.values()) > 8, before
    age(refinery)

    assert refinery.local.worker.expire() > 0

    ((expired,),) = refinery.query(f"SELECT expired_seq FROM conversation WHERE id = {id_}")
    assert refinery.count("turn_vector JOIN conversation ON id = conversation WHERE seq <= expired_seq") == 0
    assert refinery.count(f"turn_vector WHERE conversation = {id_}") == before["turn_vector"] - expired
    operators = refinery.query(f"SELECT idx FROM node WHERE conversation = {id_} AND height = 0 AND first_seq = 1")
    for name in ("block_list", "part_list"):
        left = refinery.query(f"SELECT idx FROM {name} WHERE conversation = {id_} AND idx < 8")
        assert left in ([], operators), "an operator's words hold, and so does what serves them"
        assert 0 < refinery.count(f"{name} WHERE conversation = {id_}") < before[name]
    assert "step_29" in refinery.tf.context("code", budget_tokens=12_000, query="the code of step_29").text
    assert broken_invariants(refinery.local.engine) == {}


def test_a_context_shows_removed_turns_by_what_is_kept(aged: Refinery) -> None:
    aged.local.worker.expire()
    for policy in ("balanced", "recency"):
        for budget in (400, 2_000, 20_000):
            context = aged.tf.context("c", budget_tokens=budget, policy=policy)
            assert context.tokens <= budget
            assert "[expired]" not in context.text
            assert context.coverage is not None


def test_what_held_on_a_day_is_told_after_the_words_are_gone(make_refinery: Callable[..., Refinery]) -> None:
    refinery = make_refinery(refine="off", keep_level0_days=7)
    said = [
        {"role": "user", "content": "The budget for the offsite is 2,000 euros.", "created_at": "2026-05-01T09:00:00Z"},
        *({**turn, "created_at": "2026-05-03T09:00:00Z"} for turn in talk("filler", 30)),
        {"role": "user", "content": "The budget for the offsite is 3,500 euros.", "created_at": "2026-05-20T09:00:00Z"},
        *({**turn, "created_at": "2026-05-21T09:00:00Z"} for turn in talk("more", 30)),
    ]
    refinery.fold("c", said)
    day = datetime(2026, 5, 10, tzinfo=UTC)
    before = refinery.tf.anchors("c", as_of=day)
    age(refinery)
    assert refinery.local.worker.expire() > 1

    assert refinery.tf.anchors("c", as_of=day) == before
    then = refinery.tf.context("c", budget_tokens=800, as_of=day).text
    assert "2,000 euros" in then
    assert "3,500" not in then
    assert "3,500 euros (before: 2,000, until 20 May)" in refinery.tf.context("c", budget_tokens=3_000).text


def test_what_is_not_folded_is_never_removed(make_refinery: Callable[..., Refinery]) -> None:
    refinery = make_refinery(refine="off", keep_level0_days=1e-9)
    closed = refinery.tf.status("c").closed
    wait_until(lambda: refinery.local.worker.expire() or refinery.count("turn WHERE state = 2"))
    assert refinery.count("turn WHERE state = 2") == closed < TURNS
    refinery.tf.append("c", talk("more", 60))
    refinery.local.settle()
    assert refinery.tf.status("c").folded == TURNS + 60


def test_without_the_setting_nothing_goes(make_refinery: Callable[..., Refinery]) -> None:
    refinery = make_refinery(refine="off")
    assert refinery.local.worker.expire() == 0


def test_a_sweep_looks_for_old_turns_once_an_hour(make_refinery: Callable[..., Refinery]) -> None:
    aged = make_refinery(refine="on", keep_level0_days=7)
    aged.local.worker.sweep_in_turn()
    age(aged)
    aged.local.client.delete(keys.SWEEP)
    aged.local.worker.sweep_in_turn()
    assert aged.count("turn WHERE state = 2") == 0, "somebody looked within this hour"
    aged.local.client.delete(keys.EXPIRE, keys.SWEEP)
    aged.local.worker.sweep_in_turn()
    assert aged.count("turn WHERE state = 2") == last_seq(aged)


def test_a_segment_without_words_is_not_folded_again(aged: Refinery) -> None:
    aged.local.worker.expire()
    id_ = ConversationId(aged.query("SELECT id FROM conversation")[0][0])
    with pytest.raises(Refused, match="retention"):
        aged.local.worker.store.closed_segment(id_, 0)


def test_an_expiry_that_comes_late_takes_nothing_back_and_no_young_turn(aged: Refinery) -> None:
    """Between the look and the removal, another worker may remove more turns, or a rewind reopen the segments."""
    retention = aged.local.worker.retention
    assert retention is not None
    (id_,) = due(retention)
    gone = last_seq(aged)
    assert retention.expire([id_], 7) == gone
    assert retention.expire([id_], 8) == 0, "a worker that keeps turns longer"
    assert aged.query("SELECT expired_seq FROM conversation") == [(gone,)]


def test_turns_that_became_young_since_the_look_stay(aged: Refinery) -> None:
    retention = aged.local.worker.retention
    assert retention is not None
    (id_,) = due(retention)
    aged.tf.rewind("c", after=aged.query("SELECT turn_id FROM turn WHERE seq = 1")[0][0])
    aged.local.settle()
    aged.tf.append("c", talk("again", 80))
    aged.local.settle()
    assert retention.expire([id_], 7) == 0
    assert aged.count("turn WHERE state = 2") == 0


def test_what_was_sent_of_a_parked_turn_goes_with_the_words_around_it(aged: Refinery) -> None:
    waits = (
        "INSERT INTO parked_entry (conversation, entry_id, seq, payload, error, parked_at, state, attempts) "
        "SELECT id, :entry, :seq, :payload, 'unreadable', 1, :state, 1 FROM conversation"
    )
    old, young = last_seq(aged), last_seq(aged) + 1
    with aged.local.write_engine.begin() as connection:
        for entry, seq, state in (("a", old, "parked"), ("b", old - 1, "skipped"), ("c", young, "parked")):
            connection.execute(text(waits), {"entry": entry, "seq": seq, "payload": b"secret words", "state": state})
    aged.local.worker.expire()
    left = aged.query("SELECT entry_id, state, payload FROM parked_entry ORDER BY entry_id")
    assert [(one, state, bytes(payload)) for one, state, payload in left] == [
        ("a", "skipped", b""), ("b", "skipped", b""), ("c", "parked", b"secret words"),
    ]  # fmt: skip


def expanding(refinery: Refinery, monkeypatch: pytest.MonkeyPatch, marker: str, **options: Any) -> list[Any]:
    """Expand while a worker serves the request."""
    asked: list[tuple[int, ...]] = []
    monkeypatch.setattr(
        Resources, "ring", lambda _, task, *numbers: asked.append(numbers) if task is Task.RECONSTRUCT else 0
    )
    over: list[Expansion | Exception] = []

    def ask() -> None:
        try:
            over.append(refinery.tf.expand("c", marker, reconstruct=True, **options))
        except Unavailable as error:
            over.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while thread.is_alive():
        while asked:
            refinery.local.worker.reconstruct(*asked.pop())
        thread.join(0.02)
    return over


def test_a_removed_segment_is_told_anew_under_a_label_and_kept(aged: Refinery, monkeypatch: pytest.MonkeyPatch) -> None:
    aged.local.worker.expire()
    plain = aged.tf.expand("c", "L0:1")
    calls = len(aged.server.requests)
    (first,) = expanding(aged, monkeypatch, "L0:1")
    assert first.reconstructed
    assert first.text.startswith(f"[reconstruction by a model of turns 1-{plain.last_seq}")
    assert (first.first_seq, first.last_seq, first.turns) == (1, plain.last_seq, ())
    assert not plain.reconstructed
    assert [request["model"] for request in aged.server.requests[calls:]] == ["gpt-4o-mini"]
    (again,) = expanding(aged, monkeypatch, "L0:1")
    assert again == first
    assert len(aged.server.requests) == calls + 1
    assert aged.tf.expand("c", "L0:1") == plain, "only who asks for it gets it"
    assert aged.tf.expand("c", "L1:1").text == aged.tf.expand("c", "L1:1").text
    row = aged.query("SELECT model, prompt_version FROM level WHERE level = 0 AND refined = 1")
    assert row == [("gpt-4o-mini", "reconstruct-1")]


def test_a_removed_chapter_is_told_from_its_facts_and_a_range_by_its_segments(
    aged: Refinery, monkeypatch: pytest.MonkeyPatch
) -> None:
    aged.local.worker.expire()
    (chapter,) = expanding(aged, monkeypatch, "L0:c1-1")
    assert chapter.reconstructed
    assert aged.query("SELECT prompt_version FROM level WHERE level = 0") == [("reconstruct-facts-1",)]
    (some,) = expanding(aged, monkeypatch, f"L0:turns-2-{TURNS}")
    assert some.reconstructed
    assert some.text.count("[reconstruction by a model") == 8
    assert some.next_marker == f"L0:turns-{last_seq(aged) + 1}-{TURNS}"


def test_turns_that_are_still_there_are_shown_as_they_are(aged: Refinery, monkeypatch: pytest.MonkeyPatch) -> None:
    (plain,) = expanding(aged, monkeypatch, "L0:1")
    assert not plain.reconstructed
    assert plain == aged.tf.expand("c", "L0:1")


def test_a_reconstruction_that_says_more_than_is_kept_is_refused(
    aged: Refinery, monkeypatch: pytest.MonkeyPatch
) -> None:
    def embellish(request: Request) -> str:
        return json.dumps({"passage": "Then Brunhilde paid 987654 euros in cash."})

    aged.local.worker.expire()
    aged.server.answer = embellish
    (error,) = expanding(aged, monkeypatch, "L0:1", timeout_seconds=0.5)
    assert isinstance(error, Unavailable)
    assert "expand it at level 1" in str(error)
    assert aged.count("level WHERE level = 0") == 0


def test_undoing_takes_reconstructions_along(aged: Refinery, monkeypatch: pytest.MonkeyPatch, tf: Turnfold) -> None:
    from turnfold_worker.adapters.sql.refinement_admin import SqlRefinementAdmin

    aged.local.worker.expire()
    expanding(aged, monkeypatch, "L0:1")
    engine = aged.local.write_engine
    admin = SqlRefinementAdmin(engine, aged.local.worker.refinements.target)  # type: ignore[union-attr]
    admin.undo(aged.query("SELECT id FROM conversation")[0][0])
    assert aged.count("level WHERE refined = 1") == 0


def test_what_retention_removed_is_neither_changed_nor_rewound_into(aged: Refinery) -> None:
    aged.tf.append("c", {"role": "user", "content": "The newest one.", "turn_id": "newest"})
    aged.local.settle()
    aged.local.worker.expire()
    gone = last_seq(aged)
    ids = {turn.seq: turn.turn_id for turn in aged.tf.expand("c", f"L0:turns-1-{TURNS}").turns}
    for ask in (
        lambda: aged.tf.edit("c", ids[3], content="x"), lambda: aged.tf.delete("c", ids[gone]),
        lambda: aged.tf.rewind("c", after=ids[gone - 1]),
    ):  # fmt: skip
        with pytest.raises(InvalidInput, match="retention"):
            ask()
    levels = aged.levels(refined=0)
    aged.tf.rewind("c", after=ids[gone])
    aged.local.settle()
    assert aged.tf.status("c").stored == gone
    assert aged.tf.status("c").segments == 8
    assert [one for one in aged.levels(refined=0) if one in levels] == aged.levels(refined=0)
    aged.tf.append("c", talk("again", 30))
    aged.local.settle()
    assert broken_invariants(aged.local.engine) == {}
    assert "[expired]" in aged.tf.expand("c", "L0:1").text


def test_all_that_is_due_goes_however_many_and_in_slices(
    make_refinery: Callable[..., Refinery], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tenants with retention periods of their own are included; the next sweep finishes what one could not."""
    refinery = make_refinery(refine="off", keep_level0_days=7)
    with refinery.local.write_engine.begin() as connection:
        for name, tenant in (("d", "acme"), ("e", "short"), ("f", "long"), ("g", "ever")):
            copied_conversation(connection, name, tenant)
        for tenant, days in (("short", 3), ("long", 30), ("ever", 0)):
            connection.execute(
                text("INSERT INTO tenant_quota (tenant, retention_days) VALUES (:tenant, :days)"),
                {"tenant": tenant, "days": days},
            )
        connection.execute(text("UPDATE node SET closed_at = closed_at - 864000000"))
        connection.execute(text("UPDATE conversation SET words_since = 1 WHERE words_since > 0"))
    worker = refinery.local.worker
    assert worker.retention is not None
    monkeypatch.setattr(expire_turns, "CONVERSATIONS_AT_ONCE", 1)
    whole = {"clock": lambda: 0.0, "make_whole": lambda *_: True}
    closed = refinery.tf.status("c").closed
    assert expire(7, retention=worker.retention, seconds=0.0, **whole) == (closed, False)
    assert expire(7, retention=worker.retention, seconds=60.0, **whole) == (2 * closed, True)
    assert expire(7, retention=worker.retention, seconds=60.0, **whole) == (0, True)
    left = dict(refinery.query("SELECT external_id, expired_seq FROM conversation"))
    assert left == {"c": closed, "d": closed, "e": closed, "f": 0, "g": 0}
    since = dict(refinery.query("SELECT external_id, words_since IS NULL FROM conversation"))
    assert {name for name, is_null in since.items() if is_null} == {"c", "d", "e"}


def test_the_words_of_a_long_conversation_go_in_several_transactions(
    aged: Refinery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_retention, "TURNS_AT_ONCE", 10)
    retention = aged.local.worker.retention
    assert retention is not None
    gone = last_seq(aged)
    first = retention.expire(due(retention), 7)
    assert 10 <= first < gone
    assert aged.local.worker.expire() == gone - first
    assert aged.query("SELECT expired_seq FROM conversation") == [(gone,)]


def test_a_look_that_is_not_through_is_repeated_by_the_next_sweep(
    aged: Refinery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wiring, "EXPIRY_SECONDS", 0.0)
    aged.local.worker.expire()
    assert aged.local.worker.inbox.start_expiry()
    assert not aged.local.worker.inbox.start_expiry()


def copied_conversation(connection: Connection, name: str, tenant: str) -> None:
    """Copy a conversation with its turns and segments, without a record of their age."""
    insert = text(
        "INSERT INTO conversation (tenant, external_id, turn_count, closed_seq, fold_seq, node_count, revision, "
        "words_since) SELECT :tenant, :name, turn_count, closed_seq, fold_seq, node_count, revision, 0 "
        "FROM conversation WHERE external_id = 'c'"
    )
    connection.execute(insert, {"tenant": tenant, "name": name})
    for rows in (TurnRow, NodeRow):
        names = ", ".join(column.name for column in table(rows).columns if column.name != "conversation")
        connection.execute(
            text(
                f"INSERT INTO {table(rows).name} (conversation, {names}) SELECT (SELECT id FROM conversation "
                f"WHERE external_id = :name), {names} FROM {table(rows).name} "
                "WHERE conversation = (SELECT id FROM conversation WHERE external_id = 'c')"
            ),
            {"name": name},
        )
