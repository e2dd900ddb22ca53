"""No likeness makes one of two texts that differ in a number, a name or a negation."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from turnfold.contract.records import Anchor, AnchorState, AnchorType
from turnfold.contract.vectors import rounded
from turnfold_worker.pipeline.anchors import AnchorDraft
from turnfold_worker.pipeline.deduplicate import merge
from turnfold_worker.pipeline.likeness import Known, agree
from turnfold_worker.pipeline.settings import FoldSettings

PLACES = ("the gateway", "the ledger of the house", "our nightly backup", "the search page")
SAID = (
    "We decided that {place} must answer within {number} ms.",
    "{place} may not exceed {number} entries.",
    "I'll call {name} about {place} {number} times.",
    "{name} decided to keep {place} until {day} May 2026.",
    "{place} runs version 2.{number} and belongs to {name}.",
)
NAMES = ("Ana", "Omar", "Tereza Novak", "Piotr", "Wei", "Imani")
PLAIN = rounded([1.0] * 384)


def known(text: str) -> Known:
    return Known(
        Anchor(
            id=1, type=AnchorType.CRITICAL_FACT, text=text, turn_seq=1, start=0, end=len(text),
            state=AnchorState.ACTIVE, score=60, rank=90, node_idx=0,
        )
    )  # fmt: skip


def draft(text: str, seq: int) -> AnchorDraft:
    return AnchorDraft(
        type=AnchorType.CRITICAL_FACT, text=text, turn_seq=seq, start=0, end=len(text), score=60, rank=90, tokens=9
    )


def assert_apart(first: str, second: str) -> None:
    assert not agree(known(first), known(second))
    assert not agree(known(second), known(first))
    drafts = (draft(first, 1), draft(second, 2))
    result = merge(
        drafts, (), next_id=1, node_idx=0, settings=FoldSettings(deduplicate_above=0.0),
        vectors={first: PLAIN, second: PLAIN},
    )  # fmt: skip
    assert AnchorState.DUPLICATE not in [one.state for one in result.new]


slots = st.fixed_dictionaries(
    {
        "place": st.sampled_from(PLACES),
        "number": st.integers(0, 10**6),
        "name": st.sampled_from(NAMES),
        "day": st.integers(1, 28),
    }
)


@given(st.sampled_from(SAID), slots, st.sampled_from(["number", "name", "day"]), slots)
@settings(max_examples=200, deadline=None)
def test_another_value_or_name_keeps_two_texts_apart(
    said: str, one: dict[str, object], slot: str, two: dict[str, object]
) -> None:
    first, second = said.format(**one), said.format(**{**one, slot: two[slot]})
    if first == second:
        assert agree(known(first), known(second))
    else:
        assert_apart(first, second)


@given(slots, st.sampled_from([("must", "must not"), ("will", "won't"), ("can", "cannot"), ("do", "never do")]))
@settings(max_examples=60, deadline=None)
def test_a_negation_keeps_two_texts_apart(one: dict[str, object], words: tuple[str, str]) -> None:
    first, second = (f"You {word} restart {one['place']} {one['number']} times for {one['name']}." for word in words)
    assert_apart(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The limit is 1,000 seats.", "The limit is 1,000,000 seats."),
        ("The key is in /etc/vault/a.toml.", "The key is in /etc/vault/b.toml."),
        ("Build with max_size set.", "Build with min_size set."),
        ("Nobody may deploy on Friday.", "Everybody may deploy on Friday."),
        ("The port is 5432.", "The port is 5433."),
        ("We stay below 10%.", "We stay below 10 euros."),
        ("Write to ana@example.org first.", "Write to omar@example.org first."),
        ("The temperature must be -5 degrees.", "The temperature must be 5 degrees."),
        ("We are on v2.3.1 now.", "We are on v2.3.10 now."),
        ("Deploy with the flag on.", "Deploy with the flag off."),
        ("The launch is at 9 am.", "The launch is at 9 pm."),
    ],
)
def test_what_looks_alike_but_is_not_stays_apart(first: str, second: str) -> None:
    assert_apart(first, second)
