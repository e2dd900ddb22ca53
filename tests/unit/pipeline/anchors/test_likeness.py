"""Two texts that differ in a number, a name or a negation are never merged, however similar they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.pairs import differing_pairs
from turnfold.contract.records import Anchor, AnchorState, AnchorType
from turnfold.contract.vectors import rounded
from turnfold_worker.pipeline.anchors.deduplicate import merge
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.reconcile.likeness import Known, agree
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
@examples(200)
def test_another_value_or_name_keeps_two_texts_apart(
    said: str, one: dict[str, object], slot: str, two: dict[str, object]
) -> None:
    first, second = said.format(**one), said.format(**{**one, slot: two[slot]})
    if first == second:
        assert agree(known(first), known(second))
    else:
        assert_apart(first, second)


@given(slots, st.sampled_from([("must", "must not"), ("will", "won't"), ("can", "cannot"), ("do", "never do")]))
@examples(60)
def test_a_negation_keeps_two_texts_apart(one: dict[str, object], words: tuple[str, str]) -> None:
    first, second = (f"You {word} restart {one['place']} {one['number']} times for {one['name']}." for word in words)
    assert_apart(first, second)


@given(differing_pairs())
@examples(300)
def test_no_two_statements_that_differ_are_one(pair: tuple[str, str]) -> None:
    assert_apart(*pair)


@given(differing_pairs())
@examples(60)
def test_the_same_statement_is_one(pair: tuple[str, str]) -> None:
    assert [agree(known(text), known(text)) for text in pair] == [True, True]
    repeats = [
        merge((draft(text, 1), draft(text, 2)), (), next_id=1, node_idx=0, settings=FoldSettings()) for text in pair
    ]
    assert [[anchor.state for anchor in repeat.new] for repeat in repeats] == [
        [AnchorState.ACTIVE, AnchorState.DUPLICATE]
    ] * 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The limit is 1,000 seats.", "The limit is 1,000,000 seats."),
        ("Ana pays Ana 32 euros.", "Omar pays Ana 32 euros."),
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
        ("The cap is 20480 rows.", "The cap is 20481 rows."),
        ("Order 12345678901234567890 is late.", "Order 12345678901234567891 is late."),
        ("Ana pays Omar on Friday.", "Omar pays Ana on Friday."),
        ("We migrate from 13 to 16.", "We migrate from 16 to 13."),
        ("Use Redis instead of Kafka.", "Use Kafka instead of Redis."),
        ("Deploy the api before the worker.", "Deploy the worker before the api."),
        ("We must not deploy but test.", "We must deploy but not test."),
        ("The pool has 5 workers and 10 queues.", "The pool has 10 workers and 5 queues."),
        ("The ratio is 1:2.", "The ratio is 2:1."),
        ("The commit is 91b77d0a.", "The commit is 91b77d0b."),
        ("Plan A is chosen.", "Plan B is chosen."),
        ("Only ana may deploy.", "Ana may deploy."),
        ("Every developer may push.", "Some developers may push."),
        ("The flag is set.", "The flag is unset."),
        ("Add the index.", "Remove the index."),
        ("We will ship it.", "We will hardly ship it."),
    ],
)
def test_what_looks_alike_but_is_not_stays_apart(first: str, second: str) -> None:
    assert_apart(first, second)
