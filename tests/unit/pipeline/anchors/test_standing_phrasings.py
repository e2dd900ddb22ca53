"""Hard limits, standing instructions and preferences in many people's words are shown at the head of contexts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pytest

from support.wild_turns import said
from turnfold.assemble.by_value.top_anchors import stands
from turnfold.contract.records import AnchorType
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn

CASES: Final = [
    json.loads(line)
    for line in Path(__file__).with_name("standing_cases.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Three sets of 25 limits, 25 orders, 25 tastes and 50 or 60 near misses, each by an author who saw no rule."""


def standing_types(text: str) -> set[AnchorType]:
    drafts = extract_anchors([read_turn(said(text))], FoldSettings())
    return {draft.type for draft in drafts if stands(draft.type, draft.score, draft.text, rank=draft.rank)}


@pytest.mark.parametrize(
    "text",
    [
        "The payload must never be larger than 2 MB.",
        "Whatever you do, never touch the billing table.",
        "Absolutely no third-party cookies on the checkout page.",
        "Customer names can never appear in the logs.",
        "It's essential that nothing leaves the EU region.",
        "We can't go above 40 euros a month for hosting.",
        "The budget is capped at 12,000 dollars.",
        "Under no circumstances should the backup be skipped.",
        "You are not allowed to use any GPL libraries.",
        "Nothing gets merged without two reviews.",
        "All invoices have to be signed off by Priya before they go out.",
        "Do not ever push directly to main.",
        "The app has to keep working on iOS 15.",
        "Passwords must be hashed with argon2, that's mandatory.",
        "It is forbidden to store card numbers anywhere.",
        "No nuts in anything, my son has an anaphylactic reaction to them.",
        "We have a hard deadline of June 3.",
        "The report may not exceed five pages.",
        "Response times need to stay under 300 ms.",
        "Only Marta may approve refunds.",
        "Don't change the public API under any circumstances.",
        "Please make sure the migration never locks the orders table.",
        "Max two images per page, full stop.",
        "We're strictly forbidden from sharing patient data.",
        "The total must not go over 500 words.",
        "I need the flight to land before 6 pm, that's non-negotiable.",
        "Every request must carry a tenant id.",
        "Never deploy on Fridays.",
        "No meetings before 10 am, ever.",
        "The tests have to pass on Python 3.9 as well.",
        "Nothing personal may leave the building.",
        "Spending above 500 euros needs my approval first.",
        "The upload limit is a hard 10 MB.",
        "Do not, under any circumstances, email the client.",
        "No one touches the release branch but Ana.",
        "It's imperative that we never log tokens.",
        "We are only permitted to use EU data centres.",
        "The logo has to be blue, no exceptions.",
        "Each answer has to fit on one slide.",
        "You can't use any paid services for this.",
        "Not a single outage is acceptable during the sale.",
        "The final text mustn't exceed 300 words.",
        "Everything has to be done by Friday, no extensions.",
        "We have zero tolerance for plain-text secrets.",
        "The whole trip can't cost more than 1,500 pounds.",
        "I have to be home by 9 pm at the latest.",
        "The database must remain on Postgres 14.",
        "Keep the bundle below 150 KB at all times.",
        "Never, ever send mails to the old address.",
        "There must be no downtime.",
        "Our policy forbids remote logins.",
        "It is not allowed to cache responses.",
        "Our contract says data may not leave Switzerland.",
        "The car must seat at least seven.",
        "Please never schedule anything on Sundays.",
        "We cannot accept more than 20 guests.",
        "The endpoint has to answer within 200 ms.",
        "It must be wheelchair accessible.",
        "All secrets stay in the vault, no exceptions.",
        "Do not touch anything under legacy/.",
        "We are required to keep logs for 90 days.",
        "Every image needs alt text.",
        "The water can't be turned off from outside unless I've had a day's warning.",
        "I'm on lates so nobody rings before noon. Ever.",
        "We keep the old doors in the hall. Not negotiable.",
        "The gate can't be locked unless the porter has the key. Not negotiable.",
        "No loose wires, no open flames in the workshop, ever.",
        "Twenty minutes between trips, for cleaning, non negotiable says the owner.",
        "Her contract says guest data stays inside Norway, full stop, so nothing hosted in the States.",
        "35's my ceiling these days, with everything in it.",
        "My limit is 900 a month, not a penny over.",
        "And speaking of ghosts: no magic in the village, ever, everything needs a natural cause.",
        "Don't ring me on Mondays, that's my day with the twins.",
        "The heritage people say the front windows have to stay wooden, same profile.",
        "Invoices above 2,000 need the dean's signature before we order. Hard rule.",
        "No photos of the children on the site. I mean it.",
        "No deliveries before eight, the neighbour works nights.",
        "The stage can't be used until the inspector has signed.",
        "No marble. It's my one veto, it stains.",
    ],
)
def test_a_limit_stands_however_it_is_said(text: str) -> None:
    assert standing_types(text) & {AnchorType.CONSTRAINT, AnchorType.INSTRUCTION}


@pytest.mark.parametrize(
    "text",
    [
        "From now on, answer me in French.",
        "Going forward, please keep your replies under 100 words.",
        "Always cite your sources.",
        "Don't use emojis when you write to me.",
        "For the rest of this chat, use metric units.",
        "Whenever you show code, add type hints.",
        "Every time I share a draft, list three weaknesses first.",
        "Please stop apologising so much.",
        "Never suggest pork recipes to me.",
        "In all your answers, put the conclusion first.",
        "When you compare options, use a table.",
        "I want you to ask before you delete anything.",
        "Use British spelling throughout.",
        "Keep your answers short from here on.",
        "If I ask for a recipe, give me the quantities in grams.",
        "Please don't ever mention my ex by name.",
        "Remind me to stretch every time we start a session.",
        "End every message with a question.",
        "You should always explain your reasoning step by step.",
        "Only reply with JSON from now on.",
        "Treat me like a beginner in all explanations.",
        "Skip the introductions in your replies, I just want the code.",
        "As a general rule, show me the diff before you apply it.",
        "Please always write in the second person.",
        "From this point on, only show me the changed lines.",
        "Don't give me any medical disclaimers.",
        "Answer only with yes or no unless I ask for more.",
        "When you quote prices, use Swiss francs.",
        "Use simple words in everything you write for me.",
        "Use snake_case in all code you write.",
        "Keep your tone formal throughout this conversation.",
        "Always double-check the arithmetic.",
        "Give me three options each time I ask for names.",
        "Don't call me sir.",
        "Make every reply fit in one tweet.",
        "Before you answer, tell me your assumptions.",
        "Stick to Python 3.12 for all examples.",
        "I'd like you to reply in Spanish from now on.",
        "Never use the word 'delve'.",
        "Put code in fenced blocks, always.",
        "Speak to me like I'm five.",
        "Leave out the pleasantries from now on.",
        "Whenever I paste an error, explain the cause before the fix.",
        "Always greet me by name.",
        "In this chat, answer as a lawyer would.",
        "Please keep answers to three bullet points.",
        "Don't use passive voice in anything you write for me.",
        "When I say 'draft', give me a full text.",
        "Never guess, say you don't know.",
        "Use tables whenever you list numbers.",
        "For every recipe, list the allergens.",
        "Translate everything you write into Polish too.",
        "Show me only the code from now on.",
        "One question at a time please, I can't take in lists.",
        "When you write a menu, finish it with one line that says what it costs per head.",
        "House rules. (1) Don't rewrite my paragraphs.",
        "Skip the pep talk, I'm an engineer.",
        "Show prices with VAT included, every one of them.",
    ],
)
def test_a_standing_order_stands_however_it_is_said(text: str) -> None:
    assert standing_types(text) & {AnchorType.CONSTRAINT, AnchorType.INSTRUCTION}


@pytest.mark.parametrize(
    "text",
    [
        "I prefer trains to planes.",
        "I'd rather sit by the aisle.",
        "I like my coffee black.",
        "I can't stand horror films.",
        "My favourite colour is teal.",
        "I'm not a morning person, so evenings suit me better.",
        "I always book window seats.",
        "We usually go for small family-run hotels.",
        "I don't like spicy food.",
        "I love hiking more than beaches.",
        "I hate long meetings.",
        "Tabs over spaces for me, please.",
        "I tend to prefer written feedback over calls.",
        "Mornings work best for me.",
        "I'm more of a tea drinker.",
        "I never drink alcohol.",
        "I enjoy quiet places more than crowded bars.",
        "I'm a big fan of minimalist design.",
        "Dark mode is what I like best.",
        "I find podcasts boring, I like reading better.",
        "I usually wear size 42.",
        "I'm happiest when I work alone.",
        "I'd much rather walk than drive.",
        "I love Thai food more than Italian.",
        "I'm not into superhero movies.",
        "I always choose the aisle seat.",
        "My favorite author is Ursula Le Guin.",
        "I don't enjoy team sports.",
        "I can't stand loud music.",
        "I prefer it when meetings are short.",
        "I only drink decaf.",
        "I'm keen on open-source tools.",
        "We both prefer smaller towns.",
        "I don't like being called on weekends.",
        "Jazz is my favourite kind of music.",
        "I'm partial to dark chocolate.",
        "I usually avoid motorways.",
        "I work best in the early morning.",
        "I'd prefer a window seat if possible.",
        "I'm a night owl.",
        "Please, no seafood for me.",
        "I like short, direct emails better than long ones.",
        "I prefer window seats.",
        "I really dislike long commutes.",
        "I love cooking, but I hate washing up.",
        "My favourite season is autumn.",
        "I'm not fond of crowds.",
        "I'd rather you emailed me.",
        "I always take my tea without sugar.",
        "I don't like surprises.",
        "I'm into vintage synths.",
        "I enjoy running more than cycling.",
        "I never wear black.",
        "I prefer not to fly.",
        "I'd sooner write than talk on the phone.",
    ],
)
def test_a_taste_stands_however_it_is_said(text: str) -> None:
    assert AnchorType.PREFERENCE in standing_types(text)


@pytest.mark.parametrize(
    "text",
    [
        "I was so tired that I could not answer the door.",
        "We weren't allowed to enter the museum yesterday.",
        "You can't use that joke on my mother!",
        "No one called but Ana.",
        "It's crucial that we meet soon!",
        "My favourite part was the sunset.",
        "I was a big fan of the show back then.",
        "I'm not a monster.",
        "He always calls me when it's late.",
        "Whenever I see you, I smile.",
        "Nobody is home before six, so I left the parcel.",
        "I didn't do well in the exam.",
        "Nothing is over until it's over.",
        "I played my favourite game last night.",
        "I wish I could use any of them.",
        "She stopped apologising years ago.",
        "Every time we start the car, it rattles.",
        "I like my boss and his wife.",
        "It is what I like to call a bargain.",
        "We had no sugar in any of the cakes yesterday.",
        "The show must go on!",
        "Nothing beats a walk before dinner.",
        "Don't worry, nobody was hurt.",
        "Who would have thought it, no idea.",
        "I'll take the bet!",
        "Let's keep in touch, always.",
        "Make your reply count, Tom!",
        "They asked me before changing the plan.",
        "The train has to work today, I guess?",
        "At the latest meetup I met Jo.",
        "You have zero tolerance for spice, ha!",
        "I can't wait more than a minute for this cake!",
        "No cake for me yesterday, I was late.",
        "The law required us to wear masks in 2020.",
        "What I like best about Rome is that nobody hurries.",
        "Is it allowed to bring dogs?",
        "Keep smiling, always.",
        "You may not like it, but the film won.",
        "I can't think of anything less fun than taxes.",
        "I'm not a doctor, but that looks fine.",
        "Don't touch the paint yet.",
        "Every garden has a gate, and each has its key.",
        "It must be terrible to wait for at least an hour.",
        "When I say his name, he barks.",
        "There's no news from the bank before Monday.",
        "No plans for the weekend.",
        "I can't be happy without you.",
        "We went over the limit, not a penny left.",
        "The kids have to stay home today.",
        "My limit was two beers back then.",
        "Don't text me back, I'm asleep.",
        "No errors before the update.",
        "I promised him I would never cry again.",
        "We've had a trial period, full of surprises.",
        "I mean it, that was a great film.",
        "No one knows before it happens.",
        "He's gone off to Spain.",
        "Write it in pencil.",
        "One thing at a time, that's life.",
    ],
)
def test_talk_in_like_words_does_not_stand(text: str) -> None:
    assert standing_types(text).isdisjoint({AnchorType.CONSTRAINT, AnchorType.INSTRUCTION, AnchorType.PREFERENCE})


@pytest.mark.parametrize(
    "text",
    [
        "I'll take the bet, Omar!",
        "Sure, I'll keep it short and natural.",
        "I'll keep it simple tonight.",
        "Can you explain it with an example, like how many ways can I choose 2 of 4,",
    ],
)
def test_sayings_and_requests_decide_nothing(text: str) -> None:
    assert standing_types(text) == set()


@pytest.mark.parametrize(
    "text",
    ["I've decided against the oak table.", "I've decided to keep the boathouse.", "I chose the kiln from Lyon."],
)
def test_a_decision_stands(text: str) -> None:
    assert AnchorType.DECISION in standing_types(text)


@pytest.mark.parametrize(("kind", "least"), [("constraint", 62), ("instruction", 66), ("preference", 66)])
def test_most_of_what_people_say_for_all_that_follows_is_found(kind: str, least: int) -> None:
    texts = [case["text"] for case in CASES if case["kind"] == kind]
    assert sum(AnchorType(kind) in _types(text) for text in texts) >= least


def test_their_near_misses_seldom_stand() -> None:
    standing = {AnchorType.CONSTRAINT, AnchorType.INSTRUCTION, AnchorType.PREFERENCE}
    wrong = [
        case["text"] for case in CASES if case["kind"] == "nothing" and not standing.isdisjoint(_types(case["text"]))
    ]
    assert len(wrong) <= 11, wrong


def _types(text: str) -> set[AnchorType]:
    return {draft.type for draft in extract_anchors([read_turn(said(text))], FoldSettings())}
