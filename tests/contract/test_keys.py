"""Redis keys: no two conversations share one, and all keys of one call share a slot."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from redis.crc import key_slot

from support.places import NEW_LAYOUT, meta_of, place
from support.strategies import any_text, awkward_ids
from turnfold import InvalidIdentifier
from turnfold.contract import keys
from turnfold.contract.keys import Address, Place, checked_id, decode_id, encode_id, point_of
from turnfold.contract.shards import META_TARGET, Layout, tag

addresses = st.builds(Address, awkward_ids, awkward_ids)


def places(address: Address) -> set[object]:
    """Return every place where a conversation leaves data: its own keys and its names inside shared ones."""
    where = place(address)
    return {
        where.inbox,
        where.erased,
        where.mark,
        where.seen,
        (where.ready, encode_id(address.conversation)),
        (keys.forgotten(where.shard), address.member),
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
    assert place(one).ready != place(other).ready or one.tenant == other.tenant


@given(addresses, st.sampled_from([Layout(0, 16), Layout(0, 256), Layout(3, 4_096)]))
def test_all_keys_of_a_conversation_share_one_slot_of_a_cluster(address: Address, layout: Layout) -> None:
    shard = layout.shard_at(address.point)
    where = Place(address, shard)
    names = [
        where.inbox, where.ready, where.erased, where.mark, where.references, where.refusals, where.access, where.seen,
        where.contexts + "ctx_", keys.bell(shard), keys.tenants(shard), keys.forgotten(shard), keys.full(shard),
        keys.accessed(shard), keys.bounded(shard),
        keys.ready_prefix(shard) + "another",
    ]  # fmt: skip
    assert {key_slot(name.encode()) for name in names} == {key_slot(tag(shard).strip("{}").encode())}


@given(st.integers(0, 65_535), st.integers(1, 4_096), st.integers(0, 9), st.integers(1, 9))
def test_a_shard_is_one_of_its_layout_and_lies_on_one_of_its_servers(
    point: int, shards: int, generation: int, servers: int
) -> None:
    layout = Layout(generation, shards, servers)
    shard = layout.shard_at(point)
    assert layout.has(shard)
    assert shard in layout.all()
    assert 0 <= layout.server_of(shard) < servers
    assert not Layout(generation + 1, shards, servers).has(shard)
    assert Layout.from_text(layout.to_text()) == layout
    assert Layout.from_meta(meta_of(layout)) == layout


@given(st.integers(0, 65_535), st.integers(1, 4_096), st.integers(1, 4_096), st.integers(1, 9), st.integers(1, 9))
def test_in_a_reshard_each_point_has_a_shard_of_either_generation_and_no_two_share_one(
    point: int, before: int, after: int, servers_before: int, servers_after: int
) -> None:
    target = Layout(4, after, servers_after)
    layout = Layout(3, before, servers_before, target)
    old, new = layout.shard_at(point), layout.newest.shard_at(point)
    assert (old, new) == (Layout(3, before).shard_at(point), target.shard_at(point))
    assert layout.has(old)
    assert layout.has(new)
    assert not Layout(3, before).has(new)
    assert not target.has(old)
    assert tag(old) != tag(new)
    assert len({*layout.all()}) == before + after
    assert layout.server_of(old) == Layout(3, before, servers_before).server_of(old) < layout.most_servers
    assert layout.server_of(new) == target.server_of(new) < layout.most_servers
    assert Layout.from_text(layout.to_text()) == layout
    assert Layout.from_meta({**meta_of(layout), META_TARGET: target.to_text()}) == layout


def test_a_database_that_stores_no_number_of_shards_has_sixteen() -> None:
    assert Layout.from_meta({"schema_version": "1"}) == Layout(0, 16, 1)


@pytest.mark.parametrize(
    "text",
    ["", "1 2", "1 0 1", "0 5000 1", "a b c", "-1 16 1", "0 16 0", "0 16 1 2 16 1", "1 16 1 1 8 1", "0 16 1 1 8"],
)
def test_what_is_no_layout_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Layout.from_text(text)


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
    "value",
    [
        "",
        " ",
        "\u3000\u00a0",
        "\x00",
        "a\n",
        "\x7f",
        "\x9f",
        "a\u2028b",
        "\u2029",
        "a" * 201,
        "é" * 101,
        "\udc00",
        b"a",
        5,
        None,
    ],
)
def test_an_id_that_is_empty_long_or_holds_control_characters_is_refused(value: object) -> None:
    with pytest.raises(InvalidIdentifier, match="tenant"):
        checked_id("tenant", value)


def test_the_longest_id_has_200_bytes() -> None:
    assert checked_id("tenant", "é" * 100)


def test_every_shard_is_used() -> None:
    counts = [0] * 256
    for number in range(25_600):
        counts[NEW_LAYOUT.shard_at(point_of("acme", f"conv-{number}"))] += 1
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
    """Producers and workers of different versions rely on the same key names."""
    old = Place(address, Layout(0, 16).shard_at(point_of(address.tenant, address.conversation)))
    assert (old.shard, old.inbox, old.ready, old.erased) == (shard, inbox, ready, erased)


def test_golden_names_of_a_shards_keys() -> None:
    assert [keys.bell(7), keys.tenants(7), keys.forgotten(7), keys.ready_prefix(7), keys.SWEEP] == [
        "tf:{07}:bell", "tf:{07}:tenants", "tf:{07}:forgotten", "tf:{07}:ready:", "tf:{sweep}",
    ]  # fmt: skip
    assert [keys.rung_for("turnfold.compress"), keys.tenants(65_536 + 7)] == [
        "tf:{rung}:turnfold.compress", "tf:{1.07}:tenants",
    ]  # fmt: skip
