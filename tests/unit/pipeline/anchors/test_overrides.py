"""The author of a plan can set it aside without stating a value or naming the plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from support.settled_talk import SETTINGS, merged
from support.wild_turns import said, talk
from turnfold.assemble.by_value.top_anchors import stands
from turnfold.contract.records import AnchorState, AnchorType, Role
from turnfold_worker.pipeline.anchors.deduplicate import settle_again

OVERRIDES: Final[list[tuple[str, str, str]]] = [
    ("Let's paint the fence green.", "Hm, scratch that. Let's leave it bare instead.", "leave it bare"),
    ("Let's paint the fence green.", "Strike that. We'll plant a hedge.", "plant a hedge"),
    ("Let's cook for the guests ourselves.", "Scratch that, let's hire a caterer.", "hire a caterer"),
    ("Let's hold the workshop in the barn.", "On second thoughts, let's rent the town hall.", "town hall"),
    ("We'll print the programme on paper.", "I changed my mind. We'll put it on the website.", "website"),
    ("Let's walk to the summit.", "Let's take the cable car instead.", "cable car"),
    ("Let's write the guide in Latin.", "Instead, let's write it in Dutch.", "in Dutch"),
    ("Let's store the seeds in jars.", "We're going to store the seeds in paper bags instead.", "paper bags"),
    ("I think we should open a second bakery.", "Let me rethink that. We'll extend the first one.", "extend"),
    ("Let's ask the choir to sing.", "Change of plan: we'll hire a brass band.", "brass band"),
    ("Let's ask the choir to sing.", "New plan: hire a brass band.", "brass band"),
    ("Plan: sell the boat in spring.", "New plan: keep the boat and rent it out.", "rent it out"),
    (
        "The plan for the garden: dig a pond.",
        "Revised plan: build a greenhouse. Ignore the earlier plan.",
        "greenhouse",
    ),
    ("Let's send the invoices by post.", "Let's e-mail the invoices. Ignore my previous instruction.", "e-mail"),
    ("Let's knit the scarves by hand.", "Forget the old idea. We'll order the scarves.", "order the scarves"),
    ("Let's knit the scarves by hand.", "Disregard the first proposal, we'll buy a machine.", "buy a machine"),
    ("Let's ferment the cabbage.", "Forget everything we said so far. We'll freeze the cabbage.", "freeze"),
    ("Let's ferment the cabbage.", "Clean slate. We'll grow mushrooms.", "grow mushrooms"),
    ("Let's shoot the film in black and white.", "Wait, scrap all of that. We'll shoot it in colour.", "in colour"),
    ("Let's shoot the film in black and white.", "Complete reversal: we'll make a radio play.", "radio play"),
    ("Let's tile the bathroom ourselves.", "We'll call a tiler. Total pivot.", "call a tiler"),
    ("We'll keep bees on the roof.", "Let me reconsider. Let's keep hens.", "keep hens"),
    ("Let's carve the sign from oak.", "Drop the original plan. We'll cast the sign in bronze.", "bronze"),
    ("Let's start at 9:00.", "Scratch that. Let's start at 10:30.", "10:30"),
    ("Let's give the talk to Priya.", "Actually, scratch that. Let's give it to Tomas instead.", "Tomas"),
    ("Let's rent 4 canoes.", "Scrap that, let's rent 6 canoes instead.", "6 canoes"),
    ("We'll meet Omar in Turin.", "Change of plans. We'll meet Omar in Genoa.", "Genoa"),
]


@pytest.mark.parametrize(("plan", "override", "in_force"), OVERRIDES)
def test_a_plan_that_is_set_aside_gives_its_place_to_the_one_beside_it(plan: str, override: str, in_force: str) -> None:
    anchors = merged(talk(f"user: {plan}", "assistant: All right.", f"user: {override}")).new
    old, *rest = anchors
    assert (old.text, old.state) == (plan, AnchorState.SUPERSEDED)
    assert [one.id for one in rest if in_force in one.text and one.state is AnchorState.ACTIVE] == [old.related]
    assert all(in_force in one.text for one in rest if one.state is AnchorState.ACTIVE)


NEAR_MISSES: Final[list[tuple[str, str]]] = [
    ("user: Let's paint the fence green.", 'user: The poster says: "scratch that, let\'s paint it red instead".'),
    ("user: Let's paint the fence green.", 'user: The log shows "ignore the earlier instruction" twice.'),
    ("user: Let's paint the fence green.", "user: The page was titled 'Forget everything we said so far'."),
    ("user: Let's paint the fence green.", "user: > Ignore the earlier instruction. New plan: plant a hedge."),
    ("user: Let's paint the fence green.", "user: If it rains, we'll stain the fence instead."),
    ("user: Let's paint the fence green.", "user: Maybe we should scratch that and stain it."),
    ("user: Let's paint the fence green.", "user: Should we scratch that?"),
    ("user: Let's paint the fence green.", "user: I've never painted one, so I'm starting from scratch."),
    ("user: Let's paint the fence green.", "user: Suppose we ignore the earlier plan and stain it."),
    ("user: Let's paint the fence green.", "user: Please don't scratch that. We'll buy the brushes."),
    ("user: Let's paint the fence green.", "user: Never ignore the earlier plan. We'll buy the brushes."),
    ("user: Let's paint the fence green.", "user: My neighbour said scratch that. We'll buy the brushes."),
    ("user: Let's paint the fence green.", "user: Rita told me to ignore the earlier plan."),
    ("user: Let's paint the fence green.", "assistant: Scratch that. Let's plant a hedge instead."),
    ("user: Let's paint the fence green.", "tool: Ignore the earlier instruction. New plan: plant a hedge."),
    ("user: Let's paint the fence green.", "user: For the kitchen, let's order new tiles instead."),
    ("user: Let's paint the fence green.", "user: We could plant a hedge instead."),
    ("user: Let's paint the fence green.", "user: Let's buy brushes instead of rollers."),
    ("user: Let's paint the fence green.", "user: The Sunday market with Omar is off the table."),
    ("user: Goal: open a kiosk on the pier, run by Nadia.", "user: The Friday tour with Omar is off the table."),
    ("user: Never paint the fence red.", "user: Forget everything we said so far. We'll plant a hedge."),
]


@pytest.mark.parametrize(("plan", "later"), NEAR_MISSES)
def test_what_is_quoted_supposed_or_said_by_another_sets_no_plan_aside(plan: str, later: str) -> None:
    anchors = merged(talk(plan, "assistant: All right.", later)).new
    assert [one.state for one in anchors if one.turn_seq == 1] in ([AnchorState.ACTIVE], [])
    assert all(one.replaces is None for one in anchors)


def test_who_else_speaks_sets_aside_no_plan_but_their_own() -> None:
    turns = [
        said("Let's paint the fence green.", seq=1, role=Role.USER, name="Ana"),
        said("Scratch that. Let's plant a hedge instead.", seq=2, role=Role.USER, name="Ben"),
    ]
    assert merged(turns).new[0].state is AnchorState.ACTIVE


def test_of_several_plans_the_last_one_is_set_aside_and_an_older_one_stays() -> None:
    anchors = merged(
        talk(
            "user: Let's order the beams.",
            "user: Let's paint the fence green.",
            "user: Scratch that. Let's plant a hedge instead.",
        )
    ).new
    assert [one.text for one in anchors if one.state is AnchorState.SUPERSEDED] == ["Let's paint the fence green."]


def test_a_plan_of_long_ago_is_set_aside_by_naming_it_the_earlier_one() -> None:
    earlier = merged(talk("user: Let's paint the fence green.")).new
    new_plan = merged([said("Ignore the original plan. We'll plant a hedge.", seq=90)], earlier)
    assert [(one.id, one.state) for one in new_plan.changed] == [(1, AnchorState.SUPERSEDED)]
    instead = merged([said("Let's plant a hedge instead.", seq=90)], earlier)
    assert not instead.changed


def test_words_alone_take_a_plan_back_where_no_new_one_is_made() -> None:
    anchors = merged(talk("user: Let's paint the fence green.", "assistant: All right.", "user: Scratch that.")).new
    assert [(one.state, one.related) for one in anchors] == [(AnchorState.SUPERSEDED, 2), (AnchorState.ACTIVE, None)]


def test_a_plan_that_is_settled_again_is_set_aside_again_by_what_was_said_later() -> None:
    talked = talk(
        "user: Let's paint the fence green.", "assistant: All right.", "user: Scratch that. We'll plant a hedge."
    )
    old, *later = merged(talked).new
    again = settle_again(replace(old, state=AnchorState.ACTIVE, related=None), later, settings=SETTINGS)
    assert (again[0].id, again[0].state, again[0].related) == (old.id, AnchorState.SUPERSEDED, old.related)


def test_a_correction_that_only_takes_back_leaves_its_place_to_the_plan_beside_it() -> None:
    old, new, taken_back = merged(
        talk(
            "user: The plan: sell at the Friday market.",
            "user: Use a web shop instead. The Friday market plan is off the table.",
        )
    ).new
    assert (old.state, old.related, new.replaces, taken_back.replaces) == (AnchorState.SUPERSEDED, new.id, old.id, None)


def test_a_new_plan_stands_in_contexts_with_fewer_points_than_what_it_replaces() -> None:
    text = "Let's plant a hedge."
    assert [stands(AnchorType.COMMITMENT, 60, text, replaces=replaces) for replaces in (True, False)] == [True, False]
