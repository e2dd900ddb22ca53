"""Keys: no two conversations meet, and all keys of one call share a slot."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from redis.crc import key_slot

from support.strategies import any_text, awkward_ids
from turnfold import InvalidIdentifier
from turnfold.contract import keys
from turnfold.contract.keys import Address, checked_id, decode_id, encode_id, shard_of

addresses = st.builds(Address, awkward_ids, awkward_ids)


def places(address: Address) -> set[object]:
    """Everywhere that a conversation leaves something: keys of its own, and its names inside shared ones."""
    return {
        address.inbox,
        address.erased,
        address.mark,
        (address.ready, encode_id(address.conversation)),
        (keys.forgotten(address.shard), address.member),
    }


@given(addresses, addresses)
@example(Address("a:b", "c"), Address("a", "b:c"))
@example(Address("a%3Ab", "c"), Address("a:b", "c"))
@example(Address("a", "{07}"), Address("a", "%7B07%7D"))
@example(Address("ä", "c"), Address("a\u0308", "c"))
@example(Address("a", "ready:a"), Address("ready", "a:a"))
def test_no_two_conversations_share_a_place(one: Address, other: Address) -> None:
    assert (one == other) == bool(places(one) & places(other))


@given(addresses, addresses)
def test_the_ready_set_of_a_tenant_is_no_others(one: Address, other: Address) -> None:
    assert one.ready != other.ready or one.tenant == other.tenant


@given(addresses)
def test_all_keys_of_a_conversation_share_one_slot_of_a_cluster(address: Address) -> None:
    shard = address.shard
    names = [
        address.inbox, address.ready, address.erased, address.mark, address.references, keys.bell(shard),
        keys.rung(shard), keys.tenants(shard), keys.forgotten(shard), keys.full(shard),
        keys.ready_prefix(shard) + "another", keys.contexts_prefix(shard, address.tenant) + "ctx_",
    ]  # fmt: skip
    assert {key_slot(name.encode()) for name in names} == {key_slot(f"{shard:02d}".encode())}


@given(addresses)
def test_a_member_reads_back_as_its_address(address: Address) -> None:
    assert Address.from_member(address.member) == address


@given(any_text.filter(lambda text: text.isprintable()) | awkward_ids)
def test_an_id_reads_back_from_its_encoded_form_which_holds_no_delimiter(value: str) -> None:
    encoded = encode_id(value)
    assert decode_id(encoded) == value
    assert encoded.isascii()
    assert not set(encoded) & set(":{} *?[]\\")


@given(awkward_ids)
def test_every_allowed_id_is_taken_as_it_is(value: str) -> None:
    assert checked_id("turn_id", value) == value


@pytest.mark.parametrize(
    "value", ["", " ", "\u3000\u00a0", "\x00", "a\n", "\x7f", "\x9f", "a" * 201, "é" * 101, "\udc00", b"a", 5, None]
)
def test_an_id_that_is_empty_long_or_holds_control_characters_is_refused(value: object) -> None:
    with pytest.raises(InvalidIdentifier, match="tenant"):
        checked_id("tenant", value)


def test_the_longest_id_has_200_bytes() -> None:
    assert checked_id("tenant", "é" * 100)


def test_there_are_sixteen_shards_and_each_is_used() -> None:
    assert keys.SHARDS == 16
    counts = [0] * keys.SHARDS
    for number in range(1_600):
        counts[shard_of("acme", f"conv-{number}")] += 1
    assert min(counts) > 50


@pytest.mark.parametrize(
    ("address", "shard", "inbox", "ready", "erased"),
    [
        (
            Address("default", "conv-1"), 13, "tf:{13}:in:default:conv-1", "tf:{13}:ready:default",
            "tf:{13}:erased:default:conv-1",
        ),
        (
            Address("acme:eu", "a:b/c%20{x}"), 14, "tf:{14}:in:acme%3Aeu:a%3Ab%2Fc%2520%7Bx%7D",
            "tf:{14}:ready:acme%3Aeu", "tf:{14}:erased:acme%3Aeu:a%3Ab%2Fc%2520%7Bx%7D",
        ),
        (
            Address("会社", "🙂"), 4, "tf:{04}:in:%E4%BC%9A%E7%A4%BE:%F0%9F%99%82", "tf:{04}:ready:%E4%BC%9A%E7%A4%BE",
            "tf:{04}:erased:%E4%BC%9A%E7%A4%BE:%F0%9F%99%82",
        ),
    ],
)  # fmt: skip
def test_golden_names_of_keys(address: Address, shard: int, inbox: str, ready: str, erased: str) -> None:
    """Producers and workers of any two versions meet at these names."""
    assert (address.shard, address.inbox, address.ready, address.erased) == (shard, inbox, ready, erased)


def test_golden_names_of_a_shards_keys() -> None:
    assert [keys.bell(7), keys.tenants(7), keys.forgotten(7), keys.ready_prefix(7), keys.SWEEP] == [
        "tf:{07}:bell", "tf:{07}:tenants", "tf:{07}:forgotten", "tf:{07}:ready:", "tf:{sweep}",
    ]  # fmt: skip
    assert [keys.rung(7), keys.rung_for("turnfold.compress")] == ["tf:{07}:rung", "tf:{rung}:turnfold.compress"]
