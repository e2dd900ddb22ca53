"""A clause that a context shows without the one before it begins where it can be understood."""

from __future__ import annotations

import pytest

from support.wild_turns import said
from turnfold_worker.pipeline.anchors.extraction import extract_anchors
from turnfold_worker.pipeline.notes.turn_notes import notes_of
from turnfold_worker.pipeline.settings import FoldSettings
from turnfold_worker.pipeline.turns.reading import read_turn


def notes(text: str) -> list[str]:
    return [note.text for note in notes_of([read_turn(said(text))]) if note.worth]


@pytest.mark.parametrize(
    "text",
    [
        "I'm trying to understand how a hydraulic press multiplies force in general, and how it applies to small jacks",
        "Can you show me the direct route from the harbour to the museum by bus, and also compare it to the tram?",
        "I want to find out which of the four quarries delivered the grey slate, and whether they still have some",
        "We add both shares if the two tanks are apart; if they share a pipe, then we subtract what both of them hold",
        "The parish council has kept the old plan of the mill on file since May, and so has the registry in Bern",
        "She explained to the whole team what the new valve does to the pressure, and why the old one kept leaking",
    ],
)
def test_what_goes_on_with_a_clause_stays_with_it(text: str) -> None:
    assert notes(text) == [text]


def test_a_sentence_is_not_cut_at_its_relative_clause() -> None:
    text = (
        "I fear that the new roof of the boathouse by the river, which we finished on May 1, might not carry the snow "
        "that falls in the valley every January, although the carpenter checked each of the beams twice and said that "
        "it would do so"
    )
    assert notes(text) == [text]


def test_a_clause_of_its_own_stands_alone() -> None:
    text = "I finished the drawings of the new boathouse for the club on Monday, and I sent the plans to the carpenter"
    assert notes(text)[1:] == ["I sent the plans to the carpenter"]
    asked = (
        "I finished the drawings of the new boathouse for the club on Monday, and how do I send them to the printer?"
    )
    assert notes(asked)[0] == "I finished the drawings of the new boathouse for the club on Monday"


def test_an_opening_that_says_nothing_leaves() -> None:
    assert notes("No prob. I made the frame from oak.") == ["I made the frame from oak"]


LONG = (
    "I have been looking into how the irrigation of the lower terraces could be rebuilt with the two pumps that the "
    "village bought from the cooperative in the spring, because the old channels leak and nobody has repaired them, "
    "{}and the first trench is to be dug before the rain sets in at the end of the month by the young people."
)


@pytest.mark.parametrize(
    ("joined", "clause"),
    [
        ("and I prefer clay pipes over plastic ones, ", "I prefer clay pipes over plastic ones,"),
        ("but I've never welded any pipes before, ", "I've never welded any pipes before,"),
        ("and considering my goal is to water 12 terraces by June 3, ", "my goal is to water 12 terraces by June 3,"),
    ],
)
def test_a_standing_fact_begins_without_its_conjunction(joined: str, clause: str) -> None:
    turn = said(LONG.format(joined))
    drafts = extract_anchors([read_turn(turn)], FoldSettings())
    assert clause in [draft.text for draft in drafts]
    assert [turn.content[draft.start : draft.end] for draft in drafts] == [draft.text for draft in drafts]


def test_a_denial_keeps_its_beginning() -> None:
    text = LONG.format("and no more than 4 pipes may be stored near the well, ")
    drafts = extract_anchors([read_turn(said(text))], FoldSettings())
    assert "and no more than 4 pipes may be stored near the well," in [draft.text for draft in drafts]


def test_a_rule_about_what_the_sentence_before_it_names_stands_with_that_sentence() -> None:
    text = "Ida is fine with the group portrait but will not be named in it. Not on the poster either, no exceptions."
    anchors = extract_anchors([read_turn(said(text))], FoldSettings())
    assert [anchor.text for anchor in anchors if "poster" in anchor.text] == [text]
