"""A clause that only sounds like a promise or a request is no commitment, and a real one next to it is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.examples import examples
from support.wild_turns import said, talk
from turnfold.contract.records import AnchorType, Role
from turnfold_worker.pipeline.anchors.commitment_filter import Hearer, binds_somebody
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.language.spoken import plain_words
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn


def commitments(*lines: str) -> list[str]:
    """Return the commitments of the first turn, in any state."""
    found = extract_anchors([read_turn(turn) for turn in talk(*lines)], FoldSettings())
    return [one.text for one in found if one.type is AnchorType.COMMITMENT and one.turn_seq == 1]


@pytest.mark.parametrize(
    "text",
    [
        "Talk to you soon!", "I'll see you around, Omar!", "Got it, I'll see you later.", "Let's catch up soon!",
        "I have to go now, the kids are up.", "Cool, I'll do that.", "Keep me posted - you got this!",
        "I'll make sure to keep you updated.", "I'm into these desserts, let me know what you think!",
        "Keep doing what you love!", "I'm going to keep pushing forward.",
        "Let's keep supporting each other.", "Go for it, Omar!", "Just make sure you don't give up.",
        "Don't be afraid to ask and share, even with strangers.", "Follow your dreams and push through.",
        "Don't let it get to you.", "Let's spread the love!", "You should give it a shot, and give it another try!",
        "Remember, patience makes any garden grow.", "You don't have to win every race.",
        "I'll always cherish this day.", "I'll keep that in mind.", "I'll be honest, it was long.",
        "I won't give up, I promise!", "Your patience will pay off, I promise.", "I promise it's worth the climb.",
        "You can always count on me!", "Can't wait to try the new oven!", "Excited to hear what you think.",
        "I'd love to see another of your paintings!", "Maybe I'll write a novel one day.",
        "It was great to feel like we could make a change.", "Who can say no to a warm loaf?",
        "Look at this homemade loaf!", "Take a look at this photo, that is my old boat.", "Check them out!",
        "They help me relax after work.", "My friends motivate me and give me the strength to go on.",
        "I thought, why not try the lute.", "That's great that you can just go out there.",
        "I want to help people through this.", "There is something I want to tell everyone.",
    ],
)  # fmt: skip
def test_what_people_say_to_part_to_cheer_or_to_long_is_no_commitment(text: str) -> None:
    assert commitments(f"Ana: {text}", "Omar: I see.") in ([], ["You should give it a shot, and give it another try!"])


@pytest.mark.parametrize(
    "text",
    [
        "I'll see you at the gate on Monday.", "Let's talk soon about the lease.", "I have to finish the lease now.",
        "Keep me posted on the repair of the boiler.", "Keep the receipts for the notary.",
        "Let me know what the notary wants.",
        "I'll give it to Omar tomorrow.", "Don't forget to call the notary.",
        "Don't let the boiler get cold.", "Let's spread the chairs over two rooms.", "Give it to Omar.",
        "Remember to bring the keys.", "You have to sign every page.", "I'll call the notary before I go.",
        "I'll be at the gate.", "I promise I'll call the notary.", "Count on me to bring the chairs.",
        "I'd love it if you could send the lease.",
        "Look into the broken gate, please.", "Check out the branch and run the tests.",
        "You don't have to sign it until the notary calls.",
        "Please help me carry the boxes.", "Send me the lease.", "Why not meet at the gate?",
        "I want you to sign the lease.", "I want to ask you to sign the lease.",
    ],
)  # fmt: skip
def test_what_binds_somebody_is_a_commitment(text: str) -> None:
    assert commitments(f"Ana: {text}", "Omar: I see.") == [text]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Keep it up and send me the draft!", True),
        ("Can't wait to see it, so please send the draft.", True),
        ("I'll see you soon, and I'll bring the ladder.", True),
        ("Keep it up and stay strong!", False),
        ("I want to help people, and I'll call the notary.", True),
        ("I want to live by the sea and help others to do so.", False),
    ],
)
def test_another_deed_in_the_same_breath_is_kept(text: str, kept: bool) -> None:
    assert bool(commitments(f"Ana: {text}", "Omar: I see.")) is kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I want to make sure I'm doing this well.", False),
        ("so I can use it in my garden", False),
        ("I'll start with the first one.", False),
        ("so go easy on me", False),
        ("I want to open an account.", True),
        ("I'll call the notary about it.", True),
    ],
)
def test_aims_told_to_an_assistant_are_no_requests(text: str, kept: bool) -> None:
    assert bool(commitments(f"user: {text}", "assistant: Good.")) is kept


def test_what_somebody_longs_for_is_a_fact_among_people() -> None:
    turns = talk("Ana: I want to help those in Lyon who lost their homes.", "Omar: I see.")
    found = extract_anchors([read_turn(turn) for turn in turns], FoldSettings())
    assert [one.type for one in found] == [AnchorType.CRITICAL_FACT]


def test_what_somebody_may_do_binds_nobody_among_people() -> None:
    assert commitments("Ana: You can go by tram.", "Omar: I see.") == []


def test_an_assistant_that_says_it_can_help_promises_nothing() -> None:
    for text, kept in (("Absolutely, I can help you with the plan.", False), ("I can send it to you today.", True)):
        found = extract_anchors([read_turn(said(text, role=Role.ASSISTANT))], FoldSettings())
        assert bool([one for one in found if one.type is AnchorType.COMMITMENT]) is kept


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Will you be in Lyon, or somewhere else?", AnchorType.UNRESOLVED_QUESTION),
        ("I finished a pot - want to see a picture of it?", AnchorType.UNRESOLVED_QUESTION),
        ("Would you like to see the sketch of the boat?", AnchorType.UNRESOLVED_QUESTION),
        ("Can we say that the lease is over?", AnchorType.UNRESOLVED_QUESTION),
        ("Will you be able to send the lease?", AnchorType.COMMITMENT),
        ("Would you like to come to the notary?", AnchorType.COMMITMENT),
    ],
)
def test_what_only_wants_an_answer_is_a_question(text: str, kind: AnchorType) -> None:
    turns = [read_turn(turn) for turn in talk(f"Ana: {text}")]
    assert [one.type for one in extract_anchors(turns, FoldSettings())] == [kind]


@given(st.text(max_size=200), st.sampled_from(list(Hearer)))
@examples(100, deadline=None)
def test_a_plain_order_binds_whatever_was_said_before_it(before: str, hearer: Hearer) -> None:
    assert binds_somebody(plain_words(f"{before}. please send me the draft"), hearer, exact=False)


@pytest.mark.parametrize(
    ("piece", "binds"),
    [
        ("keep it up ", False),
        ("i'd love to see it, ", False),
        ("can't wait to see it, ", False),
        ("please, they help me ", True),
    ],
)
def test_a_hundred_thousand_courtesies_are_read(piece: str, binds: bool) -> None:
    assert binds_somebody(piece * 10_000, Hearer.PERSON, exact=False) is binds
