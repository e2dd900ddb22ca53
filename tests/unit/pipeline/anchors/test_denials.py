"""A denial is shown with the speaker's statement that it contradicts, and a value that changed as it is now."""

from __future__ import annotations

import pytest

from support.wild_turns import said
from turnfold.assemble.forms.render_text import anchor_opening
from turnfold.contract.records import Anchor, AnchorState, Role, StoredTurn
from turnfold_worker.pipeline.anchors.deduplicate import merge
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.anchors.statements.denials import denial_of, is_contradicted
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn

NEVER = "I've never attended any sailing courses on the lake."


def folded(*turns: StoredTurn) -> list[Anchor]:
    """Return the anchors of turns, each folded as a segment of its own."""
    known: dict[int, Anchor] = {}
    for turn in turns:
        drafts = extract_anchors([read_turn(turn)], FoldSettings())
        merged = merge(drafts, list(known.values()), next_id=len(known) + 1, node_idx=turn.seq, settings=FoldSettings())
        known |= {anchor.id: anchor for anchor in merged.new}
        for change in merged.changed:
            before = known[change.id]
            known[change.id] = Anchor(
                **{**{name: getattr(before, name) for name in before.__slots__}, "state": change.state,
                   "related": change.related, "replaces": change.replaces}
            )  # fmt: skip
    return list(known.values())


def denial_in(anchors: list[Anchor]) -> Anchor:
    (denial,) = [anchor for anchor in anchors if denial_of(anchor.text)]
    return denial


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_denial_is_tied_to_what_contradicts_it_whichever_was_said_first(order: tuple[int, int]) -> None:
    texts = [NEVER, "I finished a sailing course on the lake last May."]
    anchors = folded(*(said(texts[at], seq=seq) for seq, at in enumerate(order, start=1)))
    denial = denial_in(anchors)
    assert [anchor.state for anchor in anchors] == [AnchorState.ACTIVE] * 2
    (other,) = [anchor for anchor in anchors if anchor is not denial]
    assert (denial.replaces, other.replaces) == (other.id, None)


def test_a_denial_is_tied_to_each_statement_that_contradicts_it() -> None:
    texts = (
        "I finished a sailing course on the lake last May.",
        "I finished a cooking course last May.",
        "I attended two sailing courses on the lake in 2021.",
        NEVER,
    )
    anchors = folded(*(said(text, seq=seq) for seq, text in enumerate(texts, start=1)))
    denial = denial_in(anchors)
    ours = {anchor.turn_seq: anchor for anchor in anchors if anchor is not denial}
    assert {anchor.state for anchor in anchors} == {AnchorState.ACTIVE}
    assert denial.replaces in {ours[1].id, ours[3].id}
    assert {ours[seq].replaces for seq in (1, 3) if ours[seq].id != denial.replaces} == {denial.id}
    assert ours[2].replaces is None


@pytest.mark.parametrize(
    "other",
    [
        said("I finished a sailing course on the lake last May.", seq=2, role=Role.ASSISTANT),
        said("I want to attend a sailing course on the lake on 3 May.", seq=2),
        said("If I finished a sailing course on the lake, I'd rent a boat on 3 May.", seq=2),
        said("My sister has a sailing school on the lake since 2019.", seq=2),
        said("I finished a cooking course last May.", seq=2),
        said("I bought a sailing boat last May.", seq=2),
    ],
)
def test_another_speaker_a_wish_a_condition_and_another_thing_contradict_nothing(other: StoredTurn) -> None:
    assert denial_in(folded(said(NEVER), other)).replaces is None


@pytest.mark.parametrize(
    "text",
    [
        "Never use tabs.",
        "Never mind the sailing course.",
        "He has never attended any sailing courses.",
        "If I've never attended a sailing course, may I rent a boat?",
        'Her words were "I\'ve never attended any sailing courses".',
        "I've never been happier.",
        "I don't have any time.",
        "I never eat meat.",
        "Have I never attended a sailing course?",
    ],
)
def test_orders_other_people_quotes_and_moods_deny_nothing(text: str) -> None:
    assert denial_of(text) is None


@pytest.mark.parametrize(
    ("denial", "statement"),
    [
        ("I've never used Terraform or written any Helm charts.", "I'm currently using Terraform 1.6."),
        ("I don't own any dogs.", "We adopted two dogs."),
        ("I've never deployed this service to any cluster.", "I've deployed the service to a cluster."),
    ],
)
def test_verbs_of_one_kind_contradict(denial: str, statement: str) -> None:
    never = denial_of(denial)
    assert never is not None
    assert is_contradicted(never, statement)


@pytest.mark.parametrize(("replaced_seq", "how"), [(1, "contradicts turn 1"), (9, "but later in turn 9")])
def test_a_line_says_what_a_denial_contradicts_and_which_was_said_later(replaced_seq: int, how: str) -> None:
    denial = denial_in(folded(said("I finished a sailing course on the lake last May."), said(NEVER, seq=2)))
    shown = Anchor(
        **{**{name: getattr(denial, name) for name in denial.__slots__},
           "replaced_seq": replaced_seq, "replaced": "I'm happy that I finished a sailing course on the lake last May."}
    )  # fmt: skip
    assert anchor_opening(shown) == (
        f'[critical fact 2, {how} "… I finished a sailing course on the lake last May."] user: '
    )


def test_a_denial_takes_the_place_of_nothing() -> None:
    anchors = folded(said("You may use the crane now."), said("I've never used the crane in the hall.", seq=2))
    assert anchors
    assert {anchor.state for anchor in anchors} == {AnchorState.ACTIVE}


def test_the_newest_value_of_what_changed_takes_the_place_of_the_one_before() -> None:
    anchors = folded(
        said("I've reduced the response time of the search page to 300 ms."),
        said("I'm tuning the response time of the search page, which has now improved to 250 ms after caching.", seq=2),
    )
    old, new = anchors
    assert (old.state, new.state) == (AnchorState.SUPERSEDED, AnchorState.ACTIVE)
    assert new.text.startswith("I'm tuning")
    shown = Anchor(**{**{name: getattr(new, name) for name in new.__slots__}, "replaced": old.text})
    assert 'replaces "300 ms"' in anchor_opening(shown)


@pytest.mark.parametrize(
    "second",
    [
        said("I've reduced the weight of the tent to 300 g.", seq=2),
        said("I've reduced the start time of the tray to 250 ms.", seq=2),
        said("I've reduced the response time of the search page to 250 ms.", seq=2, name="Bo"),
        said("I've raised the share of the search page's response time to 40 %.", seq=2),
        said("I want to reduce the response time of the search page to 100 ms.", seq=2),
    ],
)
def test_another_thing_person_unit_or_a_wish_leaves_a_value(second: StoredTurn) -> None:
    first = said("I've reduced the response time of the search page to 300 ms.", name="Ana" if second.name else None)
    assert folded(first, second)[0].state is AnchorState.ACTIVE
