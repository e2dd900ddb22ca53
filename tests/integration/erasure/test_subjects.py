"""An end user is forgotten in every conversation of the tenant, and no other user is."""

from __future__ import annotations

import asyncio
import json
from itertools import count as counted
from pathlib import Path
from typing import Any

import pytest
import redis
from click.testing import CliRunner
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from sqlalchemy import Engine

from conftest import LocalWorker
from support.examples import examples
from support.places import shard_of
from support.remnants import traces
from support.stored import broken_invariants
from support.talk import talk
from turnfold import (
    AsyncTurnfold,
    InvalidIdentifier,
    InvalidInput,
    Turnfold,
    Unavailable,
    UnknownConversation,
    subjects,
)
from turnfold.contract.keys import Address
from turnfold.redis.inbox import Changed
from turnfold.settings import Settings
from turnfold_worker.cli import main

ANA, BEN = "user-ana", "user-ben"

_NUMBERS = counted()


def said(word: str, many: int = 12) -> list[dict[str, Any]]:
    """Return turns that all contain a word unique to them; their ids, which stay, do not contain it."""
    return [
        {**turn, "turn_id": f"{word[::-1]}-{i}", "content": f"{word}: {turn['content']}"}
        for i, turn in enumerate(talk(word, many))
    ]


@pytest.fixture
def client(redis_url: str) -> Any:
    with redis.Redis.from_url(redis_url, decode_responses=True) as found:
        yield found


def test_the_subject_of_a_message_is_forgotten_as_that_of_an_append(tf: Turnfold, local: LocalWorker) -> None:
    named = (("quokka", ANA), ("numbat", BEN))
    tf.append("c", [{**turn, "subject": subject} for word, subject in named for turn in said(word, 2)])
    local.settle()
    tf.forget(subject=ANA, timeout_seconds=0)
    local.settle()
    text = tf.context("c", budget_tokens=1_000).text
    assert "numbat" in text
    assert "quokka" not in text


@pytest.mark.parametrize("stored", [True, False])
def test_what_is_one_subjects_alone_goes_whole_and_what_is_shared_keeps_the_others(
    tf: Turnfold, local: LocalWorker, engine: Engine, client: redis.Redis, stored: bool
) -> None:
    tf.append("alone", said("quokka"), subject=ANA)
    tf.append("alone", said("unnamed", 3))
    tf.append("shared", said("wombat"), subject=ANA)
    tf.append("shared", said("numbat"), subject=BEN)
    tf.append("bens", said("bilby"), subject=BEN)
    tf.for_tenant("other").append("alone", said("theirs"), subject=ANA)
    if stored:
        local.settle()

    receipt = tf.forget(subject=ANA, timeout_seconds=0)
    assert not receipt.completed
    with pytest.raises(UnknownConversation):
        tf.turns("alone")
    assert "wombat" not in tf.context("shared", budget_tokens=4_000).text
    local.settle()

    receipt = tf.forget(subject=ANA, timeout_seconds=0)
    assert (receipt.completed, receipt.conversations, receipt.shared) == (True, (), {})
    assert traces(engine, client, "quokka", "wombat", "unnamed") == []
    assert {turn.content.split(":")[0] for turn in tf.turns("shared")} == {"", "numbat"}
    assert len(tf.turns("shared")) == 24
    assert len(tf.turns("bens")) == len(tf.for_tenant("other").turns("alone")) == 12
    assert broken_invariants(engine) == {}


def test_the_receipt_says_what_was_erased(tf: Turnfold, local: LocalWorker, engine: Engine) -> None:
    tf.append("alone", said("quokka"), subject=ANA)
    tf.append("shared", said("wombat"), subject=ANA)
    tf.append("shared", said("numbat"), subject=BEN)
    local.settle()
    tf.append("alone", said("later", 2), subject=ANA)

    receipt = tf.forget(subject=ANA, timeout_seconds=0)
    assert receipt.subject == ANA
    assert [(one.conversation_id, one.inbox_turns) for one in receipt.conversations] == [("alone", 2)]
    assert receipt.shared == {"shared": 12}
    assert receipt.still_quoted == ()


def test_an_inbox_of_others_makes_a_conversation_shared(tf: Turnfold, local: LocalWorker) -> None:
    tf.append("c", said("wombat"), subject=ANA)
    local.settle()
    tf.append("c", said("numbat"), subject=BEN)
    assert tf.forget(subject=ANA, timeout_seconds=0).shared == {"c": 12}
    tf.append("d", said("numbat"), subject=BEN)
    local.settle()
    tf.append("d", said("wombat"), subject=ANA)
    assert tf.forget(subject=ANA, timeout_seconds=0).shared == {"d": 12}
    local.settle()
    assert {turn.content.split(":")[0] for name in "cd" for turn in tf.turns(name)} == {"", "numbat"}


def test_a_call_that_fails_on_the_way_is_finished_by_the_next(
    tf: Turnfold, local: LocalWorker, engine: Engine, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(4):
        tf.append(f"alone-{number}", said(f"quokka{number}", 3), subject=ANA)
        tf.append(f"shared-{number}", said(f"wombat{number}", 3), subject=ANA)
        tf.append(f"shared-{number}", said("numbat", 3), subject=BEN)
    local.settle()
    inbox = type(tf._resources.inbox())
    for verb in ("forget", "append"):
        done = counted()
        whole = getattr(inbox, verb)

        def dies(self: Any, *arguments: Any, whole: Any = whole, done: Any = done, **named: Any) -> Any:
            if next(done) == 2:
                msg = "Redis went away"
                raise Unavailable(msg)
            return whole(self, *arguments, **named)

        with monkeypatch.context() as patched:
            patched.setattr(inbox, verb, dies)
            with pytest.raises(Unavailable):
                tf.forget(subject=ANA, timeout_seconds=0)
    tf.forget(subject=ANA, timeout_seconds=0)
    local.settle()
    assert tf.forget(subject=ANA, timeout_seconds=0).completed
    assert traces(engine, client, "quokka", "wombat", ANA) == []
    assert [len(tf.turns(f"shared-{number}")) for number in range(4)] == [6] * 4


@pytest.mark.daily_on("postgresql")
@pytest.mark.parametrize("came", ["before", "between the looks", "behind the looks", "after the looks"])
def test_what_others_append_stays_however_workers_and_they_overtake_the_call(
    tf: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch, came: str
) -> None:
    """The other user's first turn leaves the inbox between two looks or after the last one, or arrives at the end.

    After the last look, it leaves the inbox as empty as the call saw it.
    """
    tf.append("c", said("wombat"), subject=ANA)
    local.settle()
    if came == "before":
        tf.append("c", said("numbat"), subject=BEN)
    reader, inbox = type(tf._resources.reader()), type(tf._resources.inbox())
    read, forget, calls = reader.read, inbox.forget, counted()

    def read_and_store(self: Any, look: Any) -> Any:
        answer = read(self, look)
        if next(calls) == (came == "behind the looks"):
            if came != "before":
                tf.append("c", said("numbat"), subject=BEN)
            local.settle()
        return answer

    def append_and_forget(self: Any, *arguments: Any, **named: Any) -> Any:
        if next(calls) == 0:
            tf.append("c", said("numbat"), subject=BEN)
        return forget(self, *arguments, **named)

    with monkeypatch.context() as patched:
        if came == "after the looks":
            patched.setattr(inbox, "forget", append_and_forget)
        else:
            patched.setattr(reader, "read", read_and_store)
        receipt = tf.forget(subject=ANA, timeout_seconds=0)
    local.settle()
    assert receipt.shared == {"c": 12}
    assert [turn.content for turn in tf.turns("c") if turn.content] == [turn["content"] for turn in said("numbat")]


def test_a_second_look_hides_nothing_from_the_first(tf: Turnfold, local: LocalWorker) -> None:
    """Of two concurrent calls, the first has not seen what was stored before the second one looked."""
    inbox, address = tf._resources.inbox(), Address("acme", "c")
    first = inbox.seen(address)
    tf.append("c", said("numbat"), subject=BEN)
    local.settle()
    second = inbox.seen(address)
    with pytest.raises(Changed):
        inbox.forget(address, seen=first)
    assert len(tf.turns("c")) == 12
    assert inbox.forget(address, seen=second) == 0


def test_a_conversation_that_is_written_to_all_the_time_is_told(
    tf: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Turns of the subject's own producers, or of no subject, cause an error; once they stop, the conversation goes."""
    inbox, turns = type(tf._resources.inbox()), counted()
    forget = inbox.forget
    tf.append("c", said("wombat"), subject=ANA)

    def append_and_forget(self: Any, *arguments: Any, **named: Any) -> Any:
        tf.append("c", {"role": "user", "content": f"wombat {next(turns)}"})
        return forget(self, *arguments, **named)

    with monkeypatch.context() as patched:
        patched.setattr(inbox, "forget", append_and_forget)
        with pytest.raises(Unavailable, match="turns kept arriving"):
            tf.forget(subject=ANA, timeout_seconds=0)
    tf.forget(subject=ANA, timeout_seconds=0)
    local.settle()
    with pytest.raises(UnknownConversation):
        tf.turns("c")


def test_words_that_retention_removes_before_they_are_deleted_are_told_of(
    tf: Turnfold, local: LocalWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    tf.configure("c", settings={"segment_max_turns": 6})
    tf.append("c", said("wombat", 30), subject=ANA)
    tf.append("c", said("numbat", 3), subject=BEN)
    local.settle()
    delete = subjects._delete

    def expires(*arguments: Any) -> None:
        with local.write_engine.begin() as connection:
            connection.exec_driver_sql("UPDATE conversation SET expired_seq = 12")
            connection.exec_driver_sql("UPDATE turn SET content = '', state = 2 WHERE seq <= 12")
        delete(*arguments)

    monkeypatch.setattr(subjects, "_delete", expires)
    receipt = tf.forget(subject=ANA, timeout_seconds=0)
    local.settle()
    assert receipt.shared == {"c": 30}
    assert receipt.still_quoted == ("c",)


def test_turns_whose_words_retention_removed_are_told_of(tf: Turnfold, local: LocalWorker, engine: Engine) -> None:
    tf.configure("c", settings={"segment_max_turns": 6})
    tf.append("c", said("wombat", 30), subject=ANA)
    tf.append("c", said("numbat", 3), subject=BEN)
    local.settle()
    with local.write_engine.begin() as connection:
        connection.exec_driver_sql("UPDATE conversation SET expired_seq = 6")
    receipt = tf.forget(subject=ANA, timeout_seconds=0)
    assert (receipt.still_quoted, receipt.shared) == (("c",), {"c": 24})


def test_wrong_calls_are_explained(tf: Turnfold) -> None:
    with pytest.raises(InvalidInput, match="subject="):
        tf.forget()  # type: ignore[call-overload]
    with pytest.raises(InvalidInput, match="subject="):
        tf.forget("c", subject=ANA)  # type: ignore[call-overload]
    for subject in ("", "a\nb", "x" * 201, 7):
        with pytest.raises(InvalidIdentifier, match="subject must"):
            tf.append("c", said("quokka"), subject=subject)  # type: ignore[arg-type]
        with pytest.raises(InvalidIdentifier, match="subject must"):
            tf.forget(subject=subject)  # type: ignore[call-overload]


def test_the_command_and_the_async_client_do_the_same(
    tf: Turnfold, local: LocalWorker, settings: Settings, redis_url: str, database_url: str
) -> None:
    async def both() -> None:
        async with AsyncTurnfold(settings=settings) as client:
            await client.append("alone", said("quokka"), subject=ANA)
            receipt = await client.forget(subject=ANA, timeout_seconds=0)
            assert [one.conversation_id for one in receipt.conversations] == ["alone"]

    asyncio.run(both())
    local.settle()
    tf.append("shared", said("wombat"), subject=ANA)
    tf.append("shared", said("numbat"), subject=BEN)
    local.settle()

    def run(*arguments: str) -> Any:
        servers = ("--redis-url", redis_url, "--database-url", database_url, "--tenant", "acme")
        return CliRunner().invoke(main, [*servers, "forget", *arguments])

    assert "--subject" in run().output
    assert "is the id right?" in run("--subject", "nobody", "--yes").output
    tf.forget(subject=ANA, timeout_seconds=0)
    local.settle()
    assert json.loads(run("--subject", ANA, "--yes", "--json").stdout)["completed"] is True


@pytest.mark.daily_on("sqlite")
@examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_nothing_of_a_subject_is_left_and_nothing_of_others_is_lost(
    tf: Turnfold, local: LocalWorker, engine: Engine, client: redis.Redis, tmp_path: Path, data: st.DataObject
) -> None:
    """This holds for any mix of the subject's turns in inboxes, SQL and segments, edited or cut off."""
    number = next(_NUMBERS)
    ana = f"ana-{number}"
    mine, others = f"quokka{number}", f"numbat{number}"
    names = [f"c-{number}-{i}" for i in range(2)]
    kept: dict[str, list[str]] = {name: [] for name in names}
    shared: set[str] = set()
    for round_ in range(data.draw(st.integers(1, 5), label="rounds")):
        name, is_mine = data.draw(st.sampled_from(names)), data.draw(st.booleans(), label="mine")
        turns = said(mine if is_mine else others, data.draw(st.integers(1, 9)))
        turns = [{**turn, "turn_id": f"{round_}-{turn['turn_id']}"} for turn in turns]
        tf.append(name, turns, subject=ana if is_mine else BEN)
        if is_mine and data.draw(st.booleans(), label="edits"):
            tf.edit(name, turns[0]["turn_id"], content=f"{mine} again")
        if not is_mine:
            shared.add(name)
            kept[name] += [turn["content"] for turn in turns]
        work = data.draw(st.sampled_from(["none", "drain", "settle"]), label="work")
        if work == "settle":
            local.settle()
        elif work == "drain":
            local.worker.drain(shard_of(Address("acme", name)))
    tf.forget(subject=ana, timeout_seconds=0)
    local.settle()
    assert traces(engine, client, mine, ana) == []
    left = {name: [turn.content for turn in tf.turns(name) if turn.content] for name in shared}
    assert left == {name: kept[name] for name in shared}
    assert broken_invariants(engine) == {}
