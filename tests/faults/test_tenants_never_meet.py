"""Conversations share nothing, even if their names are equal or crafted to collide."""

from __future__ import annotations

import itertools
from collections import defaultdict

import redis
from sqlalchemy import Engine, text

from conftest import LocalWorker
from support.places import place
from support.remnants import permanent_keys
from support.stored import broken_invariants, stored_turns
from turnfold import Turnfold
from turnfold.contract import keys
from turnfold.contract.keys import Address

NAMES = [
    ("acme", "chat"), ("globex", "chat"),
    ("a:b", "c"), ("a", "b:c"), ("a%3Ab", "c"), ("a", "b%3Ac"), ("a%253Ab", "c"),
    ("acme}", "{chat"), ("{acme", "chat}"), ("{00}", "in:acme:chat"), ("tf:{00}", "chat"),
    ("acme ", "chat"), ("acme", " chat"), ("acme", "chat "), ("ACME", "chat"), ("acme", "Chat"),
    ("\N{CYRILLIC SMALL LETTER A}cme", "chat"), ("acme", "cha\N{FULLWIDTH LATIN SMALL LETTER T}"),
    ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "chat"), ("cafe\N{COMBINING ACUTE ACCENT}", "chat"),
    ("acme", "chat\N{ZERO WIDTH SPACE}"), ("acme", "*"), ("*", "chat"), ("acme", "chat'--"), ("acme", "ch_t"),
    ("acme", "ch%t"), ("%", "%"), ("%25", "%25"), ("/", "\\"), ("a+b", "c"), ("a b", "c"), ("a%20b", "c"),
]  # fmt: skip


def secret(number: int) -> str:
    return f"vault{number:03d}code"


def said(number: int) -> list[dict[str, str]]:
    return [
        {
            "role": "user",
            "content": f"We decided to use {secret(number)} for the launch, at least {number + 30} users.",
        },
        {"role": "assistant", "content": f"Who knows about {secret(number)} besides the {number + 2} of us?"},
        *(
            {"role": "user" if n % 2 else "assistant", "content": f"I'll send {secret(number)} again, round {n}."}
            for n in range(16)
        ),
    ]


def number_in(found: str) -> set[int]:
    return {number for number in range(len(NAMES)) if secret(number) in found}


def test_no_two_names_share_a_key() -> None:
    addresses = [place(Address(tenant, conversation)) for tenant, conversation in NAMES]

    for one, other in itertools.combinations(addresses, 2):
        assert one.inbox != other.inbox
        assert one.address != other.address
        assert one.erased != other.erased
        assert (one.ready, keys.encode_id(one.address.conversation)) != (
            other.ready,
            keys.encode_id(other.address.conversation),
        )
    assert [Address.from_member(each.address.member) for each in addresses] == [each.address for each in addresses]
    assert all(each.inbox.count("{") == each.inbox.count("}") == 1 for each in addresses), "one hash tag"


def test_what_one_conversation_says_is_read_in_no_other(
    tf: Turnfold, local: LocalWorker, client: redis.Redis, engine: Engine
) -> None:
    views = [(tf.for_tenant(tenant), conversation) for tenant, conversation in NAMES]
    turns = [said(number) for number in range(len(NAMES))]
    for part in (slice(0, 12), slice(12, None)):
        for number, (view, conversation) in enumerate(views):
            # Turn ids are the same in all conversations: they are unique within a conversation only.
            view.append(conversation, [
                {**turn, "turn_id": f"turn-{n}"} for n, turn in enumerate(turns[number])
            ][part])  # fmt: skip
        assert_everything_read_is_ones_own(views)
        if part.stop:
            local.settle()
            assert_everything_read_is_ones_own(views)
    local.settle()

    assert_everything_read_is_ones_own(views)
    for number, (tenant, conversation) in enumerate(NAMES):
        stored = stored_turns(engine, tenant, conversation)
        assert [content for _, _, content in stored] == [turn["content"] for turn in turns[number]]
    assert not broken_invariants(engine)
    assert not permanent_keys(client)
    assert rows_that_mix_conversations(engine) == {}


def assert_everything_read_is_ones_own(views: list[tuple[Turnfold, str]]) -> None:
    for number, (view, conversation) in enumerate(views):
        read = [
            view.context(conversation, budget_tokens=1_500, query=f"{secret(number + 1)} launch").text,
            repr(view.search(conversation, f"{secret(number)} launch users")),
            repr(view.anchors(conversation, states=None)),
        ]
        assert number_in("".join(read)) == {number}, (view.tenant, conversation)
        assert not number_in(repr(view.search(conversation, secret(number + 1)))) - {number}


def rows_that_mix_conversations(engine: Engine) -> dict[str, list[object]]:
    """Return rows that contain the secret of a conversation other than their own."""
    with engine.begin() as connection:
        owners = {
            row[0]: NAMES.index((row[1], row[2]))
            for row in connection.execute(text("SELECT id, tenant, external_id FROM conversation"))
        }
        mixed: dict[str, list[object]] = defaultdict(list)
        for table in ("turn", "node", "level", "anchor", "posting", "anchor_posting", "job", "operation"):
            for row in connection.execute(text(f"SELECT * FROM {table}")).mappings():
                if number_in(repr(dict(row))) - {owners[row["conversation"]]}:
                    mixed[table].append(row["conversation"])
    return dict(mixed)


def test_forgetting_one_leaves_every_other(
    tf: Turnfold, local: LocalWorker, client: redis.Redis, engine: Engine
) -> None:
    for number, (tenant, conversation) in enumerate(NAMES):
        tf.for_tenant(tenant).append(conversation, said(number)[:10])
    local.settle()
    for number, (tenant, conversation) in enumerate(NAMES):
        tf.for_tenant(tenant).append(conversation, said(number)[10:13])

    for number in range(0, len(NAMES), 2):
        tenant, conversation = NAMES[number]
        tf.for_tenant(tenant).forget(conversation, timeout_seconds=0)
    local.settle()

    for number, (tenant, conversation) in enumerate(NAMES):
        kept = [content for _, _, content in stored_turns(engine, tenant, conversation)]
        assert kept == ([turn["content"] for turn in said(number)[:13]] if number % 2 else [])
    assert not permanent_keys(client)
