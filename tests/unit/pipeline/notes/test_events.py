"""Events count for more than moods, praise, general truths, and echoes of the other speaker's words."""

from __future__ import annotations

import pytest

from turnfold.contract.records import Role, StoredTurn
from turnfold_worker.pipeline.notes.alone import leans
from turnfold_worker.pipeline.notes.events import event_share, is_general, stems_of
from turnfold_worker.pipeline.notes.ranking import ranked
from turnfold_worker.pipeline.notes.turn_notes import notes_of
from turnfold_worker.pipeline.turns.reading import read_turn

NOTHING = frozenset[str]()


@pytest.mark.parametrize(
    "deed",
    [
        "I just ran the harbour race",
        "We've sold the van",
        "Just got new boots",
        "my sister moved to Bern",
        "It rained when we met Ben",
    ],
)
def test_a_deed_counts_more(deed: str) -> None:
    assert event_share(deed, NOTHING) > 1.0


@pytest.mark.parametrize(
    "clause",
    [
        "I would sell the van",
        "I can't sell the van",
        "The red van is ours",
        "My hired van is red",
        "I need two vans",
    ],
)
def test_what_may_be_or_only_is_counts_as_it_did(clause: str) -> None:
    assert event_share(clause, NOTHING) == 1.0


@pytest.mark.parametrize(
    "clause", ["Winning the regatta is awesome - congrats", "Dang, your van is full of tools, Ben"]
)
def test_cheers_count_less_than_what_they_are_for(clause: str) -> None:
    assert event_share(clause, NOTHING) < 0.5 < event_share("I won the regatta", NOTHING)


def test_a_day_counts_more_and_a_bare_number_does_not() -> None:
    assert event_share("I see Ben on 7 May 2026", NOTHING) > event_share("I see Ben at 7", NOTHING) == 1.0


@pytest.mark.parametrize(
    "clause",
    [
        "Love the colours of that lake",
        "I'm so grateful for my friends",
        "It's normal to be nervous",
        "Rivers bring joy",
        "It makes me think of my roots",
        "I felt the cold",
    ],
)
def test_praise_moods_and_truths_count_less(clause: str) -> None:
    assert event_share(clause, NOTHING) < 1.0


@pytest.mark.parametrize(
    "clause", ["I love that my van has 3 beds", "I love Bern", "Ben likes Bern", "It costs 9 euros"]
)
def test_a_taste_a_name_and_a_number_are_no_praise_or_truth(clause: str) -> None:
    assert event_share(clause, NOTHING) == 1.0


def test_what_takes_up_the_other_s_words_counts_less() -> None:
    asked = stems_of("I glazed a bowl with blue swallows.")
    assert event_share("I like swallows on my bowl", asked) < event_share("I like swallows on my bowl", NOTHING)
    assert event_share("I like herons on my sled", asked) == event_share("I like herons on my sled", NOTHING)
    assert event_share("I have 3 bowls with swallows", asked) == 1.0


@pytest.mark.parametrize("clause", ["It's normal to be nervous", "It's great how people help"])
def test_what_holds_for_anybody_names_nothing(clause: str) -> None:
    assert is_general(clause)
    assert not is_general(f"{clause} me")


@pytest.mark.parametrize("clause", ["It was great to see them", "They moved away", "This helps a lot", "That was odd"])
def test_a_bare_pronoun_leans(clause: str) -> None:
    assert leans(clause)


@pytest.mark.parametrize(
    "clause", ["This necklace broke", "These figurines are mine", "It was Ben, my uncle", "It was 3"]
)
def test_what_names_the_thing_itself_does_not_lean(clause: str) -> None:
    assert not leans(clause)


def _turns(*said: tuple[str, str]) -> list[StoredTurn]:
    return [
        StoredTurn(turn_id=str(seq), seq=seq, role=Role.USER, name=name, content=content, tokens=20)
        for seq, (name, content) in enumerate(said, start=1)
    ]


def test_a_reply_that_leans_keeps_its_question() -> None:
    asked = _turns(("Ana", "How long did the vase take?"), ("Ben", "It took three whole weeks in the studio of Mara."))
    assert notes_of([read_turn(turn) for turn in asked])[-1].text.startswith("(How long did the vase take?) It took")
    asked = _turns(("Ana", "And then?"), ("Ben", "It took three whole weeks in the studio of Mara."))
    assert notes_of([read_turn(turn) for turn in asked])[-1].text.startswith("It took")
    asked = _turns(("Ana", "How long did the vase take?"), ("Ben", "Mara made vases in her studio for three weeks."))
    assert notes_of([read_turn(turn) for turn in asked])[-1].text.startswith("Mara made")


def test_a_reply_keeps_its_question_behind_thanks() -> None:
    asked = _turns(
        ("Ana", "How did the kids take the move?"), ("Ben", "Thanks! They were scared at first in the dark.")
    )
    notes = [note.text for note in notes_of([read_turn(turn) for turn in asked]) if note.worth]
    assert notes[-1] == "(How did the kids take the move?) They were scared at first in the dark"


def test_a_truth_does_not_come_with_what_follows_it() -> None:
    (turn,) = _turns(
        ("Ana", "It's normal to be nervous with a big decision. They're good, we got a cat called Bailey.")
    )
    notes = notes_of([read_turn(turn)])
    best = ranked(notes, {"user": 20}, most_tokens=100)
    assert best[0].place == 1
