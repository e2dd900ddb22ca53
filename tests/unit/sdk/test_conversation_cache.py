"""The conversation cache of a process stays within its size, whatever is cached."""

from __future__ import annotations

from turnfold.assemble.by_value.top_anchors import TopAnchors
from turnfold.assemble.context import Context, Report
from turnfold.assemble.turns import NO_TURNS
from turnfold.contract.keys import Address
from turnfold.contract.records import ConversationId, StoredTurn
from turnfold.contract.results import Head
from turnfold.contract.turn_limits import Shortening
from turnfold.database.conversation_cache import (
    LONGEST_CONTEXT,
    MOST_CONTEXTS,
    Found,
    Known,
    KnownConversations,
    WaitingTurns,
)
from turnfold.wire.inbox_entry import InboxEntry


def known(revision: int = 1) -> Known:
    head = Head(
        id=ConversationId(1), turn_count=9, closed_seq=0, fold_seq=0, node_count=0, anchor_count=0, anchor_tokens=0,
        revision=revision,
    )  # fmt: skip
    return Known(
        head=head, last_part=2, outline=None, anchors=TopAnchors.of(()), turns=NO_TURNS, system_turns=(), whole=True,
        short=Shortening.to(4_096, last_seq=9), longest=0, characters=0,
    )  # fmt: skip


def made(text: str) -> Context:
    report = Report(
        budget_tokens=9, reserve_tokens=0, used_tokens=0, text_tokens=0, openai_tokens=0, anthropic_tokens=0
    )
    return Context(text=text, tokens=0, counter="words", report=report)


def found(one: Known) -> Found:
    return Found(one, one.head, ())


HERE, THERE = Address("acme", "here"), Address("acme", "there")


def test_a_finished_context_is_found_while_its_head_is_the_same() -> None:
    conversations, one = KnownConversations(), known()
    conversations.put(HERE, one)
    conversations.keep(HERE, found(one), "asked", made("words"))
    assert found(one).context("asked") == made("words")
    assert found(one).context("asked otherwise") is None
    assert Found(one, known(revision=2).head, ()).context("asked") is None


def test_few_contexts_are_remembered_and_no_long_one() -> None:
    conversations, one = KnownConversations(), known()
    conversations.put(HERE, one)
    conversations.keep(HERE, found(one), "long", made("w" * (LONGEST_CONTEXT + 1)))
    for number in range(MOST_CONTEXTS + 1):
        conversations.keep(HERE, found(one), number, made("words"))
    assert [*one.contexts] == [*range(1, MOST_CONTEXTS + 1)]


def test_a_conversation_that_was_forgotten_meanwhile_stays_forgotten() -> None:
    conversations, one = KnownConversations(), known()
    conversations.put(HERE, one)
    conversations.drop(HERE)
    conversations.keep(HERE, found(one), "asked", made("words"))
    assert conversations.get(HERE) is None
    assert one.contexts == {}


def test_contexts_count_as_what_is_remembered() -> None:
    conversations, one = KnownConversations(most_characters=60_000), known()
    conversations.put(HERE, one)
    conversations.put(THERE, other := known())
    for number in range(MOST_CONTEXTS):
        conversations.keep(THERE, found(other), number, made("w" * 20_000))
    assert conversations.get(HERE) is None
    assert conversations.get(THERE) is other


def test_a_turn_that_waits_is_decoded_once_whatever_its_number() -> None:
    waiting = WaitingTurns()
    entry = InboxEntry("1-0", "append", "t1", b'{"role": "user", "content": "Hello."}')
    turn = waiting.read(entry, 7)
    assert isinstance(turn, StoredTurn)
    assert (turn.seq, turn.content) == (7, "Hello.")
    assert waiting.read(entry, 7) is turn
    assert waiting.read(entry, 8).seq == 8
    assert waiting.read(entry._replace(body=b'{"role": "user", "content": "Bye."}'), 8).content == "Bye."
