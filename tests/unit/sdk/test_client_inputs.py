"""The client refuses invalid input before it contacts a server."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from turnfold import AnchorType, InvalidIdentifier, InvalidInput, InvalidSettings, InvalidTurn, Turnfold, UnknownMarker
from turnfold.contract.records import Anchor, AnchorState
from turnfold.read.arguments import wanted_anchors
from turnfold.redis.inbox import stream_order
from turnfold.search.query_times import check_now


@pytest.fixture
def nowhere() -> Turnfold:
    """A client whose servers do not exist: a call that contacts one fails with an error that no test expects."""
    return Turnfold(
        redis_url="redis://127.0.0.1:1/0", database_url="sqlite:////nowhere/turnfold.db", timeout_seconds=0.1
    )


@pytest.mark.parametrize("turns", [None, 5, 1.5, object()])
def test_what_is_no_turn_and_no_list_is_refused(nowhere: Turnfold, turns: Any) -> None:
    with pytest.raises(InvalidTurn, match=f"not {type(turns).__name__}"):
        nowhere.append("c", turns)


def test_a_text_in_place_of_a_turn_is_refused(nowhere: Turnfold) -> None:
    with pytest.raises(InvalidTurn, match="not text"):
        nowhere.append("c", "Hello.")  # type: ignore[arg-type]  # deliberately of the wrong type


def test_one_bad_turn_refuses_the_whole_call(nowhere: Turnfold) -> None:
    with pytest.raises(InvalidTurn, match="unknown role"):
        nowhere.append("c", [{"role": "user", "content": "Hi."}, {"role": "nobody", "content": "Hi."}])


CALLS: list[Callable[[Turnfold, Any], object]] = [
    lambda tf, c: tf.append(c, {"role": "user", "content": "Hi."}),
    lambda tf, c: tf.configure(c, goal="g"),
    lambda tf, c: tf.context(c, budget_tokens=500),
    lambda tf, c: tf.expand(c, "L1:1"),
    lambda tf, c: tf.search(c, "x"),
    lambda tf, c: tf.anchors(c),
    lambda tf, c: tf.status(c),
    lambda tf, c: tf.wait(c),
    lambda tf, c: tf.forget(c),
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("conversation", ["", "a\nb", "a" * 201, ".", "..", None, 5])
def test_every_verb_refuses_an_impossible_conversation_id(
    nowhere: Turnfold, call: Callable[[Turnfold, Any], object], conversation: object
) -> None:
    with pytest.raises(InvalidIdentifier, match="conversation id"):
        call(nowhere, conversation)


@pytest.mark.parametrize("id_", [".", ".."])
def test_no_id_is_one_that_http_clients_resolve_in_a_path(nowhere: Turnfold, id_: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: nowhere.append("c", {"role": "user", "content": "Hi.", "turn_id": id_}),
        lambda: nowhere.append("c", {"role": "user", "content": "Hi."}, subject=id_),
        lambda: nowhere.delete("c", id_),
    ]
    for call in calls:
        with pytest.raises(InvalidIdentifier, match="resolve as a path segment: use an id"):
            call()


@pytest.mark.parametrize("tenant", ["", "a\x00b", 5, None])
def test_an_impossible_tenant_is_refused(nowhere: Turnfold, tenant: Any) -> None:
    with pytest.raises(InvalidIdentifier, match="tenant"):
        nowhere.for_tenant(tenant)


@pytest.mark.parametrize("limit", [0, -1, 1.5, True, "10"])
def test_a_search_for_less_than_one_hit_is_refused(nowhere: Turnfold, limit: Any) -> None:
    with pytest.raises(InvalidInput, match="limit must be a whole number of at least 1"):
        nowhere.search("c", "pool", limit=limit)


def test_a_search_for_something_other_than_text_is_refused(nowhere: Turnfold) -> None:
    with pytest.raises(InvalidInput, match="query must be text, not NoneType"):
        nowhere.search("c", None)  # type: ignore[arg-type]  # deliberately of the wrong type


@pytest.mark.parametrize("most", [0, -5, 2.5, True, "100"])
def test_an_expansion_of_less_than_one_token_is_refused(nowhere: Turnfold, most: Any) -> None:
    with pytest.raises(InvalidInput, match="max_tokens must be a whole number of at least 1"):
        nowhere.expand("c", "L1:1", max_tokens=most)


@pytest.mark.parametrize("marker", ["", "auth", "L4:1", "L1:0", "L0:turns-5-3", "L1:c0-1", "L1:c9-1", "L1:x y-1"])
def test_a_marker_that_we_cannot_have_made_is_refused(nowhere: Turnfold, marker: str) -> None:
    with pytest.raises(UnknownMarker, match="is not a Turnfold marker"):
        nowhere.expand("c", marker)


def test_a_marker_of_another_type_is_refused(nowhere: Turnfold) -> None:
    with pytest.raises(InvalidInput, match="a marker must be text"):
        nowhere.expand("c", 17)  # type: ignore[arg-type]  # deliberately of the wrong type


def test_urls_of_neither_redis_nor_sql_are_refused_by_variable() -> None:
    with pytest.raises(InvalidSettings, match="TURNFOLD_REDIS_URL"):
        Turnfold(redis_url="http://localhost").status("c")


def anchor(kind: AnchorType, state: AnchorState) -> Anchor:
    return Anchor(id=1, type=kind, text="x", turn_seq=1, start=0, end=1, state=state)


@pytest.mark.parametrize("seconds", [None, "5", -1, float("nan"), True])
@pytest.mark.parametrize(
    "call",
    [
        lambda tf, seconds: tf.wait("c", timeout_seconds=seconds),
        lambda tf, seconds: tf.forget("c", timeout_seconds=seconds),
        lambda tf, seconds: tf.expand("c", "L0:turn-1", reconstruct=True, timeout_seconds=seconds),
    ],
)
def test_a_time_that_nobody_can_wait_is_refused(
    nowhere: Turnfold, call: Callable[[Turnfold, Any], object], seconds: object
) -> None:
    with pytest.raises(InvalidInput, match="timeout_seconds must be"):
        call(nowhere, seconds)


def test_anchors_are_chosen_by_type_and_state() -> None:
    found = [anchor(kind, state) for kind in AnchorType for state in AnchorState]

    def among(types: Any, states: Any) -> list[Anchor]:
        wanted = wanted_anchors(types=types, states=states)
        return [one for one in found if one in wanted]

    assert among(None, None) == found
    assert [one.type for one in among(["decision"], "active")] == [AnchorType.DECISION]
    assert among([], None) == []


@pytest.mark.parametrize(("types", "states"), [(["descision"], None), (None, ["open"]), ("facts", None)])
def test_an_unknown_type_or_state_is_refused_with_the_known_ones(types: Any, states: Any) -> None:
    with pytest.raises(InvalidInput, match=r"use (commitment|active), "):
        wanted_anchors(types=types, states=states)


@pytest.mark.parametrize("wanted", [5, object()])
def test_what_is_no_list_of_types_is_refused(wanted: Any) -> None:
    with pytest.raises(InvalidInput, match="a list of names"):
        wanted_anchors(types=wanted)


def test_stream_ids_are_ordered_as_numbers() -> None:
    ids = ["9-30", "10-2", "10-10", "100-0"]
    assert sorted(ids, key=stream_order) == ids


@pytest.mark.parametrize(
    "now",
    [
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-14))),
        datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    ],
)
def test_a_time_that_utc_does_not_have_is_refused(nowhere: Turnfold, now: datetime) -> None:
    calls: list[Callable[[], object]] = [
        lambda: nowhere.context("c", budget_tokens=500, query="last week?", now=now),
        lambda: nowhere.search("c", "last week?", now=now),
        lambda: nowhere.timeline("c", "last week?", now=now),
    ]
    for call in calls:
        with pytest.raises(InvalidInput, match="is out of range in UTC"):
            call()


@pytest.mark.parametrize("now", [datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC)])
def test_the_ends_of_the_calendar_are_times(now: datetime) -> None:
    check_now(now)


@pytest.mark.parametrize("words", [5, b"c", ["c"]])
def test_what_is_no_text_is_not_looked_for_in_names(nowhere: Turnfold, words: Any) -> None:
    with pytest.raises(InvalidInput, match="containing must be text"):
        nowhere.conversations(containing=words)


@pytest.mark.parametrize("name", ["on_change", "redact"])
def test_what_cannot_be_called_is_refused_when_the_client_is_made(name: str) -> None:
    with pytest.raises(InvalidSettings, match=f"{name} must be a function, not int"):
        Turnfold(database_url="sqlite:////nowhere/turnfold.db", **{name: 5})  # type: ignore[arg-type]  # on purpose
