"""A turn is unchanged after a round trip through its inbox form."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from support.strategies import json_values, stored_turns
from turnfold import InvalidTurn
from turnfold.contract.records import StoredTurn
from turnfold.wire.decode import decode_turn
from turnfold.wire.encode import IMPORTANCE, accept

NAMES = {importance: name for name, importance in IMPORTANCE.items()}


@given(stored_turns())
def test_a_turn_is_read_back_as_it_was_given(turn: StoredTurn) -> None:
    # Provider fields get names of their own, so that none collides with a field of the turn.
    parts = {f"x-{name}": value for name, value in (turn.parts or {}).items() if value is not None} or None
    given = {
        **(parts or {}), "turn_id": turn.turn_id, "role": turn.role, "content": turn.content, "name": turn.name,
        "importance": NAMES[turn.importance], "created_at": turn.created_at, "metadata": turn.metadata,
    }  # fmt: skip
    try:
        entry = accept(given, max_bytes=1_048_576)
    except InvalidTurn as error:
        assume("has no content" not in str(error))
        raise

    name = " ".join((turn.name or "").split()) or None
    assert decode_turn(entry.body, seq=0, turn_id=entry.entry_id) == replace(turn, parts=parts, name=name)


def entry(**changes: object) -> bytes:
    return json.dumps({"role": "user", "content": "Hi.", **changes}).encode()


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"\xff", b"[]", b"null", b"5", b'"text"', b"{}", b'{"role":"user"}', b'{"content":"Hi."}',
        b"[" * 100_000, b'{"role":"user","content":"Hi.","metadata":' + b"[" * 100_000,
        entry(role="moderator"), entry(role=["user"]), entry(content=5), entry(content=None), entry(content=["Hi."]),
        entry(importance=9), entry(importance="high"), entry(created_at=5), entry(created_at="yesterday"),
        entry(created_at="2026-03-02T09:00:00"), entry(created_at="0001-01-01T00:00:00+05:00"), entry(name=5),
        entry(parts=["a"]), entry(metadata="text"),
    ],
)  # fmt: skip
def test_what_is_not_a_turn_of_ours_is_refused_with_its_id_and_without_its_content(body: bytes) -> None:
    with pytest.raises(InvalidTurn, match="inbox entry m-1 is not a turn") as refused:
        decode_turn(body, seq=0, turn_id="m-1")
    assert "Hi." not in str(refused.value)


@given(st.binary(max_size=40) | json_values().map(lambda value: json.dumps(value).encode()))
def test_reading_any_bytes_gives_a_turn_or_a_refusal(body: bytes) -> None:
    try:
        turn = decode_turn(body, seq=0, turn_id="m-1")
    except InvalidTurn:
        return
    assert isinstance(turn.content, str)
