"""A large body that is parsed piece by piece gives the same result as a small one."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from turnfold_gateway import rest
from turnfold_gateway.rest.context import ContextBody
from turnfold_gateway.rest.decoding import DECODED_AT_ONCE, decoded, decoded_by_entries
from turnfold_gateway.rest.idempotency import hash_of_turns
from turnfold_gateway.rest.turns import AppendBody

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="utf-8"), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=8,
)
BODIES = st.fixed_dictionaries(
    {"turns": st.lists(st.dictionaries(st.text("abc", max_size=3), VALUES, max_size=3) | VALUES, max_size=4)},
    optional={"priority": st.sampled_from(["live", "backfill", "never"]), "durable": VALUES, "more": VALUES},
)


def outcome(decode: Any, body: bytes) -> tuple[str, object]:
    try:
        return "read", decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return type(error).__name__, str(error)


@examples(300)
@given(BODIES.map(json.dumps) | st.text(max_size=20))
def test_entry_by_entry_a_body_reads_the_same_and_fails_with_the_same_words(text: str) -> None:
    body = text.encode("utf-8", "surrogatepass")
    by_entries = outcome(lambda given: decoded_by_entries(given, AppendBody), body)
    assert by_entries == outcome(lambda given: msgspec.json.decode(given, type=AppendBody), body)


KINDS = sorted({one.body for one in rest.operations if one.body is not None}, key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", KINDS)
@examples(100)
@given(st.data())
def test_any_body_reads_the_same_by_entries(kind: type[msgspec.Struct], data: st.DataObject) -> None:
    fields = st.sampled_from(kind.__struct_fields__)
    given_fields = data.draw(st.dictionaries(fields, VALUES | st.lists(st.text("ab", max_size=3), max_size=3)))
    whole = {"budget_tokens": 5, "content": "x", "after": "m-1", "turns": [], **given_fields}
    body = json.dumps({name: whole[name] for name in whole if name in kind.__struct_fields__}).encode()
    by_entries = outcome(lambda given: decoded_by_entries(given, kind), body)
    assert by_entries == outcome(lambda given: msgspec.json.decode(given, type=kind), body)


async def test_a_question_above_the_bound_is_read_whole() -> None:
    read = await decoded(json.dumps({"budget_tokens": 9, "query": "x" * DECODED_AT_ONCE}).encode(), ContextBody)
    assert read == ContextBody(9, query="x" * DECODED_AT_ONCE)


@examples(100)
@given(st.lists(st.dictionaries(st.text("abc", max_size=3), VALUES, max_size=3), max_size=4))
def test_the_hash_of_turns_is_that_of_their_json(turns: list[dict[str, Any]]) -> None:
    assert hash_of_turns(turns) == blake2b(msgspec.json.encode(turns), digest_size=16).hexdigest()


async def test_a_body_above_the_bound_is_read_whole() -> None:
    turn = {"role": "user", "content": "x" * DECODED_AT_ONCE}
    read = await decoded(json.dumps({"turns": [turn, turn]}).encode(), AppendBody)
    assert read == AppendBody([turn, turn])
    with pytest.raises(msgspec.ValidationError, match=r"\$\.turns\[1\]"):
        await decoded(json.dumps({"turns": [turn, 1]}).encode(), AppendBody)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (r"Lunch \ud83c", "Lunch \ufffd"), (r"\uD83C and more", "\ufffd and more"), (r"\uDF55 eaten", "\ufffd eaten"),
        (r"\ud83c\ud83c\udf55", "\ufffd🍕"), (r"\ud83c\n", "\ufffd\n"), (r"\ud83c\\ud83c", "\ufffd\\ud83c"),
        (r"\ud83c\udf55", "🍕"), (r"\\ud83c", "\\ud83c"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("size", [0, DECODED_AT_ONCE])
async def test_half_of_a_character_is_read_as_its_replacement(sent: str, read: str, size: int) -> None:
    body = f'{{"turns": [{{"content": "{sent}", "more": "{"x" * size}"}}]}}'.encode()
    assert await decoded(body, AppendBody) == AppendBody([{"content": read, "more": "x" * size}])


@pytest.mark.parametrize("body", [rb'{"turns": [{"a": "\ud83c"}', rb'{"turns": ["\ud83"]}', rb'{"turns": ["\ud83cx]}'])
async def test_a_body_with_half_a_character_may_still_be_broken(body: bytes) -> None:
    with pytest.raises(msgspec.DecodeError) as caught:
        await decoded(body, AppendBody)
    assert not isinstance(caught.value, msgspec.ValidationError)


@examples(200)
@given(st.text(st.characters(), max_size=6))
async def test_any_text_of_javascript_is_read(text: str) -> None:
    read = await decoded(json.dumps({"budget_tokens": 9, "query": text}).encode(), ContextBody)
    assert read.query == text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
