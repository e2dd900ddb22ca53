"""Rules, instructions and preferences are shown however they are worded; wishes of the moment are not."""

from __future__ import annotations

import pytest

from support.wild_turns import said
from turnfold.assemble.by_value.top_anchors import stands
from turnfold.contract.records import AnchorType, Role
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn


def standing(text: str, *, name: str | None = None) -> set[AnchorType]:
    """Return the types of a turn's anchors that contexts show; an assistant replies, or a person for a `name`."""
    reply = said("Fine.", seq=2, name="Omar") if name else said("All right.", seq=2, role=Role.ASSISTANT)
    anchors = extract_anchors([read_turn(said(text, name=name)), read_turn(reply)], FoldSettings())
    return {one.type for one in anchors if stands(one.type, one.score, one.text, rank=one.rank or 0)}


@pytest.mark.parametrize(
    "text",
    [
        "The report has to be on Priya's desk by Friday noon, no extensions.",
        "We can't spend a cent over 9,000 euros on the roof.",
        "Everything we publish needs two signatures before it goes out.",
        "The kiln may not run while children are in the building.",
        "Nothing heavier than 15 kg goes on the top shelf.",
        "Guests with a nut allergy mean there can be no almonds anywhere in the cake.",
        "The API has to answer in under 200 ms.",
        "Data of minors never leaves our own servers.",
        "We're only allowed to dig between April and June.",
        "Whatever we build must work without JavaScript.",
        "Our landlord doesn't allow drilling into the walls.",
        "The boat is limited to eight passengers.",
        "Tickets mustn't cost more than 12 euros.",
        "The grant forbids buying hardware.",
        "No customer data in logs, ever.",
        "The total must not exceed four pages.",
        "All invoices have to be archived for ten years.",
        "Every change needs a review by someone from the security team.",
        "We are not permitted to store card numbers.",
        "It has to fit in a carry-on bag.",
        "It must not be visible from the street.",
        "The door needs to remain unlocked during opening hours.",
        "At no point may the water rise above the red line.",
        "The budget is capped at 3,500 dollars.",
        "The app must support screen readers.",
        "The speech can't be longer than six minutes.",
        "There must be at least two adults on each boat.",
        "Medication has to be kept below 8 degrees.",
        "We must stick to Python 3.9 because of the cluster.",
        "Legal says we may only keep the recordings for 30 days.",
        "Production deploys are off limits on Fridays.",
        "I need the kitchen to be wheelchair accessible, that's non-negotiable.",
        "It is mandatory that visitors sign the book.",
        "No flights with more than one stop.",
        "Only licensed electricians are allowed to touch the panel.",
        "The museum requires that bags be left at the desk.",
        "We have a hard cap of 50 guests.",
        "Under no condition should the backup be deleted.",
    ],
)
def test_a_limit_stands_in_whatever_words(text: str) -> None:
    assert AnchorType.CONSTRAINT in standing(text)
    assert AnchorType.CONSTRAINT in standing(text, name="Ana")


@pytest.mark.parametrize(
    "text",
    [
        "From here on, answer in Spanish.",
        "In every answer, give me the page number too.",
        "Whenever you quote a law, name the paragraph.",
        "Please never use abbreviations in your answers.",
        "Always put the price first when I ask about hotels.",
        "Keep your replies under 80 words.",
        "Don't apologise in your answers.",
        "Address me as Doctor Lund.",
        "For every recipe you give me, list the calories.",
        "I'd like you to always double-check my sums.",
        "Use British spelling throughout.",
        "When I paste a poem, only comment on the rhythm.",
        "Never give me code without comments.",
        "Stop ending your messages with a question.",
        "Whenever I mention a city, add its country.",
        "Please write all dates as day, month, year from now on.",
        "Always remind me to drink water when I ask about my schedule.",
        "In future, skip the introduction.",
        "Every time you suggest a book, say how long it is.",
        "Explain things to me as you would to a ten-year-old, always.",
        "If I ask about medicine, always tell me to see a doctor.",
        "Don't ever use tables when you answer me.",
        "Make sure every summary you write has three bullet points.",
        "Remember to convert prices to kroner every time.",
        "When you correct my French, show the original too.",
        "Please respond only in lower case from now on.",
        "Always ask before you change my text.",
        "Each answer should end with a source.",
        "You should never suggest meat dishes to me.",
        "Whenever I ask for directions, include the walking time.",
        "Use SI units in all your answers.",
        "Begin each reply with the date.",
        "I want your answers without markdown from now on.",
        "For all future questions, assume that I use Linux.",
        "Never translate names of streets.",
        "Please keep the tone formal in all e-mails you draft for me.",
        "Only recommend vegan restaurants when I ask about food.",
        "Always give two alternatives whenever I ask for a recommendation.",
        "When I ask about trains, never include night trains.",
    ],
)
def test_an_order_for_good_stands_in_whatever_words(text: str) -> None:
    assert AnchorType.INSTRUCTION in standing(text)


@pytest.mark.parametrize(
    "text",
    [
        "I prefer trains to planes.",
        "I like my tea without sugar.",
        "I can't stand coriander.",
        "My favourite colour is teal.",
        "I'm not a fan of horror films.",
        "I'd rather read on paper than on a screen.",
        "I hate getting up early.",
        "I always take the window seat.",
        "I usually avoid crowded beaches.",
        "Spicy food isn't my thing.",
        "I never eat breakfast.",
        "I'm more of a cat person.",
        "I much prefer short meetings.",
        "I don't like long phone calls.",
        "My favorite writer is Le Guin.",
        "I'm really into bouldering.",
        "I don't enjoy big parties.",
        "We prefer a quiet hotel over one in the centre.",
        "I'm fond of old maps.",
        "I dislike tight collars.",
        "I tend to favour linen over cotton.",
        "I'm a big fan of Finnish rock.",
        "I only drink decaf.",
        "I like quiet mornings best.",
        "I'm keen on birdwatching.",
        "I prefer working late at night.",
        "I don't care for sweet wine.",
        "I favour simple designs over fancy ones.",
        "Thrillers are my favourite genre.",
        "I'm partial to lemon cake.",
        "My preference is an aisle seat.",
        "I love hiking and I hate running.",
        "I prefer Rust over Go for small tools.",
        "What I like most is rye bread.",
    ],
)
def test_a_taste_stands_in_whatever_words(text: str) -> None:
    assert AnchorType.PREFERENCE in standing(text)
    assert AnchorType.PREFERENCE in standing(text, name="Ana")


@pytest.mark.parametrize(
    "text",
    [
        "I want to make sure that the chart looks right.",
        "I want to make sure that I always get the right answer here.",
        "I want to ensure that my essay is never boring.",
        "I've recently extended my evening walks to two hours.",
        "I'll take the bet!",
        "I'll take that as a compliment.",
        "I'll take the blue one.",
        "We must have walked at least ten miles yesterday.",
        "I need to make sure the soup isn't too salty.",
        "I'd like to make sure I never miss the bus again.",
        "I have to be honest, the film was dull.",
        "We have to celebrate this!",
        "You have to try the plum cake, it's at most five minutes from here.",
        "I must admit that I never expected that.",
        "I'm trying to keep the code under 200 lines.",
        "I'm hoping to stay within budget this month.",
        "Everything has to come together for a good concert.",
        "It only ever rains when I forget my coat.",
        "It was at most 30 people.",
        "I love how you arranged the flowers!",
        "I love that for you.",
        "I really like your idea about the lamp.",
        "I like the second draft better.",
        "I'd rather finish this chapter first.",
        "I never thought that it would work.",
        "I always say that luck helps.",
        "I prefer to start with the first exercise.",
        "I hate it when the printer jams like today.",
        "I hate to say it, but the cake burned.",
        "My favourite part was the ending.",
        "I don't want to spoil the surprise.",
        "I'm a huge fan of what you did there.",
        "I was told that the gate must be closed by nine, back when I lived there.",
        "Can you make sure that the list is complete?",
        "I'm considering a lamp that must be dimmable, what do you think?",
        "I've got to run, see you at six!",
        "Never have I laughed so much.",
    ],
)
def test_what_is_meant_for_the_moment_does_not_stand(text: str) -> None:
    assert not standing(text)
    assert not standing(text, name="Ana")
