"""Every draft becomes an anchor; repeats, corrections and answers only change states."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from turnfold.contract.records import Anchor, AnchorState, StoredTurn
from turnfold_worker.pipeline.anchors import extract_anchors
from turnfold_worker.pipeline.deduplicate import Merged, anchor_terms, cosine, merge
from turnfold_worker.pipeline.reading import read_turn
from turnfold_worker.pipeline.settings import FoldSettings

from .wild_turns import said, talk, wild_turns

SETTINGS = FoldSettings()


def merged(turns: list[StoredTurn], earlier: tuple[Anchor, ...] = ()) -> Merged:
    drafts = extract_anchors([read_turn(turn) for turn in turns], SETTINGS)
    return merge(drafts, earlier, next_id=len(earlier) + 1, node_idx=0, settings=SETTINGS)


def states(result: Merged) -> list[AnchorState]:
    return [anchor.state for anchor in result.new]


@given(wild_turns(most=10), wild_turns(most=10))
@settings(max_examples=40, deadline=None)
def test_ids_are_dense_and_relations_point_to_known_anchors(first: list[StoredTurn], second: list[StoredTurn]) -> None:
    earlier = merged(first).new
    later = [said(t.content, seq=t.seq + len(first), role=t.role) for t in second]
    result = merged(later, earlier)
    assert [one.id for one in result.new] == list(range(len(earlier) + 1, len(earlier) + len(result.new) + 1))
    known = {one.id for one in (*earlier, *result.new)}
    related = [one.related for one in result.new] + [one.related for one in result.changed]
    assert all(one is None or one in known for one in related)
    assert len({one.id for one in result.changed}) == len(result.changed)
    assert merged(later, tuple(reversed(earlier))) == result


def test_of_two_equals_the_shorter_is_kept() -> None:
    long, short = "We decided to keep the monthly billing plan, yes.", "We decided to keep the monthly billing plan."
    assert states(merged(talk(f"user: {short}", f"user: {long}"))) == [AnchorState.ACTIVE, AnchorState.DUPLICATE]
    result = merged(talk(f"user: {long}", f"user: {short}"))
    assert states(result) == [AnchorState.DUPLICATE, AnchorState.ACTIVE]
    assert result.new[0].related == result.new[1].id


def test_an_earlier_anchor_becomes_the_duplicate_of_a_shorter_new_one() -> None:
    earlier = merged(talk("user: We decided to keep the monthly billing plan, yes.")).new
    result = merged([said("We decided to keep the monthly billing plan.", seq=9)], earlier)
    assert [(one.id, one.state, one.related) for one in result.changed] == [(1, AnchorState.DUPLICATE, 2)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("You must restart the production database.", "You must not restart the production database."),
        ("We decided to give Ana the production keys.", "We decided to give Omar the production keys."),
        ("We decided to set max_size in production.", "We decided to set min_size in production."),
        ("I prefer quiet window seats on trains.", "We decided on quiet window seats on trains."),
    ],
)
def test_a_negation_a_name_or_a_type_keeps_two_anchors_apart(first: str, second: str) -> None:
    assert AnchorState.DUPLICATE not in states(merged(talk(f"user: {first}", f"user: {second}")))


def test_a_correction_supersedes_what_it_corrects() -> None:
    earlier = merged(talk("user: We decided the launch party is in Lisbon.")).new
    result = merged([said("Actually, it changed: the launch party is in Porto.", seq=5)], earlier)
    assert [(one.id, one.state, one.related) for one in result.changed] == [(1, AnchorState.SUPERSEDED, 2)]


def test_the_same_fact_with_another_value_supersedes_the_earlier() -> None:
    result = merged(
        talk("user: My launch deadline must be 3 May 2026.", "user: My launch deadline must be 7 May 2026.")
    )
    assert states(result) == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]


def test_an_answer_in_a_later_segment_resolves_the_question() -> None:
    earlier = merged(talk("user: Which region hosts the nightly backups?")).new
    assert earlier[0].state is AnchorState.ACTIVE
    result = merged([said("We decided that Frankfurt hosts the nightly backups.", seq=7)], earlier)
    assert [(one.state, one.related) for one in result.changed] == [(AnchorState.RESOLVED, 2)]


def test_a_finished_promise_is_resolved_by_the_report() -> None:
    earlier = merged(talk("user: I'll send the signed contract to the notary.")).new
    result = merged([said("I've sent the contract this morning.", seq=4)], earlier)
    assert [(one.state, one.related) for one in result.changed] == [(AnchorState.RESOLVED, 2)]


def test_terms_are_rarest_first_and_bounded() -> None:
    found = anchor_terms("We use src/app/main.py with max_tokens for the authentication of every single user there")
    assert len(found) <= 8
    assert found[0] == "src/app/main.py"


def test_cosine_of_equals_is_one_and_of_strangers_zero() -> None:
    assert cosine("postgres index planner", "postgres index planner") == 1.0
    assert cosine("postgres", "lasagna") == 0.0
    assert cosine("", "lasagna") == 0.0
