"""Anchors are verbatim, bounded, and of the type that a reader would assign."""

from __future__ import annotations

import pytest
from hypothesis import given

from support.examples import examples
from support.wild_turns import said, talk, wild_turns
from turnfold.contract.records import AnchorState, AnchorType, Importance, Role, StoredTurn
from turnfold_worker.pipeline.anchors.drafts import AnchorDraft
from turnfold_worker.pipeline.anchors.extraction import MAX_PER_SEGMENT, extract_anchors
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn


def anchors_of(turns: list[StoredTurn], chosen: FoldSettings | None = None) -> tuple[AnchorDraft, ...]:
    return extract_anchors([read_turn(turn) for turn in turns], chosen or FoldSettings())


@given(wild_turns(most=12))
@examples(80)
def test_every_anchor_is_a_slice_of_its_turn(turns: list[StoredTurn]) -> None:
    content = {turn.seq: turn.content for turn in turns}
    drafts = anchors_of(turns)
    assert {draft.turn_seq for draft in drafts} <= content.keys()
    for draft in drafts:
        assert draft.text == content[draft.turn_seq][draft.start : draft.end]
        assert 0 < len(draft.text) <= 300
        assert 0 <= draft.score <= 100


@given(wild_turns(most=12))
@examples(40)
def test_a_segment_has_a_bounded_number_of_anchors(turns: list[StoredTurn]) -> None:
    pinned = sum(turn.importance is Importance.PIN for turn in turns)
    assert len(anchors_of(turns)) <= MAX_PER_SEGMENT + pinned


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'll send the contract to Ana tomorrow.", AnchorType.COMMITMENT),
        ("TODO: rotate the staging keys.", AnchorType.COMMITMENT),
        ("Could you send me the draft by Friday?", AnchorType.COMMITMENT),
        ("We decided to keep the monthly plan.", AnchorType.DECISION),
        ("Let's use PostgreSQL 16 for the ledger.", AnchorType.DECISION),
        ("Which region hosts the backups?", AnchorType.UNRESOLVED_QUESTION),
        ("The seat map must not exceed 500 seats.", AnchorType.CONSTRAINT),
        ("I'm allergic to peanuts.", AnchorType.CRITICAL_FACT),
        ("Actually, it was Omar who paid the deposit.", AnchorType.CORRECTION),
        ("Scratch that, the launch is on 7 May.", AnchorType.CORRECTION),
        ("Sorry, I meant the blue van.", AnchorType.CORRECTION),
        ("Where did the Mongols, no wait, the Ming build it?", AnchorType.CORRECTION),
        ("Please forward the invoices to Ana.", AnchorType.COMMITMENT),
    ],
)
def test_a_plain_sentence_gives_an_anchor_of_its_type(text: str, expected: AnchorType) -> None:
    found = anchors_of([said(text)])
    assert [(draft.type, draft.text) for draft in found] == [(expected, text)]


@pytest.mark.parametrize(
    "text", ["How are you?", "Really?", "Thanks so much!", "That sounds lovely.", "Is that ok?", "I'll see."]
)
def test_small_talk_gives_no_anchor(text: str) -> None:
    assert anchors_of([said(text)]) == ()


def test_a_heading_asks_nobody_for_anything() -> None:
    assert anchors_of([said("### Describe your problem\n\nNothing much.")]) == ()
    assert [draft.text for draft in anchors_of([said("- Describe your problem in detail")])] == [
        "Describe your problem in detail"
    ]


def test_a_wish_is_no_correction() -> None:
    assert [draft.type for draft in anchors_of([said("I'd make it a setting of the gateway.")])] != [
        AnchorType.CORRECTION
    ]
    assert [draft.type for draft in anchors_of([said("Make it a table for six, please.")])] == [AnchorType.CORRECTION]


def test_a_question_that_is_answered_at_once_is_resolved() -> None:
    found = anchors_of(talk("user: Which region hosts the backups?", "assistant: Frankfurt hosts the backups."))
    assert found[0].state is AnchorState.RESOLVED


def test_a_promise_that_is_kept_in_the_segment_is_resolved() -> None:
    found = anchors_of(talk("user: I'll send the contract to Ana.", "user: Done, I've sent the contract."))
    assert [draft.state for draft in found if draft.type is AnchorType.COMMITMENT] == [AnchorState.RESOLVED]


def test_a_pinned_turn_is_an_anchor_of_the_top_rank_whatever_it_says() -> None:
    pinned = said("lorem ipsum dolor sit amet", importance=Importance.PIN)
    rival = said("Correction: we must never exceed 40 requests.", seq=2, importance=Importance.HIGH)
    first = max(anchors_of([pinned, rival]), key=lambda draft: draft.rank)
    assert (first.text, first.type) == (pinned.content, AnchorType.CRITICAL_FACT)


def test_a_long_pinned_turn_gives_its_first_sentences() -> None:
    pinned = said("Keep the ledger append only. " + "More words follow here. " * 40, importance=Importance.PIN)
    first = anchors_of([pinned])[0]
    assert first.text.startswith("Keep the ledger append only.")
    assert len(first.text) <= 300
    assert first.text.endswith(".")


def test_code_gives_only_its_configuration() -> None:
    text = "Here it is.\n```\n# we decided to use this\nMAX_CONNECTIONS=40\nprint('I will send it')\n```\n"
    assert [draft.text for draft in anchors_of([said(text)])] == ["MAX_CONNECTIONS=40"]


def test_a_tools_prose_gives_only_its_error() -> None:
    text = "We decided to do it.\nI'll send it.\nValueError: size must be positive\n"
    found = anchors_of([said(text, role=Role.TOOL)])
    assert [(draft.type, draft.text) for draft in found] == [
        (AnchorType.CRITICAL_FACT, "ValueError: size must be positive")
    ]


def test_what_speaks_of_the_goal_scores_higher() -> None:
    turns = [said("We decided to keep the refunds manual.")]
    plain, steered = anchors_of(turns)[0], anchors_of(turns, FoldSettings(goal="automate refunds"))[0]
    assert steered.score == plain.score + 10


def test_a_long_list_of_facts_does_not_flood() -> None:
    facts = "\n".join(f"- The limit of option {i} is {i} MB." for i in range(60))
    assert len(anchors_of([said(facts)])) == 4


def test_the_steps_of_an_assistants_explanation_ask_nobody_for_a_deed() -> None:
    steps = "\n".join(f"{i}. Write down the {i}th thought. Let's break it down." for i in range(1, 40))
    assert not anchors_of([said(steps, role=Role.ASSISTANT)])
    asked = anchors_of([said("Restart the gateway, then tell me what it logs.", role=Role.ASSISTANT)])
    assert [one.type for one in asked] == [AnchorType.COMMITMENT]


@pytest.mark.parametrize(
    "text", ["I've got the following code so far:", "And bon appetit!", "I wish I had known you then!"]
)
def test_what_says_nothing_by_itself_is_no_anchor(text: str) -> None:
    assert not anchors_of([said(text)])


@pytest.mark.parametrize(
    "text",
    [
        "The rule is: never push to main:",
        "Decision: we keep the monthly plan:",
        "Count on me to deliver the report.",
        "Check out this new photo policy, photos must be under 5 MB.",
        "How about this, we ship on 3 May.",
        "I wish I could fly, but the doctor said never above 3000 m.",
        "Please keep trying to reach Omar until Friday.",
    ],
)
def test_what_states_something_is_kept_however_it_opens(text: str) -> None:
    assert [one.text for one in anchors_of([said(text)])] == [text]


def test_what_an_agent_does_at_once_is_no_open_commitment() -> None:
    plan = "First, I will add the new field to the ledger. Let's open the file pay.py."
    alone = [said(seq=1, role=Role.ASSISTANT, content=plan), said(seq=2, role=Role.USER, content="Go on.")]
    acting = [said(seq=1, role=Role.ASSISTANT, content=plan), said(seq=2, role=Role.TOOL, content="1:cut = 3")]
    assert (AnchorType.COMMITMENT, AnchorState.ACTIVE) in {(draft.type, draft.state) for draft in anchors_of(alone)}
    assert (AnchorType.COMMITMENT, AnchorState.ACTIVE) not in {(one.type, one.state) for one in anchors_of(acting)}


def test_what_an_agent_promises_somebody_stays_open_while_it_acts() -> None:
    turns = [
        said(seq=1, role=Role.ASSISTANT, content="I'll send you the report tomorrow."),
        said(seq=2, role=Role.TOOL, content="ok"),
    ]
    assert [draft.type for draft in anchors_of(turns) if draft.turn_seq == 1] == [AnchorType.COMMITMENT]


@pytest.mark.parametrize(
    "order",
    [
        "Always answer in German.",
        "From now on keep it under five sentences.",
        "Please never suggest paid tools.",
        "Whenever I ask about recipes, use grams.",
        "You must never delete a row without asking.",
        "I want you to always cite the law.",
        "Speak plainly with me from now on.",
    ],
)
def test_what_an_assistant_is_told_for_good_comes_before_all_that_is_unmarked(order: str) -> None:
    told = [said(order), said("Noted.", seq=2, role=Role.ASSISTANT)]
    rivals = talk("user: Correction: the launch with Ana is on 3 May 2026 at 10:30.")
    (found,) = anchors_of(told)
    assert (found.type, found.text) == (AnchorType.INSTRUCTION, order)
    assert found.rank > max(one.rank for one in anchors_of(rivals))


def test_a_manner_of_speaking_among_people_orders_nothing() -> None:
    assert anchors_of([said("Never give up!", name="Ana"), said("Always.", seq=2, name="Omar")]) == ()


def test_the_manual_of_a_harness_is_no_standing_order_and_its_steps_are_no_requests() -> None:
    steps = "Always check the diff after an edit. Run the script. Then start trying to fix it. "
    told = said(steps + "The window shows one file at a time. " * 60)
    assert anchors_of([told]) == ()
    assert len(anchors_of([said(steps)])) == 3
    wish = said("Please keep the old name. " + told.content)
    assert [draft.text for draft in anchors_of([wish])] == ["Please keep the old name."]


@pytest.mark.parametrize(
    "text",
    [
        "Oops, sorry 'bout the accident!",
        "I'll keep ya posted.",
        "Tell me all about it!",
        "What about you, Mel?",
        "I'll keep doing my best.",
        "Let's make it happen!",
        "Let's keep motivating each other.",
        "I'll keep my fingers crossed for you!",
        "It is a big deal!",
    ],
)
def test_a_pleasantry_gives_no_anchor(text: str) -> None:
    assert anchors_of([said(text, name="Ana"), said("I see.", seq=2, name="Omar")]) == ()


@pytest.mark.parametrize(
    "text",
    [
        "I'm going to make it for my family.",
        "I love Spider-Man, I mean, who doesn't love Peter?",
        "We did not make it to the finals.",
        "What is the chance of getting no heads?",
        "I prefer a style of their own, rather than a general one, can you help?",
        "I have never actually enrolled in a course, so what should I learn?",
        "No, this is not necessary.",
        "Oh no, is Biscuit all right?",
        "Ah no, are the backups gone?",
    ],
)
def test_what_sets_nothing_right_is_no_correction(text: str) -> None:
    assert AnchorType.CORRECTION not in {draft.type for draft in anchors_of([said(text, name="Ana")])}


def test_a_step_that_an_assistant_takes_at_once_is_resolved() -> None:
    step = said("Let's open the parser first.\n```\nopen parser.py\n```", role=Role.ASSISTANT)
    found = anchors_of([step, said("1: import re", seq=2, role=Role.TOOL)])
    assert [draft.state for draft in found] == [AnchorState.RESOLVED]
    later = said("I'll deploy it tonight.\n```\nmake test\n```", role=Role.ASSISTANT)
    assert [draft.state for draft in anchors_of([later])] == [AnchorState.ACTIVE]


def test_a_wish_for_words_is_resolved_by_the_reply_and_one_for_deeds_is_not() -> None:
    reply = said("Put your experience first, then education.", seq=2, role=Role.ASSISTANT)
    words = said("Can you help me order the sections of my resume?")
    assert [draft.state for draft in anchors_of([words, reply])][:1] == [AnchorState.RESOLVED]
    asks_back = said("Which sections do you have?", seq=2, role=Role.ASSISTANT)
    assert anchors_of([words, asks_back])[0].state is AnchorState.ACTIVE
    deed = said("Could you remind me to call the notary on Friday?")
    assert anchors_of([deed, said("Sure.", seq=2, role=Role.ASSISTANT)])[0].state is AnchorState.ACTIVE


def test_of_a_long_reply_only_its_last_words_can_be_agreed_to() -> None:
    plan = "**February 16 - March 15, 2024:** Final adjustments. " + "Here is one more step to take. " * 30
    found = anchors_of([said(plan + "Does that sound good?", role=Role.ASSISTANT), said("Yes, that's great.", seq=2)])
    assert AnchorType.DECISION not in {draft.type for draft in found}


@pytest.mark.parametrize("reply", ["I don't know yet.", "Not sure. I'll ask Omar.", "Sorry, I'll have to find out."])
def test_a_reply_that_knows_nothing_leaves_the_question_open(reply: str) -> None:
    asked = "user: Which region hosts the backups?"
    assert anchors_of(talk(asked, f"assistant: {reply}"))[0].state is AnchorState.ACTIVE
    told = "assistant: The region that hosts the backups is Frankfurt."
    later = anchors_of(talk(asked, f"assistant: {reply}", "user: Okay.", told))
    assert later[0].state is AnchorState.RESOLVED


@pytest.mark.parametrize(
    "report", ["I sent the contract to Ana.", "We just sent the contract.", "The contract is sent."]
)
def test_a_report_in_any_past_keeps_the_promise(report: str) -> None:
    found = anchors_of(talk("user: I'll send the contract to Ana.", "assistant: Great.", f"user: {report}"))
    assert [draft.state for draft in found if draft.turn_seq == 1] == [AnchorState.RESOLVED]


def test_what_waits_for_a_deed_does_not_report_it() -> None:
    promise = "Ana: I'll send the lease to Omar."
    waits = anchors_of(talk(promise, "Omar: Once the lease has been sent, the painters can start."))
    told = anchors_of(talk(promise, "Omar: The lease has been sent, the painters can start."))
    assert [draft.state for draft in (waits[0], told[0])] == [AnchorState.ACTIVE, AnchorState.RESOLVED]


@pytest.mark.parametrize(
    "text",
    [
        "If you need any help with the lease, just let me know.", "Please don't hesitate to call me.",
        "Well, feel free to ask the notary.", "Sorry, let me know if I can do anything else for you.",
        "Should you have further questions, please contact the notary.",
    ],
)  # fmt: skip
def test_an_offer_of_help_is_no_anchor(text: str) -> None:
    assert not anchors_of([said(text)])


def test_what_only_sounds_like_an_offer_of_help_is_asked_for() -> None:
    for text in ("If you want to see the hall, let me know.", "If you find any problems, please restart the worker."):
        assert [draft.type for draft in anchors_of([said(text)])] == [AnchorType.COMMITMENT]


@pytest.mark.parametrize("text", ["How can I help you?", "I can swim quite well.", "What can I do for you?"])
def test_a_service_or_an_ability_is_no_commitment(text: str) -> None:
    found = anchors_of(talk(f"Ana: {text}", "Omar: Good morning."))
    assert AnchorType.COMMITMENT not in {draft.type for draft in found}


def test_a_question_without_a_mark_stays_open() -> None:
    found = anchors_of(talk("Ana: where did the notary put the spare keys", "Ana: hm"))
    assert [(draft.type, draft.state) for draft in found] == [(AnchorType.UNRESOLVED_QUESTION, AnchorState.ACTIVE)]


@pytest.mark.parametrize(
    ("question", "replies", "state"),
    [
        ("What is the code for the cellar?", ["Li: Yeah."], AnchorState.ACTIVE),
        ("What is the code for the cellar?", ["Li: Mm-hmm.", "Omar: It is on the lid."], AnchorState.RESOLVED),
        ("Is the cellar locked?", ["Li: Yeah."], AnchorState.RESOLVED),
        ("What is the code for the cellar?", ["Li: It is on the lid."], AnchorState.RESOLVED),
    ],
)
def test_a_mere_yes_answers_no_question_for_words(question: str, replies: list[str], state: AnchorState) -> None:
    found = anchors_of(talk(f"Ana: {question}", *replies))
    assert [draft.state for draft in found if draft.type is AnchorType.UNRESOLVED_QUESTION] == [state]
