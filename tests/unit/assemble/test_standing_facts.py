"""Standing facts show each anchor in force once, with as short an opening as possible, and no expired ones."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

import pytest

from turnfold.assemble.by_value.fitting import fitting_anchors
from turnfold.assemble.by_value.past import Past
from turnfold.assemble.by_value.top_anchors import TopAnchors, stands
from turnfold.assemble.forms.render_text import ANCHORS_HEADER, anchor_opening
from turnfold.assemble.policy import AnchorsRoom
from turnfold.assemble.pricing import Pricing, Style
from turnfold.contract.notes import Note, bare_words
from turnfold.contract.records import Anchor, AnchorType
from turnfold.dates.passed import day_of, has_passed, names_near_day
from turnfold.tokens import ESTIMATOR

DAY: Final = "2 March 2026"
DECISION, COMMITMENT, PREFERENCE = AnchorType.DECISION, AnchorType.COMMITMENT, AnchorType.PREFERENCE
_LINE: Final = re.compile(
    r"\[(?P<type>[a-z ]+) (?P<turn>\d+)(?:, \d+ \w+ \d{4})?(?:, replaces \"[^\"]*\")?\] (?:(?P<speaker>[^:]+): )?"
)


def anchor(text: str, *, kind: AnchorType = DECISION, seq: int = 1, rank: int = 123, replaced: str = "") -> Anchor:
    return Anchor(
        id=seq, type=kind, text=text, turn_seq=seq, start=0, end=len(text), score=88, rank=rank, tokens=len(text) // 4,
        speaker="Mara", day=DAY, replaced=replaced or None,
    )  # fmt: skip


def shown(*anchors: Anchor, room: int = 500, today: date | None = None) -> list[str]:
    pricing = Pricing(ESTIMATOR, Style(short=False, openings=()))
    rooms = AnchorsRoom(most=room, most_with_rules=room, most_with_pins=room)
    taken = fitting_anchors(TopAnchors.of(anchors), 1_000, rooms, pricing, today=today)
    return [one.text for one in taken.anchors]


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("We decided on oak shelves with brass hinges.", "and we decided on oak shelves with brass hinges, initially,"),
        ("I prefer short and plain answers.", "I prefer short, plain answers to keep the chat readable."),
    ],
)
def test_what_is_said_twice_is_shown_once(first: str, again: str) -> None:
    assert shown(anchor(first), anchor(again, seq=30)) == [first]


@pytest.mark.parametrize(
    ("text", "is_said"),
    [
        ("I started to paint in 2020", True),
        ("I started to paint the week before 3 May 2023", True),
        ("Mara started to paint", True),
        ("I started to paint in oil", False),
    ],
)
def test_a_note_that_only_counts_the_day_of_a_standing_fact_says_it_again(text: str, *, is_said: bool) -> None:
    note = Note(7, 0, "Mara", "user", DAY, text, 9, gain=100)
    words = set(bare_words("I started to paint three years ago."))
    assert [*Past([note], before_seq=100, anchored={7: words})] == ([] if is_said else [note])


def test_standing_orders_for_other_occasions_stand_beside_each_other() -> None:
    texts = ["Always use short bullet points when I ask about style.", "Always use bullet points when I ask for lists."]
    assert shown(*(anchor(text, kind=AnchorType.INSTRUCTION, seq=at) for at, text in enumerate(texts, 1))) == texts


@pytest.mark.parametrize(
    "rule",
    [
        anchor("Never store card numbers of guests anywhere.", kind=AnchorType.CONSTRAINT, seq=3, rank=350),
        anchor("Hazelnuts close my throat, even a trace of them.", kind=AnchorType.CRITICAL_FACT, seq=3, rank=233),
    ],
)
def test_rules_and_what_health_forbids_take_more_room_than_others_and_come_first(rule: Anchor) -> None:
    pricing = Pricing(ESTIMATOR, Style(short=False, openings=()))
    rooms = AnchorsRoom(most=20, most_with_rules=40, most_with_pins=40)
    taken = fitting_anchors(TopAnchors.of([anchor("We decided on oak shelves."), rule]), 1_000, rooms, pricing)
    assert [one.text for one in taken.anchors] == [rule.text]


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("We decided on 40 oak shelves for the hall.", "We decided on 60 oak shelves for the hall."),
        ("Always put brass hinges on oak doors.", "Never put brass hinges on oak doors."),
        ("We decided on oak shelves for the hall.", "We decided on glass lamps for the stairs."),
        ("We use Redis.", "We use Redis behind a proxy that the platform team runs for all other services."),
    ],
)
def test_what_differs_is_shown_beside_it(first: str, other: str) -> None:
    assert shown(anchor(first), anchor(other, seq=30)) == [first, other]


def test_what_two_people_say_of_themselves_is_shown_of_both() -> None:
    mine = anchor("I prefer the quiet room upstairs.", kind=PREFERENCE)
    hers = Anchor(
        id=2, type=PREFERENCE, text=mine.text, turn_seq=9, start=0, end=mine.end, score=88, tokens=9, speaker="Ana"
    )
    assert shown(mine, hers) == [mine.text, mine.text]


def test_a_commitment_whose_day_has_passed_does_not_stand() -> None:
    promise = anchor("I'll bring the keys tomorrow.", kind=COMMITMENT)
    assert shown(promise, today=date(2026, 3, 3)) == [promise.text]
    assert shown(promise, today=date(2026, 9, 3)) == []
    assert shown(anchor("We decided to open tomorrow."), today=date(2026, 9, 3))


def test_a_plan_whose_day_has_passed_and_what_held_until_a_day_stand_no_more() -> None:
    due = anchor("The forms must reach Ana by 20 March.", kind=AnchorType.CONSTRAINT)
    until = anchor("The gate must stay shut until 20 March.", kind=AnchorType.CONSTRAINT)
    told = anchor("In 2019 we agreed on no loud music.", kind=AnchorType.CONSTRAINT)
    for fact in (due, until, told):
        assert shown(fact, today=date(2026, 3, 20)) == [fact.text]
    assert shown(due, until, told, today=date(2026, 4, 3)) == [told.text]


def test_the_short_one_of_two_alike_in_rank_comes_first() -> None:
    long = anchor("We decided on oak shelves, " + "all of them with brass hinges and a second lock, " * 3, seq=2)
    short = anchor("We decided on glass lamps for the stairs.", seq=3, rank=122)
    assert shown(long, short, room=45) == [short.text]


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("I'll call you tonight.", True),
        ("I'll send it by Friday.", True),
        ("I'll send it next month.", True),
        ("I'll pay on 13 April.", True),
        ("I'll pay on April 13, 2027.", False),
        ("I'll pay on 13 September.", False),
        ("I'll pay on 5 January.", False),
        ("I'll water the plants every Monday.", False),
        ("I'll look after the plants.", False),
        ("I'll pay on 31 February.", False),
    ],
)
def test_a_day_has_passed_when_each_day_that_is_named_lies_behind(text: str, *, passed: bool) -> None:
    assert has_passed(text, date(2026, 3, 2), date(2026, 6, 1)) is passed


def test_days_are_read_as_they_are_written() -> None:
    assert day_of("31 December 2025") == date(2025, 12, 31)
    assert day_of("soon") is None
    assert names_near_day("from next week on")
    assert not names_near_day("never on Saturday")


@pytest.mark.parametrize(
    ("one", "opening"),
    [
        (anchor("Never ship on Sunday.", kind=AnchorType.CONSTRAINT, seq=7), "[constraint 7] Mara: "),
        (anchor("From next week only cash.", kind=AnchorType.CONSTRAINT), f"[constraint 1, {DAY}] Mara: "),
        (anchor("I'll send it.", kind=COMMITMENT), f"[commitment 1, {DAY}] Mara: "),
        (
            anchor("The fair is in Porto.", replaced="The fair is in Lisbon."),
            f'[decision 1, {DAY}, replaces "The fair is in Lisbon."] Mara: ',
        ),
        (anchor("Oak, not pine.", replaced="Oak or pine."), f"[decision 1, {DAY}] Mara: "),
        (anchor("It's 9 June, not 2 June.", replaced="The fair is on 2 June."),
         f'[decision 1, {DAY}, replaces "The fair is on …"] Mara: '),
    ],
)  # fmt: skip
def test_an_opening_says_type_turn_and_speaker_and_no_value_that_the_words_deny(one: Anchor, opening: str) -> None:
    assert anchor_opening(one) == opening
    match = _LINE.fullmatch(opening)
    assert match is not None
    assert (match["type"], int(match["turn"]), match["speaker"]) == (one.type, one.turn_seq, one.speaker)


@pytest.mark.parametrize(
    ("replaced", "named"),
    [
        ("We cut it to 300 ms, then stopped.", "300 ms"),
        ("The cap went up to $500, at last.", "$500"),
        ("The share has reached 75%.", "75%"),
        ("The hall is cold.", "The hall is cold."),
        (f"The stall sells {'very ' * 9}hot soup, bread, and jam.", f"The stall sells {'very ' * 9}hot soup, bread …"),
    ],
)
def test_what_was_before_is_named_whole(replaced: str, named: str) -> None:
    fact = anchor("It is another one now.", kind=AnchorType.CRITICAL_FACT, replaced=replaced)
    assert anchor_opening(fact) == f'[critical fact 1, replaces "{named}"] Mara: '


def test_openings_leave_most_tokens_to_the_words() -> None:
    before = ESTIMATOR.count("[constraint, turn 35, 5 March 2026] Mara: ")
    assert ESTIMATOR.count("[constraint 35] Mara: ") <= 0.6 * before
    assert ESTIMATOR.count(ANCHORS_HEADER) <= ESTIMATOR.count("[standing facts: exact words from earlier turns]\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("HOLD_SECONDS=600", True), ("SECRET_KEY=your_secret_key", False), ("The hold is 600 seconds.", False)],
)
def test_of_facts_only_a_setting_stands(text: str, *, expected: bool) -> None:
    assert stands(AnchorType.CRITICAL_FACT, 90, text) is expected
