"""Hard limits, standing instructions and preferences are anchors of types of their own, and are always found."""

from __future__ import annotations

import pytest

from support.wild_turns import said, talk
from turnfold.contract.records import AnchorState, AnchorType, Importance, Role, StoredTurn
from turnfold_worker.pipeline.anchors.deduplicate import merge
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn


def anchors_of(*turns: StoredTurn) -> tuple[AnchorDraft, ...]:
    return extract_anchors([read_turn(turn) for turn in turns], FoldSettings())


def types_of(text: str, *, role: Role = Role.USER, name: str | None = None) -> set[AnchorType]:
    return {draft.type for draft in anchors_of(said(text, role=role, name=name))}


@pytest.mark.parametrize(
    "text",
    [
        "And all customer records have to remain within Norway, no exceptions, the ferry is state-run.",
        "No discount codes, ever, for the night ferry.",
        "We must never keep deposits of tenants in our own till.",
        "Under no circumstances may the crane run at night.",
        "The bundle can be at most 200 KB.",
        "At most three people may open the safe.",
        "No more than 120 euros a night for the hotel.",
        "Every release must be signed by two people.",
        "Latency has to be < 250 ms, product agreed.",
        "The sensor needs to stay under 40 degrees.",
        "Backups must be encrypted.",
        "Names of patients cannot leave the ward's network; they cannot be shared.",
        "Only nurses may enter the store.",
        "We only ever ship on Tuesdays.",
        "Nobody may read the diary.",
        "That date is not negotiable for the museum.",
        "Passwords should never be logged.",
    ],
)
def test_a_hard_limit_is_a_constraint(text: str) -> None:
    assert AnchorType.CONSTRAINT in types_of(text)
    assert AnchorType.CONSTRAINT in types_of(text, name="Ana")
    assert AnchorType.CONSTRAINT not in types_of(text, role=Role.ASSISTANT)


@pytest.mark.parametrize(
    "text",
    [
        "You must be so proud of the twins!",
        "That must have been amazing.",
        "You must never give up, Omar.",
        "I must say that the soup was lovely.",
        "We only ever met once.",
        "You should never be afraid to try.",
        "I can never get enough of it.",
        "It was a must-see.",
        "Everyone must feel so lucky.",
        "We have to stay in touch!",
        "It took at least 3 hours.",
        "No exceptions were thrown.",
        "Must the bundle stay under 200 KB?",
        "Two years ago every release had to be signed by Priya.",
    ],
)
def test_what_only_sounds_like_a_limit_is_none(text: str) -> None:
    assert AnchorType.CONSTRAINT not in types_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "Always answer in German.",
        "From now on keep it under five sentences.",
        "Never use tabs in this repo.",
        "Please always include the sources.",
        "Keep that in mind in everything you write.",
        "No emojis, please.",
        "Stop using bullet points.",
        "Reply in French.",
        "Call me Sam.",
        "Add a summary at the end of every answer.",
    ],
)
def test_what_an_assistant_is_told_for_good_is_an_instruction(text: str) -> None:
    assert types_of(text) == {AnchorType.INSTRUCTION}
    assert types_of(text, role=Role.SYSTEM) == {AnchorType.INSTRUCTION}
    between_people = anchors_of(said(text, name="Ana"), said("Fine.", seq=2, name="Omar"))
    assert AnchorType.INSTRUCTION not in {draft.type for draft in between_people}


@pytest.mark.parametrize(
    "text",
    [
        "Always format code with syntax highlighting when I ask about implementation details.",
        "Never suggest paid tools when I ask about tooling.",
        "Whenever I ask about dates, include the weekday.",
        "When I ask about costs, always give both euros and dollars.",
        "If I ask about recipes, always list the allergens first.",
        "From now on, keep answers under 100 words.",
        "Please use bullet points when I ask for summaries.",
        "Please format tables in Markdown when you compare options.",
        "Include sources when I ask about medical topics.",
        "Please include a short example whenever I ask about grammar.",
        "Use metric units when I ask for conversions.",
        "Going forward, please cite the page number with each quote.",
        "I want you to always explain the formula before the result.",
        "Make sure to mention side effects whenever I ask about medication.",
        "Every time I ask about flights, mention the baggage rules.",
        "Remember to always include the time zone when I ask about meetings.",
        "When answering questions about budgets, please show the calculation.",
        "In future answers, please avoid jargon.",
        "For all code examples, use Python 3.12.",
        "Provide step-by-step explanations when I ask about probability.",
        "Can you please always include units when I ask about measurements?",
        "Please don't ever use emojis in your replies.",
        "You should always check the spelling of names in my drafts.",
        "Any time I ask for a summary, keep it to three sentences.",
        "Each time I share code, point out security problems first.",
        "When I ask you to review text, don't rewrite it.",
        "Keep your answers short from now on.",
        "Please always respond in French when I write in French.",
        "Do not recommend restaurants with seafood when I ask for places to eat.",
        "Give me concrete examples whenever I ask about theory.",
    ],
)
def test_an_order_for_each_time_that_something_is_asked_is_an_instruction(text: str) -> None:
    assert types_of(text) == {AnchorType.INSTRUCTION}


@pytest.mark.parametrize(
    "text",
    [
        "I always ask about the price when I buy shoes.",
        "She always says never when I ask.",
        "When I ask my boss about holidays, he laughs.",
        "Please use the blue folder when you go to the office tomorrow.",
        "Always happy when I see the sea.",
        "I never know what to say when I ask for help.",
        "Use the back door when you arrive tonight.",
        "Please call me when you land.",
        "Include the invoice when you send the parcel tomorrow.",
        "If I ask nicely, will you help?",
        "Never mind, it works now.",
        "My teacher said: always show your work when I ask.",
        "Should I always include units when I write reports?",
    ],
)
def test_what_only_sounds_like_an_order_for_each_time_is_none(text: str) -> None:
    assert AnchorType.INSTRUCTION not in types_of(text)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Always name prices when I ask about flights.", "Always name prices when I ask about hotels."),
        (
            "Always list sources when I ask about health.",
            "Always list sources when I ask for summaries of health laws.",
        ),
    ],
)
def test_an_order_for_another_occasion_repeats_nothing(first: str, second: str) -> None:
    drafts = anchors_of(said(first), said(second, seq=2))
    merged = merge(drafts, [], next_id=1, node_idx=0, settings=FoldSettings())
    assert [one.state for one in merged.new] == [AnchorState.ACTIVE] * 2


@pytest.mark.parametrize(
    "text", ["Call me back tomorrow at 9.", "Call me when the parcel is there.", "I answered him."]
)
def test_what_is_asked_for_once_is_no_instruction(text: str) -> None:
    assert AnchorType.INSTRUCTION not in types_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "I prefer dark roast.",
        "I like the ferry better than the train.",
        "My favourite is the blue one.",
        "I don't want a banner on the start page.",
        "I'd rather have the meeting online.",
        "I really dislike popups.",
        "I only eat vegetables from the market.",
        "I never drink coffee after lunch.",
    ],
)
def test_how_somebody_likes_things_is_a_preference(text: str) -> None:
    assert types_of(text) == {AnchorType.PREFERENCE}
    assert types_of(text, role=Role.ASSISTANT) & {AnchorType.PREFERENCE} == set()


def test_what_the_body_demands_is_no_taste() -> None:
    assert types_of("I'm allergic to peanuts.") == {AnchorType.CRITICAL_FACT}


def test_limits_and_instructions_come_before_all_that_nobody_marked_and_tastes_before_facts() -> None:
    (limit,) = anchors_of(said("Nobody may read the diary."))
    (order,) = anchors_of(said("No emojis, please."))
    rivals = anchors_of(
        said("Correction: the launch with Ana is on 3 May 2026 at 10:30.", importance=Importance.MEDIUM)
    )
    assert min(limit.rank, order.rank) > max(rival.rank for rival in rivals)
    (taste,) = anchors_of(said("I prefer dark roast."))
    (fact,) = anchors_of(said("The office is located in Lyon."))
    assert taste.rank > fact.rank


def test_a_turn_of_many_limits_keeps_them_all() -> None:
    limits = [f"Room {number} must never be locked." for number in range(1, 7)]
    found = anchors_of(said(" ".join(limits)))
    assert [draft.text for draft in found if draft.type is AnchorType.CONSTRAINT] == limits


def test_a_later_limit_of_the_same_thing_takes_the_place_of_an_earlier_fact() -> None:
    turns = talk("user: The upload limit is 25 MB.", "assistant: Noted.", "user: Uploads must not exceed 40 MB.")
    drafts = [draft for turn in turns for draft in anchors_of(turn)]
    found = merge(drafts, (), next_id=1, node_idx=0, settings=FoldSettings()).new
    assert AnchorType.CONSTRAINT in {anchor.type for anchor in found}
    again = talk("user: Latency must be < 150 ms.", "assistant: Noted.", "user: Latency has to be < 250 ms.")
    drafts = [draft for turn in again for draft in anchors_of(turn)]
    states = [anchor.state for anchor in merge(drafts, (), next_id=1, node_idx=0, settings=FoldSettings()).new]
    assert states == [AnchorState.SUPERSEDED, AnchorState.ACTIVE]


@pytest.mark.parametrize(
    "order",
    ["Absolutely never store keys in the shed.", "Also, never store keys in the shed.", "Seriously, always sign it."],
)
def test_a_word_before_never_or_always_leaves_an_order_one(order: str) -> None:
    anchors = anchors_of(*talk(f"user: {order}", "assistant: All right."))
    assert [one.type for one in anchors] == [AnchorType.INSTRUCTION]


@pytest.mark.parametrize("text", ["Three firm rules.", "That is a hard rule.", "Here are two strict limits:"])
def test_what_only_says_that_rules_are_said_beside_it_is_no_anchor(text: str) -> None:
    assert not anchors_of(*talk(f"user: {text}", "assistant: All right."))


@pytest.mark.parametrize(
    ("before", "rule"),
    [
        ("Could you add the postage to what things cost?", "From now on, each quote."),
        ("Please sign letters with both of our names.", "Always, every letter!"),
    ],
)
def test_a_rule_that_says_only_when_it_holds_stands_with_the_sentence_before_it(before: str, rule: str) -> None:
    texts = [draft.text for draft in anchors_of(said(f"Good. {before} {rule} I forget it myself."))]
    assert f"{before} {rule}" in texts


def test_a_bracket_that_stays_open_is_not_of_a_rule() -> None:
    texts = [draft.text for draft in anchors_of(said("(We're never moving to the new mill. Ever. I mean it.)"))]
    assert texts
    assert not any(text.startswith("(") for text in texts)
