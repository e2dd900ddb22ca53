"""Every read shows an edited or deleted turn at once, and after a drain no trace of its old words remains."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import redis
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.places import shard_of
from support.platforms import POISON, Platform, append_unreadable
from support.remnants import traces
from support.stored import broken_invariants
from support.talk import talk
from turnfold import InvalidInput, InvalidTurn, Turnfold, UnknownConversation, UnknownTurn
from turnfold.contract.keys import Address
from turnfold.contract.tasks import Operation
from turnfold.redis.connections import connect as connect_redis
from turnfold.wire.inbox_entry import InboxEntry
from turnfold_worker.operate.doctor.blocks import check_invariants
from turnfold_worker.operate.doctor.samples import check_samples
from turnfold_worker.use_cases.drain import receive

pytestmark = pytest.mark.daily_on("sqlite")

SMALL = {"segment_max_turns": 6, "segment_min_turns": 2, "segment_target_turns": 4}
OLD = "We decided to use Xyzzydb 7.25 for the Quuxline export, and Grault will send the 4711 euros by Friday."
NEW = "We decided to use Plughdb 9.13 for the Waldline export, and Garply will send the 8152 euros by Monday."
NEEDLES = ("Xyzzydb", "xyzzydb", "Quuxline", "quuxline", "Grault", "grault")
MANY = 60
BUDGETS = (300, 4_000)


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    with connect_redis(redis_url, timeout_seconds=5) as found:
        yield redis.Redis.from_url(redis_url, decode_responses=True)
        found.close()


def said(at: int, many: int = MANY) -> list[dict[str, Any]]:
    """Return a conversation whose turn `at` contains the words to be changed."""
    turns = [{**turn, "turn_id": f"t{i}"} for i, turn in enumerate(talk("edits", many))]
    turns[at]["content"] = OLD
    return turns


def begun(tf: Turnfold, at: int, *, conversation: str = "c") -> None:
    tf.configure(conversation, settings=SMALL)
    tf.append(conversation, said(at))


def drained(local: LocalWorker, conversation: str = "c") -> None:
    local.worker.drain(shard_of(Address("acme", conversation)))


def everything_shown(tf: Turnfold, conversation: str = "c") -> str:
    """Return everything that reads show of a conversation."""
    shown: list[str] = []
    markers: set[str] = set()
    for budget, query, policy in itertools.product(
        BUDGETS, (None, "Which database for the Quuxline export?"), ("balanced", "recency")
    ):
        context = tf.context(conversation, budget_tokens=budget, query=query, policy=policy)
        assert context.tokens <= budget
        shown += [context.text.replace("Which database for the Quuxline export?", ""), str(context.messages("openai"))]
        markers |= set(context.markers)
    shown += [tf.expand(conversation, marker).text for marker in sorted(markers)]
    shown += [anchor.text for anchor in tf.anchors(conversation, states=None)]
    shown += [note.text for note in tf.notes(conversation, states=None, min_importance=0)]
    for asked in ("Quuxline", "Xyzzydb export", "decided"):
        shown += [hit.snippet for hit in tf.search(conversation, asked)]
    return "\n".join(shown)


def assert_gone(shown: str) -> None:
    assert [needle for needle in NEEDLES if needle in shown] == []


CHANGES: dict[str, Callable[[Turnfold], None]] = {
    "edit": lambda tf: tf.edit("c", "t40", content=NEW),
    "delete": lambda tf: tf.delete("c", "t40"),
    "rewind": lambda tf: tf.rewind("c", after="t39"),
}


@pytest.mark.parametrize("many", [MANY, 43], ids=["in a segment", "in the open tail"])
@pytest.mark.parametrize("change", CHANGES)
def test_how_an_action_ended_goes_with_the_turn_that_says_so(
    tf: Turnfold, local: LocalWorker, engine: Engine, client: redis.Redis, change: str, many: int
) -> None:
    turns = said(40, many)
    call = {"id": "a", "type": "function", "function": {"name": "run", "arguments": '{"command": "make export"}'}}
    turns[39] |= {"role": "assistant", "content": None, "tool_calls": [call]}
    turns[40] = {
        "role": "tool", "tool_call_id": "a", "turn_id": "t40", "content": "Error: Quuxline of Xyzzydb is missing",
    }  # fmt: skip
    tf.configure("c", settings=SMALL)
    tf.append("c", turns)
    local.settle()
    assert "make export" in (before := everything_shown(tf))
    assert "Quuxline" in before
    CHANGES[change](tf)
    assert_gone(everything_shown(tf))
    drained(local)
    assert traces(engine, client, *NEEDLES) == []
    local.settle()
    assert_gone(everything_shown(tf))


@pytest.mark.daily_on("postgresql")
@pytest.mark.parametrize("change", CHANGES)
def test_what_was_said_before_is_in_no_read_from_the_call_on_and_nowhere_after_the_drain(
    tf: Turnfold, local: LocalWorker, engine: Engine, client: redis.Redis, change: str
) -> None:
    begun(tf, 40)
    local.settle()
    kept = tf.context("c", budget_tokens=4_000, query="Quuxline").reference()
    assert "Quuxline" in everything_shown(tf)
    CHANGES[change](tf)
    assert_gone(everything_shown(tf))
    drained(local)
    assert_gone(everything_shown(tf))
    assert traces(engine, client, *NEEDLES) == []
    assert broken_invariants(engine) == {}
    local.settle()
    shown = everything_shown(tf)
    assert_gone(shown)
    assert ("Plughdb" in shown) is (change == "edit")
    assert broken_invariants(engine) == {}
    assert tf.wait("c").parked == 0
    with pytest.raises(LookupError):
        tf.resolve(kept)


@pytest.mark.parametrize("budget", [1_000, 4_000])
def test_a_question_finds_new_words_at_once_whether_or_not_they_are_stored(
    tf: Turnfold, local: LocalWorker, budget: int
) -> None:
    begun(tf, 40)
    local.settle()
    tf.edit("c", "t40", content=NEW)
    asked = "Which database for the Waldline export?"
    assert "Plughdb" in tf.context("c", budget_tokens=budget, query=asked).text
    assert tf.search("c", "Waldline export")[0].marker == "L0:turn-41"
    local.settle()
    assert "Plughdb" in tf.context("c", budget_tokens=budget, query=asked).text


@pytest.mark.parametrize("at", [0, 44, MANY - 1])
@pytest.mark.parametrize("change", ["edit", "delete"])
def test_a_turn_that_waits_in_the_inbox_or_the_open_tail_is_changed_like_any_other(
    tf: Turnfold, local: LocalWorker, engine: Engine, client: redis.Redis, change: str, at: int
) -> None:
    begun(tf, at)
    tf.append("c", {"role": "user", "content": "Anything else?", "turn_id": "last"})
    if change == "edit":
        tf.edit("c", f"t{at}", content=NEW)
    else:
        tf.delete("c", f"t{at}")
    assert_gone(everything_shown(tf))
    drained(local)
    assert_gone(everything_shown(tf))
    local.settle()
    assert_gone(everything_shown(tf))
    assert traces(engine, client, *NEEDLES) == []
    turn = tf.expand("c", f"L0:turn-{at + 1}").turns[0]
    assert turn.content == (NEW if change == "edit" else "")
    assert broken_invariants(engine) == {}


def test_after_an_edit_the_rows_are_those_of_the_same_segments_with_the_new_words(
    tf: Turnfold, platform: Platform, engine: Engine
) -> None:
    """The new words have as many tokens, so that neither boundaries nor token counts of later segments change."""
    turns = said(40)
    for name, words in (("c", turns[40]["content"]), ("undisturbed", NEW)):
        tf.configure(name, settings=SMALL)
        tf.append(name, [*turns[:40], {**turns[40], "content": words}, *turns[41:]])
    platform.local.settle()
    tf.edit("c", "t40", content=NEW)
    platform.local.settle()
    ours, theirs = platform.rows("c"), platform.rows("undisturbed")
    for name, rows in theirs.items():
        assert ours[name] == rows, name
    states = [
        [(one.text, str(one.state)) for one in tf.anchors(name, states=None)] for name in ("c", "undisturbed")
    ]  # fmt: skip
    assert states[0] == states[1]


def test_a_repeat_of_entries_changes_nothing_even_after_later_appends(
    tf: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    turns = said(20, 40)
    tf.append("c", turns[:30])
    tf.edit("c", "t20", content=NEW)
    tf.delete("c", "t3")
    tf.rewind("c", after="t25")
    tf.append("c", {"role": "user", "content": "Once more, with care.", "turn_id": "t26"})
    inbox = local.worker.inbox
    (claim,) = inbox.claim([shard_of(Address("acme", "c"))], 10)
    (entries,) = inbox.read([claim], 500)
    inbox.postpone([claim], 0.0)
    local.settle()
    tf.append("c", turns[30:])
    local.settle()
    digest = local.digest("c")
    store = local.worker.store
    (conversation,) = store.resolve([claim.address])
    for read in (entries, entries[:30], entries[29:31], entries[-3:]):
        result = store.store({conversation: [receive(entry) for entry in read]})
        assert result.new_turns == 0
        local.settle()
        assert local.digest("c") == digest
    assert broken_invariants(engine) == {}
    assert tf.expand("c", "L0:turn-27").turns[0].content == "Once more, with care."


def test_what_a_later_turn_had_corrected_is_active_again_when_the_correction_goes(
    tf: Turnfold, local: LocalWorker
) -> None:
    turns = said(60, 70)
    turns[2]["content"] = "The launch of the seat map is on 3 May 2026."
    turns[30]["content"] = "The launch of the seat map is on 7 May 2026."
    tf.configure("c", settings=SMALL)
    tf.append("c", turns)
    local.settle()

    def states() -> dict[str, str]:
        return {one.text: str(one.state) for one in tf.anchors("c", states=None) if "launch" in one.text}

    assert states()[turns[2]["content"]] == "superseded"
    tf.delete("c", "t30")
    local.settle()
    assert states() == {turns[2]["content"]: "active"}


def test_a_promise_is_open_again_when_the_report_of_it_goes(tf: Turnfold, local: LocalWorker) -> None:
    turns = said(60, 70)
    promise, report = "I'll send the seat map to the printer.", "Seat map's sent!"
    turns[2]["content"], turns[30]["content"] = promise, report
    tf.configure("c", settings=SMALL)
    tf.append("c", turns)
    local.settle()

    def states() -> dict[str, str]:
        return {one.text: str(one.state) for one in tf.anchors("c", states=None) if one.text in {promise, report}}

    assert states() == {promise: "resolved", report: "resolved"}
    tf.delete("c", "t30")
    local.settle()
    assert states() == {promise: "active"}


def test_an_anchor_that_is_active_again_is_overtaken_by_what_was_said_later_still(
    tf: Turnfold, local: LocalWorker
) -> None:
    turns = said(60, 70)
    for at, day in ((2, 3), (20, 7), (40, 9)):
        turns[at]["content"] = f"The launch of the seat map is on {day} May 2026."
    tf.configure("c", settings=SMALL)
    tf.append("c", turns)
    local.settle()
    tf.delete("c", "t20")
    local.settle()
    states = {one.text: str(one.state) for one in tf.anchors("c", states=None) if "launch" in one.text}
    assert states == {turns[2]["content"]: "superseded", turns[40]["content"]: "active"}


def test_what_cannot_be_changed_is_said_at_the_call(tf: Turnfold, local: LocalWorker) -> None:
    with pytest.raises(UnknownConversation):
        tf.edit("c", "t1", content="x")
    tf.append("c", said(1, 10))
    for is_stored in (False, True):
        if is_stored:
            local.settle()
        for ask in (
            lambda: tf.edit("c", "nobody", content="x"), lambda: tf.delete("c", "nobody"),
            lambda: tf.rewind("c", after="nobody"),
        ):  # fmt: skip
            with pytest.raises(UnknownTurn, match="nobody"):
                ask()
    with pytest.raises(InvalidTurn, match="delete the turn"):
        tf.edit("c", "t1", content="  ")
    with pytest.raises(InvalidTurn, match="limit"):
        tf.edit("c", "t1", content="x" * 2_000_000)
    with pytest.raises(InvalidInput):
        tf.rewind("c", after="")
    tf.delete("c", "t1")
    with pytest.raises(UnknownTurn, match="deleted"):
        tf.edit("c", "t1", content="x")
    local.settle()
    with pytest.raises(UnknownTurn, match="deleted"):
        tf.edit("c", "t1", content="x")
    tf.delete("c", "t1")
    tf.rewind("c", after="t9")
    local.settle()
    assert tf.status("c").parked == 0
    assert tf.status("c").stored == 10


def test_a_change_that_nobody_could_refuse_in_time_waits_for_a_person(
    tf: Turnfold, local: LocalWorker, engine: Engine
) -> None:
    """Two callers rewind and edit at once, so that the second change meets a turn that is gone."""
    tf.append("c", said(1, 10))
    local.settle()
    store = local.worker.store
    (conversation,) = store.resolve([Address("acme", "c")])
    entries = [
        InboxEntry("1-1", str(Operation.REWIND), "rewind-1", b'{"turn_id":"t4"}'),
        InboxEntry("1-2", str(Operation.EDIT), "edit-1", b'{"turn_id":"t7","content":"late"}'),
        InboxEntry("1-3", str(Operation.DELETE), "delete-1", b"[]"),
    ]
    for _ in range(2):
        store.store({conversation: [receive(entry) for entry in entries]})
    assert tf.status("c").parked == 2
    assert tf.status("c").stored == 5
    tf.append("c", {"role": "user", "content": "Again.", "turn_id": "t7"})
    local.settle()
    store.store({conversation: [receive(entry) for entry in entries]})
    assert tf.expand("c", "L0:turn-6").text.endswith("Again.\n")
    with engine.begin() as connection:
        assert connection.scalar(text("SELECT COUNT(*) FROM turn_change")) == 2


def test_words_on_which_the_rules_fail_are_stored_and_better_ones_end_the_parked_work(
    tf: Turnfold, platform: Platform, engine: Engine, client: redis.Redis
) -> None:
    begun(tf, 40)
    platform.local.settle()
    platform.break_rules()
    tf.edit("c", "t40", content=f"{NEW} {POISON}")
    platform.local.settle()
    assert tf.status("c").parked == 1
    assert_gone(everything_shown(tf))
    assert "Plughdb" in tf.expand("c", "L0:turn-41").text
    tf.edit("c", "t40", content=NEW)
    platform.local.settle()
    assert tf.status("c").parked == 0
    assert traces(engine, client, "Quuxline", POISON) == []
    assert broken_invariants(engine) == {}


def test_a_turn_that_could_not_be_stored_as_it_was_sent_takes_the_words_of_an_edit(
    tf: Turnfold, local: LocalWorker, redis_url: str, engine: Engine, client: redis.Redis
) -> None:
    append_unreadable(redis_url, "c", "broken", b'{"role": "user", "content": Quuxline}')
    local.settle()
    assert tf.status("c").parked == 1
    tf.edit("c", "broken", content="All is well.")
    local.settle()
    assert tf.status("c").parked == 0
    assert tf.expand("c", "L0:turn-1").turns[0].content == "All is well."
    assert traces(engine, client, "Quuxline") == []


@pytest.mark.parametrize("change", CHANGES)
def test_the_doctor_finds_nothing_after_changes(tf: Turnfold, local: LocalWorker, engine: Engine, change: str) -> None:
    begun(tf, 40)
    local.settle()
    CHANGES[change](tf)
    drained(local)
    for _ in range(2):
        assert [finding for finding in check_invariants(engine) if not finding.ok] == []
        local.settle()
    assert [finding for finding in check_samples(engine) if not finding.ok] == []
