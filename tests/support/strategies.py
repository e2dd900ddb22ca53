"""Hypothesis strategies for what callers send and how it is stored."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from hypothesis import strategies as st

from turnfold.contract.records import Importance, Role, StoredTurn
from turnfold.contract.text import clean
from turnfold.tokens import estimate_tokens

any_text = st.text(st.characters(), max_size=60)
"""Text of any code points, including NUL and lone surrogates."""

stored_text = any_text.map(clean)
"""The same text after validation has cleaned it."""

ids = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=40).filter(
    lambda id_: len(id_.encode()) <= 200 and not id_.isspace() and id_ not in {".", ".."}
)
"""Every id up to 40 characters that the contract allows, including delimiters, percent signs and braces."""

awkward_ids = st.one_of(
    st.text(":%{}/ .-_a", min_size=1, max_size=6),
    st.sampled_from(["a:b", "a%3Ab", "{07}", "%", "ä", "a\u0308", "会話"]),
    ids,
).filter(lambda id_: not id_.isspace() and id_ not in {".", ".."})
"""Ids that look like keys, like each other, or like their own encodings."""

aware_times = st.datetimes(
    min_value=datetime(1971, 1, 1), max_value=datetime(2100, 1, 1),  # noqa: DTZ001 - the zone is added below
    timezones=st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes))),
)  # fmt: skip


def json_values(texts: st.SearchStrategy[str] = stored_text) -> st.SearchStrategy[Any]:
    """Any JSON value."""
    plain = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
    return st.recursive(
        plain | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=8,
    )


def json_objects(texts: st.SearchStrategy[str] = stored_text) -> st.SearchStrategy[dict[str, Any]]:
    """JSON objects."""
    return st.dictionaries(texts, json_values(texts), max_size=4)


@st.composite
def stored_turns(draw: st.DrawFn) -> StoredTurn:
    """Turns as validation leaves them, without numbers."""
    content = draw(stored_text)
    created_at = draw(st.none() | aware_times)
    return StoredTurn(
        seq=0,
        turn_id=draw(ids),
        role=draw(st.sampled_from(Role)),
        content=content,
        name=draw(st.none() | stored_text.filter(bool)),
        parts=draw(json_objects()) or None,
        importance=draw(st.sampled_from(Importance)),
        created_at=None if created_at is None else created_at.astimezone(UTC),
        metadata=draw(st.none() | json_objects()),
        tokens=estimate_tokens(content),
    )
